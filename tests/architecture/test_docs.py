"""What the documents say is so."""

from __future__ import annotations

import json
import re

from sidecar.api.openapi import openapi_document
from sidecar.api.preference_page import preference_page
from sidecar.cli.main import COMMANDS
from tests.conftest import ROOT

READMES = ("README.md", "README.zh-CN.md")


def test_the_recorded_api_description_is_that_of_the_code() -> None:
    recorded = json.loads((ROOT / "docs" / "openapi.json").read_text("utf-8"))
    assert recorded == openapi_document(), "write it anew with: python .ci/openapi.py"


def test_the_reference_of_the_preference_is_that_of_the_code() -> None:
    assert preference_page() == (ROOT / "docs" / "preference.md").read_text("utf-8"), "write it anew with: python .ci/openapi.py"


def test_the_map_of_rooms_names_every_room_and_module_that_exists() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    rooms = {path.name for path in (ROOT / "sidecar").iterdir() if path.is_dir() and not path.name.startswith("__")}
    assert {room for room in rooms - {"bundle"} if f"`{room}/`" not in text} == set()
    table = text.split("## Rooms")[1].split("```")[0]
    for room in rooms - {"bundle", "api", "cli", "daemon"}:
        row = next(line for line in table.splitlines() if line.startswith(f"| `{room}/`"))
        modules = {path.stem for path in (ROOT / "sidecar" / room).glob("*.py") if path.stem != "__init__"}
        named = set(re.findall(r"`(\w+)/?`", row)) - {room}
        assert modules - named == set(), f"docs/architecture.md does not name them in {room}"
        assert named - modules - {"adapters", "clients", "page", "types", "video"} == set(), (
            f"docs/architecture.md names what {room} has not"
        )


def test_every_command_in_the_readmes_exists() -> None:
    for name in READMES:
        text = (ROOT / name).read_text("utf-8")
        used = set(re.findall(r"\bkb ([a-z]+)\b", text))
        assert used - set(COMMANDS) == set(), name


def test_readmes_begin_with_the_two_commands_and_show_real_pictures() -> None:
    for name in READMES:
        text = (ROOT / name).read_text("utf-8")
        first = re.search(r"```sh\n(.*?)```", text, re.DOTALL)
        assert first is not None
        assert first[1].split("\n")[0].startswith("./run")
        assert "./test" in first[1]
        pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
        assert len(pictures) >= 2
        assert [picture for picture in pictures if not (ROOT / picture).is_file()] == []


def test_no_document_or_source_names_a_path_of_one_machine() -> None:
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "sidecar").rglob("*.py"), ROOT / "run", ROOT / "test"]
    hits = [str(path.relative_to(ROOT)) for path in texts if re.search(r"/(?:work|root|home/\w+|Users/\w+)/", path.read_text("utf-8"))]
    assert hits == []
