"""Invented claims, and ways to spoil claims or to change what must not matter.

A trick keeps something that a careless measure looks at (length, words, structure) and destroys
what the claims say.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from itertools import cycle, islice

from patmark.claims import parse_claims

PUMP = """1. A pump comprising: a housing (10) having an inlet (12) and an outlet (14); a rotor \
(20) mounted in the housing (10) so as to rotate about an axis; a motor (30) configured to drive \
the rotor (20) at a speed of at least 1500 revolutions per minute; and a seal (40) arranged \
between the rotor (20) and the housing (10), wherein the seal (40) comprises an elastic ring.
2. The pump of claim 1, wherein the elastic ring is made of silicone rubber.
3. The pump of claim 2, wherein the silicone rubber has a hardness between 40 and 60 Shore A.
4. The pump of claim 1, further comprising a sensor (50) configured to measure a temperature of \
the motor (30); and a controller configured to stop the motor (30) when the temperature exceeds \
a threshold.
5. The pump of claim 4, wherein the controller is not connected to an external network.
6. A method of operating a pump, the method comprising: supplying a liquid to an inlet of a \
housing; driving a rotor in the housing by a motor; measuring a temperature of the motor; and \
stopping the motor when the temperature exceeds a threshold.
7. The method of claim 6, wherein the liquid is water.
"""
BATTERY = """1. A battery pack comprising: a plurality of cells stacked in a first direction; a \
cooling plate extending along a lower surface of each cell; a coolant channel formed in the \
cooling plate; and a thermally conductive pad disposed between the cells and the cooling plate.
2. The battery pack of claim 1, wherein the thermally conductive pad has a thickness of 0.5 mm \
to 2 mm.
3. The battery pack of claim 2, wherein the thermally conductive pad contains ceramic particles.
4. The battery pack of claim 1, wherein the coolant channel has a first section and a second \
section; wherein the second section is narrower than the first section.
5. The battery pack of claim 4, further comprising a valve configured to close the second section.
6. An electric vehicle comprising: a drive motor; and the battery pack of claim 1, wherein the \
battery pack is configured to supply electric power to the drive motor.
"""
SEARCH = """1. A computer-implemented method for searching documents, the method comprising: \
receiving a query from a client device; determining a vector that represents the query by means \
of a neural network; selecting a group of documents from an index according to a distance between \
the vector and a stored vector of each document; ranking the documents of the group by a second \
neural network; and sending a list of the ranked documents to the client device.
2. The method of claim 1, wherein the index is divided into partitions; wherein each partition is \
stored on a different server.
3. The method of claim 2, wherein a partition is not searched when its smallest distance exceeds \
a limit.
4. The method of claim 1, further comprising: receiving a selection of a document from the client \
device; and training the second neural network with the selection.
5. A system comprising: a memory storing instructions; and a processor configured to execute the \
instructions so as to perform the method of claim 1.
"""
INVENTED = (PUMP, BATTERY, SEARCH)

_WORD = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
_FILLER = (
    "various embodiments may be combined in any suitable manner as will be apparent to those "
    "skilled in the relevant field without departing from the general scope of this disclosure"
)


def _contents(text: str, change: Callable[[str, int], str]) -> str:
    """The text with the content of each claim changed; the number of the claim stays."""
    parts, place = [], 0
    for claim in parse_claims(text).claims:
        content = claim.content
        parts += [
            text[place : content.start],
            change(text[content.start : content.end], claim.position),
        ]
        place = content.end
    return "".join([*parts, text[place:]])


def shuffled(text: str, seed: int = 0) -> str:
    """Words in another order within each claim; most mentions of claims are lost."""
    rng = random.Random(seed)

    def shuffle(content: str, _: int) -> str:
        words = content.rstrip(". \n").split()
        rng.shuffle(words)
        return " ".join(words) + "."

    return _contents(text, shuffle)


def halved(text: str) -> str:
    """Without every second limitation."""
    claims = parse_claims(text)
    spans = [(item.start, item.end) for claim in claims.claims for item in claim.limitations]
    kept, place = [], 0
    for start, end in spans[1::2]:
        kept.append(text[place:start])
        place = end
    return "".join([*kept, text[place:]])


def other_nouns(text: str) -> str:
    """The last word of each term exchanged for that of another, the same throughout."""
    terms = [term for claim in parse_claims(text).claims for term in claim.terms]
    heads = sorted({term.head for term in terms})
    others = dict(zip(heads, heads[1:] + heads[:1], strict=True))
    parts, place = [], 0
    for term in terms:
        last = list(_WORD.finditer(text, term.start, term.end))
        if last and last[-1].start() >= place:
            parts += [text[place : last[-1].start()], others[term.head]]
            place = last[-1].end()
    return "".join([*parts, text[place:]])


def filler(text: str) -> str:
    """Numbers and lengths of the claims, but other words."""

    def fill(content: str, _: int) -> str:
        words = islice(cycle(_FILLER.split()), max(1, len(content.split())))
        return " ".join(words).capitalize() + "."

    return _contents(text, fill)


def twice(text: str) -> str:
    """All claims, and then all claims again."""
    return text.rstrip() + "\n" + text


def foreign(text: str) -> str:
    """Claims of another patent, cut to the same number of characters."""
    other = next(claims for claims in INVENTED if claims[:40] != text[:40])
    return twice(twice(other))[: len(text)]


def relinked(text: str) -> str:
    """Each claim that refers to one refers to another of the earlier claims instead."""

    def relink(content: str, position: int) -> str:
        def other(match: re.Match[str]) -> str:
            number = int(match[2])
            return f"{match[1]}{number % max(position - 1, 1) + 1 if position > 2 else 9}"

        return re.sub(r"(\bclaim )(\d+)", other, content)

    return _contents(text, relink)


def truncated(text: str) -> str:
    """The last claim ends in the middle."""
    last = parse_claims(text).claims[-1].content
    return text[: (last.start + last.end) // 2].rstrip(" .,;")


TRICKS: Mapping[str, Callable[[str], str]] = {
    "words shuffled": shuffled,
    "every second limitation deleted": halved,
    "nouns replaced": other_nouns,
    "filler of the same length": filler,
    "reference twice": twice,
    "claims of another patent": foreign,
    "dependencies permuted": relinked,
    "last claim cut off": truncated,
}


def renumbered(text: str, style: str) -> str:
    """The claims with their numbers in another style, one claim to a line."""
    claims = parse_claims(text).claims
    contents = [text[claim.content.start : claim.content.end].strip() for claim in claims]
    numbers = [claim.number for claim in claims]
    lines = zip(numbers, contents, strict=True)
    return "\n".join(f"{style.format(number)} {content}" for number, content in lines)


NO_MATTER: Mapping[str, Callable[[str], str]] = {
    "one blank for white space": lambda text: " ".join(text.split()),
    "two blanks for white space": lambda text: re.sub(r"\s+", "  ", text),
    "line breaks after limitations": lambda text: re.sub(r"([;:,]) ", r"\1\n    ", text),
    "numbers with brackets": lambda text: renumbered(text, "{})"),
    "numbers with words": lambda text: renumbered(text, "Claim {}:"),
    "numbers with words and full stops": lambda text: "Claims:\n" + renumbered(text, "Claim {}."),
    "numbers in bold letters": lambda text: (
        "Here are the claims:\n\n" + renumbered(text, "**Claim {}.**")
    ),
    "bold numbers alone": lambda text: renumbered(text, "**{}.**"),
    "a code fence": lambda text: f"```text\n{text.strip()}\n```\n",
    "talk after the claims": lambda text: (
        text.rstrip() + "\n\nLet me know if you would like me to adjust the claims!"
    ),
    "numbers with zeros": lambda text: renumbered(text, "{:03d}."),
    "no reference signs": lambda text: re.sub(r"(?<=\w) \(\d+\)", "", text),
    "other reference signs": lambda text: re.sub(r"(?<=\w) \((\d)(\d+)\)", r" (9\1\2)", text),
    "said": lambda text: re.sub(r"(?<=[a-z,;] )the (?=[a-z])", "said ", text),
    "curly quotes": lambda text: text.replace('"', "“").replace("'", "’"),
}
