"""The segments of a report as plain values that JSON can hold, for the page to explore."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from patmark.data import Explorer

NO_VALUE = "(none)"
_SIGNIFICANT_DIGITS = 6
_SIDES = ("source", "hypothesis", "reference")


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to filter: its values with how many segments have each."""

    name: str
    options: tuple[tuple[str, int], ...]


def facets_of(explorer: Explorer) -> tuple[Facet, ...]:
    """The facets with their values in alphabetical order, numbers by size."""
    return tuple(
        Facet(name, tuple(sorted(Counter(map(_facet_value, values)).items(), key=_natural)))
        for name, values in explorer.facets.items()
    )


def _natural(option: tuple[str, int]) -> list[tuple[int, int, str]]:
    """A key that puts ``11–20 words`` behind ``1–10 words``."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", option[0])
        if part
    ]


def checks_of(explorer: Explorer) -> tuple[str, ...]:
    """The measures that found something somewhere."""
    return tuple(
        measure
        for measure, by_system in explorer.evidence.items()
        if any(found for by_segment in by_system for found in by_segment)
    )


def payload(explorer: Explorer) -> dict[str, Any]:
    """Everything that the segment explorer shows, column by column to keep the file small."""
    tests = explorer.test_set
    return {
        "systems": list(explorer.systems),
        "languages": {"source": tests.source_language or "", "target": tests.target_language},
        "ids": [segment.id for segment in tests],
        "documents": list(tests.documents),
        "sources": [segment.source for segment in tests],
        "references": [list(segment.references) for segment in tests],
        "hypotheses": [list(texts) for texts in explorer.hypotheses],
        "measures": [
            {
                "name": name,
                "higherIsBetter": explorer.higher_is_better.get(name, True),
                "values": [[_finite(value) for value in row] for row in values.tolist()],
            }
            for name, values in explorer.values.items()
        ],
        "noValue": NO_VALUE,
        "facets": [_indexed_facet(facet, explorer) for facet in facets_of(explorer)],
        **_findings(explorer),
    }


def embeddable_json(value: object) -> str:
    """JSON that cannot end the script element it stands in, whatever the texts contain."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _facet_value(value: str | None) -> str:
    return NO_VALUE if value is None else value


def _indexed_facet(facet: Facet, explorer: Explorer) -> dict[str, Any]:
    options = [option for option, _ in facet.options]
    position = {option: index for index, option in enumerate(options)}
    values = [position[_facet_value(value)] for value in explorer.facets[facet.name]]
    return {"name": facet.name, "options": options, "values": values}


def _finite(value: float) -> float | None:
    return float(f"{value:.{_SIGNIFICANT_DIGITS}g}") if math.isfinite(value) else None


def _findings(explorer: Explorer) -> Mapping[str, Any]:
    """Rows [check, system, segment, side, start, end, message], with texts kept once in lists."""
    checks = checks_of(explorer)
    messages: dict[str, int] = {}
    rows = [
        [
            check,
            system,
            segment,
            _SIDES.index(evidence.side),
            evidence.start,
            evidence.end,
            messages.setdefault(evidence.message, len(messages)),
        ]
        for check, name in enumerate(checks)
        for system, by_segment in enumerate(explorer.evidence[name])
        for segment, found in enumerate(by_segment)
        for evidence in found
    ]
    return {"checks": list(checks), "messages": list(messages), "findings": rows}
