"""Reasons to leave a sentence pair out of a collection. Nothing is removed here: a pair gets all
reasons that speak against it, and the caller counts and removes.

| reason | what it means |
|---|---|
| empty | a side has no letter or digit |
| source-language, target-language | script or function words are those of another language |
| short, long | a side is shorter or longer than allowed |
| length-ratio | the sides are of too different length, given the languages |
| numbers | too few numbers of the two sides agree |
| reference-signs | too few reference signs, figure numbers and step labels agree |
| copy | the target repeats the source |
| non-letters | a side is mostly digits and marks |
| no-final-mark | a side does not end as sentences end (only asked for one-to-one pairs) |

Lengths are counted in *English characters*: a Chinese character counts for about three, because
three English letters are what it takes to say the same. Blanks do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from patmark.data import TestSet
from patmark.errors import UsageError
from patmark.measures import Check, Numbers, ReferenceSigns
from patmark.text import COUNTED_LANGUAGES, HAN, HANGUL, KANA, fold

# characters per English character, blanks left out: translated patents (see docs/pairs.md)
_DENSITY = {"zh": 0.31, "ja": 0.43, "ko": 0.5, "de": 1.12, "fr": 1.17}
_FINAL = re.compile(r"[.!?。．｡！？…][\"'”’»)\]」』）】]*$")
_DIGITS = re.compile(r"\d+")
_LONGER_DIGITS = re.compile(r"\d{2,}")
_WORD = re.compile(r"[^\W\d_]{4,}")
_COPIED_SHARE = 0.8
_ENOUGH_WORDS = 5
_SCRIPTS = {
    "han": re.compile(f"[{HAN}]"),
    "kana": re.compile(f"[{KANA}]"),
    "hangul": re.compile(f"[{HANGUL}]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f]"),
}
_HIRAGANA = re.compile(r"[\u3041-\u3096]{2}")
_OWN_SCRIPTS = {
    "zh": ("han",),
    "ja": ("han", "kana"),
    "ko": ("hangul", "han"),
    "ru": ("cyrillic",),
    "uk": ("cyrillic",),
}
_LATIN_LANGUAGES = {
    "en": "the of and to is a in for with by that which an are as or from at be said wherein",
    "de": "der die das und ist ein eine einer eines mit von den dem im zu des für auf nach wird "
    "bei sich aus daß dass oder zur zum",
    "fr": "le la les l de d des et est un une du dans pour par sur en au aux qui que avec ou ce "
    "cette dont à selon lequel laquelle",
    "es": "el la los las de y es un una del en para por con que se al como o su dicho",
    "it": "il lo gli le di e è un una della nel per con che del alla dei o si detto",
    "pt": "o os as de e é um uma do da em para por com que no na ao dos ou dito",
    "nl": "de het een en van is in met voor op te dat die door bij of aan",
}
_FUNCTION_WORDS = {
    language: frozenset(words.split()) for language, words in _LATIN_LANGUAGES.items()
}
_LATIN_WORD = re.compile(r"[a-z\u00c0-\u024f]+")
_ENOUGH_HAN = 12
_ENOUGH_FUNCTION_WORDS = 3
_LATIN_RUN = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}(?:[ ,]+[A-Za-z]{2,}){4,}")


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What a pair must hold. Shares are from 0 (nothing asked) to 1.

    ``slack`` is a difference of length, in English characters, that is allowed at any ratio.
    ``number_share`` and ``sign_share`` are shares of all numbers or signs of the pair that must
    agree: a translator may leave out a number that was repeated, or repeat a sign.
    """

    source_language: str
    target_language: str
    shortest: float = 6
    longest: float = 2000
    largest_ratio: float = 2.0
    slack: float = 15
    number_share: float = 0.5
    sign_share: float = 0.5
    letter_share: float = 0.4
    require_final_mark: bool = False

    def __post_init__(self) -> None:
        if self.largest_ratio < 1 or not 0 <= self.shortest <= self.longest:
            raise UsageError("filters need largest_ratio ≥ 1 and 0 ≤ shortest ≤ longest")
        for name in ("number_share", "sign_share", "letter_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {getattr(self, name)}")


def filter_reasons(source: str, target: str, settings: FilterSettings) -> tuple[str, ...]:
    """Why a pair should be left out, in the order of the table above; empty for a good pair.

    >>> settings = FilterSettings("en", "zh")
    >>> filter_reasons("The pump 12 has two valves.", "泵12具有两个阀。", settings)
    ()
    >>> filter_reasons("The pump 12 has two valves.", "泵14具有两个阀。", settings)
    ('numbers', 'reference-signs')
    """
    return filter_all([source], [target], settings)[0]


def filter_all(
    sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[tuple[str, ...]]:
    """The reasons of each pair."""
    if not sources:
        return []
    numbers = _number_shares(sources, targets, settings)
    signs = _agreement(ReferenceSigns(), sources, targets, settings)
    pairs = zip(sources, targets, numbers, signs, strict=True)
    return [
        tuple(_reasons(source, target, number_share, sign_share, settings))
        for source, target, number_share, sign_share in pairs
    ]


def ends_sentence(text: str) -> bool:
    """Whether a text ends with a mark that ends sentences, closing brackets and quotes apart."""
    return _FINAL.search(text.rstrip()) is not None


def english_length(text: str, language: str) -> float:
    """The length of a text in English characters, blanks left out."""
    return len("".join(text.split())) / _DENSITY.get(language, 1.0)


def _reasons(
    source: str, target: str, number_share: float, sign_share: float, settings: FilterSettings
) -> Iterator[str]:
    sides = ((source, settings.source_language), (target, settings.target_language))
    if not all(any(map(str.isalnum, text)) for text, _ in sides):
        yield "empty"
        return
    for name, (text, language) in zip(("source", "target"), sides, strict=True):
        if not fits_language(text, language):
            yield f"{name}-language"
    ours, theirs = (english_length(text, language) for text, language in sides)
    yield from _length_reasons(ours, theirs, settings)
    if number_share < settings.number_share:
        yield "numbers"
    if sign_share < settings.sign_share:
        yield "reference-signs"
    if _is_copy(source, target):
        yield "copy"
    if min(_letter_share(source), _letter_share(target)) < settings.letter_share:
        yield "non-letters"
    if settings.require_final_mark and not (ends_sentence(source) and ends_sentence(target)):
        yield "no-final-mark"


def _length_reasons(source: float, target: float, settings: FilterSettings) -> Iterator[str]:
    low, high = sorted((source, target))
    if low < settings.shortest:
        yield "short"
    if high > settings.longest:
        yield "long"
    if high > low * settings.largest_ratio and high - low > settings.slack:
        yield "length-ratio"


def _number_shares(
    sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[float]:
    """The share of numbers that agree in each pair.

    Number words and units are known in English, Chinese and Japanese. For other languages groups
    of digits are compared, because 0,5 and 0.5, 1.000 and 1,000 are the same; against Chinese and
    Japanese single digits are left out, because they write 第１ for a first in words.
    """
    languages = (settings.source_language, settings.target_language)
    if all(language in COUNTED_LANGUAGES for language in languages):
        return _agreement(Numbers(), sources, targets, settings)
    pattern = _LONGER_DIGITS if {"zh", "ja"} & set(languages) else _DIGITS
    return [
        _shared(*(Counter(pattern.findall(fold(text).text)) for text in pair))
        for pair in zip(sources, targets, strict=True)
    ]


def _shared(ours: Counter[str], theirs: Counter[str]) -> float:
    return (ours & theirs).total() / (ours | theirs).total() if ours or theirs else 1.0


def _agreement(
    check: Check, sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[float]:
    """The share of what a check looks for that both sides of each pair have."""
    test_set = TestSet.of(
        targets,
        sources=sources,
        source_language=settings.source_language,
        target_language=settings.target_language,
    )
    return [
        finding.kept / finding.expected if finding.expected else 1.0
        for finding in check.inspect(test_set, targets)
    ]


def _is_copy(source: str, target: str) -> bool:
    """Whether the target repeats the source, or nearly all of its longer words."""
    if _plain(source) == _plain(target):
        return True
    ours, theirs = (_WORD.findall(text.lower()) for text in (source, target))
    if min(len(ours), len(theirs)) < _ENOUGH_WORDS:
        return False
    shared = (Counter(ours) & Counter(theirs)).total()
    return shared >= _COPIED_SHARE * max(len(ours), len(theirs))


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))


def _letter_share(text: str) -> float:
    marks = "".join(text.split())
    return sum(map(str.isalpha, marks)) / len(marks)


def fits_language(text: str, language: str) -> bool:
    """Whether nothing speaks against a text being in a language, by script and function words.

    Script decides between Chinese (no hiragana), Japanese (kana), Korean and languages with Latin
    or Cyrillic letters; function words decide between those with Latin letters. A sentence is
    doubted only on evidence: a formula or a name without function words fits every language of its
    script.

    >>> fits_language("所述泵包括壳体", "zh"), fits_language("The pump has a housing.", "zh")
    (True, False)
    >>> fits_language("Die Pumpe ist mit dem Motor verbunden.", "en")
    False
    """
    counts = Counter({name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()})
    if not counts.total():
        return True
    if language in _FUNCTION_WORDS:
        return counts["latin"] * 2 >= counts.total() and _fits_words(text, language)
    scripts = _OWN_SCRIPTS.get(language)
    if scripts is None:
        return True
    own = sum(counts[script] for script in scripts)
    if own == 0 or _mostly_latin_prose(text, own):
        return False
    if language == "zh":
        return _HIRAGANA.search(text) is None
    return language != "ja" or counts["kana"] > 0 or counts["han"] < _ENOUGH_HAN


def _mostly_latin_prose(text: str, own: int) -> bool:
    """Whether runs of Latin words are longer than the text in the script of the language."""
    return sum(len(run) for run in _LATIN_RUN.findall(text)) > 2 * own


def _fits_words(text: str, language: str) -> bool:
    words = _LATIN_WORD.findall(text.lower())
    hits = {name: sum(word in own for word in words) for name, own in _FUNCTION_WORDS.items()}
    others = max(count for name, count in hits.items() if name != language)
    return others < _ENOUGH_FUNCTION_WORDS or others < 2 * hits[language] + 1
