"""Reads test sets of search in BEIR's shape: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv``, each also as ``.gz``."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sidecar.errors import QrelsInvalid
from sidecar.search.evaluate import Judged, QrelsSet


def load_qrels(folder: Path) -> QrelsSet:
    """Load the test set in ``folder``.

    Raises:
        QrelsInvalid: A file is missing or a line is not as it should be; the message names both.
    """
    documents = tuple(_judged(row) for row in _json_lines(folder, "corpus.jsonl"))
    texts = {str(row["_id"]): str(row["text"]) for row in _json_lines(folder, "queries.jsonl")}
    relevant: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for number, line in enumerate(_lines(folder, "qrels.tsv"), 1):
        parts = line.split("\t")
        if number == 1 and parts[-1].strip() == "score":
            continue
        try:
            query, document, grade = parts[0], parts[-2], float(parts[-1])
        except (IndexError, ValueError) as error:
            raise _invalid(folder / "qrels.tsv", number, "it must hold query, document and score between tabs") from error
        if grade > 0 and query in texts:
            relevant[query][document] = grade
    return QrelsSet(documents, {name: text for name, text in texts.items() if name in relevant}, dict(relevant))


def _judged(row: dict[str, Any]) -> Judged:
    return Judged(str(row["_id"]), str(row.get("title") or ""), str(row["text"]))


def _json_lines(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(_lines(folder, name), 1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise _invalid(folder / name, number, "it is no JSON") from error
        if not isinstance(row, dict) or "_id" not in row or "text" not in row:
            raise _invalid(folder / name, number, "it must be an object with _id and text")
        yield row


def _lines(folder: Path, name: str) -> Iterator[str]:
    path = folder / name
    packed = folder / f"{name}.gz"
    try:
        with gzip.open(packed, "rt", encoding="utf-8") if packed.is_file() else path.open(encoding="utf-8") as file:
            yield from (line.rstrip("\r\n") for line in file if line.strip())
    except FileNotFoundError as error:
        raise QrelsInvalid(
            f"There is no {name} in {folder}.", fix="Give a folder with corpus.jsonl, queries.jsonl and qrels.tsv."
        ) from error
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise QrelsInvalid(f"{path} cannot be read: {error}.", fix="Check the file; it must be UTF-8 text, plain or .gz.") from error


def _invalid(path: Path, number: int, why: str) -> QrelsInvalid:
    return QrelsInvalid(f"{path}, line {number}: {why}.", fix="Mend the line.", line=number)
