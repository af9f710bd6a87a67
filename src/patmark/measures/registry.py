"""Measures by name: ``BLEU(tok=zh)`` to the measure and back."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, replace
from functools import lru_cache
from itertools import chain
from math import isfinite
from typing import Any, TypeVar

from patmark.catalogue import LIGHT_MEASURES, MEASURES, RANKING_MEASURES, load
from patmark.errors import PatmarkError, PatmarkWarning, UsageError, near, reason
from patmark.measures.base import Measure, parameters_of
from patmark.wording import setting

_ALIASES = {"chrf++": "chrF(words=2)", "sentbleu": "BLEU(variant=nltk)"}
_RANKING_ALIASES = {
    "map": "AP",
    "r": "Recall",
    "mrr": "RR",
    "success": "HitRate",
    "top": "HitRate",
    "precision": "P",
}
_Parsed = TypeVar("_Parsed")
_WORDS_FOR_BOOL = {"yes": True, "true": True, "no": False, "false": False}
_NAME = re.compile(
    r"\s*(?P<label>[^()@\s][^()@]*?)\s*(?:\((?P<left>[^()]*)\))?"
    r"\s*(?:@\s*(?P<depth>\d+))?\s*(?:\((?P<right>[^()]*)\))?\s*"
)
COMMAND = "command"
ENTRY_POINT_GROUP = "patmark.measures"
_registered: list[type[Measure]] = []


def register(measure: type[Measure]) -> type[Measure]:
    """Register a measure by its label in this process (class decorator)."""
    name = (measure.label.lower(), measure.variant)
    if name in {(known.label.lower(), known.variant) for known in all_measures()}:
        raise UsageError(f"there is a measure called {measure.label} already; choose another label")
    _registered.append(measure)
    return measure


def all_measures() -> list[type[Measure]]:
    """Return every known measure class: built in, from entry points, registered."""
    return [*map(load, dict.fromkeys(MEASURES.values())), *_plugged_in(), *_registered]


def measures_by_default() -> Iterator[Measure]:
    """Yield the default measures, in the order of the catalogue.

    A measure is loaded when its turn comes, since checks take longer to load than a small score.
    """
    for measure in chain(map(load, dict.fromkeys(LIGHT_MEASURES.values())), _registered):
        if measure.runs_by_default:
            yield measure()


@lru_cache(maxsize=1)
def _plugged_in() -> list[type[Measure]]:
    """Load measures of other packages; skip those that cannot be loaded."""
    from importlib.metadata import entry_points

    found = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            found.append(entry.load())
        except Exception as error:  # foreign packages may raise anything on import
            warnings.warn(
                f"the measure {entry.name!r} ({entry.value}) cannot be loaded: {reason(error)}",
                PatmarkWarning,
                stacklevel=2,
            )
    return found


def parse_measure(name: str) -> Measure:
    """Return the measure of a name; the label is matched ignoring case."""
    if COMMAND in name.lower():
        from patmark.measures.command import parse_command

        command = parse_command(name)
        if command is not None:
            return command
    given = read_name(name, "a measure; write e.g. BLEU or BLEU(tok=zh)")
    if given.label.lower() in _ALIASES:
        alias = parse_measure(_ALIASES[given.label.lower()])
        changed: Measure = _construct(type(alias), given.parameters, name, alias)
        return changed
    if ranking_label(given.label) in _ranking_places():
        raise UsageError(f"{name} measures rankings, not texts; patmark retrieve evaluate takes it")
    found = _find(given.label, given.parameters.pop("variant", ""), name)
    if given.depth is not None:
        raise UsageError(f"{name}: only measures of rankings have a depth")
    measure: Measure = _construct(found, given.parameters, name)
    return measure


def parse_ranking_measure(name: str) -> Any:
    """Parse the name of a measure of rankings, such as ``Recall@100`` or ``AP(rel=2)``."""
    given = read_name(name, "a ranking measure; write e.g. AP(rel=2) or Recall@100")
    label = ranking_label(given.label)
    places = _ranking_places()
    if label not in places:
        choices = ", ".join(RANKING_MEASURES)
        cure = near(given.label, map(without_depth, RANKING_MEASURES)) or f"; choose from {choices}"
        raise UsageError(f"the measure {name!r} is unknown{cure}")
    return _construct(load(places[label]), given.parameters, name, cutoff=given.depth)


@lru_cache(maxsize=1)
def _ranking_places() -> dict[str, str]:
    """Map the label of a ranking measure in lower case to its import string."""
    return {without_depth(name).lower(): place for name, place in RANKING_MEASURES.items()}


def without_depth(name: str) -> str:
    """Return the name of a ranking measure without its depth."""
    return name.removesuffix("@k")


def ranking_label(label: str) -> str:
    """Return the label of a ranking measure in lower case, aliases resolved."""
    return _RANKING_ALIASES.get(label.lower(), label).lower()


def parse_ranking_measures(names: str | Iterable[str]) -> list[Any]:
    """Return several measures of rankings; none twice."""
    return _parse_list(names, parse_ranking_measure, "AP(rel=2),Recall@100")


@dataclass(frozen=True, slots=True)
class _Name:
    """The parts of a measure's name."""

    label: str
    parameters: dict[str, str]
    depth: int | None


def read_name(name: str, expected: str) -> _Name:
    """Parse label, parameters and depth of a name; ``expected`` is for messages."""
    match = _NAME.fullmatch(name)
    if match is None or (match["left"] and match["right"]):
        raise UsageError(f"{name!r} is not the name of {expected}")
    parts = (match["left"] or match["right"] or "").split(",")
    listed = [_split_parameter(part, name) for part in parts if part.strip()]
    keys = [key for key, _ in listed]
    for key in keys:
        if keys.count(key) > 1:
            raise UsageError(f"{name}: {key} is given twice")
    depth = None if match["depth"] is None else int(match["depth"][:12])
    return _Name(match["label"], dict(listed), depth)


def find_measure(name: str) -> Measure | None:
    """Parse the name of a measure; None for a label or a criterion."""
    try:
        return parse_measure(name)
    except PatmarkError:
        return None


@lru_cache(maxsize=1)
def _built_in() -> dict[tuple[str, str], str]:
    """Map a label in lower case and a variant to the import string."""
    places = {}
    for name, place in MEASURES.items():
        _, _, variant = name.rstrip(")").partition("(variant=")
        places[_label(name).lower(), variant] = place
    return places


def _label(name: str) -> str:
    """Return the label of a measure in the catalogue."""
    return name.partition("(variant=")[0]


def parse_measures(names: str | Iterable[str]) -> list[Measure]:
    """Parse several measures: a list of names, or one comma-separated text; none twice."""
    return _parse_list(names, parse_measure, "BLEU,chrF")


def _parse_list(
    names: str | Iterable[str], parse: Callable[[str], _Parsed], example: str
) -> list[_Parsed]:
    """Parse a list of names; report all invalid ones together."""
    listed = split_names(names) if isinstance(names, str) else list(names)
    if not listed:
        raise UsageError(f"no measure is named; write e.g. {example}")
    problems, measures = [], []
    for name in listed:
        try:
            measures.append(parse(name))
        except UsageError as error:
            problems.append(str(error))
    doubles = sorted({str(one) for one in measures if measures.count(one) > 1})
    problems += [f"asked for twice: {', '.join(doubles)}"] if doubles else []
    if problems:
        raise UsageError("\n".join(problems))
    return measures


def split_names(text: str) -> list[str]:
    """Split at commas outside brackets; ``command:`` takes the rest."""
    names, command = text, list[str]()
    if COMMAND in text.lower():
        from patmark.measures.command import split_off_command

        names, command = split_off_command(text)
    listed = [part.strip() for part in re.split(r",(?![^()]*\))", names) if part.strip()]
    return listed + command


def _split_parameter(part: str, name: str) -> tuple[str, str]:
    key, sign, value = part.partition("=")
    if not sign or not key.strip() or not value.strip():
        raise UsageError(f"{name}: {part.strip()!r} is not a parameter; write key=value")
    return key.strip(), value.strip()


def _find(label: str, variant: str, name: str) -> type[Measure]:
    built_in = _built_in()
    if (label.lower(), variant) in built_in:
        found: type[Measure] = load(built_in[label.lower(), variant])
        return found
    others = [*_plugged_in(), *_registered]
    added = [measure for measure in others if measure.label.lower() == label.lower()]
    for measure in added:
        if measure.variant == variant:
            return measure
    variants = {known for name_of, known in built_in if name_of == label.lower()}
    variants |= {measure.variant for measure in added}
    if variants:
        choices = ", ".join(sorted(known or "(none)" for known in variants))
        raise UsageError(f"{name}: variant {variant!r} is unknown; choose from {choices}")
    labels = sorted({*map(_label, MEASURES), *(measure.label for measure in others)})
    rankings = map(without_depth, RANKING_MEASURES)
    cure = near(label, [*labels, *rankings]) or f"; choose from {', '.join(labels)}."
    imported = setting("scores", f"{label}=FILE")
    elsewhere = f"Scores that another program made come with {imported}"
    raise UsageError(f"the measure {name!r} is unknown{cure} {elsewhere}")


def _construct(
    measure: type[Any],
    parameters: Mapping[str, str],
    name: str,
    start: Any = None,
    **more: Any,
) -> Any:
    """Return the measure with these parameters; ``start`` provides the others."""
    known: dict[str, Field[Any]] = {field.name: field for field in parameters_of(measure)}
    open_ones = [key for key in known if key not in more]
    unknown = sorted(set(parameters) - set(open_ones))
    if unknown:
        choices = ", ".join(open_ones) or "(it has none)"
        raise UsageError(f"{name}: no parameter {unknown[0]!r}; choose from {choices}")
    values = {key: _convert(known[key], value, name) for key, value in parameters.items()}
    return replace(start, **values) if start is not None else measure(**values, **more)


def _convert(field: Field[Any], value: str, name: str) -> Any:
    kind: Any = type(field.default)
    try:
        if kind is float and not isfinite(float(value)):
            raise ValueError
        return _WORDS_FOR_BOOL[value.lower()] if kind is bool else kind(value)
    except (KeyError, ValueError):
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}[kind]
        raise UsageError(f"{name}: {field.name} must be {wanted}, not {value!r}") from None
