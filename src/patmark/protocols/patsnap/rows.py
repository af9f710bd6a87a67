"""PatSnap Patent Translation Bench: the score of each row, by the rule of its label."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from patmark.data import Evidence, FloatArray, Segment, TestSet
from patmark.languages import (
    WORD_TOKENIZERS,
    Lemmatizer,
    english_lemmas,
    jieba_words,
    tokenize,
    workspace,
)
from patmark.measures import (
    BLEU,
    Check,
    Leakage,
    LengthHallucination,
    Measure,
    MeteorNltk,
    Omission,
    PltrdyROUGE1,
    PltrdyROUGE2,
    PltrdyROUGEL,
    SentenceBLEU,
    SpecialCharacters,
    TermAccuracy,
    TermConsistency,
    WritingNorm,
    alternatives,
)
from patmark.protocols.patsnap.bench_files import Direction, parse_list
from patmark.wording import tr

Variant: TypeAlias = Literal["strict", "published"]

GENERAL = (
    "normal_character", "normal_sentence", "special_sentence", "paragraph_accuracy",
    "document_accuracy",
)  # fmt: skip
PROFESSIONAL = (
    "special_character", "terminology_accuracy", "terminology_consistency", "patent_writing_norm",
)  # fmt: skip
LABELS = (
    "normal_character", "special_character", "terminology_accuracy", "terminology_consistency",
    "normal_sentence", "special_sentence", "paragraph_accuracy", "document_accuracy",
    "patent_writing_norm",
)  # fmt: skip

LABEL_NAMES: Mapping[str, str] = {
    "normal_character": tr("normal_character"),
    "special_character": tr("special_character"),
    "terminology_accuracy": tr("terminology_accuracy"),
    "terminology_consistency": tr("terminology_consistency"),
    "normal_sentence": tr("normal_sentence"),
    "special_sentence": tr("special_sentence"),
    "paragraph_accuracy": tr("paragraph_accuracy"),
    "document_accuracy": tr("document_accuracy"),
    "patent_writing_norm": tr("patent_writing_norm"),
}
"""The labels as the bench names them in Chinese, and for readers of Japanese."""

SPECIAL_FIELDS = {
    "cn2en": ("special_en", "special_cn"),
    "en2cn": ("special_cn", "special_en"),
}
"""The fields of the target side and of the source side."""

COMPONENTS: dict[str, Measure] = {
    "BLEU-1": SentenceBLEU(n=1, tok="none"),
    "BLEU-2": SentenceBLEU(n=2, tok="none"),
    "BLEU-4": SentenceBLEU(n=4, tok="none"),
    "SacreBLEU": BLEU(),
    "METEOR": MeteorNltk(tok="none"),
    "ROUGE-1": PltrdyROUGE1(tok="none"),
    "ROUGE-2": PltrdyROUGE2(tok="none"),
    "ROUGE-L": PltrdyROUGEL(tok="none"),
}
"""Labels in the description of the bench; accuracy consists of some of them."""
_OVERLAP = {"cn2en": "BLEU-1", "en2cn": "ROUGE-1"}

_CHECKS: dict[str, Check] = {
    "special_character": SpecialCharacters(),
    "terminology_accuracy": TermAccuracy(),
    "terminology_consistency": TermConsistency(),
    "patent_writing_norm": WritingNorm(),
}
_ARTICLE = re.compile(r"\b(?:a|an|the)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class RowScores:
    """Scores per row of a test set; NaN if a quantity is not defined for the row.

    ``components`` are the requested metrics of general rows, by name.
    """

    accuracy: FloatArray
    omission: FloatArray
    length_hallucination: FloatArray
    leakage: FloatArray
    components: dict[str, FloatArray]
    evidence: tuple[tuple[Evidence, ...], ...]

    @property
    def hallucination(self) -> FloatArray:
        """Either kind of hallucination, as in the published scorer."""
        return np.maximum(self.length_hallucination, self.leakage)

    def values(self, name: str) -> FloatArray:
        """Return a quantity by its name."""
        found: FloatArray = self.components[name] if name in COMPONENTS else getattr(self, name)
        return found

    def of_rows(self, rows: Sequence[int]) -> RowScores:
        """Return the scores of some of the rows."""
        kept = list(rows)
        columns = {name: getattr(self, name)[kept] for name in _COLUMNS}
        components = {name: values[kept] for name, values in self.components.items()}
        evidence = tuple(self.evidence[row] for row in kept)
        return RowScores(**columns, components=components, evidence=evidence)


@workspace()
def score_rows(
    test_set: TestSet,
    hypotheses: Sequence[str | None],
    direction: Direction,
    variant: Variant,
    lemmatizer: Lemmatizer = "auto",
    components: Sequence[str] = (),
) -> RowScores:
    """Score the answered rows; others get no value."""
    size = len(test_set)
    columns = {name: np.full(size, np.nan) for name in (*_COLUMNS, *components)}
    evidence: list[tuple[Evidence, ...]] = [()] * size
    answered = [index for index, text in enumerate(hypotheses) if text is not None]
    labels = [test_set[index].meta["label"] for index in range(size)]
    general = [i for i in answered if labels[i] in GENERAL and test_set[i].references]
    _score_general(test_set, hypotheses, general, direction, lemmatizer, columns, evidence)
    for label in PROFESSIONAL:
        rows = [index for index in answered if labels[index] == label]
        texts = [hypotheses[index] or "" for index in rows]
        segments = [test_set[index] for index in rows]
        if variant == "published":
            columns["accuracy"][rows] = _published_rule(
                label, segments, texts, direction, lemmatizer
            )
        elif rows:
            found = _CHECKS[label].inspect(_special_test_set(test_set, segments, direction), texts)
            columns["accuracy"][rows] = [f.kept / f.expected if f.expected else 0 for f in found]
            for index, finding in zip(rows, found, strict=True):
                evidence[index] = finding.evidence
    wanted = {name: columns.pop(name) for name in components}
    return RowScores(**columns, components=wanted, evidence=tuple(evidence))


_COLUMNS = ("accuracy", "omission", "length_hallucination", "leakage")


def _score_general(
    test_set: TestSet,
    hypotheses: Sequence[str | None],
    rows: Sequence[int],
    direction: Direction,
    lemmatizer: Lemmatizer,
    columns: dict[str, FloatArray],
    evidence: list[tuple[Evidence, ...]],
) -> None:
    if not rows:
        return
    texts = tuple(hypotheses[index] or "" for index in rows)
    raw = replace(test_set, segments=tuple(test_set[index] for index in rows))
    prepared = _prepared_rows(raw, texts, direction, lemmatizer)
    overlap = _OVERLAP[direction]
    asked = [name for name in COMPONENTS if name in columns]
    found = {name: _component(name, prepared) for name in {*asked, overlap, "METEOR", "SacreBLEU"}}
    for name in asked:
        columns[name][rows] = found[name]
    documents = np.array([segment.meta["label"] == "document_accuracy" for segment in raw])
    accuracy = (found[overlap] + found["METEOR"]) / 2
    columns["accuracy"][rows] = np.where(documents, found["SacreBLEU"], accuracy)
    measured, lengths = prepared["lengths"]
    columns["omission"][rows] = _values(Omission(), measured, lengths)
    columns["length_hallucination"][rows] = _values(LengthHallucination(), measured, lengths)
    leaks = Leakage().inspect(raw, texts)
    columns["leakage"][rows] = [finding.kept for finding in leaks]
    for index, finding in zip(rows, leaks, strict=True):
        evidence[index] = finding.evidence


_Rows: TypeAlias = tuple[TestSet, tuple[str, ...]]


def _prepared_rows(
    test_set: TestSet, texts: tuple[str, ...], direction: Direction, lemmatizer: Lemmatizer
) -> dict[str, _Rows]:
    """Return the texts as prepared for words, METEOR, SacreBLEU and length."""
    raw = test_set, texts
    if direction == "cn2en":
        lemmas = _prepared(*raw, partial(english_lemmas, lemmatizer=lemmatizer))
        return dict.fromkeys(("words", "METEOR", "SacreBLEU", "lengths"), lemmas)
    words = _prepared(*raw, lambda text: " ".join(jieba_words(text)))
    meteor = _prepared(*raw, _words_and_blanks)
    return {"words": words, "METEOR": meteor, "SacreBLEU": raw, "lengths": raw}


def _component(name: str, prepared: Mapping[str, _Rows]) -> FloatArray:
    values = _values(COMPONENTS[name], *prepared.get(name, prepared["words"]))
    return values / 100 if name == "SacreBLEU" else values


def _values(measure: Any, test_set: TestSet, texts: tuple[str, ...]) -> FloatArray:
    return np.asarray(measure.score(measure.statistics(test_set, texts)))


def _prepared(test_set: TestSet, texts: Sequence[str], prepare: Callable[[str], str]) -> _Rows:
    segments = tuple(
        replace(segment, references=tuple(map(prepare, segment.references))) for segment in test_set
    )
    return replace(test_set, segments=segments), tuple(map(prepare, texts))


def _words_and_blanks(text: str) -> str:
    """Return words joined by blanks, with a mark for each blank of the text.

    The published scorer passes such a blank to METEOR as a word.
    """
    return " ".join("␣" if word.isspace() else word for word in jieba_words(text))


def _published_rule(
    label: str,
    segments: Sequence[Segment],
    texts: Sequence[str],
    direction: Direction,
    lemmatizer: Lemmatizer,
) -> list[float]:
    """Return the published scorer's tests on plain substrings."""
    prepare: Callable[[str], str] = str
    if direction == "cn2en":
        prepare = partial(english_lemmas, lemmatizer=lemmatizer)
    field, _ = SPECIAL_FIELDS[direction]
    scores = []
    for segment, text in zip(segments, texts, strict=True):
        special, output = segment.meta[field], prepare(text)
        if label == "patent_writing_norm":
            headings = [] if isinstance(special, str) else special or []
            found = sum(prepare(heading).lower() in output for heading in headings)
            scores.append(round(found / len(headings), 2) if headings else 0.0)
        else:
            wanted = 2 if label == "terminology_consistency" else 1
            terms = [special] if isinstance(special, str) else special or []
            scores.append(float(any(output.count(prepare(term)) >= wanted for term in terms)))
    return scores


def _special_test_set(
    test_set: TestSet, segments: Sequence[Segment], direction: Direction
) -> TestSet:
    """Return segments with their special column read as terms, symbols and headings."""
    own, other = SPECIAL_FIELDS[direction]
    special = [_special_meta(segment.meta[other], segment.meta[own]) for segment in segments]
    return replace(
        test_set,
        segments=tuple(
            replace(segment, meta={**segment.meta, **extra})
            for segment, extra in zip(segments, special, strict=True)
        ),
    )


def _special_meta(source: Any, target: Any) -> dict[str, Any]:
    """Return the special fields read as terms, as symbols and as headings."""
    strings = (target,) if isinstance(target, str) else tuple(target)
    renderings = tuple(dict.fromkeys(form for text in strings for form in alternatives(text)))
    term = _without_gloss(source) if isinstance(source, str) else ""
    return {
        "terms": [{"source": term, "target": renderings}],
        "special_characters": strings,
        "headings": parse_list(target),
    }


def _without_gloss(term: str) -> str:
    return re.sub(r"[(（][^)）]*[)）]", "", term).strip() or term


def has_rule(segment: Segment, direction: Direction) -> bool:
    """Return True if a row has the data for its label: a reference, or the special field."""
    label = segment.meta["label"]
    if label in GENERAL:
        return bool(segment.references)
    return label in PROFESSIONAL and segment.meta[SPECIAL_FIELDS[direction][0]] is not None


def flagged_rows(test_set: TestSet, direction: Direction) -> list[bool]:
    """Return rows with doubtful data: the source term is not in the source text."""
    _, field = SPECIAL_FIELDS[direction]
    flags = []
    for segment in test_set:
        term = segment.meta[field]
        about_terms = segment.meta["label"] in ("terminology_accuracy", "terminology_consistency")
        flags.append(
            about_terms
            and isinstance(term, str)
            and not occurrences(
                _without_gloss(term), segment.source or "", test_set.source_language or ""
            )
        )
    return flags


def occurrences(term: str, text: str, language: str) -> int:
    """Count a term in a text, as whole words that are not part of a longer one."""
    tokenizer = WORD_TOKENIZERS.get(language)
    if tokenizer is None:
        return len(re.findall(rf"\b{re.escape(term)}\b", text, re.IGNORECASE))
    words = jieba_words(text) if tokenizer == "zh-jieba" else tokenize(text, tokenizer)
    pattern = r" ?".join(map(re.escape, term))
    return len(re.findall(rf"(?<= ){pattern}(?= )", f" {' '.join(words)} "))


def title_without_article(segment: Segment, text: str) -> bool | None:
    """Return True if an English title has no article, as the rule requires; None for other rows."""
    if segment.meta["origin"] != "english_title":
        return None
    return _ARTICLE.search(text) is None
