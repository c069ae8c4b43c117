"""Links put into agents' pages, context within its budgets, and other programs' settings changed byte by byte."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.agent.autolink import autolink
from sidecar.agent.clients import CLIENTS
from sidecar.agent.context import compose, cut_at_line, expand_links, fingerprint, grow_links
from sidecar.agent.profiles import PROFILES, TOOLS, tools_of
from sidecar.agent.registration import remove_member, remove_table, set_member, set_table
from sidecar.errors import AgentConfigUnreadable


def words(text: str) -> Sequence[str]:
    """Cut as a segmenter would that knows these."""
    found, at = [], 0
    known = ("向量数据库", "数字治理", "治理", "数字", "研究")
    while at < len(text):
        word = next((one for one in known if text.startswith(one, at)), text[at])
        found.append(word)
        at += len(word)
    return found


def linked(text: str, *titles: str) -> str:
    return autolink(text, [(title, f"[[{title}]]") for title in titles], words)


@pytest.mark.parametrize(
    ("text", "title", "wanted"),
    [
        ("Deep modules hide. Deep modules again.", "Deep modules", "[[Deep modules]] hide. Deep modules again."),
        ("# Deep modules\n\nDeep modules.", "Deep modules", "# Deep modules\n\n[[Deep modules]]."),
        ("`Deep modules` and ```\nDeep modules\n```", "Deep modules", "`Deep modules` and ```\nDeep modules\n```"),
        ("```\nDeep modules\n```\n", "Deep modules", "```\nDeep modules\n```\n"),
        ("[[Deep modules|x]] [Deep modules](a.md)", "Deep modules", "[[Deep modules|x]] [Deep modules](a.md)"),
        ("Undeep modules.", "deep modules", "Undeep modules."),
        ("Git is", "Git", "Git is"),
        ("研究向量数据库的人", "向量数据库", "研究[[向量数据库]]的人"),
        ("数字治理研究", "治理", "数字治理研究"),
        ("说治理", "治理", "说[[治理]]"),
        ("---\ntitle: Deep modules\n---\nText", "Deep modules", "---\ntitle: Deep modules\n---\nText"),
        ("%%Deep modules%%", "Deep modules", "%%Deep modules%%"),
        ("https://x.org/Deep modules", "Deep modules", "https://x.org/Deep [[modules]]".replace("[[modules]]", "modules")),
    ],
)
def test_a_title_is_linked_where_it_surely_stands(text: str, title: str, wanted: str) -> None:
    assert wanted == linked(text, title)


def test_a_longer_title_goes_first_and_an_ambiguous_one_is_left() -> None:
    assert "[[Deep modules in Python]] rule." == linked("Deep modules in Python rule.", "Deep modules", "Deep modules in Python")
    titles = [("Deep modules", "[[a/Deep modules|Deep modules]]"), ("Deep modules", "[[b/Deep modules|Deep modules]]")]
    assert "Deep modules." == autolink("Deep modules.", titles, words)


PARTS = ["Deep modules", "`", "```\n", "# ", "[[", "]]", "[x](", ")", "\n", "%%", "$", "text ", "向量数据库", "<a>", "---\n"]
MARKS = st.sampled_from(PARTS)


@given(st.lists(MARKS, max_size=14).map("".join))
def test_linking_changes_nothing_but_puts_brackets_around_words(text: str) -> None:
    found = linked(text, "Deep modules", "向量数据库")
    assert found.count("[[Deep modules]]") <= 1 + text.count("[[Deep modules]]")
    assert text == found or text.replace("[[", "").replace("]]", "") == found.replace("[[", "").replace("]]", "")
    assert found == linked(found, "Deep modules", "向量数据库")


def test_context_is_cut_at_lines_within_its_bytes() -> None:
    text = "一二三\n四五六\n七八九\n"
    assert "一二三\n四五六\n" == cut_at_line(text, 25)
    assert len(cut_at_line(text, 19).encode()) <= 19
    assert "# A\n\nx\n" == compose([("A", "x"), ("B", "  ")])
    assert fingerprint("a") != fingerprint("b")


def test_memory_links_are_expanded_and_grown() -> None:
    titles = {"compost": "Compost heaps"}
    assert "See [[kb:compost]](Compost heaps), [[kb:gone]]." == expand_links("See [[kb:compost]], [[kb:gone]].", titles.get)
    text = "- likes Compost heaps\n- Composting\n- Compost heaps [[kb:compost]]\n"
    grown = grow_links(text, "compost", "Compost heaps", 1000)
    assert "- likes Compost heaps [[kb:compost]]\n- Composting\n- Compost heaps [[kb:compost]]\n" == grown
    assert grown == grow_links(grown, "compost", "Compost heaps", 1000)
    assert text == grow_links(text, "compost", "Compost heaps", len(text))


# ── registration ──────────────────────────────────────────────────────────────────────────────

CONFIGS = [
    "",
    "{}",
    '{\n  "a": 1\n}\n',
    '{"mcpServers": {}}',
    '{\n    "mcpServers": {\n        "other": {"command": "x"}\n    },\n    "z": [1, 2]\n}',
    '{"z": {"mcpServers": "}{"}, "mcpServers": {"o\\"dd": {}}}\n',
]


@pytest.mark.parametrize("client", ["claude-desktop", "cursor"])
@pytest.mark.parametrize("before", CONFIGS)
def test_a_server_is_put_in_once_and_taken_out_with_the_rest_as_it_was(client: str, before: str) -> None:
    file = CLIENTS[client].files[0]
    after = file.install(before, ("/bin/kb", "--vault", "/v"))
    assert {"command": "/bin/kb", "args": ["mcp", "--vault", "/v"]} == json.loads(after)["mcpServers"]["kb"]
    assert after == file.install(after, ("/bin/kb", "--vault", "/v"))
    wanted = json.loads(before or "{}")
    out = json.loads(file.uninstall(after))
    assert {key: value for key, value in wanted.items() if value != {}} == {key: value for key, value in out.items() if value != {}}
    if "other" in before or "o\\" in before:
        assert before == file.uninstall(after)


def test_hooks_of_others_stay() -> None:
    before = '{\n  "hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "mine"}]}]},\n  "model": "x"\n}\n'
    file = CLIENTS["claude-code"].files[1]
    after = file.install(before, ("/bin/kb", "--vault", "/v"))
    hooks = json.loads(after)["hooks"]
    assert ["mine", "/bin/kb hook prompt --vault /v"] == [one["hooks"][0]["command"] for one in hooks["UserPromptSubmit"]]
    assert 1 == len(hooks["SessionStart"])
    assert after == file.install(after, ("/bin/kb", "--vault", "/v"))
    assert json.loads(before) == json.loads(file.uninstall(after))


@pytest.mark.parametrize("before", ["", 'model = "x"\n', '# mine\n[mcp_servers.other]\ncommand = "y"\n', "a = 1"])
def test_codex_gets_a_table_of_its_own(before: str) -> None:
    file = CLIENTS["codex"].files[0]
    after = file.install(before, ("/bin/kb", "--vault", "/v"))
    assert ["mcp", "--vault", "/v"] == tomllib.loads(after)["mcp_servers"]["kb"]["args"]
    assert after.startswith(before)
    assert after == file.install(after, ("/bin/kb", "--vault", "/v"))
    assert before.rstrip("\n") == file.uninstall(after).rstrip("\n")
    changed = file.install(after, ("/other/kb", "--vault", "/v"))
    assert "/other/kb" == tomllib.loads(changed)["mcp_servers"]["kb"]["command"]


@pytest.mark.parametrize("broken", ["{", "[1]", '{"a": 1,}', "// remark\n{}", '{"mcpServers": 5}'])
def test_a_file_that_cannot_be_read_is_refused(broken: str) -> None:
    with pytest.raises(AgentConfigUnreadable):
        set_member(broken, ("mcpServers", "kb"), {})


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3))


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.sampled_from([None, 1, 4]), st.booleans())
def test_any_json_takes_a_member_and_gives_it_back(data: dict[str, object], indent: int | None, ascii_only: bool) -> None:
    data.pop("mcpServers", None)
    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only)
    after = set_member(text, ("mcpServers", "kb"), {"command": "x"})
    assert {**data, "mcpServers": {"kb": {"command": "x"}}} == json.loads(after)
    assert data == json.loads(remove_member(after, ("mcpServers", "kb")))
    if data:
        assert text == remove_member(after, ("mcpServers", "kb"))


def test_a_table_among_others_goes_and_they_stay() -> None:
    text = '[a]\nx = 1\n\n[mcp_servers.kb]\ncommand = "k"\n\n[b]\ny = 2\n'
    assert "[a]\nx = 1\n\n[b]\ny = 2\n" == remove_table(text, "mcp_servers.kb").replace("\n\n\n", "\n\n").replace("1\n[b]", "1\n\n[b]")
    assert tomllib.loads(set_table(text, "mcp_servers.kb", ['command = "n"']))["mcp_servers"]["kb"] == {"command": "n"}


# ── tools ─────────────────────────────────────────────────────────────────────────────────────


def test_no_tool_of_any_profile_destroys_and_readonly_only_reads() -> None:
    assert ("full", "autonomous", "readonly") == PROFILES
    assert not any(word in tool.name for tool in TOOLS for word in ("delete", "bury", "purge", "trial", "confirm", "remove"))
    assert {tool.name for tool in tools_of("readonly") if not tool.reads_only} == {"kb_feeds"}
    assert "kb_promote" not in {tool.name for tool in tools_of("autonomous")}
    assert 17 == len({tool.name for tool in TOOLS})
