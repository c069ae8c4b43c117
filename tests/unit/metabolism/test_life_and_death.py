"""Signals, ages, and the five conditions of death, each seen to hold and to fail."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.metabolism.age import Age, Change, Commit, Past, age_of, is_touch, merge_logs, read_log
from sidecar.metabolism.chew import chewable
from sidecar.metabolism.docket import Facts, Judgement, Linker, Living, in_order, judge
from sidecar.metabolism.past import read_past
from sidecar.metabolism.signals import Rename, Renames, Signals, Use, fold_signals

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=400)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


def line(kind: str, note: str, days: float) -> dict[str, Any]:
    return {"at": ago(days).isoformat(), "kind": kind, "note": note, "door": "cli"}


def fold(*lines: dict[str, Any], renames: tuple[Rename, ...] = ()) -> Signals:
    return fold_signals(lines, Renames(renames), NOW)


def old(path: str, **more: Any) -> Facts:
    given_ = {"layer": "wiki", "title": path, "gist": "", "age": Age(LONG_AGO, LONG_AGO, "git"), "use": Use()}
    return Facts(path, **{**given_, **more})


def judged(
    facts: Facts, *, uses: dict[str, Use] | None = None, ages: dict[str, Age] | None = None, since: datetime | None = LONG_AGO
) -> Judgement:
    found = judge(facts, Living(NOW, uses or {}, ages or {}), since)
    assert found is not None
    return found


# ── signals ───────────────────────────────────────────────────────────────────────────────────


def test_signals_of_one_minute_are_one_and_order_does_not_matter() -> None:
    lines = [line("read", "a.md", 5), line("read", "a.md", 5 - 30 / 86_400), line("cite", "a.md", 3)]
    for given_ in (lines, lines[::-1]):
        use = fold(*given_).of("a.md")
        assert (1, 1) == (len(use.moments["read"]), len(use.moments["cite"]))


def test_a_signal_follows_its_note_through_renames_and_not_one_from_before_the_name() -> None:
    renames = (Rename(ago(10), "a.md", "b.md"), Rename(ago(5), "b.md", "c.md"))
    found = fold(line("read", "a.md", 20), line("read", "b.md", 7), line("cite", "a.md", 1), renames=renames)
    assert ago(7) == found.of("c.md").last("read")
    assert ago(1) == found.of("a.md").last("cite")


def test_torn_foreign_and_future_lines_do_no_harm() -> None:
    future = {"at": (NOW + timedelta(days=400)).isoformat(), "kind": "read", "note": "a.md"}
    found = fold({"kind": "read"}, {"at": "soon", "kind": "read", "note": "a.md"}, {"at": NOW.isoformat(), "kind": 5}, future)
    assert NOW == found.of("a.md").last("read")


def test_being_seen_renews_nothing() -> None:
    use = fold(line("search", "a.md", 1), line("seen", "a.md", 1)).of("a.md")
    assert "" == use.lives(NOW)


@given(st.lists(st.tuples(st.sampled_from(["read", "cite", "inject"]), st.integers(0, 300)), max_size=20))
def test_the_journals_of_two_machines_merge_in_any_order(moments: list[tuple[str, int]]) -> None:
    lines = [line(kind, "a.md", days) for kind, days in moments]
    one, other = fold(*lines[::2], *lines[1::2]), fold(*reversed(lines))
    assert one.of("a.md").moments == other.of("a.md").moments
    assert one.observed_since == other.observed_since


# ── the five conditions ───────────────────────────────────────────────────────────────────────


def test_a_note_that_meets_all_five_is_listed_and_says_why() -> None:
    found = judged(old("a.md"))
    assert found.is_listed
    assert {"no-read", "no-cite", "no-inject", "no-living-link", "unchanged"} == set(found.reasons)
    assert all(reason.state == "met" and reason.why for reason in found.reasons.values())
    assert "2025-10-27" in found.reasons["unchanged"].why


@pytest.mark.parametrize(("kind", "inside", "outside"), [("read", 90, 91), ("cite", 180, 181), ("inject", 30, 31)])
def test_each_signal_saves_within_its_window_and_not_after(kind: str, inside: int, outside: int) -> None:
    assert not judged(old("a.md", use=Use({kind: [ago(inside)]}))).is_listed
    assert judged(old("a.md", use=Use({kind: [ago(outside)]}))).is_listed


def test_a_change_within_ninety_days_saves() -> None:
    assert not judged(old("a.md", age=Age(ago(90), LONG_AGO, "git"))).is_listed
    assert judged(old("a.md", age=Age(ago(90.1), LONG_AGO, "git"))).is_listed
    assert not judged(old("a.md", age=Age(None, None, "none"))).is_listed


@pytest.mark.parametrize(("days", "state"), [(179, "not-yet-known"), (180, "met")])
def test_what_was_not_observed_is_unknown_and_condemns_nobody(days: int, state: str) -> None:
    found = judged(old("a.md"), since=ago(days))
    assert state == found.reasons["no-cite"].state
    assert (state == "met") == found.is_listed
    assert not judged(old("a.md"), since=None).is_listed


def test_a_dead_cluster_goes_together_and_a_used_index_page_keeps_its_children() -> None:
    linkers = (Linker("b.md"),)
    ages = {"b.md": Age(LONG_AGO, LONG_AGO, "git")}
    assert judged(old("a.md", linkers=linkers), ages=ages).is_listed
    assert not judged(old("a.md", linkers=linkers), ages=ages, uses={"b.md": Use({"read": [ago(10)]})}).is_listed
    assert not judged(old("a.md", linkers=linkers), ages={"b.md": Age(ago(10), LONG_AGO, "git")}).is_listed
    assert not judged(old("a.md", linkers=(Linker("out/x.md", always=True),)), ages=ages).is_listed


def test_core_notes_and_those_outside_the_folders_are_never_judged() -> None:
    for layer in ("core", "graveyard", ""):
        assert judge(old("a.md", layer=layer), Living(NOW, {}, {}), LONG_AGO) is None


def test_an_inbox_note_needs_only_its_day_to_pass() -> None:
    for expires, listed in ((date(2026, 11, 30), True), (date(2026, 12, 1), False), (None, False)):
        assert listed == judged(old("a.md", layer="inbox", expires=expires, age=Age(NOW, NOW, "git")), since=None).is_listed


def test_a_spared_note_comes_back_after_its_days() -> None:
    assert not judged(old("a.md", spared_until=date(2026, 12, 2))).is_listed
    assert judged(old("a.md", spared_until=date(2026, 12, 1))).is_listed


def test_expired_inbox_notes_come_first_and_then_the_longest_dead() -> None:
    older = judged(old("z.md", age=Age(ago(900), ago(900), "git")))
    inbox = judged(old("i.md", layer="inbox", expires=date(2026, 11, 1)))
    assert ["i.md", "z.md", "a.md"] == [one.path for one in in_order([judged(old("a.md")), older, inbox])]


# ── age ───────────────────────────────────────────────────────────────────────────────────────


def commit(name: str, days: float, *changes: Change) -> Commit:
    return Commit(name, ago(days), changes)


def changed(path: str, old_blob: str = "1", new_blob: str = "2") -> Change:
    return Change("M", path, path, old_blob, new_blob)


def test_renames_are_followed_and_a_pure_one_is_no_touch() -> None:
    log = [
        commit("c3", 1, Change("R", "c.md", "b.md", "2", "2")),
        commit("c2", 50, Change("R", "b.md", "a.md", "1", "2")),
        commit("c1", 300, Change("A", "a.md", "a.md", "", "1")),
    ]
    found, names = read_log(log, 20)
    assert [ago(50), ago(300)] == [at for at, *_ in found["c.md"].changes]
    assert ago(300) == found["c.md"].born
    assert "c.md" == names["a.md"]


def test_a_bulk_commit_is_no_touch_and_still_a_birth() -> None:
    many = [changed(f"{n}.md") for n in range(21)]
    log = [commit("c2", 5, *many), commit("c1", 300, *(Change("A", f"{n}.md", f"{n}.md", "", "1") for n in range(21)))]
    found, _ = read_log(log, 20)
    assert ([], ago(300)) == (found["3.md"].changes, found["3.md"].born)
    assert ago(300) == age_of((None, found["3.md"].born), Past(), {}).changed
    assert read_log([commit("c", 5, *many[:20])], 20)[0]["3.md"].changes


def test_new_commits_on_top_give_what_the_whole_log_gives() -> None:
    log = [
        commit("c4", 1, changed("b.md")),
        commit("c3", 2, Change("R", "b.md", "a.md", "1", "1")),
        commit("c2", 3, changed("a.md")),
        commit("c1", 9, Change("A", "a.md", "a.md", "", "1")),
    ]
    whole, _ = read_log(log, 20)
    for cut in range(1, 4):
        newer, names = read_log(log[:cut], 20)
        older, _ = read_log(log[cut:], 20)
        merged = merge_logs(older, newer, names)
        assert whole["b.md"].changes == merged["b.md"].changes
        assert whole["b.md"].born == merged["b.md"].born


def test_a_note_of_the_same_name_after_a_removal_is_another() -> None:
    log = [
        commit("c3", 1, Change("A", "a.md", "a.md", "", "9")),
        commit("c2", 2, Change("D", "a.md", "a.md", "1", "")),
        commit("c1", 300, Change("A", "a.md", "a.md", "", "1")),
    ]
    assert ago(1) == read_log(log, 20)[0]["a.md"].born


@pytest.mark.parametrize(
    ("before", "after", "touch"),
    [
        ("---\ntitle: a\n---\nText", "---\ntitle: a\nkb_use_when: x\n---\nText", False),
        ("---\nkb_buried: x\nkb_list:\n  - a\n---\nText", "---\nkb_list:\n  - b\n---\nText", False),
        ("---\ntitle: a\n---\nText", "---\ntitle: b\n---\nText", True),
        ("See [[Old]] and ![[Old#x|y]].", "See [[New]] and ![[New#x|y]].", False),
        ("See [text](old.md).", "See [text](new.md).", False),
        ("See [[Old]].", "See [[Old]] again.", True),
        ("Text\r\n", "Text\n", False),
        ("Text", "Text.", True),
    ],
)
def test_bookkeeping_and_retargeted_links_are_no_touch(before: str, after: str, touch: bool) -> None:
    assert touch == is_touch(before, after)
    assert touch == is_touch(after, before)


def test_birth_is_told_by_git_then_created_then_first_seen_and_never_by_file_times() -> None:
    assert "git" == age_of((None, ago(9)), Past(), {"created": date(2020, 1, 1)}).evidence
    created = age_of(None, Past(ago(3)), {"created": date(2020, 1, 1)})
    assert ("created", 2020) == (created.evidence, created.changed.year if created.changed else 0)
    assert ("first-seen", ago(3)) == (age_of(None, Past(ago(3)), {}).evidence, age_of(None, Past(ago(3)), {}).changed)
    assert Age(None, None, "none") == age_of(None, Past(), {})
    told = age_of((ago(9), ago(99)), Past(ago(99), ago(2)), {})
    assert ("journal", ago(2)) == (told.evidence, told.changed)


def test_the_journal_tells_changes_but_not_those_of_a_burst() -> None:
    lines = [{"at": ago(50).isoformat(), "event": "seen", "path": "a.md"}, {"at": ago(9).isoformat(), "event": "changed", "path": "a.md"}]
    lines += [{"at": ago(2).isoformat(), "event": "changed", "path": f"{n}.md"} for n in range(21)]
    lines += [{"at": ago(1).isoformat(), "event": "renamed", "from": "a.md", "path": "b.md"}]
    past, renames = read_past(lines, 20)
    assert Past(ago(50), ago(9)) == past["b.md"]
    assert "3.md" not in past
    assert "b.md" == renames.now_at("a.md", ago(5))


# ── chewing ───────────────────────────────────────────────────────────────────────────────────


def test_three_days_of_use_without_a_core_note_are_due() -> None:
    lines = [line("read", "a.md", days) for days in (1, 2, 3)] + [line("read", "b.md", days) for days in (1, 1.1, 2)]
    lines += [line("cite", "c.md", days) for days in (1, 2, 3)] + [line("read", "d.md", days) for days in (1, 2, 100)]
    found = chewable([(name, name) for name in ("a.md", "b.md", "c.md", "d.md")], ["c.md"], fold(*lines), NOW)
    assert [("a.md", 3)] == [(one.path, one.days) for one in found]
