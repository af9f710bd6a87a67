"""Comparison of bindings: values exchanged between two things."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from patmark.facts.differences import Difference, FactKind, Span
from patmark.facts.lexicon import Hit, phrases
from patmark.facts.texts import TextFacts
from patmark.facts.units import in_base_unit, unit_meaning
from patmark.facts.word_features import ORDINAL, ordinal_value
from patmark.wording import tr


def compare_bindings(source: TextFacts, target: TextFacts) -> list[Difference]:
    """Find values that were exchanged between two things: layer 1 of 20 nm, layer 2 of 50 nm."""
    ours = _bindings(source)
    theirs = _bindings(target) if len(ours) > 1 else {}
    found: list[Difference] = []
    if not theirs:
        return found
    for (group, key), (other_group, other) in combinations(sorted(ours), 2):
        if group != other_group:
            continue
        values, others = ours[group, key], ours[group, other]
        mine, yours = theirs.get((group, key), {}), theirs.get((group, other), {})
        exchanged = next(
            (
                (value, rival)
                for value in values
                for rival in others
                if value != rival and value[0] == rival[0]
                and rival in mine and value in yours
                and value not in mine and rival not in yours
                and rival not in values and value not in others
            ),
            None,
        )  # fmt: skip
        if exchanged is not None:
            value, rival = exchanged
            one, two = (f"“{source.quoted(*b[v].key)}”" for b, v in (
                (values, value), (others, rival)
            ))  # fmt: skip
            message = tr("two values are exchanged between {one} and {other}", one=one, other=two)
            slot: tuple[FactKind, str] = (
                ("number", "binding") if value[0].startswith(_QUANTITY) else ("marker", value[0])
            )
            found += [
                Difference(*slot, message, source.span(*old.span), target.span(*new.span))
                for old, new in ((values[value], mine[rival]), (others[rival], yours[value]))
            ]
    return found


_KEY_GROUPS = frozenset({"depth", "vertical", "sagittal", "lateral"})
_MARKER_VALUES = frozenset(
    {"reach", "flow", "heat", "state", "trend", "switch", "speed", "chemistry", "polarity",
     "mobility", "motion", "operation", "conduct", "transparency", "hardness", "lock"}
)  # fmt: skip


class _Binding(NamedTuple):
    """The places of a key, and of a key with its value."""

    key: Span
    span: Span


_QUANTITY = "quantity "  # with its dimension: only values of one dimension can be exchanged
Bindings = dict[tuple[str, str], dict[tuple[str, str], _Binding]]


_JOINED_MARKERS = phrases(
    r" ?(?:{side-word})?(?:{genitive})? ?(?:{and}|{or}|[\u30fb、,/])(?: the| )?",
)


def _single_markers(facts: TextFacts) -> list[Hit]:
    """Return the values in words, but not two of one thing: upstream and downstream of a filter."""
    found: list[Hit] = []
    joined: set[Hit] = set()
    for hit in facts.words:
        if hit.row.group not in _MARKER_VALUES or not hit.row.sure:
            continue
        last = next((one for one in reversed(found) if one.row.group == hit.row.group), None)
        if last and _JOINED_MARKERS.fullmatch(facts.text, last.end, hit.start):
            joined |= {last, hit}
        found.append(hit)
    return [hit for hit in found if hit not in joined]


def _bindings(facts: TextFacts) -> Bindings:
    """Return the values of each ordinal, place or property, each with the place of both."""
    values: list[tuple[int, int, tuple[str, str]]] = [
        (q.start, max(q.end, q.reach), (f"{_QUANTITY}{meaning.dimension}", str(value)))
        for q in facts.quantities
        if q.certainty == "exact" and q.unit and not q.is_token
        for value, meaning in [in_base_unit(q.key, q.unit) or (Fraction(0), unit_meaning(q.unit))]
    ]
    values += [(hit.start, hit.end, (hit.row.group, hit.row.id)) for hit in _single_markers(facts)]
    if len({value for *_, value in values}) < 2:
        return {}
    keys: list[tuple[Span, str, str]] = [
        (m.span(), "ordinal", ordinal_value(m)) for m in ORDINAL.finditer(facts.text)
    ]
    keys += [
        ((hit.start, hit.end), hit.row.group.partition("-")[0], hit.row.id)
        for hit in facts.words
        if (hit.row.group in _KEY_GROUPS or hit.row.is_thing) and hit.row.sure
    ]
    if len(keys) < 2:
        return {}
    found: Bindings = {}
    for start, end, value in values:
        clause = next((c for c in facts.clauses if c[0] <= start < c[1]), (0, len(facts.text)))
        nearest: dict[str, tuple[Span, str]] = {}
        for key, group, identity in keys:
            place = key[0]
            if group == value[0]:
                continue
            if value[0].startswith(_QUANTITY):
                if place < start:
                    nearest[group] = (key, identity)
            elif clause[0] <= place < clause[1]:
                known = nearest.get(group)
                if known is None or abs(place - start) < abs(known[0][0] - start):
                    nearest[group] = (key, identity)
        for group, (key, identity) in nearest.items():
            span = (min(key[0], start), max(key[0] + 1, end))
            found.setdefault((group, identity), {}).setdefault(value, _Binding(key, span))
    return found
