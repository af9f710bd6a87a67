"""Prompts of a judge: the texts, the criteria, and a form to fill in.

The wording is in the folder ``prompts``, in the order of G-Eval: the task, the criteria, the steps,
the texts, and a form. A custom template has the same placeholders. Claims are rated against the
reference, or compared two at a time. ``translations.py`` has the prompts about translations.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self, TypeAlias

from patmark.data import Run, TestSet
from patmark.errors import UsageError
from patmark.llm import Message, Template, bundled_prompt, read_prompt
from patmark.systems.judge.criteria import CLAIM_CRITERIA, OVERALL, Criteria, aspects_of, listed
from patmark.wording import setting, tr, tr_n

_FORM_TOKENS = 40
_SCORES = "Answer with this form only, a number in place of each blank, and nothing else:"
_VERDICTS = (
    "Answer with this form only, one of the words first, second or equal in place of each blank, "
    "and nothing else:"
)
Scheme: TypeAlias = Literal["direct", "mqm", "esa", "pairwise"]


@dataclass(frozen=True, slots=True)
class JudgeSubject:
    """The kind of texts that are judged, in words; ``top`` is the best score that is shown.

    ``units`` words a number of segments.
    """

    title: str
    one: str
    many: str
    units: Callable[[int], str]
    top: float


CLAIMS = JudgeSubject(
    tr("Claims"), tr("draft"), tr("drafts"),
    lambda n: tr_n("{n} claim set", "{n} claim sets", n=n), 10.0,
)  # fmt: skip
TRANSLATIONS = JudgeSubject(
    tr("Translations"), tr("translation"), tr("translations"),
    lambda n: tr_n("{n} segment", "{n} segments", n=n), 100.0,
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Prompt(ABC):
    """A question about one output or two, with a score or verdict for each of the ``criteria``.

    ``batch`` is the number of segments in one question.
    """

    subject: ClassVar[JudgeSubject]
    template: Template
    scheme: Scheme
    criteria: Criteria
    batch: int = 1

    @property
    def answer_tokens(self) -> int:
        """The estimated tokens of an answer for each segment, without a limit."""
        return _FORM_TOKENS

    @property
    def compares(self) -> bool:
        """Return True if two outputs are compared, rather than one rated."""
        return self.scheme == "pairwise"

    @property
    def marks_errors(self) -> bool:
        """Return True if the question asks for errors."""
        return self.scheme in ("mqm", "esa")

    @property
    def aspects(self) -> tuple[str, ...]:
        """The names of the scores."""
        return aspects_of(self.criteria)

    def form(self, segments: int = 1) -> str:
        """Return a form with a line for each criterion; several segments are numbered."""
        request = _VERDICTS if self.compares else _SCORES
        lines = [f"{one.title}: ___" for one in self.criteria]
        if segments == 1:
            return "\n".join([request, "", *lines])
        blocks = ["\n".join([f"Segment {at}", *lines]) for at in range(1, segments + 1)]
        return "\n\n".join([request, *blocks])

    @abstractmethod
    def check(self, test_set: TestSet) -> None:
        """Refuse a test set that lacks texts of the question."""

    @abstractmethod
    def about(
        self, test_set: TestSet, runs: Sequence[Run], segments: Sequence[int]
    ) -> tuple[Message, ...]:
        """Return the question about some segments of a run, or of two."""

    @abstractmethod
    def in_words_of(self, path: str) -> Self:
        """Return the question with the template of a file."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """A hash of the wording, for signatures."""

    @property
    def parts(self) -> Mapping[str, Any]:
        """The parts of a signature besides the wording."""
        return {}


@dataclass(frozen=True, kw_only=True)
class ClaimPrompt(Prompt):
    """A question with placeholders for texts: the reference, and a draft or two.

    The placeholders ``{criteria}`` and ``{form}`` have these names. ``{mark}`` is a delimiter that
    the writers of the texts cannot know.
    """

    subject: ClassVar[JudgeSubject] = CLAIMS
    criteria: Criteria = CLAIM_CRITERIA

    @property
    def texts(self) -> tuple[str, ...]:
        """The placeholders of the texts."""
        return _PAIRED if self.compares else _RATED

    def check(self, test_set: TestSet) -> None:
        """Refuse a segment without exactly one set of reference claims."""
        for segment in test_set:
            if len(segment.references) != 1 or not segment.references[0].strip():
                raise UsageError(
                    f"segment {segment.id!r} needs exactly one set of reference claims"
                )

    def about(
        self, test_set: TestSet, runs: Sequence[Run], segments: Sequence[int]
    ) -> tuple[Message, ...]:
        """Return the question about one set of claims."""
        [segment] = segments
        drafts = (run.texts[segment] for run in runs)
        return self.messages(test_set[segment].references[0], *drafts)

    def messages(self, *texts: str) -> tuple[Message, ...]:
        """Return the question about some texts."""
        values = {name: text.strip() for name, text in zip(self.texts, texts, strict=True)}
        others = {
            "criteria": listed(self.criteria, bands=not self.compares),
            "form": self.form(),
            "count": counted_criteria(self.criteria),
            "mark": mark_of(texts),
        }
        return self.template.messages(values | others)

    def in_words_of(self, path: str) -> ClaimPrompt:
        """Return the question with the template of a file; each text needs a placeholder.

        ``table6`` is no file but the prompt of Patent-CE, in our words.
        """
        if path == _TABLE_6.name:
            return self._as_in_table_6()
        known = (*self.texts, "criteria", "form", "mark")
        needed = {name: "the model would not see this text" for name in self.texts}
        return replace(self, template=read_prompt(path, known, needed))

    def _as_in_table_6(self) -> ClaimPrompt:
        """Return the question in the form and with the titles of Patent-CE (Table 6)."""
        if self.compares:
            raise UsageError(
                f"the prompt {_TABLE_6.name} rates single drafts; leave out "
                f"{setting('prompt', _TABLE_6.name)} to compare two"
            )
        titled = (replace(one, title=_TITLES_OF_TABLE_6[one.name]) for one in CLAIM_CRITERIA)
        own = self.criteria != CLAIM_CRITERIA
        return replace(self, template=_TABLE_6, criteria=self.criteria if own else tuple(titled))

    @property
    def fingerprint(self) -> str:
        """A hash of the wording, for signatures."""
        texts = [message.content for message in self.messages(*("" for _ in self.texts))]
        return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8]


def counted_criteria(criteria: Criteria) -> str:
    """Return the number of criteria in words."""
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
    number = len(criteria)
    shown = words[number] if number < len(words) else str(number)
    return f"{shown} {'criterion' if number == 1 else 'criteria'}"


def mark_of(texts: Sequence[str]) -> str:
    """Return a sign that the writers of some texts cannot know."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:8]


def marked(name: str, text: str, mark: str) -> str:
    """Return a text between marks."""
    return f"<{name} {mark}>\n{text}\n</{name} {mark}>"


_TABLE_6 = bundled_prompt(__package__, "claims_table6")
_TITLES_OF_TABLE_6 = {
    "completeness": "Feature completeness",
    "clarity": "Conceptual clarity",
    "consistency": "Terminology consistency",
    "linkage": "Logical linkage",
}
_RATED = ("reference", "draft")
_PAIRED = ("reference", "first", "second")

RATING = ClaimPrompt(template=bundled_prompt(__package__, "claims_rating"), scheme="direct")
PAIRWISE = ClaimPrompt(template=bundled_prompt(__package__, "claims_pairwise"), scheme="pairwise")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """The model, the number of samples per output, and the prompt.

    With a ``seed``, each sample sends another one, so that samples differ and can be repeated.
    """

    model: str
    samples: int = 5
    temperature: float | None = 1.0
    max_tokens: int | None = None
    seed: int | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    name: str = "LLMJudge"
    prompt: Prompt = RATING

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"a {self.prompt.subject.one} needs at least one sample")
        if not self.name.strip():
            raise UsageError("the name of the judge is empty")

    @property
    def aspects(self) -> tuple[str, ...]:
        """The names of the scores; the overall quality comes last."""
        return self.prompt.aspects

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the scores, with the overall quality first."""
        return (self.aspects[-1], *self.aspects[:-1])

    def measure(self, aspect: str) -> str:
        """Return the name of a score; the overall quality has the name of the judge."""
        if aspect == OVERALL:
            return self.name
        if self.name.endswith(")"):
            return f"{self.name[:-1]},criterion={aspect})"
        return f"{self.name}(criterion={aspect})"
