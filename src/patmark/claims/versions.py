"""Two versions of a set of claims, as filed and as amended, limitation by limitation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from patmark.claims.comparison import ClaimComparison, ComparedClaim, compare_profiles
from patmark.claims.limitations import RELATION_NAMES, ComparedLimitation, DiffPart
from patmark.claims.profiles import ClaimProfile, profile_of
from patmark.errors import InputError
from patmark.report import Cell, Column, MarkedText, Report, Result, Table
from patmark.wording import tr


@dataclass(frozen=True, eq=False)
class ClaimVersions(Result):
    """Two versions of claims, compared; the names are those of their texts."""

    names: tuple[str, str]
    compared: ClaimComparison

    @property
    def counts(self) -> dict[str, int]:
        """Number of limitations of each relation."""
        found = Counter[str](
            row.relation for one in self.compared.compared_claims for row in one.limitations
        )
        return {name: found[name] for name in RELATION_NAMES if found[name]}

    def to_json(self) -> dict[str, Any]:
        """Return the relation of the second version, of its claims and of their limitations."""
        return {
            "versions": list(self.names),
            "relation": self.compared.relation,
            "counts": self.counts,
            "claims": [one.to_json() for one in self.compared.claim_relations],
        }

    def to_report(self) -> Report:
        """Return the claims with their relations, then all limitations side by side."""
        counted = (
            tr("{number} {relation}", number=number, relation=RELATION_NAMES[name])
            for name, number in self.counts.items()
        )
        return Report(
            title=tr("Two versions of claims"),
            subtitle=tr("{old} → {new}", old=self.names[0], new=self.names[1]),
            headlines=(),
            tables=(self._claims(), self._limitations()),
            signatures={},
            notes=(
                tr("Limitations: {parts}.", parts=tuple(counted)),
                tr(
                    "Relations are those of the second version to the first. Words are compared, "
                    "not meanings: “reworded” is not judged."
                ),
            ),
        )

    def _claims(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for one in self.compared.compared_claims:
            old = _number(self.compared.reference, one.reference)
            new = _number(self.compared.candidate, one.candidate)
            rows.append((old, new, RELATION_NAMES[one.relation], _changes(one)))
        for relation, places in self._alone():
            for number in places:
                pair = (number, None) if relation == "missing" else (None, number)
                rows.append((*pair, RELATION_NAMES[relation], None))
        titles = (*self.names, tr("relation"), tr("changes"))
        return Table(tr("Claims"), tuple(map(Column, titles)), tuple(rows))

    def _alone(self) -> Iterator[tuple[str, list[str]]]:
        old, new = self.compared.reference, self.compared.candidate
        gone = [at for at in range(len(old.tokens)) if at not in self.compared.assigned]
        came = [at for at in range(len(new.tokens)) if at not in self.compared.origin]
        yield "missing", [_number(old, at) for at in gone]
        yield "added", [_number(new, at) for at in came]

    def _limitations(self) -> Table:
        rows: list[tuple[Cell, ...]] = []
        for one in self.compared.compared_claims:
            numbers = (
                _number(self.compared.reference, one.reference),
                _number(self.compared.candidate, one.candidate),
            )
            rows += [_row(numbers, row) for row in one.limitations]
        for relation, side in (("missing", 0), ("added", 1)):
            profile = (self.compared.reference, self.compared.candidate)[side]
            known = (self.compared.assigned, self.compared.origin)[side]
            for place, claim in enumerate(profile.claims.claims):
                if place not in known:
                    text = profile.form.written(claim.content.start, claim.end)
                    number = _number(profile, place)
                    rows.append(_lone_row(number, relation, text, side))
        titles = (tr("claim"), self.names[0], tr("relation"), tr("claim"), self.names[1])
        return Table(tr("Limitations side by side"), tuple(map(Column, titles)), tuple(rows))


def _row(numbers: tuple[str, str], row: ComparedLimitation) -> tuple[Cell, ...]:
    if row.reference is None or row.draft is None:
        side = 0 if row.draft is None else 1
        return _lone_row(numbers[side], row.relation, row.texts[side], side)
    diff = row.diff if row.is_changed else (DiffPart("same", row.texts[0]),)
    old = MarkedText(part for part in diff if part.kind != "added")
    new = MarkedText(part for part in diff if part.kind != "removed")
    return numbers[0], old, RELATION_NAMES[row.relation], numbers[1], new


def _lone_row(number: str, relation: str, text: str, side: int) -> tuple[Cell, ...]:
    marked = MarkedText([("added" if side else "removed", text)])
    if side:
        return None, None, RELATION_NAMES[relation], number, marked
    return number, marked, RELATION_NAMES[relation], None, None


def _changes(one: ComparedClaim) -> str | None:
    """Describe the differences of a claim; None if there are none."""
    words = [difference.message for difference in one.differences]
    lone = Counter(row.relation for row in one.limitations if row.relation in _WITHOUT_WORDS)
    words += [
        tr("{number} {relation}", number=number, relation=RELATION_NAMES[name])
        for name, number in lone.items()
    ]
    return tr("{parts}", parts=tuple(words)) if words else None


_WITHOUT_WORDS = ("missing", "added", "reworded")


def compare_versions(old: str, new: str, names: tuple[str, str]) -> ClaimVersions:
    """Compare two versions of a set of claims; both must hold claims in one language."""
    profiles = profile_of(old), profile_of(new)
    for name, profile in zip(names, profiles, strict=True):
        if profile.problem:
            raise InputError.at("has no claims", name)
    compared = compare_profiles(*profiles)
    if compared.problem:
        raise InputError.at(f"is written in another language than {names[0]}", names[1])
    return ClaimVersions(names, compared)


def _number(profile: ClaimProfile, place: int) -> str:
    return str(profile.claims.claims[place].shown_number)
