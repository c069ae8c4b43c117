"""Test sets in BEIR's files: ``corpus.jsonl``, ``queries.jsonl``, ``qrels.tsv`` (pure)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from sidecar.errors import RequestInvalid
from sidecar.search.document import PackedDocument, pack_note, unpack_document
from sidecar.search.evaluate import Judged, QrelsSet
from sidecar.vault.parse import parse_note


def read_set(corpus: Iterable[str], queries: Iterable[str], qrels: Iterable[str]) -> QrelsSet:
    """Read the three files' lines. Queries without a right answer are left out; a right answer that the corpus has not counts as missed.

    Raises:
        RequestInvalid: A line is not what it should be (``field`` names file and line), or an id occurs twice.
    """
    documents: dict[str, Judged] = {}
    for where, row in _rows("corpus.jsonl", corpus):
        name = _text(row, "_id", where)
        if name in documents:
            raise _invalid(where, f"the id {name[:80]!r} occurs twice")
        documents[name] = Judged(name, _text(row, "title", where, needed=False), _text(row, "text", where, needed=False))
    asked: dict[str, str] = {}
    for where, row in _rows("queries.jsonl", queries):
        name = _text(row, "_id", where)
        if name in asked:
            raise _invalid(where, f"the id {name[:80]!r} occurs twice")
        asked[name] = _text(row, "text", where)
    relevant: dict[str, dict[str, float]] = {}
    for query, document, grade in _judgements(qrels):
        if query not in asked:
            continue  # a part of a larger set
        if grade > 0:
            relevant.setdefault(query, {})[document] = grade
    kept = {name: text for name, text in asked.items() if name in relevant}
    if not kept:
        raise _invalid("qrels.tsv", "no query has a right answer")
    return QrelsSet(tuple(documents.values()), kept, {name: relevant[name] for name in kept})


def pack_judged(document: Judged) -> PackedDocument:
    """Cut a document as a note of that title and text would be. Its id is no text of its own and is not searched."""
    note = parse_note(document.title.replace("/", " ") + ".md", "\n" + document.text)
    return unpack_document(pack_note(note, "\n" + document.text))


def _rows(file: str, lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"{file}, line {number}"
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise _invalid(where, "it is not JSON") from error
        if not isinstance(row, dict):
            raise _invalid(where, "it is no JSON object")
        yield where, row


def _text(row: dict[str, Any], key: str, where: str, *, needed: bool = True) -> str:
    value = row.get(key)
    if key == "_id" and type(value) is int:  # ids are names, however they are written
        return str(value)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value):
        raise _invalid(where, f"it has no text {key!r}")
    return value


def _judgements(lines: Iterable[str]) -> Iterator[tuple[str, str, float]]:
    """Read ``query document grade``, or TREC's ``query 0 document grade``; a first line whose grade is no number is the heading."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        where = f"qrels.tsv, line {number}"
        parts = line.rstrip("\r\n").split("\t")
        if len(parts) not in (3, 4):
            raise _invalid(where, "it has not three columns with tabs between")
        try:
            grade = float(parts[-1])
        except ValueError as error:
            if number == 1:
                continue
            raise _invalid(where, f"the grade {parts[-1][:40]!r} is no number") from error
        if not math.isfinite(grade):
            raise _invalid(where, f"the grade {parts[-1][:40]!r} is no number")
        yield parts[0], parts[-2], grade


def _invalid(where: str, what: str) -> RequestInvalid:
    return RequestInvalid(f"{where}: {what}.", fix="See docs/search.md for the shape of a test set.", field=where)
