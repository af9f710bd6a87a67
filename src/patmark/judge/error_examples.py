"""Segments with known errors, which show a model how errors are marked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ErrorExample:
    """A segment whose errors are known: spans as a model should give them, and an ESA score."""

    source: str
    target: str
    errors: tuple[Mapping[str, str], ...]
    score: int

    def to_text(self, scored: bool) -> str:
        """For a prompt."""
        answer: dict[str, Any] = {"segment": 1, "errors": list(self.errors)}
        said = {"segments": [answer | ({"score": self.score} if scored else {})]}
        shown = json.dumps(said, ensure_ascii=False)
        return f"source: {self.source}\ntranslation: {self.target}\nanswer: {shown}"


def _error(span: str, category: str, severity: str, context: str = "") -> Mapping[str, str]:
    found = {"span": span, "context": context, "category": category, "severity": severity}
    return {name: text for name, text in found.items() if text}


EXAMPLES: Mapping[str, tuple[ErrorExample, ...]] = {
    "en": (
        ErrorExample(
            "根据权利要求1所述的装置，其特征在于，所述可转动的盖(12)包括弹簧和至少两个齿轮。",
            "The device according to claim 1, wherein the lid (21) consists of a spring and a gear "
            "and the device is closed.",
            (
                _error("可转动的", "Accuracy/Omission", "critical"),
                _error("21", "Technical data/Reference sign", "major"),
                _error("consists of", "Claims/Scope", "critical"),
                _error("a gear", "Technical data/Number or unit", "critical"),
                _error("and the device is closed", "Accuracy/Addition", "major"),
            ),
            25,
        ),
        ErrorExample(
            "基板3上设有绝缘层，所述绝缘层覆盖基板3的边缘。",
            "An insulating layer is provided on the substrate 3, and the insulating layer covers "
            "the edge of the base plate 3.",
            (_error("base plate", "Terminology/Inconsistent term", "major"),),
            70,
        ),
        ErrorExample(
            "弹簧的一端固定在壳体上。", "One end of the spring is fixed to the housing.", (), 100
        ),
    ),
    "zh": (
        ErrorExample(
            "The device according to claim 1, wherein the rotatable lid (12) comprises a spring "
            "and at least two gears.",
            "根据权利要求1所述的装置，其中，盖（21）由弹簧和两个齿轮组成，所述装置是关闭的。",
            (
                _error("rotatable", "Accuracy/Omission", "critical"),
                _error("21", "Technical data/Reference sign", "major"),
                _error("由弹簧和两个齿轮组成", "Claims/Scope", "critical"),
                _error("所述装置是关闭的", "Accuracy/Addition", "major"),
            ),
            25,
        ),
        ErrorExample(
            "An insulating layer is provided on the substrate 3 and covers the edge of the "
            "substrate 3.",
            "基板3上设有绝缘层，该绝缘层覆盖衬底3的边缘。",
            (_error("衬底", "Terminology/Inconsistent term", "major"),),
            70,
        ),
        ErrorExample(
            "One end of the spring is fixed to the housing.", "弹簧的一端固定在壳体上。", (), 100
        ),
    ),
    "ja": (
        ErrorExample(
            "The device according to claim 1, wherein the rotatable lid (12) comprises a spring "
            "and at least two gears.",
            "蓋（21）が、ばね及び2つの歯車のみからなり、装置が閉じている、請求項1に記載の装置。",
            (
                _error("rotatable", "Accuracy/Omission", "critical"),
                _error("21", "Technical data/Reference sign", "major"),
                _error("2つの歯車のみからなり", "Claims/Scope", "critical"),
                _error("装置が閉じている", "Accuracy/Addition", "major"),
            ),
            25,
        ),
        ErrorExample(
            "An insulating layer is provided on the substrate 3 and covers the edge of the "
            "substrate 3.",
            "基板3上に絶縁層が設けられ、ベース板3の縁を覆っている。",
            (_error("ベース板", "Terminology/Inconsistent term", "major"),),
            70,
        ),
        ErrorExample(
            "One end of the spring is fixed to the housing.",
            "ばねの一端はハウジングに固定されている。",
            (),
            100,
        ),
    ),
}
"""Examples by target language, in the categories of the patent typology."""
