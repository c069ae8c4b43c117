"""Latent semantic analysis: vectors out of the notes' own terms, with nothing to install (pure).

A truncated singular value decomposition of the very terms that search ranks by. It knows which words keep company in *these*
notes, so it helps with topical questions over many notes, and knows nothing of other languages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sidecar.search.document import PackedDocument
from sidecar.search.terms import cut_terms
from sidecar.search.vectors import Matrix, VectorTable, normalised

DIMENSIONS = 128
MAX_TERMS = 40_000
"""The decomposition holds some ``MAX_TERMS × DIMENSIONS`` floats several times over: about 100 MB at the most."""
_MIN_NOTES = 20
_SEED = 20

Documents = Callable[[], Iterable[tuple[str, PackedDocument]]]
"""Gives the documents anew each time: they are gone through twice and never held all at once."""


@dataclass(frozen=True, slots=True)
class LsaModel:
    """A fitted decomposition: ``components`` has a row for each term."""

    vocabulary: dict[str, int]
    idf: Matrix
    components: Matrix

    def fold_in(self, weights: Iterable[tuple[str, float]]) -> Matrix:
        """Give the vector of a text by its weighted terms; a new note comes in so between two fits."""
        known = [(self.vocabulary[term], weight) for term, weight in weights if term in self.vocabulary]
        if not known:
            return np.zeros(self.components.shape[1], np.float32)
        numbers = np.array([number for number, _ in known])
        values = (1 + np.log(np.maximum([weight for _, weight in known], 1))) * self.idf[numbers]
        vector = (values / np.linalg.norm(values)).astype(np.float32) @ self.components[numbers]
        folded: Matrix = normalised(vector[None, :])[0]
        return folded

    def query(self, text: str) -> Matrix:
        """Give the vector of a query."""
        return self.fold_in([(term, float(count)) for term, count in Counter(cut_terms(text)).items()])


def fit_lsa(documents: Documents) -> tuple[LsaModel, VectorTable] | None:
    """Decompose the notes' terms; the same notes give the same vectors.

    Returns:
        The model and the notes' vectors, or ``None`` if there are too few notes or terms for it to mean anything.
    """
    frequency: Counter[str] = Counter()
    names: list[str] = []
    for name, document in documents():
        names.append(name)
        frequency.update(document.terms)
    vocabulary = _choose_terms(frequency, len(names))
    dimensions = min(DIMENSIONS, len(names) // 4, len(vocabulary) // 3)
    if len(names) < _MIN_NOTES or dimensions < 2:
        return None
    counts = np.array([frequency[term] for term in vocabulary], np.float32)
    idf = (np.log((1 + len(names)) / (1 + counts)) + 1).astype(np.float32)
    del frequency
    matrix = _matrix(documents, vocabulary, idf)
    from sklearn.decomposition import TruncatedSVD  # takes seconds to import

    svd = TruncatedSVD(dimensions, algorithm="randomized", n_iter=4, random_state=_SEED)
    rows = normalised(np.asarray(svd.fit_transform(matrix), np.float32))
    model = LsaModel(vocabulary, idf, np.ascontiguousarray(svd.components_.T, np.float32))
    return model, VectorTable({name: rows[n : n + 1] for n, name in enumerate(names) if rows[n].any()})


def _choose_terms(frequency: Counter[str], notes: int) -> dict[str, int]:
    """Number the terms worth decomposing: in two notes at least and in half of them at most, the commonest first."""
    worth = [(-count, term) for term, count in frequency.items() if 2 <= count <= max(notes // 2, 2) and (len(term) > 1 or term.isascii())]
    return {term: n for n, (_, term) in enumerate(sorted(worth)[:MAX_TERMS])}


def _matrix(documents: Documents, vocabulary: dict[str, int], idf: Matrix) -> Any:
    from scipy.sparse import csr_matrix

    data: list[Matrix] = []
    columns: list[np.ndarray[Any, np.dtype[np.int32]]] = []
    starts = [0]
    for _, document in documents():
        kept = [(vocabulary[term], weight) for term, weight in zip(document.terms, document.weights, strict=True) if term in vocabulary]
        numbers = np.array([number for number, _ in kept], np.int32)
        values = (1 + np.log(np.maximum(np.array([weight for _, weight in kept], np.float32), 1))) * idf[numbers]
        length = float(np.linalg.norm(values)) or 1.0
        data.append((values / length).astype(np.float32))
        columns.append(numbers)
        starts.append(starts[-1] + len(kept))
    return csr_matrix((np.concatenate(data), np.concatenate(columns), np.array(starts)), shape=(len(data), len(vocabulary)))
