"""The keys. Braces are filled in by name, in whatever order a language wants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False, repr=False, match_args=False)
class Words:
    """One language.

    Attributes:
        marks: Of the doctor's findings, all of one width. checks: What it looks at, where a language has its own word.
        summaries: What each command is for; one that is missing is shown in English.
        errors: A sentence for each error code, shown before the English one, which has the details.
    """

    tagline: str
    group_start: str
    group_notes: str
    group_find: str
    group_feeds: str
    group_life: str
    group_agents: str
    group_keep: str
    group_more: str
    help_end: str
    examples: str
    did_you_mean: str
    no_command: str
    see_help: str
    serving: str
    not_running: str
    start_it: str
    reading: str
    ready: str
    console: str
    watching: str
    map: str
    feeds: str
    runs: str
    never: str
    attention: str
    problems: str
    opened: str
    init_new: str
    init_added: str
    init_nothing: str
    init_plugin: str
    all_well: str
    some_notes: str
    some_bad: str
    plugin_current: str
    plugin_updated: str
    plugin_put: str
    plugin_switch_on: str
    plugin_removed: str
    plugin_absent: str
    plugin_stays: str
    plugin_folder_stays: str
    plugin_is_here: str
    plugin_put_it: str
    plugin_update_it: str
    up_to_date: str
    at_hand: str
    service_new: str
    service_same: str
    service_look_after: str
    service_other_runs: str
    service_removed: str
    service_absent: str
    service_stays: str
    service_plugin_too: str
    service_started: str
    service_stopped: str
    service_not_running: str
    service_restarted: str
    service_state: str
    service_not_installed: str
    service_item: str
    service_mend: str
    service_ended: str
    log_empty: str
    kept_none: str
    kept_removed: str
    kept_absent: str
    kept_done: str
    kept_not: str
    kept_in_keyring: str
    kept_in_file: str
    search_corrected: str
    search_shown: str
    search_shown_one: str
    search_beyond: str
    search_no_term: str
    search_filtered: str
    search_buried: str
    search_nothing: str
    search_like_nothing: str
    links_in: str
    links_unlinked: str
    links_out: str
    links_related: str
    links_on_map: str
    links_more: str
    not_written: str
    list_none: str
    list_more: str
    add_saved: str
    add_would_save: str
    add_is_there: str
    add_buried: str
    add_blocked: str
    add_failed: str
    add_again: str
    search_why: Mapping[str, str]
    marks: Mapping[str, str]
    checks: Mapping[str, str]
    states: Mapping[str, str]
    summaries: Mapping[str, str]
    errors: Mapping[str, str]
