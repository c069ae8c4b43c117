"""What can be set for one vault: a frozen class for each table of ``.kb/config.toml``, with its defaults.

A new table is a class here and a field of :class:`Config`; :mod:`sidecar.config` reads them all by the same rules.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

from sidecar.selection import Selection, parse_selection

Language = Literal["en", "zh-CN"]
MapSort = Literal["hubs", "title", "newest", "path"]
MapSection = Literal["hubs", "topics", "recent", "orphans"]
Filename = Literal["slug", "title"]
SearchMode = Literal["lexical", "semantic", "hybrid"]
VectorSource = Literal["auto", "lsa", "installed", "endpoint"]
EndpointShape = Literal["openai", "ollama"]
Robots = Literal["unattended", "always"]
JudgeChannel = Literal["agent", "endpoint", "none"]


@dataclass(frozen=True, slots=True)
class Folders:
    """Names of the folders with a meaning, relative to the vault."""

    core: str = "core"
    wiki: str = "wiki"
    sources: str = "sources"
    inbox: str = "inbox"
    graveyard: str = "_graveyard"
    outputs: tuple[str, ...] = ()
    """Folders of what the owner makes out of the notes: what is linked from there always counts as used."""


@dataclass(frozen=True, slots=True)
class MocSettings:
    """The map of content: ``[moc]``, or the table of ``[[moc]]`` that has no ``query``.

    Attributes:
        language: Words of this map; empty for the vault's language.
        sections: What it shows under the counts line, in the fixed order of :data:`MapSection`.
        hubs, topics, recent, orphans: How many entries each section lists; the rest is counted.
        budget_bytes: Bound of counts line and hubs together.
        settle_s: How long changes gather before the maps are written.
        frozen: Leave the file as it is.
    """

    path: str = "index.md"
    language: Language | Literal[""] = ""
    sections: tuple[str, ...] = get_args(MapSection)
    hubs: int = 20
    topics: int = 40
    recent: int = 10
    orphans: int = 5
    budget_bytes: int = 2600
    settle_s: float = 0.3
    frozen: bool = False


@dataclass(frozen=True, slots=True)
class MapSettings:
    """A further map: a table of ``[[moc]]`` with a ``query``. It lists the notes that the query selects.

    Attributes:
        query: Folders and tags, as :mod:`sidecar.selection` reads them.
        sort: ``hubs`` by links and freshness, ``newest`` by the notes' own dates, ``title``, or ``path``.
        notes: How many notes it lists; the rest is counted.
    """

    path: str = ""
    query: str = ""
    sort: MapSort = "hubs"
    notes: int = 200
    language: Language | Literal[""] = ""
    frozen: bool = False

    @property
    def selection(self) -> Selection:
        found = parse_selection(self.query)
        return found if isinstance(found, Selection) else Selection()


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How links become notes.

    Attributes:
        filename: ``slug`` for ASCII names, ``title`` for the page's own title made safe.
        caption_languages: Languages of captions, best first; empty for those that go with ``language``.
        media_tool: Whether yt-dlp, where it is installed, is asked for captions that the site itself does not give.
        require_use_when: A link without a stated use goes to the inbox, where it expires.
        assets: Whether images are downloaded into Obsidian's attachment folder.
        max_assets: Images for one note.
        robots: Whether robots.txt is asked only for links that nobody pasted, or for each.
    """

    filename: Filename = "slug"
    max_bytes: int = 10_000_000
    timeout_s: float = 60.0
    caption_languages: tuple[str, ...] = ()
    media_tool: bool = True
    require_use_when: bool = False
    assets: bool = False
    max_assets: int = 60
    robots: Robots = "unattended"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """``port`` 0 takes any free one; the endpoint file tells clients which."""

    port: int = 0


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """``settle_s``: how long a path must be quiet before it is read; ``polling`` for network drives."""

    settle_s: float = 0.15
    polling: bool = False


@dataclass(frozen=True, slots=True)
class GitSettings:
    """``autocommit``: record each write of the sidecar in git, its own paths only."""

    autocommit: bool = False


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """How notes are ranked, and where vectors come from.

    ``weight``: what vectors count in ``hybrid``: a number, or ``auto`` for the source's own (LSA 0, a model 1). ``source`` ``auto``: the
    endpoint if one is named, else the installed model, else LSA. Only ``endpoint`` sends anything; ``daily_requests`` and
    ``daily_texts`` bound it. ``jieba``: let whole Chinese words of a query count beside its
    characters; it costs 80 MB and gained nothing when measured.
    """

    jieba: bool = False
    mode: SearchMode = "lexical"
    weight: float | Literal["auto"] = "auto"
    source: VectorSource = "auto"
    endpoint: str = ""
    shape: EndpointShape = "openai"
    model: str = ""
    query_prefix: str = ""
    passage_prefix: str = ""
    timeout_s: float = 30.0
    batch: int = 32
    daily_requests: int = 2_000
    daily_texts: int = 20_000


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """Who judges what subscriptions bring: an ``agent`` that asks for candidates, an ``endpoint`` in OpenAI's shape, or ``none``.

    Only ``endpoint`` sends anything, to that host alone; its key comes from the keyring (``judge:HOST``) or ``KB_JUDGE_KEY``.
    """

    channel: JudgeChannel = "agent"
    endpoint: str = ""
    model: str = ""
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """What agents are given unasked: ``context`` at the start of a session, ``inject`` hints for a prompt. Without ``inject`` no note
    lives on by being told of; what is read and cited still counts."""

    context: bool = True
    inject: bool = True


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """Files of an agent's memory in the vault, such as MEMORY.md. ``grow``: lines that name a new wiki page get a link to it,
    until the file has ``max_bytes``."""

    files: tuple[str, ...] = ()
    grow: bool = False
    max_bytes: int = 20_000


@dataclass(frozen=True, slots=True)
class AgeSettings:
    """``bulk_files``: a commit that touches more notes than that changes none of them."""

    bulk_files: int = 20


@dataclass(frozen=True, slots=True)
class TrialSettings:
    """``budget``: notes shown in a week. ``spare_days``: how long one that is shown and not chosen is spared."""

    budget: int = 20
    spare_days: int = 30


@dataclass(frozen=True, slots=True)
class Config:
    """All settings of one vault."""

    language: Language = "en"
    folders: Folders = field(default_factory=Folders)
    moc: MocSettings = field(default_factory=MocSettings)
    maps: tuple[MapSettings, ...] = field(default=(), metadata={"is_key": False})
    """The maps beside the main one, in the order of the file."""
    ingest: IngestSettings = field(default_factory=IngestSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    git: GitSettings = field(default_factory=GitSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    judge: JudgeSettings = field(default_factory=JudgeSettings)
    age: AgeSettings = field(default_factory=AgeSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    trial: TrialSettings = field(default_factory=TrialSettings)

    @property
    def caption_languages(self) -> tuple[str, ...]:
        """Give the languages of captions, best first."""
        return self.ingest.caption_languages or (("zh", "en") if self.language == "zh-CN" else ("en", "zh"))
