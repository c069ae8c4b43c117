"""``kb bench``: fair, honest about small vaults, and without a trace."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sidecar.cli.main import main
from sidecar.config import load_config, with_setting
from sidecar.daemon.init import init_vault
from sidecar.errors import ConfigError

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
Bench = Callable[..., Any]

MEASURES = ("ndcg@10", "recall@1", "recall@5", "recall@10", "mrr@10")


@pytest.fixture
def bench(capsys: pytest.CaptureFixture[str]) -> Bench:
    """Give a call that runs the command and gives its JSON."""

    def run(*args: str | Path, code: int = 0) -> Any:
        capsys.readouterr()
        assert code == main(["bench", "--json", *map(str, args)])
        return json.loads(capsys.readouterr().out)

    return run


def bytes_of(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file() and "cache" not in path.parts
    }


def need(text: str, use_when: str) -> str:
    return f"---\nkb_use_when: {json.dumps(use_when, ensure_ascii=False)}\n---\n\n{text}"


def many(count: int) -> dict[str, str]:
    return {f"n{n:02}.md": need(f"word{n:02} and word{n + 1:02} 第{n}篇", f"zeppelin word{n:02}") for n in range(count)}


@pytest.mark.parametrize("name", ["zh-csl-dev", "en-cranfield-dev"])
def test_a_vault_of_a_test_set_gives_the_figures_of_the_set(
    shared: Path, tmp_path: Path, make_vault: MakeVault, bench: Bench, name: str
) -> None:
    source = shared / "data/retrieval" / name
    with gzip.open(source / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        corpus = {row["_id"]: row for row in map(json.loads, lines)}
    queries = {row["_id"]: row["text"] for row in map(json.loads, (source / "queries.jsonl").read_text("utf-8").splitlines())}
    judged = [line.split("\t") for line in (source / "qrels.tsv").read_text("utf-8").splitlines()[1:]]
    asked = dict(list({document: query for query, document, _ in judged}.items())[:40])
    kept = [*asked, *[document for document in corpus if document not in asked][:120]]
    folder, vault = tmp_path / "set", {}
    folder.mkdir()
    (folder / "corpus.jsonl").write_text("".join(json.dumps(corpus[name]) + "\n" for name in sorted(kept)), "utf-8")
    (folder / "queries.jsonl").write_text(
        "".join(json.dumps({"_id": n, "text": queries[q].strip()}) + "\n" for n, q in asked.items()), "utf-8"
    )
    (folder / "qrels.tsv").write_text("".join(f"{document}\t{document}\t1\n" for document in asked), "utf-8")
    for document in kept:
        row = corpus[document]
        title = row["title"].replace("/", " ").strip() or "-"
        text = need(row["text"], queries[asked[document]].strip()) if document in asked else "\n" + row["text"]
        vault[f"{document}/{title[:80]}.md"] = (
            text if title == title[:80] else text.replace("---\n", f"---\ntitle: {json.dumps(title)}\n", 1)
        )
    if name.startswith("en"):  # long titles do not fit a file name: give both sides none
        vault = {path.split("/")[0] + "/-.md": need_free_title(text) for path, text in vault.items()}
        rows = [{**corpus[name], "title": ""} for name in sorted(kept)]
        (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    of_set = bench("--qrels", folder)
    of_vault = bench("--vault", make_vault(vault), "--source", "lsa")
    assert (160, 40) == (of_set["docs"], of_set["cases"]) == (of_vault["docs"], of_vault["cases"])
    for system in ("lexical", "semantic", "hybrid"):
        for measure in MEASURES:
            assert of_set["systems"][system][measure] == pytest.approx(
                of_vault["systems"][system][measure], abs=1e-9 if system == "lexical" else 0.02
            )


def need_free_title(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if not line.startswith("title: "))


def test_it_leaves_vault_and_journals_as_they_were(make_vault: MakeVault, bench: Bench) -> None:
    root = make_vault(many(40))
    init_vault(root, "en")
    (root / ".kb/journal").mkdir(exist_ok=True)
    (root / ".kb/journal/signals-2026-03-me.jsonl").write_text('{"kind": "read"}\n')
    before = bytes_of(root)
    assert 40 == bench("--vault", root, "--source", "lsa")["cases"]
    assert before == bytes_of(root)


def test_a_vault_that_is_not_set_up_can_be_judged_and_stays_untouched(make_vault: MakeVault, bench: Bench) -> None:
    root = make_vault(many(3))
    assert 3 == bench("--vault", root)["cases"]
    assert set(many(3)) == {path.name for path in root.iterdir()}


def test_no_note_finds_itself_by_its_own_sentence(make_vault: MakeVault, bench: Bench) -> None:
    root = make_vault({"a.md": need("tea", "zeppelin over berlin"), "b.md": need("wing", "quartz and granite"), "c.md": "berlin"})
    report = bench("--vault", root, "--source", "lsa")
    assert 0 == report["systems"]["lexical"]["recall@10"]
    assert {"a.md": "no-shared-word", "b.md": "no-shared-word"} == {row["name"]: row["reason"] for row in report["all_fail"]}


def test_the_shape_is_the_promised_one(make_vault: MakeVault, bench: Bench) -> None:
    report = bench("--vault", make_vault(many(40)), "--source", "lsa")
    assert {"lexical", "semantic", "hybrid"} == set(report["systems"])
    for figures in report["systems"].values():
        assert {*MEASURES, "p50_ms", "p95_ms"} <= set(figures)
    assert 40 == report["docs"]
    assert isinstance(report["index_s"], float)


def test_buried_notes_are_neither_asked_nor_found(make_vault: MakeVault, bench: Bench) -> None:
    report = bench("--vault", make_vault({"a.md": need("tea", "tea time"), "_graveyard/b.md": need("tea time", "tea")}))
    assert (1, 1) == (report["cases"], report["docs"])


def test_few_cases_are_a_hint_and_nothing_is_applied(make_vault: MakeVault, bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    root = make_vault(many(5))
    init_vault(root, "en")
    before = bytes_of(root)
    assert main(["bench", "--vault", str(root)]) == 0
    out = capsys.readouterr().out
    assert "Too few cases to name a winner: 30 are needed." in out
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "too few" in bench("--vault", root, "--apply", code=2)["error"]["message"]
    assert before == bytes_of(root)


def test_what_is_better_is_written_and_comments_stay(make_vault: MakeVault, bench: Bench) -> None:
    root = make_vault(many(40))
    init_vault(root, "en")
    config = root / ".kb/config.toml"
    text = config.read_text("utf-8") + '\n# mine\n[search]\r\nmode = "hybrid" # tried\n'
    config.write_bytes(text.encode())
    applied = bench("--vault", root, "--apply", "--source", "lsa")["applied"]
    written = config.read_bytes().decode()
    kept = [line for line in text.splitlines(keepends=True) if not line.startswith("mode")]
    assert kept == [line for line in written.splitlines(keepends=True) if not line.startswith(("mode", "weight", "source"))]
    assert f'mode = "{applied["mode"]}" # tried\n' in written
    assert applied == {key: getattr(load_config(root).search, key) for key in applied}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "[search]\nweight = 0.3\n"),
        ('language = "en"', 'language = "en"\n\n[search]\nweight = 0.3\n'),
        ("[search]", "[search]\nweight = 0.3\n"),
        ("[search]\nweight=1 # mine\n[git]\n", "[search]\nweight=0.3 # mine\n[git]\n"),
        ('[ search ]\r\nmode = "hybrid"\r\n', '[ search ]\r\nweight = 0.3\r\nmode = "hybrid"\r\n'),
        ("[search]\nweight = 'auto'\n", "[search]\nweight = 0.3\n"),
    ],
)
def test_one_setting_changes_and_every_other_byte_stays(text: str, expected: str) -> None:
    assert expected == with_setting(text, "search", "weight", 0.3)
    assert "[agent]\ninject = false\n" in with_setting(text, "agent", "inject", False).replace("\r\n", "\n")


@pytest.mark.parametrize("text", ["search.weight = 1\n", "search = { weight = 1 }\n", "[search\n"])
def test_a_setting_written_in_another_way_is_left_to_its_owner(text: str) -> None:
    with pytest.raises(ConfigError, match="cannot be changed"):
        with_setting(text, "search", "weight", 0.3)


def test_a_test_set_changes_no_setting(tmp_path: Path, bench: Bench) -> None:
    assert "request-invalid" == bench("--qrels", tmp_path, "--apply", code=2)["error"]["code"]
    assert "request-invalid" == bench("--qrels", tmp_path / "nowhere", code=2)["error"]["code"]
