"""What the self-benchmark concludes from rankings: figures with intervals, the weight, wins, losses and failures (pure)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sidecar.search.evaluate import Grades, ndcg_at, recall_at, reciprocal_rank_at
from sidecar.search.fuse import dense_weight, fuse

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.5, 1.0, 1.5, 2.0)
MIN_CASES = 30
"""Below this many cases an interval spans most of the scale: no winner is named and no weight chosen."""
TOP = 10
_FOLDS = 5
_RESAMPLES = 1_000
_SEED = 10

MEASURES: Mapping[str, Callable[[Sequence[str], Grades], float]] = {
    "ndcg@10": lambda ranked, right: ndcg_at(ranked, right, 10),
    "recall@1": lambda ranked, right: recall_at(ranked, right, 1),
    "recall@5": lambda ranked, right: recall_at(ranked, right, 5),
    "recall@10": lambda ranked, right: recall_at(ranked, right, 10),
    "mrr@10": lambda ranked, right: reciprocal_rank_at(ranked, right, 10),
}
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Case:
    """One query with its right answers and what the two channels gave.

    Attributes:
        lexical: The first hundred names by terms.
        semantic: The first hundred by vectors.
        coverage: Share of the query that the best lexical answer holds.
        shared: Share of the query that the right note itself holds (the best, if there are several).
    """

    name: str
    query: str
    relevant: Grades
    lexical: tuple[str, ...]
    semantic: tuple[str, ...]
    coverage: float
    shared: float


@dataclass(frozen=True, slots=True)
class Channel:
    """The source of vectors that is judged, and what it counts where nothing was measured."""

    source: str
    default_weight: float
    crosses_languages: bool

    def fused(self, case: Case, weight: float) -> tuple[str, ...]:
        effective = dense_weight(weight, case.coverage, crosses_languages=self.crosses_languages)
        return tuple(name for name, _ in fuse(case.lexical, case.semantic, effective)[:TOP])


def conclude(cases: Sequence[Case], channel: Channel) -> dict[str, Any]:
    """Judge lexical, semantic and hybrid on the same cases.

    Hybrid is judged fairly: the cases are dealt into five parts, and each part is fused with the weight that the *other* four
    choose. So its figure is what the choice is worth on queries it has not seen, and not what it can be tuned to.
    """
    enough = len(cases) >= MIN_CASES
    gains = {weight: _scores([channel.fused(case, weight) for case in cases], cases, "ndcg@10") for weight in WEIGHTS}
    chosen = choose_weight(gains) if enough else channel.default_weight
    weights = [chosen] * len(cases)
    for fold in range(_FOLDS if enough else 0):
        others = np.array([n for n in range(len(cases)) if n % _FOLDS != fold])
        weight = choose_weight({weight: gain[others] for weight, gain in gains.items()})
        weights[fold::_FOLDS] = [weight] * len(range(fold, len(cases), _FOLDS))
    rankings = {
        "lexical": [case.lexical[:TOP] for case in cases],
        "semantic": [case.semantic[:TOP] for case in cases],
        "hybrid": [channel.fused(case, weight) for case, weight in zip(cases, weights, strict=True)],
    }
    scores = {system: {measure: _scores(ranked, cases, measure) for measure in MEASURES} for system, ranked in rankings.items()}
    against = {system: _difference(scores[system]["ndcg@10"], scores["lexical"]["ndcg@10"]) for system in ("semantic", "hybrid")}
    return {
        "systems": {system: _summary(values) for system, values in scores.items()},
        "cases": len(cases),
        "enough_cases": enough,
        "min_cases": MIN_CASES,
        "source": channel.source,
        "chosen_weight": chosen,
        "weights": [{"weight": weight, "ndcg@10": round(float(gain.mean()), 4)} for weight, gain in gains.items()] if cases else [],
        "against_lexical": against,
        "winner": _winner(scores, against) if enough else None,
        "changes": _changes(cases, rankings),
        "all_fail": _failures(cases, rankings),
    }


def choose_weight(gains: Mapping[float, Floats]) -> float:
    """Choose the weight with the best mean; 0 unless its gain over 0 is beyond noise (the 95 % interval lies above nothing)."""
    best = max(gains, key=lambda weight: (float(gains[weight].mean()), -weight))
    return best if best > 0 and _difference(gains[best], gains[0.0])["interval"][0] > 0 else 0.0


def interval(values: Floats) -> list[float]:
    """Give the 95 % interval of a mean by resampling the cases; the same values always give the same."""
    if not len(values):
        return [0.0, 0.0]
    picks = np.random.default_rng(_SEED).integers(0, len(values), (_RESAMPLES, len(values)), dtype=np.int32)
    low, high = np.percentile(values[picks].mean(axis=1), [2.5, 97.5])
    return [round(float(low), 4), round(float(high), 4)]


def place_of(ranked: Sequence[str], relevant: Grades) -> int:
    """Give the place of the first right answer, from 1; 0 if none stands in the ranking."""
    return next((place for place, name in enumerate(ranked, 1) if relevant.get(name, 0) > 0), 0)


def _scores(ranked: Sequence[Sequence[str]], cases: Sequence[Case], measure: str) -> Floats:
    judge = MEASURES[measure]
    return np.array([judge(names, case.relevant) for names, case in zip(ranked, cases, strict=True)], np.float64)


def _difference(system: Floats, base: Floats) -> dict[str, Any]:
    if not len(system):
        return {"mean": 0.0, "interval": [0.0, 0.0], "wins": 0, "losses": 0}
    change = system - base
    return {
        "mean": round(float(change.mean()), 4),
        "interval": interval(change),
        "wins": int((change > 0).sum()),
        "losses": int((change < 0).sum()),
    }


def _summary(values: Mapping[str, Floats]) -> dict[str, Any]:
    means: dict[str, Any] = {measure: round(float(found.mean()), 4) if len(found) else 0.0 for measure, found in values.items()}
    return means | {"intervals": {measure: interval(found) for measure, found in values.items()}}


def _winner(scores: Mapping[str, Mapping[str, Floats]], against: Mapping[str, dict[str, Any]]) -> str:
    """Name the best system; one that does not beat plain search beyond noise is not better, only dearer."""
    better = [system for system, change in against.items() if change["interval"][0] > 0]
    return max(better, key=lambda system: float(scores[system]["ndcg@10"].mean()), default="lexical")


def _changes(cases: Sequence[Case], rankings: Mapping[str, Sequence[Sequence[str]]]) -> list[dict[str, Any]]:
    """List the cases whose right answer stands elsewhere in the three rankings, the widest apart first."""
    rows = []
    for n, case in enumerate(cases):
        places = {system: place_of(ranked[n], case.relevant) for system, ranked in rankings.items()}
        if len(set(places.values())) > 1:
            worth = [1 / place if place else 0.0 for place in places.values()]
            rows.append((min(worth) - max(worth), case.name, {"name": case.name, "query": case.query[:200], "places": places}))
    return [row for _, _, row in sorted(rows, key=lambda row: row[:2])]


def _failures(cases: Sequence[Case], rankings: Mapping[str, Sequence[Sequence[str]]]) -> list[dict[str, Any]]:
    """List the cases that no system answers within ten, and why: the sentence shares no word with its note, or others fit better."""
    return [
        {"name": case.name, "query": case.query[:200], "reason": "no-shared-word" if case.shared < 0.1 else "others-fit-better"}
        for n, case in enumerate(cases)
        if not any(place_of(ranked[n], case.relevant) for ranked in rankings.values())
    ]
