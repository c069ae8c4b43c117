"""Writes briefs: the note with its generated block, and the same as data. Rendering one again changes nothing that is not new."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from typing import Any

from sidecar.brief.build import Brief, build_brief, top_to_ingest
from sidecar.brief.render import new_note, render_block, replaced_block
from sidecar.brief.words import words_of
from sidecar.config import Config
from sidecar.errors import NoteNotFound, SidecarError
from sidecar.feeds.preference import Preference
from sidecar.feeds.private import redacted
from sidecar.ingest.plan import Created, Duplicate, IngestOptions
from sidecar.ingest.service import IngestService
from sidecar.items.service import ItemService
from sidecar.jobs import VaultThread
from sidecar.vault.files import ABSENT, VaultFiles
from sidecar.vault.generated import BRIEF_BEGIN, BRIEF_END
from sidecar.vault.indexer import VaultIndex
from sidecar.vault.links import render_link
from sidecar.vault.note import NotePath


class BriefService:
    """The briefs of one vault.

    Args:
        thread: The vault's.
        items_thread: The items'.
        take_in: Lets the index know of written notes at once; runs on the vault's thread.
    """

    def __init__(
        self,
        items: ItemService,
        items_thread: VaultThread,
        thread: VaultThread,
        files: VaultFiles,
        index: VaultIndex,
        ingest: IngestService,
        preference: Callable[[], Preference | None],
        config: Callable[[], Config],
        take_in: Callable[[Iterable[NotePath]], object],
    ) -> None:
        self._items = items
        self._items_thread = items_thread
        self._thread = thread
        self._files = files
        self._index = index
        self._ingest = ingest
        self._preference = preference
        self._config = config
        self._take_in = take_in
        self.last_judge_problem = ""
        self.over_budget = 0
        self._not_ingested: dict[str, dict[str, str]] = {}

    def path_of(self, day: str) -> NotePath:
        return f"{self._config().folders.sources}/brief-{day}.md"

    async def build(self, day: str) -> Brief:
        """Build a day's brief as it would be written now."""
        data = await self._items_thread.run(self._items.of_day, day)
        is_today = day == await self._items_thread.run(self._items.today)
        return build_brief(
            data,
            has_judge=self._config().judge.channel != "none",
            over_budget=self.over_budget if is_today else 0,
            judge_problem=self.last_judge_problem if is_today else "",
            not_ingested=self._not_ingested.get(day, {}),
        )

    async def write(self, day: str, *, ingest: bool = True) -> dict[str, Any]:
        """Write a day's brief, and bring the full text of its best; give what was done."""
        brief = await self.build(day)
        preference = self._preference() or Preference()
        if ingest:
            for entry in top_to_ingest(brief, preference.auto_ingest_top):
                await self._bring(day, entry.id, entry.url)
            brief = await self.build(day)
        # Journalled first: were the note written first, a crash in between would let another day's brief have the items again.
        judged = [entry.id for entry in brief.worth] + [entry.id for _, group in brief.rest for entry in group if entry.tier]
        path = self.path_of(day)
        headline = f"{brief.seen}/{brief.candidates}/{len(brief.worth)}"
        line = {"op": "briefed", "day": day, "ids": judged, "note": path, "headline": headline}
        await self._items_thread.run(self._items.write, "items", [line])
        written = await self._thread.run(self._store, brief, path)
        return {"day": day, "path": path, "written": written, "state": brief.state, "worth": len(brief.worth), "seen": brief.seen}

    async def _bring(self, day: str, item: str, url: str) -> None:
        try:
            outcome = await self._ingest.ingest(url, IngestOptions(via="brief"), lambda name, details: None)
        except SidecarError as error:
            self._not_ingested.setdefault(day, {})[item] = redacted(error.message)
            return
        if isinstance(outcome, (Created, Duplicate)):
            await self._items_thread.run(self._items.write, "items", [{"op": "noted", "id": item, "note": outcome.path}])
        else:
            self._not_ingested.setdefault(day, {})[item] = "its note lies in the graveyard"

    def _store(self, brief: Brief, path: NotePath) -> bool:
        """Write note and data; runs on the vault's thread. Tell whether the note changed."""
        config = self._config()
        words = words_of(config.language)
        block = render_block(brief, words, lambda note, title: render_link(note, title, path, self._index.names))
        data = json.dumps(brief.as_json(), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
        self._files.write_own(f"briefs/{brief.day}.json", data.encode("utf-8"))
        if self._files.stat(path) is None:
            text = new_note(brief, block, words, config.language)
            self._files.write(path, text.encode("utf-8"), expected=ABSENT)
            self._take_in([path])
            return True
        edit = self._files.edit(path, lambda text: replaced_block(text, block) or text)
        if edit.before != edit.after:
            self._take_in([path])
            return True
        return False

    def read(self, day: str) -> dict[str, Any]:
        """Give a brief's note: its text, and whether it was written.

        Raises:
            NoteNotFound: That day has none.
        """
        path = self.path_of(day)
        if self._files.stat(path) is None:
            raise NoteNotFound(f"There is no brief of {day}.", fix="Write it with: kb run", note=path)
        return {"path": path, "text": self._files.read(path).text}

    async def roll_up(self, until: str, days: int) -> dict[str, Any]:
        """Write the week's or the month's note as a plain list of what was worth reading; give what was done."""
        last = date.fromisoformat(until)
        first = last - timedelta(days=days - 1)
        config = self._config()
        words = words_of(config.language)
        name = "weekly" if days <= 7 else "monthly"
        path = f"{config.folders.wiki}/{name}-{until}.md"
        briefs = [await self.build((first + timedelta(days=n)).isoformat()) for n in range(days)]

        def store() -> bool:
            title = (words.week if days <= 7 else words.month).format(first.isoformat())
            lines: list[str] = []
            for brief in briefs:
                if brief.worth:
                    block = render_block(brief, words, lambda note, shown: render_link(note, shown, path, self._index.names))
                    lines += [f"## {brief.day}", "", *(line for line in block.splitlines() if line.startswith("- **")), ""]
            block = "\n".join(lines or [words.no_worth]).rstrip("\n") + "\n"
            if self._files.stat(path) is None:
                head = f'---\ntitle: "{title}"\ncreated: {until}\norigin: brief\n---\n# {title}\n\n'
                self._files.write(path, f"{head}{BRIEF_BEGIN}\n{block}{BRIEF_END}\n".encode(), expected=ABSENT)
            else:
                edit = self._files.edit(path, lambda text: replaced_block(text, block) or text)
                if edit.before == edit.after:
                    return False
            self._take_in([path])
            return True

        return {"path": path, "written": await self._thread.run(store), "worth": sum(len(brief.worth) for brief in briefs)}
