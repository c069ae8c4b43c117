"""Ways through the graph: surroundings, shortest paths, connected parts (pure). Direction of links does not matter."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from sidecar.vault.note import NotePath

Neighbours = Callable[[NotePath], Set[NotePath]]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Files around a note, each with its distance, nearest first; ``left_out`` counts those beyond the cap that were met."""

    distances: dict[NotePath, int]
    left_out: int


def around(centre: NotePath, depth: int, neighbours: Neighbours, cap: int) -> Surroundings:
    """Walk ``depth`` steps in all directions; at most ``cap`` files, those of a step by path."""
    distances = {centre: 0}
    ring = [centre]
    left_out: set[NotePath] = set()
    for distance in range(1, depth + 1):
        found = sorted({other for path in ring for other in neighbours(path)} - distances.keys())
        ring = found[: max(cap - len(distances), 0)]
        left_out.update(found[len(ring) :])
        distances |= dict.fromkeys(ring, distance)
    return Surroundings(distances, len(left_out))


def shortest_path(start: NotePath, goal: NotePath, neighbours: Neighbours) -> list[NotePath]:
    """Give a shortest way, both ends included; empty if there is none. Of several, the first by path."""
    came_from: dict[NotePath, NotePath] = {start: start}
    queue = deque([start])
    while queue and goal not in came_from:
        path = queue.popleft()
        for other in sorted(neighbours(path)):
            if other not in came_from:
                came_from[other] = path
                queue.append(other)
    if goal not in came_from:
        return []
    way = [goal]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


def components(paths: Iterable[NotePath], neighbours: Neighbours) -> list[list[NotePath]]:
    """Part the notes into groups that links join, largest first, then by first path; each sorted."""
    rest = set(paths)
    groups: list[list[NotePath]] = []
    while rest:
        group = {rest.pop()}
        stack = list(group)
        while stack:
            new = neighbours(stack.pop()) & rest
            rest -= new
            group |= new
            stack += new
        groups.append(sorted(group))
    return sorted(groups, key=lambda group: (-len(group), group[0]))
