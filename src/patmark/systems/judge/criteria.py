"""The criteria of a judge: of claims, of translations, and those of a user.

A file of criteria is TOML, YAML or JSON with a list ``criteria`` of ``name``, ``question`` and, if
wanted, ``title`` (in the form), ``weight`` (in the overall score) and ``bands`` (the meaning of
0-20, 21-40, 41-60, 61-80 and 81-100).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeAlias

from patmark.data import CRITERION_WEIGHTS, FilePath, read_settings_file
from patmark.errors import InputError, Problem

OVERALL = "overall"
_BANDS = ("0-20", "21-40", "41-60", "61-80", "81-100")
_FIELDS = ("name", "title", "question", "weight", "bands")
_NAME = re.compile(r"[\w-]+(?: [\w-]+)*")


@dataclass(frozen=True, slots=True)
class JudgeCriterion:
    """A criterion: its name in scores, its title in the form, and the meaning of the bands.

    ``also`` are further names under which models answer.
    """

    name: str
    title: str
    question: str
    bands: tuple[str, ...] = ()
    weight: float = 1.0
    also: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """All names under which an answer may give it."""
        return tuple(dict.fromkeys((self.title, self.name, *self.also)))

    @property
    def ladder(self) -> str:
        """The meaning of the bands, one on each line."""
        bands = zip(_BANDS, self.bands, strict=True) if self.bands else ()
        return "\n".join(f"   {band}: {meaning}" for band, meaning in bands)


Criteria: TypeAlias = tuple[JudgeCriterion, ...]


def aspects_of(criteria: Criteria) -> tuple[str, ...]:
    """Return the names of the scores: each of several criteria, and the overall quality."""
    names = [one.name for one in criteria] if len(criteria) > 1 else []
    return (*names, OVERALL)


def overall_score(criteria: Criteria, scores: Sequence[float]) -> float:
    """Compute the mean of the scores, weighted by criterion."""
    total = sum(one.weight * score for one, score in zip(criteria, scores, strict=True))
    return total / sum(one.weight for one in criteria)


def with_overall(criteria: Criteria, scores: Sequence[float]) -> list[float]:
    """Return the scores of all aspects."""
    return [*(scores if len(criteria) > 1 else ()), overall_score(criteria, scores)]


def listed(criteria: Criteria, *, bands: bool) -> str:
    """Return the criteria for a prompt, with their bands or without."""
    entries = [f"{at}. {one.title}. {one.question}" for at, one in enumerate(criteria, 1)]
    if not bands:
        return "\n".join(entries)
    ladders = [one.ladder for one in criteria]
    return "\n\n".join(
        f"{entry}\n{ladder}" if ladder else entry
        for entry, ladder in zip(entries, ladders, strict=True)
    )


def read_criteria(path: FilePath) -> Criteria:
    """Read criteria of the user; report all problems of the file at once."""
    file = read_settings_file(path)
    file.top().only(("criteria",))
    found = []
    for entry in file.members("criteria", "criterion"):
        entry.only(_FIELDS)
        name, question = entry.needed_text("name"), entry.needed_text("question")
        title = entry.needed_text("title") if "title" in entry.fields else name.capitalize()
        bands = entry.texts("bands") if "bands" in entry.fields else ()
        weight = entry.fields.get("weight", 1)
        for field, text in (("name", name), ("title", title)):
            if text and not _NAME.fullmatch(text):
                entry.complain_about(field, "expected words of letters, digits and hyphens")
        if name.casefold() == OVERALL:
            entry.complain_about("name", f"{OVERALL!r} is the mean of all criteria")
        if bands and len(bands) != len(_BANDS):
            entry.complain_about("bands", f"expected {len(_BANDS)} texts, found {len(bands)}")
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight < 1e9:
            entry.complain_about("weight", "expected a number above 0")
            weight = 1
        found.append(JudgeCriterion(name, title, question, tuple(bands), float(weight)))
    file.problems.extend(_confused(found, file.path))
    if file.problems:
        raise InputError(file.problems)
    return tuple(found)


def _confused(criteria: Sequence[JudgeCriterion], path: str) -> list[Problem]:
    """Return a problem for every two criteria if one name ends with the other."""
    named = [(one, name.casefold()) for one in criteria for name in one.names if name]
    return [
        Problem(f"{name!r} and {other!r} cannot be told apart in an answer", path)
        for at, (one, name) in enumerate(named)
        for another, other in named[at + 1 :]
        if one is not another and (name.endswith(other) or other.endswith(name))
    ]


def _bundled() -> dict[str, Criteria]:
    """Read the bundled criteria of claims, with the weights of Patent-CE, and of translations."""
    text = files(__package__).joinpath("prompts", "criteria.toml").read_text(encoding="utf-8")
    return {
        subject: tuple(
            JudgeCriterion(
                one["name"],
                one["title"],
                one["question"],
                tuple(one["bands"]),
                CRITERION_WEIGHTS.get(one["name"], 1.0),
                tuple(one.get("also", ())),
            )
            for one in criteria
        )
        for subject, criteria in tomllib.loads(text).items()
    }


_OWN = _bundled()
CLAIM_CRITERIA, TRANSLATION_CRITERIA = _OWN["claims"], _OWN["translations"]
