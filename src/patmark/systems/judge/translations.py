"""Prompts about translations: direct scores, error spans, pairs.

A question shows one segment or a batch of them, each with its source and, if wanted, references,
neighbouring segments of the same document, and required terms. Custom prompts have the placeholder
``{segments}``, or ``{source}`` and the translations for one segment at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, ClassVar

from patmark.data import Run, Segment, TestSet, typology
from patmark.errors import InputError, Problem, UsageError
from patmark.llm import (
    Message,
    TermBase,
    bundled_prompt,
    json_hash,
    language_gaps,
    read_prompt,
    shown_terms,
)
from patmark.systems.judge.criteria import TRANSLATION_CRITERIA, Criteria, listed
from patmark.systems.judge.prompt import (
    TRANSLATIONS,
    JudgeSubject,
    Prompt,
    Scheme,
    counted_criteria,
    mark_of,
    marked,
)
from patmark.wording import setting

SEGMENTS = "segments"
_PROMPT_LANGUAGE = "en"
_ERROR_TOKENS = 200
_COMPARED = ("first", "second")
_RATED = ("translation",)
_OPTIONAL = ("reference", "context", "glossary")
_WORDS = ("form", "mark", "source_language", "target_language")
_OF_SCORES, _OF_ERRORS = ("criteria",), ("categories", "severities", "examples")

_LEGEND = {
    "reference": "reference: a translation by a person. Another wording may be as good.",
    "context": "context: neighbours in the same patent, to be understood and not judged.",
    "glossary": "glossary: terms that the translation has to use.",
}

_JSON_FORM = "Answer with JSON only, in this form, with one entry for {segments}:"


@dataclass(frozen=True, kw_only=True)
class TranslationPrompt(Prompt):
    """A question about translations.

    ``reference`` shows human translations, ``context`` is the number of segments shown before and
    after each in its document, ``terms`` are required. Errors are those of a ``typology``.
    """

    subject: ClassVar[JudgeSubject] = TRANSLATIONS
    criteria: Criteria = TRANSLATION_CRITERIA
    reference: bool = True
    context: int = 0
    terms: TermBase = field(default_factory=TermBase)
    typology: str = "patent"

    @property
    def answer_tokens(self) -> int:
        """The length of a form, or of about five errors."""
        return _ERROR_TOKENS if self.marks_errors else super().answer_tokens

    @property
    def texts(self) -> tuple[str, ...]:
        """The placeholders of the translations."""
        return _COMPARED if self.compares else _RATED

    @property
    def parts(self) -> Mapping[str, Any]:
        """The scheme, and the texts shown beside the translation."""
        terms = self.terms.to_json()
        return {
            "scheme": self.scheme,
            "reference": "shown" if self.reference else "no",
            "context": self.context or None,
            "glossary": json_hash(terms) if terms else None,
            "batch": self.batch if self.batch > 1 else None,
            "typology": self.typology if self.marks_errors else None,
        }

    @property
    def fingerprint(self) -> str:
        """A hash of the wording, for one segment and for several."""
        words = [self._words(language) for language in error_examples()]
        return json_hash([self.template.to_json(), words, self.form(1), self.form(2)])

    def check(self, test_set: TestSet) -> None:
        """Refuse a test set without sources, or without texts that are to be shown."""
        for segment in test_set:
            if not (segment.source or "").strip():
                raise UsageError(
                    f"segment {segment.id!r} has no source; a judge of translations needs "
                    f"{setting('src')}, or a test set with sources"
                )
            if self.reference and not segment.references:
                raise UsageError(
                    f"segment {segment.id!r} has no reference; {setting('no_ref')} judges without "
                    "references"
                )
        if self.context and not any(test_set.documents):
            needed = setting("context")
            raise UsageError(f"{needed} needs to know which segments belong to one document")
        languages = (test_set.source_language, test_set.target_language)
        if self.terms and not any(self.terms.of(segment, languages) for segment in test_set):
            given = setting("glossary")
            raise UsageError(f"{given} has no effect: none of its terms occurs in any source")

    def about(
        self, test_set: TestSet, runs: Sequence[Run], segments: Sequence[int]
    ) -> tuple[Message, ...]:
        """Return the question about some segments of a run, or of two."""
        shown = [self._shown(test_set, runs, segment) for segment in segments]
        mark = mark_of([text for one in shown for text in one.values()])
        values = {
            SEGMENTS: self._segments(shown, mark),
            **self._words(test_set.target_language),
            "form": self.form(len(shown)),
            "mark": mark,
            **language_gaps((test_set.source_language, test_set.target_language)),
        }
        return self.template.messages(values | (shown[0] if len(shown) == 1 else {}))

    def in_words_of(self, path: str) -> TranslationPrompt:
        """Return the question with the template of a file, for a batch or for one segment."""
        single = ("source", *self.texts)
        own = _OF_ERRORS if self.marks_errors else _OF_SCORES
        template = read_prompt(path, (SEGMENTS, *single, *_OPTIONAL, *own, *_WORDS), {})
        whole = SEGMENTS in template.gaps
        missing = [] if whole else [name for name in single if name not in template.gaps]
        if missing:
            loss = "the model would not see this text"
            raise InputError(
                Problem(f"the placeholder {{{name}}} is missing, or {{{SEGMENTS}}}: {loss}", path)
                for name in missing
            )
        if not whole and self.batch > 1:
            raise UsageError(f"{setting('batch')} needs the placeholder {{{SEGMENTS}}} in {path}")
        asked = {"context": self.context, "glossary": bool(self.terms)}
        for name in (name for name, given in asked.items() if given and not whole):
            if name not in template.gaps:
                raise UsageError(
                    f"{setting(name)} has no effect: {path} has no placeholder {{{name}}}"
                )
        return replace(self, template=template)

    def _words(self, language: str) -> dict[str, str]:
        """Return the values of placeholders that do not depend on the segment."""
        if not self.marks_errors:
            criteria = listed(self.criteria, bands=not self.compares)
            return {"criteria": criteria, "count": counted_criteria(self.criteria)}
        kinds = typology(self.typology)
        examples = error_examples()
        example = language if language in examples else _PROMPT_LANGUAGE
        shown = examples[example] if self.typology == "patent" else ()
        return {
            "categories": "\n".join(
                f"- {one.name}: {one.definition[_PROMPT_LANGUAGE]} Example: {one.example[example]}"
                for one in kinds.categories
            ),
            "severities": "\n".join(
                f"- {one.name}: {one.definition[_PROMPT_LANGUAGE]}" for one in kinds.severities
            ),
            "examples": "\n\n".join(example_text(one, self.scheme == "esa") for one in shown),
        }

    def form(self, segments: int = 1) -> str:
        """Return a form to fill in; JSON for errors."""
        if not self.marks_errors:
            return super().form(segments)
        score = ', "score": 0' if self.scheme == "esa" else ""
        error = '{"span": "…", "context": "…", "category": "…", "severity": "…"}'
        entry = f'{{"segment": 1, "errors": [{error}]{score}}}'
        each = "the segment" if segments == 1 else f"each of {segments} segments"
        return f'{_JSON_FORM.format(segments=each)}\n\n{{"segments": [{entry}]}}'

    def _shown(self, test_set: TestSet, runs: Sequence[Run], at: int) -> dict[str, str]:
        segment = test_set[at]
        languages = (test_set.source_language, test_set.target_language)
        found = {
            "context": self._context(test_set, runs, at),
            "source": segment.source or "",
            "reference": "\n".join(segment.references) if self.reference else "",
            "glossary": shown_terms(self.terms.of(segment, languages)) if self.terms else "",
            **{name: run.texts[at] for name, run in zip(self.texts, runs, strict=True)},
        }
        return {name: text.strip() for name, text in found.items() if text.strip()}

    def _context(self, test_set: TestSet, runs: Sequence[Run], at: int) -> str:
        if not self.context:
            return ""
        near = _neighbours(test_set, at, self.context)
        lines = []
        for place in near:
            side = "before" if place < at else "after"
            own = "" if self.compares else f" → {runs[0].texts[place].strip()}"
            lines.append(f"{side}: {(test_set[place].source or '').strip()}{own}")
        return "\n".join(lines)

    def _segments(self, shown: Sequence[Mapping[str, str]], mark: str) -> str:
        named = {name for one in shown for name in one}
        legend = [text for name, text in _LEGEND.items() if name in named]
        blocks = ["\n".join(legend)] if legend else []
        for number, texts in enumerate(shown, 1):
            heading = [f"Segment {number}"] if len(shown) > 1 else []
            quoted = [marked(name, text, mark) for name, text in texts.items()]
            blocks.append("\n".join([*heading, *quoted]))
        return "\n\n".join(blocks)


def _neighbours(test_set: Sequence[Segment], at: int, count: int) -> list[int]:
    """Return the places of up to ``count`` segments on either side of one in its document."""
    document = test_set[at].document
    if document is None:
        return []

    def near(places: Iterable[int]) -> list[int]:
        same = (place for place in places if test_set[place].document == document)
        return list(islice(same, count))

    return [*near(range(at - 1, -1, -1))[::-1], *near(range(at + 1, len(test_set)))]


def translation_prompt(scheme: Scheme, **shown: Any) -> TranslationPrompt:
    """Return the bundled question of a scheme."""
    criteria = () if scheme in ("mqm", "esa") else TRANSLATION_CRITERIA
    template = bundled_prompt(__package__, scheme)
    return TranslationPrompt(template=template, scheme=scheme, criteria=criteria, **shown)


@cache
def error_examples() -> dict[str, list[dict[str, Any]]]:
    """Return segments with known errors by target language, in the patent typology."""
    path = files(__package__).joinpath("prompts", "error_examples.json")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def example_text(example: Mapping[str, Any], scored: bool) -> str:
    """Return an example for a prompt: a segment and the right answer."""
    answer = {"segment": 1, "errors": example["errors"]}
    answer_json = {"segments": [answer | ({"score": example["score"]} if scored else {})]}
    shown = json.dumps(answer_json, ensure_ascii=False)
    return f"source: {example['source']}\ntranslation: {example['target']}\nanswer: {shown}"
