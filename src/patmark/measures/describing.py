"""Descriptions of measures for ``patmark measures`` and for the pages of the documentation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias, get_origin, get_type_hints

import numpy as np

from patmark.catalogue import RANKING_MEASURES, load
from patmark.data import Segment, TestSet
from patmark.languages import language_pair
from patmark.measures.base import Measure, parameters_of, shown_value
from patmark.measures.registry import (
    COMMAND,
    all_measures,
    parse_measure,
    ranking_label,
    read_name,
    without_depth,
)

_IN_BLOCKS = ("signature",)
_EXAMPLES = "ja-en"  # languages of the example files


MeasureArea: TypeAlias = Literal["texts", "claims", "rankings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureInfo:
    """Description of one measure.

    ``corpus`` describes the aggregation, ``guide`` is a page of the documentation. ``call`` is the
    name with required parameters, ``reads`` the required data, ``area`` the command that computes
    it.
    """

    name: str
    description: str
    formula: str
    scale: str
    corpus: str
    reference: str
    needs: list[str]
    parameters: dict[str, str]
    limits: str
    signature: str
    guide: str
    call: str
    area: MeasureArea
    reads: frozenset[str] = frozenset()

    @property
    def slug(self) -> str:
        """Its name in addresses: ``bleu-nltk``."""
        plain = without_depth(self.name).lower().replace("variant=", "")
        return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")

    def facts(self) -> Iterator[tuple[str, str]]:
        """Yield the facts besides name, description and parameters."""
        for title in ("formula", "scale", "corpus", "limits", "signature"):
            if getattr(self, title):
                yield title, getattr(self, title)

    def to_markdown(self, root: str, example: str) -> str:
        """Render the page of this measure, with an example command.

        ``root`` leads to the folder of the documentation.
        """
        rows = [(title, text) for title, text in self.facts() if title not in _IN_BLOCKS]
        rows += [
            ("needs", ", ".join(self.needs) or "nothing"),
            ("reference, peers", self.reference),
        ]
        parameters = [(f"`{name}`", text) for name, text in self.parameters.items()]
        more = f"[More]({root}/{self.guide}): examples, differences from other programs, traps."
        parts = [
            f"# {self.name}",
            f"{self.description[:1].upper()}{self.description[1:]}.",
            _table(rows),
            _table([("parameter", "meaning"), *parameters]) if parameters else "",
            f"```text\n{self.signature}\n```",
            f"```console\n$ {example}\n```",
            more if self.guide else "",
        ]
        return "\n\n".join(filter(None, parts)) + "\n"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    first, *others = [f"| {title} | {text} |" for title, text in rows]
    return "\n".join([first, "|---|---|", *others])


def describe(measure: type[Measure]) -> MeasureInfo:
    """Return a measure of texts."""
    one = measure()
    extra = [f"extra {measure.extra}"] if measure.extra else []
    return MeasureInfo(
        name=one.name,
        description=measure.description,
        formula=measure.formula,
        scale=_scale(one),
        corpus="mean of the segments" if one.aggregation == "mean" else "sums over all segments",
        reference=measure.citation,
        needs=[*sorted(measure.needs), *measure.resources, *extra],
        parameters=_parameters(measure),
        limits=measure.limits,
        signature=_signature(one),
        guide=measure.guide,
        call=_call(one),
        area="claims" if measure.__module__.startswith("patmark.claims") else "texts",
        reads=measure.needs,
    )


def _call(measure: Measure) -> str:
    """Return the name of a measure with a model, if it needs one."""
    kind = type(measure)
    if not kind.resources:
        return measure.name
    given = [f"variant={kind.variant}"] if kind.variant else []
    given.append(f"model={getattr(kind, 'example', 'NAME')}")
    return f"{kind.label}({','.join([*given, *(['scheme=mqm'] if kind.label == 'Judge' else [])])})"


def _scale(measure: Any) -> str:
    """Return the ends of the scale, and the better one."""
    low, high = measure.bounds
    if not np.isfinite([low, high]).any():
        ends = "no fixed ends"
    else:
        ends = f"{low:g} to {high:g}".replace("-inf", "no lower end").replace("inf", "no upper end")
    if getattr(measure, "descriptive", False):
        return f"{ends}; neither is better"
    return f"{ends}; {'higher' if measure.higher_is_better else 'lower'} is better"


def _signature(measure: Measure) -> str:
    """Return the signature on a small test set; for a model, only its parts."""
    if type(measure).resources:
        parts = (f"{field.name}:…" for field in parameters_of(type(measure)))
        return "|".join([measure.label, *parts, "…"])
    source, target = language_pair(_EXAMPLES)
    test_set = TestSet((Segment("1", "-", ("-",)),), target, source)
    return measure.signature(test_set)


def describe_all(measures: Sequence[type[Measure]] | None = None) -> list[MeasureInfo]:
    """Return descriptions of all known measures of texts, or of some."""
    return [describe(measure) for measure in (all_measures() if measures is None else measures)]


def find_described(name: str) -> list[MeasureInfo]:
    """Return the descriptions of all measures with the label of a name."""
    if COMMAND not in name.lower():
        label = ranking_label(read_name(name, "a measure; write e.g. BLEU or Recall@100").label)
        rankings = [
            info for info in describe_rankings() if without_depth(info.name).lower() == label
        ]
        if rankings:
            return rankings
    label = parse_measure(name).label
    return [describe(measure) for measure in all_measures() if measure.label == label]


def describe_rankings() -> list[MeasureInfo]:
    """Return descriptions of the measures of rankings."""
    return [_describe_ranking(name, load(place)) for name, place in RANKING_MEASURES.items()]


def _describe_ranking(name: str, measure: Any) -> MeasureInfo:
    unused = {"rel"} if measure.graded else set()
    unused |= set() if measure.takes_cutoff else {"cutoff"}
    described = _parameters(measure)
    one = measure(cutoff=100 if measure.needs_cutoff else None)
    return MeasureInfo(
        name=name,
        description=measure.description,
        formula="",
        scale=_scale(one),
        corpus="mean over topics",
        reference=measure.citation,
        needs=["qrels"],
        parameters={key: text for key, text in described.items() if key not in unused},
        limits=f"Documents that nobody judged: {measure.unjudged}.",
        signature=one.signature("…"),
        guide="retrieval.md",
        call=str(one),
        area="rankings",
    )


def _parameters(measure: Any) -> dict[str, str]:
    """Return the text of each parameter: that of its annotation, or of ``parameters``."""
    texts: dict[str, str] = {}
    for kind in reversed(measure.__mro__):
        with suppress(NameError, TypeError):  # of an annotation for type checkers alone
            hints = get_type_hints(kind, include_extras=True).items()
            texts |= {
                name: hint.__metadata__[0] for name, hint in hints if get_origin(hint) is Annotated
            }
    texts |= measure.parameters
    defaults = {one.name: shown_value(one.default) or "none" for one in parameters_of(measure)}
    return {
        name: f"{texts.get(name, '')} (default {default})".strip()
        for name, default in defaults.items()
    }
