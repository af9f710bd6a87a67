"""Patent-like English, generated: the same pairs for every program under test."""

from __future__ import annotations

import random

_PARTS = tuple(
    [
        "housing",
        "rotor",
        "shaft",
        "bearing",
        "valve",
        "spring",
        "electrode",
        "substrate",
        "layer",
        "sensor",
        "controller",
        "piston",
        "cylinder",
        "nozzle",
        "gasket",
        "flange",
        "bracket",
        "terminal",
        "capacitor",
        "antenna",
        "lens",
        "mirror",
        "membrane",
        "catalyst",
        "polymer",
        "resin",
        "alloy",
        "coating",
        "groove",
        "slot",
        "lever",
        "cam",
        "gear",
        "pulley",
        "belt",
        "circuit",
        "amplifier",
        "memory",
        "processor",
        "interface",
        "module",
        "battery",
        "cathode",
        "anode",
        "separator",
    ]
)
_QUALITIES = tuple(
    [
        "first",
        "second",
        "upper",
        "lower",
        "inner",
        "outer",
        "annular",
        "hollow",
        "movable",
        "fixed",
        "rotatable",
        "elastic",
        "conductive",
        "insulating",
        "transparent",
        "porous",
        "tapered",
        "cylindrical",
        "predetermined",
    ]
)
_VERBS = tuple(
    [
        "comprises",
        "includes",
        "supports",
        "drives",
        "engages",
        "surrounds",
        "contacts",
        "receives",
        "detects",
        "controls",
        "covers",
        "connects",
        "rotates",
        "compresses",
        "transmits",
    ]
)
_LINKS = ("wherein", "such that", "and", "in which", "so that", "according to claim 1, wherein")


def _phrase(rng: random.Random) -> list[str]:
    words = ["the", *rng.choices(_QUALITIES, k=rng.randint(0, 2)), rng.choice(_PARTS)]
    return [*words, f"({rng.randint(1, 40) * 2})"] if rng.random() < 0.35 else words


def sentence(rng: random.Random) -> str:
    """One claim-like sentence of about thirty words."""
    words: list[str] = []
    for _ in range(rng.randint(1, 3)):
        words += [*_phrase(rng), rng.choice(_VERBS), *_phrase(rng)]
        if rng.random() < 0.3:
            words += ["at", f"{rng.randint(1, 900) / 10}", rng.choice(["mm", "MPa", "%", "°C"])]
        words[-1] += ","
        words += rng.choice(_LINKS).split()
    words += [*_phrase(rng), rng.choice(_VERBS), *_phrase(rng)]
    text = " ".join(words) + "."
    return text[0].upper() + text[1:]


def translation(rng: random.Random, reference: str) -> str:
    """Return a plausible translation: some words replaced, dropped or added, phrases moved."""
    words = reference.split()
    for _ in range(rng.randint(1, max(2, len(words) // 6))):
        at, kind = rng.randrange(len(words)), rng.random()
        if kind < 0.45:
            words[at] = rng.choice(_PARTS + _QUALITIES + _VERBS)
        elif kind < 0.6 and len(words) > 3:
            del words[at]
        elif kind < 0.75:
            words.insert(at, rng.choice(["the", "a", "said", "of", *_QUALITIES]))
        else:
            size = rng.randint(1, 5)
            moved = words[at : at + size]
            del words[at : at + size]
            goal = rng.randint(0, len(words))
            words[goal:goal] = moved
    return " ".join(words)


def pairs(count: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return translations and references."""
    rng = random.Random(seed)
    references = [sentence(rng) for _ in range(count)]
    return [translation(rng, reference) for reference in references], references
