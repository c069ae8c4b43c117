"""The trial's screen, on a full-screen terminal library."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Key
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from sidecar.cli.trial.sitting import Decision, Sitting
from sidecar.cli.trial.words import TrialWords
from sidecar.metabolism.docket import Judgement

_MARKS = {"bury": "✝", "spare": "○", "promote": "▲"}


class TrialScreen(App[Sitting]):
    """Shows the docket and takes decisions; gives the sitting at its end, or ``None`` if it was left."""

    CSS = """
    Screen { layout: vertical; }
    #head { height: 1; text-style: bold; }
    #list { height: 1fr; border: none; }
    #detail { height: 8; border-top: solid $primary; }
    #ask { display: none; height: 3; }
    #ask.open { display: block; }
    #foot { height: 1; color: $text-muted; }
    """
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+c", "leave", show=False, priority=True)]

    def __init__(self, sitting: Sitting, words: TrialWords, spare_days: int, open_note: Callable[[str], None]) -> None:
        super().__init__()
        self._sitting = sitting
        self._words = words
        self._spare_days = spare_days
        self._open_note = open_note
        self._filter = ""
        self._asked = ""
        self._finishing = False

    def compose(self) -> ComposeResult:
        yield Static(id="head")
        yield OptionList(id="list")
        with VerticalScroll(id="detail"):
            yield Static(id="text")
        yield Input(id="ask")
        yield Static(self._words.keys, id="foot", markup=False)

    def on_mount(self) -> None:
        self._redraw(0)
        self.query_one("#list", OptionList).focus()

    def _visible(self) -> list[Judgement]:
        return self._sitting.visible(self._filter)

    def _redraw(self, place: int | None = None) -> None:
        words = self._words
        options = self.query_one("#list", OptionList)
        at = options.highlighted if place is None else place
        options.clear_options()
        for one in self._visible():
            decision = self._sitting.of(one.path)
            mark = _MARKS[decision.choice] if decision else " "
            options.add_option(Option(_plain(f"{mark} {one.title}  · {one.path}"), id=None))
        count = len(self._visible())
        if count:
            options.highlighted = min(at or 0, count - 1)
        self.query_one("#head", Static).update(_plain(words.title.format(len(self._sitting.shown), len(self._sitting.counted()))))
        self._detail()

    def _current(self) -> Judgement | None:
        at = self.query_one("#list", OptionList).highlighted
        found = self._visible()
        return found[at] if at is not None and at < len(found) else None

    def _detail(self) -> None:
        one = self._current()
        if one is None:
            self.query_one("#text", Static).update("")
            return
        lines = [f"{one.path}  ({one.layer})", *([one.gist] if one.gist else [])]
        lines.append(self._words.reasons + "; ".join(condition.why for condition in one.reasons.values()))
        if one.linked_from:
            lines.append(self._words.linked + ", ".join(one.linked_from[:5]))
        decision = self._sitting.of(one.path)
        if decision is not None:
            lines.insert(0, f"→ {getattr(self._words, decision.choice)} {decision.days or ''} {decision.use_when}".rstrip())
        self.query_one("#text", Static).update(_plain("\n".join(lines)))

    def on_option_list_option_highlighted(self) -> None:
        self._detail()

    def on_key(self, event: Key) -> None:
        if self._asked:
            if event.key == "escape":
                event.stop()
                self._close_ask()
            return
        if self._finishing:
            event.stop()
            if event.key == "enter":
                self.exit(self._sitting)
            elif event.key == "escape":
                self._finishing = False
                self.query_one("#foot", Static).update(_plain(self._words.keys))
            return
        actions: dict[str, Callable[[], None]] = {
            "b": self._bury,
            "s": lambda: self._ask("spare", self._words.ask_days, str(self._spare_days)),
            "p": lambda: self._ask("promote", self._words.ask_use, ""),
            "o": self._open,
            "slash": lambda: self._ask("filter", self._words.ask_filter, self._filter),
            "u": self._undo,
            "question_mark": lambda: self.query_one("#text", Static).update(_plain(self._words.help)),
            "q": self._finish,
        }
        action = actions.get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            action()

    def _bury(self) -> None:
        one = self._current()
        if one is not None:
            self._sitting.decide(Decision(one.path, "bury"))
            self._next()

    def _next(self) -> None:
        at = self.query_one("#list", OptionList).highlighted or 0
        self._redraw(min(at + 1, max(len(self._visible()) - 1, 0)))

    def _undo(self) -> None:
        last = self._sitting.undo()
        if last is not None:
            paths = [one.path for one in self._visible()]
            self._redraw(paths.index(last.path) if last.path in paths else 0)

    def _open(self) -> None:
        one = self._current()
        if one is not None:
            self._open_note(one.path)

    def _ask(self, what: str, question: str, value: str) -> None:
        if what != "filter" and self._current() is None:
            return
        self._asked = what
        box = self.query_one("#ask", Input)
        box.border_title = question
        box.value = value
        box.placeholder = question
        box.add_class("open")
        box.focus()
        self.query_one("#foot", Static).update(_plain(question))

    def _close_ask(self) -> None:
        self._asked = ""
        self.query_one("#ask", Input).remove_class("open")
        self.query_one("#foot", Static).update(_plain(self._words.keys))
        self.query_one("#list", OptionList).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        what, value, one = self._asked, event.value.strip(), self._current()
        self._close_ask()
        if what == "filter":
            self._filter = value
            self._redraw(0)
        elif one is not None and what == "spare" and value.isdigit() and 0 < int(value) <= 3650:
            self._sitting.decide(Decision(one.path, "spare", days=int(value)))
            self._next()
        elif one is not None and what == "promote" and value:
            self._sitting.decide(Decision(one.path, "promote", use_when=value))
            self._next()

    def _finish(self) -> None:
        made = list(self._sitting.counted().values())
        buried, promoted = (sum(one.choice == name for one in made) for name in ("bury", "promote"))
        self._finishing = True
        text = self._words.finish.format(buried, promoted, len(self._sitting.shown) - buried - promoted)
        self.query_one("#foot", Static).update(_plain(text))

    def action_leave(self) -> None:
        self.exit(None)


def _plain(text: str) -> str:
    """Take a text as it is: titles are no markup."""
    return text.replace("[", "\\[")
