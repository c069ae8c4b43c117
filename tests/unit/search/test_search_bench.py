"""What the self-benchmark concludes."""

from __future__ import annotations

import numpy as np

from sidecar.search.bench import MIN_CASES, Case, Channel, choose_weight, conclude, interval

LSA = Channel("lsa", 0.0, crosses_languages=False)


def case(n: int, lexical: tuple[str, ...], semantic: tuple[str, ...], shared: float = 1.0) -> Case:
    return Case(f"case{n:03}", "a need", {"right": 1.0}, lexical, semantic, 1.0, shared)


GOOD, BAD = ("right", "b", "c"), ("b", "c", "d")


def test_too_few_cases_name_no_winner_and_choose_no_weight() -> None:
    report = conclude([case(n, BAD, GOOD) for n in range(MIN_CASES - 1)], LSA)
    assert (False, None, 0.0) == (report["enough_cases"], report["winner"], report["chosen_weight"])
    assert 1.0 == report["systems"]["semantic"]["ndcg@10"]


def test_vectors_that_help_beyond_chance_win() -> None:
    report = conclude([case(n, BAD, GOOD) for n in range(MIN_CASES)], LSA)
    assert "semantic" == report["winner"]
    assert report["chosen_weight"] > 0
    assert {"mean": 1.0, "interval": [1.0, 1.0], "wins": MIN_CASES, "losses": 0} == report["against_lexical"]["semantic"]


def test_vectors_that_help_by_chance_do_not_win() -> None:
    """Three of sixty gain, two lose: the mean is better, and nothing is shown by it."""
    cases = [case(n, BAD if n < 3 else GOOD, GOOD if n < 3 or n > 4 else BAD) for n in range(60)]
    report = conclude(cases, LSA)
    assert ("lexical", 0.0) == (report["winner"], report["chosen_weight"])


def test_a_weight_is_judged_on_cases_that_did_not_choose_it() -> None:
    """Only every fifth case gains by vectors, and they all lie in one fold: its own gain must not choose its weight."""
    cases = [case(n, BAD, GOOD) if n % 5 == 0 else case(n, GOOD, GOOD) for n in range(100)]
    report = conclude(cases, LSA)
    assert report["chosen_weight"] > 0
    assert report["systems"]["lexical"]["ndcg@10"] == report["systems"]["hybrid"]["ndcg@10"]


def test_cases_that_none_answers_are_listed_with_the_reason() -> None:
    report = conclude([case(0, BAD, BAD, shared=0.0), case(1, BAD, BAD), case(2, GOOD, BAD)], LSA)
    assert [("case000", "no-shared-word"), ("case001", "others-fit-better")] == [(row["name"], row["reason"]) for row in report["all_fail"]]


def test_wins_and_losses_are_told_note_by_note() -> None:
    report = conclude([case(0, GOOD, GOOD), case(1, GOOD, BAD)], LSA)
    assert [{"name": "case001", "query": "a need", "places": {"lexical": 1, "semantic": 0, "hybrid": 1}}] == report["changes"]


def test_intervals_are_the_same_each_time_and_hold_the_mean() -> None:
    values = np.linspace(0, 1, 50) ** 2
    low, high = interval(values)
    assert [low, high] == interval(values)
    assert low < values.mean() < high


def test_no_cases_give_zeros_and_no_error() -> None:
    report = conclude([], LSA)
    assert (0, None, 0.0) == (report["cases"], report["winner"], report["systems"]["hybrid"]["mrr@10"])


def test_of_equal_weights_the_least_is_chosen() -> None:
    gain = np.ones(50)
    assert 0.1 == choose_weight({0.0: gain * 0, 0.1: gain, 2.0: gain})
