"""Measures by name: ``BLEU(tok=zh)`` to the measure and back."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import Field, dataclass, fields
from difflib import get_close_matches
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from math import isfinite
from typing import Any

from patmark.errors import UsageError
from patmark.measures.base import Measure
from patmark.measures.command import parse_command, split_off_command

_ALIASES = {"chrf++": "chrF(words=2)", "sentbleu": "BLEU(variant=nltk)"}
_WORDS_FOR_BOOL = {"yes": True, "true": True, "no": False, "false": False}
_NAME = re.compile(r"\s*(?P<label>[^()\s][^()]*?)\s*(?:\((?P<parameters>[^()]*)\))?\s*")
_BUILT_IN = {
    "bleu": ("BLEU",),
    "bleu_nltk": ("SentenceBLEU", "CorpusBLEU"),
    "chrf": ("ChrF",),
    "ter": ("TER",),
    "nist": ("NIST",),
    "ribes": ("RIBES",),
    "meteor": ("METEOR", "MeteorNltk"),
    "rouge": ("ROUGE1", "ROUGE2", "ROUGEL"),
    "rouge_pltrdy": ("PltrdyROUGE1", "PltrdyROUGE2", "PltrdyROUGEL"),
    "length": ("LengthRatio", "Omission", "LengthHallucination"),
    "leakage": ("Leakage",),
    "terms": ("TermAccuracy", "TermConsistency"),
    "special_characters": ("SpecialCharacters",),
    "writing_norm": ("WritingNorm",),
    "numbers": ("Numbers",),
    "reference_signs": ("ReferenceSigns",),
    "claim_structure": ("ClaimStructure",),
    "untranslated": ("Untranslated",),
    "doubled": ("Doubled",),
    "term_drift": ("TermDrift",),
    "neural.bertscore": ("BERTScore",),
    "neural.moverscore": ("MoverScore",),
    "neural.simcse": ("SimCSE",),
    "neural.bartscore": ("BARTScore",),
    "neural.unieval": ("UniEval",),
    "neural.alignscore": ("AlignScore",),
}
ENTRY_POINT_GROUP = "patmark.measures"
_registered: list[type[Measure]] = []


def register(measure: type[Measure]) -> type[Measure]:
    """Class decorator: make a measure known by its label, in this process."""
    name = (measure.label.lower(), measure.variant)
    if name in {(known.label.lower(), known.variant) for known in all_measures()}:
        raise UsageError(f"there is a measure called {measure.label} already; choose another label")
    _registered.append(measure)
    return measure


def all_measures() -> list[type[Measure]]:
    """Every known measure class: built in, from entry points, registered."""
    built_in = [
        getattr(import_module(f"patmark.measures.{module}"), name)
        for module, names in _BUILT_IN.items()
        for name in names
    ]
    return [*built_in, *_plugged_in(), *_registered]


@lru_cache(maxsize=1)
def _plugged_in() -> list[type[Measure]]:
    """Measures of other packages; one that cannot be loaded must not stop the rest."""
    found = []
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        try:
            found.append(entry.load())
        except Exception as error:  # whatever a foreign package does on import
            warnings.warn(
                f"the measure {entry.name!r} ({entry.value}) cannot be loaded: {error}",
                stacklevel=2,
            )
    return found


def parse_measure(name: str) -> Measure:
    """The measure that a name stands for; the label is matched without regard to case."""
    command = parse_command(name)
    if command is not None:
        return command
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(f"{name!r} is not the name of a measure; write e.g. BLEU or BLEU(tok=zh)")
    label = match["label"]
    if label.lower() in _ALIASES:
        alias = _ALIASES[label.lower()]
        extra = match["parameters"]
        return parse_measure(f"{alias[:-1]},{extra})" if extra else alias)
    given = [_split_parameter(part, name) for part in _parts(match["parameters"])]
    parameters = dict(given)
    if len(parameters) < len(given):
        raise UsageError(f"{name}: a parameter is given twice")
    variant = parameters.pop("variant", "")
    return _construct(_find(label, variant, name), parameters, name)


def parse_measures(names: str | Iterable[str]) -> list[Measure]:
    """Several measures: a list of names, or one text with commas between them."""
    listed = split_names(names) if isinstance(names, str) else list(names)
    if not listed:
        raise UsageError("no measure is named; write e.g. BLEU,chrF")
    problems, measures = [], []
    for name in listed:
        try:
            measures.append(parse_measure(name))
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    doubles = {m.name for m in measures if sum(m == other for other in measures) > 1}
    if doubles:
        raise UsageError(f"asked for twice: {', '.join(sorted(doubles))}")
    return measures


def split_names(text: str) -> list[str]:
    """Split at commas outside brackets; a ``command:`` takes all that follows it."""
    names, command = split_off_command(text)
    listed = [part.strip() for part in re.split(r",(?![^()]*\))", names) if part.strip()]
    return listed + command


def _parts(parameters: str | None) -> list[str]:
    return [part for part in (parameters or "").split(",") if part.strip()]


def _split_parameter(part: str, name: str) -> tuple[str, str]:
    key, sign, value = part.partition("=")
    if not sign or not key.strip() or not value.strip():
        raise UsageError(f"{name}: {part.strip()!r} is not a parameter; write key=value")
    return key.strip(), value.strip()


def _find(label: str, variant: str, name: str) -> type[Measure]:
    known = all_measures()
    same_label = [measure for measure in known if measure.label.lower() == label.lower()]
    if not same_label:
        labels = sorted({measure.label for measure in known})
        close = get_close_matches(label.lower(), [other.lower() for other in labels], 1)
        hint = [other for other in labels if close and other.lower() == close[0]]
        cure = f"did you mean {hint[0]}?" if hint else f"choose from {', '.join(labels)}"
        raise UsageError(f"the measure {name!r} is unknown; {cure}")
    for measure in same_label:
        if measure.variant == variant:
            return measure
    variants = ", ".join(sorted(measure.variant or "(none)" for measure in same_label))
    raise UsageError(f"{name}: variant {variant!r} is unknown; choose from {variants}")


def _construct(measure: type[Measure], parameters: dict[str, str], name: str) -> Measure:
    known: dict[str, Field[Any]] = {field.name: field for field in fields(measure)}  # type: ignore[arg-type]
    unknown = sorted(set(parameters) - set(known))
    if unknown:
        choices = ", ".join(known) or "(it has none)"
        raise UsageError(f"{name}: no parameter {unknown[0]!r}; choose from {choices}")
    values = {key: _convert(known[key], value, name) for key, value in parameters.items()}
    return measure(**values)


def _convert(field: Field[Any], value: str, name: str) -> Any:
    kind: Any = type(field.default)
    try:
        if kind is float and not isfinite(float(value)):
            raise ValueError
        return _WORDS_FOR_BOOL[value.lower()] if kind is bool else kind(value)
    except (KeyError, ValueError):
        wanted = {bool: "yes or no", int: "a whole number", float: "a number"}[kind]
        raise UsageError(f"{name}: {field.name} must be {wanted}, not {value!r}") from None


@dataclass(frozen=True, slots=True)
class MeasureInfo:
    """What a person should know of a measure before using it."""

    name: str
    description: str
    reference: str
    parameters: dict[str, str]
    needs: list[str]


def describe(measure: type[Measure]) -> MeasureInfo:
    """Name, description and parameters with their defaults."""
    default = measure()
    texts = {
        "tok": "segmenter; auto follows the target language",
        "force": "allow a segmenter that cannot split the language",
        **measure.parameters,
    }
    parameters = {
        field.name: f"{texts.get(field.name, '')} (default {_shown(field.default)})".strip()
        for field in fields(measure)  # type: ignore[arg-type]
    }
    return MeasureInfo(
        default.name, measure.description, measure.citation, parameters, sorted(measure.needs)
    )


def describe_all(measures: Sequence[type[Measure]] | None = None) -> list[MeasureInfo]:
    """Descriptions of all known measures."""
    return [describe(measure) for measure in (measures or all_measures())]


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value) or "none"
