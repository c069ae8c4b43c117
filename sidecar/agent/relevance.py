"""Whether a note is worth putting before an agent unasked: strict, for a wrong hint costs more than a missing one."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

MIN_COVERAGE = 0.5
MIN_PROMPT_CHARS = 6
_MAX_PROMPT_TERMS = 60


_COMMON = frozenset(
    "a an and are about as at be been but by can could did do does for from had has have how i if in into is it its just like make me my"
    " need no not now of on or our please should show so some tell than that the their them then there these they this to up us use want"
    " was we were what when where which who why will with would you your explain describe know".split()
)
_UNKNOWN = 0.25
"""What a word that no note has weighs, as a share of the rarest: it names no note, and yet makes a hint less sure."""


def weigh_terms(terms: Collection[str], frequency: Callable[[str], int], total: int) -> dict[str, float]:
    """Give each term of a prompt its weight: the rarer in the vault, the more. Common words are passed over."""
    chosen = [term for term in dict.fromkeys(terms) if len(term) > 1 and term not in _COMMON][:_MAX_PROMPT_TERMS]
    known = {term: frequency(term) for term in chosen}
    return {term: math.log((total + 1) / (count + 0.5)) * (1 if count else _UNKNOWN) for term, count in known.items()}


def coverage(weights: Mapping[str, float], found: Collection[str]) -> float:
    """Give the share of the prompt's weight that a note covers, 0 to 1."""
    total = sum(weight for weight in weights.values() if weight > 0)
    return sum(weights[term] for term in found if weights.get(term, 0) > 0) / total if total > 0 else 0.0


def is_title_hit(title_terms: Sequence[str], prompt_terms: Sequence[str]) -> bool:
    """Tell whether a title stands in the prompt: all its words, side by side."""
    wanted = [term for term in title_terms if len(term) > 1]
    given = [term for term in prompt_terms if len(term) > 1]
    return bool(wanted) and any(given[n : n + len(wanted)] == wanted for n in range(len(given) - len(wanted) + 1))


def is_worth_asking(prompt: str) -> bool:
    """Tell whether a prompt says enough to look anything up: no command of the agent's own, not a mere yes."""
    text = prompt.strip()
    wide = sum(2 for character in text if character >= "\u2e80")
    return len(text) + wide >= MIN_PROMPT_CHARS and not text.startswith(("/", "!", "#"))
