"""Vectors of notes: their passages, the nearest, and those made of the notes' own terms."""

from __future__ import annotations

import numpy as np
import pytest

from sidecar.search.document import PackedDocument, pack_note, unpack_document
from sidecar.search.lsa import fit_lsa
from sidecar.search.vectors import MAX_PASSAGES, PASSAGE_CHARS, VectorTable, pack_vector, passages_of, unpack_vectors
from sidecar.vault.generated import BEGIN, END
from sidecar.vault.parse import parse_note


def passages(text: str) -> list[tuple[str, str]]:
    return [(passage.part, passage.text) for passage in passages_of(parse_note("Tea.md", text), text)]


def test_the_need_of_a_note_is_a_passage_of_its_own() -> None:
    assert [("text", "Tea\nGreen."), ("need", "when I brew")] == passages("---\nkb_use_when: when I brew\n---\nGreen.\n")


def test_a_note_without_text_is_its_title() -> None:
    assert [("text", "Tea")] == passages("---\nstatus: x\n---\n")


def test_a_long_note_is_cut_at_sentences_and_not_without_end() -> None:
    found = [text for _, text in passages("茶要趁热喝，水要烧开。" * 2000)]
    assert MAX_PASSAGES == len(found)
    assert all(text.endswith("。") and len(text) <= PASSAGE_CHARS + len("Tea\n") for text in found)


def test_nothing_of_a_generated_block_is_sent() -> None:
    (found,) = passages(f"Mine.\n\n{BEGIN}\nsecret\n{END}\n")
    assert "Mine." in found[1]
    assert "secret" not in found[1]


def test_a_note_is_as_near_as_its_nearest_passage() -> None:
    table = VectorTable(
        {"b": np.array([[1, 0], [0, 1]], np.float32), "a": np.array([[0, 1]], np.float32), "none": np.zeros((0, 2), np.float32)}
    )
    assert [("a", 1.0), ("b", 1.0)] == table.nearest(np.array([0, 1], np.float32), 5)
    changed = table.replaced({"a": None, "c": np.array([[1, 0]], np.float32)})
    assert [("b", 1.0), ("c", 1.0)] == changed.nearest(np.array([1, 0], np.float32), 5)
    assert [] == table.nearest(np.array([0, 1, 0], np.float32), 5), "vectors of another length are never compared"


def test_vectors_are_kept_to_the_bit() -> None:
    rows = np.array([[0.1, -2.5e-8], [3, 4]], np.float32)
    assert np.array_equal(rows, unpack_vectors([pack_vector(row) for row in rows]))


TEXTS = ["kettle steam water", "steam water cup", "kettle cup water", "wing lift drag", "lift drag flow", "wing flow drag"] * 5


def documents() -> list[tuple[str, PackedDocument]]:
    return [(f"{n:02}", unpack_document(pack_note(parse_note("-.md", text), text))) for n, text in enumerate(TEXTS)]


def test_words_that_keep_company_are_near_and_the_same_notes_give_the_same_vectors() -> None:
    fitted, again = fit_lsa(documents), fit_lsa(documents)
    assert fitted is not None
    assert again is not None
    model, table = fitted
    near = [name for name, _ in table.nearest(model.query("kettle"), 15)]
    assert all(int(name) % 6 < 3 for name in near), "a note that shares no word with the query is near by its company"
    assert table.nearest(model.query("kettle"), 30) == again[1].nearest(again[0].query("kettle"), 30)


def test_a_new_note_is_folded_in_where_an_equal_one_lies() -> None:
    fitted = fit_lsa(documents)
    assert fitted is not None
    model, table = fitted
    _, document = documents()[0]
    vector = model.fold_in(zip(document.terms, document.weights, strict=True))
    assert dict(table.nearest(vector, 30))["00"] == pytest.approx(1, abs=1e-4)
    assert not model.query("zeppelin").any()


def test_too_few_notes_are_not_decomposed() -> None:
    assert fit_lsa(lambda: documents()[:5]) is None
