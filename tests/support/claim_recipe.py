"""ClaimQuality written once more from its recipe, in plain Python; only the parser is shared."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import pairwise

from patmark.claims import parse_claims

_SIGN = r"[a-z]{0,2}[0-9]{1,4}[a-z']{0,2}"
_SIGNS_AFTER_A_WORD = re.compile(rf"(?<=\w)\s*\(\s*{_SIGN}(?:\s*[,;/-]\s*{_SIGN})*\s*\)")


def recipe_parts(reference: str, candidate: str) -> dict[str, float]:
    """Content, length, structure, repetition and the score."""
    wanted, wanted_links = _claims(reference)
    seen, seen_links = _claims(candidate)
    if not any(seen):
        return dict.fromkeys(("content", "length", "structure", "repetition", "score"), 0.0)
    likeness = [[_dice(_bag(one), _bag(other)) for other in seen] for one in wanted]
    pairs = _assigned(
        [
            [value + (0.05 if row == column else 0.0) for column, value in enumerate(values)]
            for row, values in enumerate(likeness)
        ]
    )
    back = {column: row for row, column in pairs}
    most = max(len(wanted), len(seen))
    content = sum(likeness[row][column] for row, column in pairs) / most
    means = [sum(map(len, side)) / len(side) for side in (wanted, seen)]
    length = min(means) / max(means)
    structure = 0.0
    for row, column in pairs:
        mapped = {
            back.get(target, ("added", target)) if isinstance(target, int) else target
            for target in seen_links[column]
        }
        both, either = wanted_links[row] & mapped, wanted_links[row] | mapped
        structure += len(both) / len(either) / most
    repetition = 1 - max(0.0, _repeated(seen) - _repeated(wanted))
    gate = min(1.0, content / 0.2)
    return {
        "content": content,
        "length": length,
        "structure": structure,
        "repetition": repetition,
        "score": (content + gate * (length + structure + repetition)) / 4,
    }


def _claims(text: str) -> tuple[list[list[str]], list[set[object]]]:
    """The words of each claim, and the claims that it refers to; a missing one by its number."""
    parsed = parse_claims(text)
    places = {claim.position: place for place, claim in enumerate(parsed.claims)}
    links: list[set[object]] = []
    for claim in parsed.claims:
        found: set[object] = set()
        for number in claim.refers_to:
            target = parsed.find(number)
            found.add(("missing", number) if target is None else places[target.position])
        links.append(found or {"none"})
    return [_words(text[one.content.start : one.content.end]) for one in parsed.claims], links


def _words(text: str) -> list[str]:
    plain = _SIGNS_AFTER_A_WORD.sub("", unicodedata.normalize("NFKC", text).lower())
    return ["the" if word == "said" else word for word in re.findall("[a-z0-9]+", plain)]


def _bag(words: list[str]) -> Counter[object]:
    return Counter([*words, *pairwise(words)])


def _dice(one: Counter[object], other: Counter[object]) -> float:
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _repeated(claims: list[list[str]]) -> float:
    words = [word for claim in claims for word in claim]
    runs = [tuple(words[start : start + 4]) for start in range(len(words) - 3)]
    return 1 - len(set(runs)) / len(runs) if runs else 0.0


def _assigned(values: list[list[float]]) -> list[tuple[int, int]]:
    """Rows and columns with the largest sum, each at most once: the Hungarian method."""
    rows, columns = len(values), len(values[0])
    if rows > columns:
        turned = [[row[column] for row in values] for column in range(columns)]
        return [(row, column) for column, row in _assigned(turned)]
    above, below = [0.0] * (rows + 1), [0.0] * (columns + 1)
    owner = [0] * (columns + 1)
    for row in range(1, rows + 1):
        owner[0], column = row, 0
        least, before = [float("inf")] * (columns + 1), [0] * (columns + 1)
        done = [False] * (columns + 1)
        while owner[column]:
            done[column] = True
            step, nearest = float("inf"), 0
            for other in range(1, columns + 1):
                if not done[other]:
                    cost = -values[owner[column] - 1][other - 1]
                    slack = cost - above[owner[column]] - below[other]
                    if slack < least[other]:
                        least[other], before[other] = slack, column
                    if least[other] < step:
                        step, nearest = least[other], other
            for other in range(columns + 1):
                if done[other]:
                    above[owner[other]] += step
                    below[other] -= step
                else:
                    least[other] -= step
            column = nearest
        while column:
            owner[column], column = owner[before[column]], before[column]
    return [(owner[column] - 1, column - 1) for column in range(1, columns + 1) if owner[column]]
