"""The words of the map in each language."""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.config import Language


@dataclass(frozen=True, slots=True)
class MocWords:
    notes: str
    wiki: str
    sources: str
    core: str
    inbox: str
    newest: str
    hubs: str
    topics: str
    recent: str
    orphans: str
    more: str
    """Takes the number of entries left out."""
    one_orphan: str
    orphan_line: str
    """Takes the number of orphans, if there is more than one."""
    one_selected: str
    selected: str
    """Takes the number of notes of a further map, if it is not one."""
    separator: str


MOC_WORDS: dict[Language, MocWords] = {
    "en": MocWords(
        notes="notes",
        wiki="wiki",
        sources="sources",
        core="core",
        inbox="inbox",
        newest="newest change",
        hubs="Hubs",
        topics="Topics",
        recent="Recent captures",
        orphans="Orphans to tidy",
        more="and {n} more",
        one_orphan="One note has no link in or out",
        orphan_line="{n} notes have no link in or out",
        one_selected="1 note",
        selected="{n} notes",
        separator=" · ",
    ),
    "zh-CN": MocWords(
        notes="篇笔记",
        wiki="wiki",
        sources="资料",
        core="核心",
        inbox="暂存",
        newest="最近变动",
        hubs="枢纽",
        topics="主题",
        recent="最近收集",
        orphans="待整理的孤儿",
        more="还有 {n} 个",
        one_orphan="1 篇笔记没有任何链接",
        orphan_line="{n} 篇笔记没有任何链接",
        one_selected="1 篇笔记",
        selected="{n} 篇笔记",
        separator=" · ",
    ),
}
