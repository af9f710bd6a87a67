"""Who judges which segments: dealt out evenly, spread over documents or IPC sections."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence

import numpy as np

from patmark.data import Segment
from patmark.human.campaign.settings import Assignment, Balance


def assign(
    segments: Sequence[Segment],
    evaluators: Sequence[str],
    assignment: Assignment,
    balance: Sequence[Balance],
    rng: np.random.Generator,
) -> dict[str, list[Segment]]:
    """The segments of each evaluator.

    Segments are put in an order in which every stretch holds its fair share of every document (or
    section), taken from the front, and dealt out so that no one gets more than another.
    """
    order = spread(segments, [_group(name) for name in balance], rng)
    count = len(evaluators)
    items = assignment.items_per_evaluator
    common = 0
    if assignment.mode == "same":
        common, rest, times = (len(order) if items is None else items), 0, 1
    elif assignment.mode == "overlap":
        common = _common(len(order), count, assignment.overlap, items)
        rest, times = (len(order) - common if items is None else (items - common) * count), 1
    else:
        times = assignment.times
        rest = len(order) if items is None else items * count // times
    hands = {name: list(order[:common]) for name in evaluators}
    groups = _group(balance[0]) if balance else _group("document")
    deal(order[common : common + rest], hands, times, groups, rng)
    return hands


def spread(
    segments: Sequence[Segment],
    groups: Sequence[Callable[[Segment], str]],
    rng: np.random.Generator,
) -> list[Segment]:
    """Segments in random order, such that every stretch has the mixture of the whole.

    Each group takes its places at even distances from a random start. Segments without groups, and
    those inside a group, are shuffled, or spread by the next kind of group.
    """
    if not groups:
        return [segments[place] for place in rng.permutation(len(segments))]
    members: dict[str, list[Segment]] = defaultdict(list)
    for segment in segments:
        members[groups[0](segment)].append(segment)
    placed = []
    for name in sorted(members):
        inside = spread(members[name], groups[1:], rng)
        places = (np.arange(len(inside)) + rng.random()) / len(inside)
        placed += list(zip(places, inside, strict=True))
    return [segment for _, segment in sorted(placed, key=lambda pair: float(pair[0]))]


def deal(
    segments: Sequence[Segment],
    hands: dict[str, list[Segment]],
    times: int,
    group: Callable[[Segment], str],
    rng: np.random.Generator,
) -> None:
    """Give each segment to so many evaluators.

    Whoever has least goes first; among equals, who has least of its group; then who has had
    fewest segments together with those already chosen, so that all evaluators can be compared.
    """
    held = {name: Counter(map(group, own)) for name, own in hands.items()}
    together: Counter[frozenset[str]] = Counter()
    for segment in segments:
        lot = dict(zip(hands, rng.random(len(hands)), strict=True))
        chosen: list[str] = []
        for _ in range(times):
            name = min(
                (name for name in hands if name not in chosen),
                key=lambda name: (
                    len(hands[name]),
                    held[name][group(segment)],
                    sum(together[frozenset((name, other))] for other in chosen),
                    lot[name],
                ),
            )
            together.update(frozenset((name, other)) for other in chosen)
            chosen.append(name)
        for name in chosen:
            hands[name].append(segment)
            held[name][group(segment)] += 1


def _common(segments: int, evaluators: int, overlap: float, items: int | None) -> int:
    """How many segments everyone judges; without a number of items, as the whole set allows."""
    if items is None:
        items_each = segments / (overlap + (1 - overlap) * evaluators)
        return round(overlap * items_each)
    return round(overlap * items)


def _group(balance: Balance) -> Callable[[Segment], str]:
    return _section if balance == "ipc" else _document


def _document(segment: Segment) -> str:
    return segment.document or ""


def _section(segment: Segment) -> str:
    """The letter of the IPC section; empty where it is not known."""
    value = segment.meta.get("ipc") or ""
    first = value if isinstance(value, str) else (value[0] if value else "")
    return str(first)[:1].upper()
