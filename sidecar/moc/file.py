"""The file in which a map lies."""

from __future__ import annotations

from dataclasses import dataclass

from sidecar.errors import MocNotAdopted, NoteNotFound, VaultError, VaultUnreadable, WriteConflict
from sidecar.moc.text import FREEZE_PROPERTY, adopt, is_frozen, replace_block, unsettled_sibling
from sidecar.vault.changes import FileStat
from sidecar.vault.files import ABSENT, VaultFiles, content_hash
from sidecar.vault.generated import has_trace
from sidecar.vault.note import NotePath

_TRIES = 5


@dataclass(frozen=True, slots=True)
class _Seen:
    """The file as it was last looked at, and what was found: the block it held, or why it is not written."""

    state: FileStat
    block: str
    problem: str
    is_frozen: bool


class MapFile:
    """Writes a map into its file, between the markers.

    Attributes:
        problem: Why the map is not written at the moment, or empty.
        is_frozen: Whether it is its owner who wants it left as it is.
    """

    def __init__(self, files: VaultFiles, path: NotePath, adopt_command: str) -> None:
        self._files = files
        self._adopt_command = adopt_command
        self._seen: _Seen | None = None
        self.path = path
        self.problem = ""
        self.is_frozen = False

    def write(self, block: str, *, frozen: bool = False) -> bool:
        """Put a block between the markers if the bytes there are others; tell whether anything was written.

        A file that someone saves at the same moment is read again; nothing outside the markers is ever touched, and a file
        that is not there is not made: it may only be late in arriving by sync. A file that is as it was after the last
        look is not read.

        Args:
            frozen: Whether the settings freeze the map; its own property does so as well.
        """
        if frozen:
            self._freeze("by config.toml")
            return False
        try:
            seen = self._seen
            if seen is not None and seen.state == self._files.stat(self.path) and (seen.problem or seen.block == block):
                self.problem, self.is_frozen = seen.problem, seen.is_frozen
                return False
            return self._put(block)
        except VaultError as problem:
            self._fail(self._explain(problem))
        return False

    def check(self, *, frozen: bool = False) -> str:
        """Say why the map could not be written now; empty if it could. Writes nothing."""
        if frozen:
            self._freeze("by config.toml")
            return self.problem
        try:
            text, _ = self._read()
            if is_frozen(text):
                self._freeze(f"by its property {FREEZE_PROPERTY}")
            else:
                self._fail("" if replace_block(text, "") is not None else self._explain(self._not_adopted(text)))
        except VaultError as problem:
            self._fail(self._explain(problem))
        return self.problem

    def adopt(self) -> bool:
        """Put markers into the file, making it if need be; tell whether anything was written.

        Raises:
            MocNotAdopted: The file holds half a pair of markers, is frozen, or a sync program is not done with it.
        """
        try:
            text, expected = self._read()
        except NoteNotFound:
            text, expected = "", ABSENT
        except VaultUnreadable:
            self._check_settled()  # a placeholder beside it says more than that it cannot be read
            raise
        if replace_block(text, "") is not None:
            return False
        if has_trace(text):
            raise self._not_adopted(text)
        if is_frozen(text):
            raise MocNotAdopted(f"{self.path} is frozen by its property {FREEZE_PROPERTY}.", fix="Take the property out first.")
        self._check_settled()
        self._files.write(self.path, adopt(text).encode("utf-8"), expected=expected)
        return True

    def _check_settled(self) -> None:
        """Refuse while a sync program is not done with the file."""
        sibling = unsettled_sibling(self.path.rpartition("/")[2], self._files.siblings(self.path))
        if sibling:
            raise MocNotAdopted(
                f"{self.path} is not adopted: {sibling} lies beside it, so a sync program is not done with it.",
                fix="Let it finish, or keep one of the two and remove the other.",
            )

    def _put(self, block: str) -> bool:
        for _ in range(_TRIES):
            state = self._files.stat(self.path)
            text, expected = self._read()
            if is_frozen(text):
                self._freeze(f"by its property {FREEZE_PROPERTY}")
                return self._remember(state, "")
            wanted = replace_block(text, block)
            if wanted is None:
                self._fail(self._explain(self._not_adopted(text)))
                return self._remember(state, "")
            self._fail("")
            if wanted == text:
                return self._remember(state, block)
            try:
                self._files.write(self.path, wanted.encode("utf-8"), expected=expected)
            except WriteConflict:
                continue
            self._seen = None  # the next look reads it once more: someone may save it before its state can be asked
            return True
        raise WriteConflict(f"{self.path} is being edited.", fix="The map follows when it is quiet.", path=self.path)

    def _remember(self, state: FileStat | None, block: str) -> bool:
        self._seen = _Seen(state, block, self.problem, self.is_frozen) if state is not None else None
        return False

    def _read(self) -> tuple[str, str]:
        """Read the file for writing it again: every byte must survive, so it must be clean UTF-8."""
        data = self._files.read_bytes(self.path)
        try:
            return data.decode("utf-8"), content_hash(data)
        except UnicodeDecodeError as error:
            raise MocNotAdopted(f"{self.path} is not UTF-8 text, so it is not touched.", fix="Save it as UTF-8.") from error

    def _freeze(self, how: str) -> None:
        self.is_frozen = True
        self.problem = f"{self.path} is frozen {how}, so it stays as it is."

    def _fail(self, problem: str) -> None:
        self.is_frozen = False
        self.problem = problem

    def _not_adopted(self, text: str) -> MocNotAdopted:
        if has_trace(text):
            return MocNotAdopted(
                f"The markers in {self.path} are damaged; nothing is written.",
                fix=f"Leave one begin and one end marker, each on a line of its own, or delete both and type: {self._adopt_command}",
            )
        return MocNotAdopted(
            f"{self.path} has no markers for the map, so it is not touched.", fix=f"Add them at its end with: {self._adopt_command}"
        )

    def _explain(self, error: VaultError) -> str:
        if isinstance(error, NoteNotFound):
            return f"There is no {self.path}. Make one with: {self._adopt_command}"
        return f"{error.message} {error.fix}".strip()
