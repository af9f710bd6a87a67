"""Spanish number words: cardinals, ordinals, months of dates, and words that may count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from patmark.languages.numbers import Certainty, NumberReader, Read, fraction_value

_ONES = """
cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco
veintiséis veintisiete veintiocho veintinueve
"""
_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa"
_HUNDREDS = """
doscient trescient cuatrocient quinient seiscient setecient ochocient novecient
"""
_MONTHS = """
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
"""
_ORDINALS = """
primer segund tercer cuart quint sext séptim octav noven décim
"""
_CARDINALS = {word: value for value, word in enumerate(_ONES.split())}
_CARDINALS |= {word: 10 * value for value, word in enumerate(_TENS.split(), 3)}
_CARDINALS |= {"veintiún": 21, "veintiuna": 21, "cien": 100, "ciento": 100, "mil": 1000}
_CARDINALS |= {
    f"{stem}{end}": 100 * value
    for value, stem in enumerate(_HUNDREDS.split(), 2)
    for end in ("os", "as")
}
_LARGE = {"mil": 10**3, "millón": 10**6, "millones": 10**6}
_ORDINAL_WORDS = {
    f"{stem}{end}": value
    for value, stem in enumerate(_ORDINALS.split(), 1)
    for end in ("o", "a", "os", "as")
} | {"primer": 1, "tercer": 3}
_MONTH_NUMBERS = {word: month for month, word in enumerate(_MONTHS.split(), 1)}
# words that may count, and words that seldom do
_POSSIBLE = {
    1: "uno una un único única solo sola primeramente primario primaria vez",
    2: "ambos ambas doble dobles par pares secundario secundaria veces",
    3: "triple terciario terciaria tercio tercios", 4: "cuádruple cuarto cuartos",
    10: "década decimal", 12: "docena docenas", 100: "siglo centenar centenares",
    1000: "millar millares",
}  # fmt: skip
_FAINT = {1: "i cada", 2: "ii otro otra mitad medio media", 3: "iii", 4: "iv", 5: "v", 6: "vi"}
_POSSIBLE_WORDS = {word: value for value, words in _POSSIBLE.items() for word in words.split()}
_FAINT_WORDS = {word: value for value, words in _FAINT.items() for word in words.split()}
_HALVES = frozenset({"mitad", "mitades", "medio", "media", "medios", "medias"})


def _any_word(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_NUMBER = re.compile(
    rf"\b(?:{_any_word({*_CARDINALS, *_LARGE} - {'uno', 'cero'})})\b"
    rf"(?: (?:y )?(?:{_any_word({*_CARDINALS, *_LARGE})})\b)*",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"\b(?:{_any_word(_ORDINAL_WORDS)})\b", re.IGNORECASE)
_MONTH = re.compile(
    rf"\b(?:de|en|desde|hasta|a) (?P<name>{_any_word(_MONTH_NUMBERS)})\b"
    rf"|\b(?P<first>{_any_word(_MONTH_NUMBERS)}) del?\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+")


def parse_spanish(number: str) -> int:
    """Return the value of cardinal words: dos mil trescientos → 2300."""
    total = current = 0
    for word in number.lower().split():
        if word in _LARGE:
            total += (current or 1) * _LARGE[word]
            current = 0
        elif word != "y":
            current += _CARDINALS[word]
    return total + current


def number_words(text: str, read: NumberReader[Read]) -> Iterator[Read]:
    """Yield the numbers in words of a text: dos, treinta y cinco, segunda, julio de 2020."""
    for match in _NUMBER.finditer(text):
        key = str(parse_spanish(match.group()))
        negative, begin = read.sign(text, *match.span())
        unit = read.unit(text, match.end())
        if unit is None:
            yield read.quantity(begin, match.end(), key, "stated", negative=negative)
        else:
            yield read.with_sign(read.measured(text, begin, match.end(), key, unit), negative)
    for match in _ORDINAL.finditer(text):
        value = _ORDINAL_WORDS[match.group().lower()]
        # segundo is a unit, cuarto a room, quinto and the like a part
        certainty: Certainty = "possible" if value in (1, 2, 4) else "stated"
        yield read.quantity(*match.span(), str(value), certainty, ordinal=True)
        if value > 2:
            yield read.quantity(*match.span(), fraction_value(1, value), "faint")
    for match in _MONTH.finditer(text):
        name = "name" if match["name"] else "first"
        month = str(_MONTH_NUMBERS[match[name].lower()])
        yield read.quantity(*match.span(name), month, "stated", "calendar month")
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word in _POSSIBLE_WORDS:
            yield read.quantity(*match.span(), str(_POSSIBLE_WORDS[word]), "possible")
        if word in _FAINT_WORDS:
            yield read.quantity(*match.span(), str(_FAINT_WORDS[word]), "faint")
        if word in _HALVES:
            yield read.quantity(*match.span(), "0.5", "possible")
