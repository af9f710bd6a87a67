"""Page as the browser gets it: texts under blind labels, never systems, phases or checks.

Differences from a reference are marked here and not in the browser, so that a page without them
carries no trace of the reference. Claims are the rows of a tree, each as it was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from threading import Lock
from typing import Any, Literal, TypeAlias

import regex

from patmark.claims import ClaimSet, ParsedClaim, parse_claims
from patmark.errors import UsageError
from patmark.human.campaign.evaluator_progress import ReferenceAgreement
from patmark.human.campaign.form import CHECKED, Form
from patmark.human.campaign.plan import Answer, Page
from patmark.human.campaign.records import CampaignInfo, Remark
from patmark.human.campaign.state import CampaignState
from patmark.human.campaign.training import page_corrections

_VIEWS_KEPT = 256


@dataclass(frozen=True, slots=True)
class TextView:
    """A text in spans, some of them marked; split into claims if it has several."""

    text: str
    language: str | None
    runs: tuple[TextRun, ...]
    claims: tuple[ClaimView, ...] = ()


@dataclass(frozen=True, slots=True)
class CandidateView:
    """A candidate; ``beside`` is the reference with the differing places marked.

    ``proposed`` are marks with which the evaluator begins; ``source`` stands here where each
    candidate has its own.
    """

    label: str
    shown: TextView
    beside: TextView | None = None
    proposed: tuple[Mapping[str, Any], ...] = ()
    source: TextView | None = None


@dataclass(frozen=True, slots=True)
class PageView:
    """A page as it is shown."""

    id: str
    source: TextView | None
    reference: TextView | None
    candidates: tuple[CandidateView, ...]
    context: tuple[tuple[str, str], ...]


def page_view(form: Form, info: CampaignInfo, page: Page) -> PageView:
    """Return the parts of a page that its form shows."""
    target = info.target_language
    marks = form.marks_differences
    reference = page.reference if form.shows_reference else ""
    with_claims = form.material == "claims"

    def text_view(text: str, language: str | None, runs: tuple[TextRun, ...] = ()) -> TextView:
        runs = runs or (TextRun(0, text),)
        return TextView(
            text, language, runs, claim_views(text, language, runs) if with_claims else ()
        )

    candidates: list[CandidateView] = []
    texts = [candidate.text for candidate in page.candidates]
    for place, candidate in enumerate(page.candidates):
        if marks and reference:
            left, right = differences(reference, candidate.text)
            beside = text_view(reference, target, left)
            shown = text_view(candidate.text, target, right)
            candidates.append(CandidateView(candidate.label, shown, beside))
        else:
            others = texts[:place] + texts[place + 1 :] if marks else []
            runs = _own_runs(candidate.text, others)
            shown = text_view(candidate.text, target, runs)
            proposed = candidate.proposed
            own = form.shows_source and page.is_document
            source = text_view(candidate.source, info.source_language) if own else None
            candidates.append(
                CandidateView(candidate.label, shown, proposed=proposed, source=source)
            )
    alone = reference and not marks
    shows_source = form.shows_source and not page.is_document
    return PageView(
        id=page.id,
        source=text_view(page.source, info.source_language) if shows_source else None,
        reference=text_view(reference, target) if alone else None,
        candidates=tuple(candidates),
        context=tuple(
            (name, "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value))
            for name, value in page.context.items()
            if value not in (None, "", [], ())
        ),
    )


class PageViews:
    """The views of an application that were shown last, by campaign and page."""

    def __init__(self, most: int = _VIEWS_KEPT) -> None:
        self._most = most
        self._views: dict[tuple[str, str], PageView] = {}
        self._lock = Lock()

    def of(self, state: CampaignState, page: Page) -> PageView:
        """Return the view of a page, whose texts never change."""
        key = state.info.id, page.id
        with self._lock:
            view = self._views.pop(key, None)
        view = view or page_view(state.form, state.info, page)
        with self._lock:
            self._views[key] = view
            if len(self._views) > self._most:
                del self._views[next(iter(self._views))]
        return view


def page_state(
    form: Form, page: Page, answers: Sequence[Answer], remark: Remark | None
) -> dict[str, Any]:
    """Return the answers of a page for its script."""
    return {
        "page": page.id,
        "answers": [
            {
                "candidate": answer.candidate,
                "question": answer.question,
                "value": answer.value,
                "detail": dict(answer.detail),
                "revision": answer.revision,
            }
            for answer in answers
            if answer.question != CHECKED
        ],
        "checks": sum(one.revision for one in answers if one.question == CHECKED),
        "checked": bool(answers) and answers[-1].question == CHECKED,
        "remark": {"text": remark.text, "flagged": remark.flagged} if remark else None,
        "computed": [{"id": score.id, "weights": dict(score.weights)} for score in form.computed],
    }


def shown_feedback(state: CampaignState, page: Page, language: str) -> dict[str, Any] | None:
    """Return the reference answers of a training page, once its evaluator may see them."""
    if not state.references_are_shown(page):
        return None
    answers = state.answers_on(page.id)
    found = feedback(state.form, state.with_references(page), answers, state.tolerance, language)
    return found and {**found, "left": state.tries_left(page)}


def feedback(
    form: Form, page: Page, answers: Iterable[Answer], tolerance: int, language: str = ""
) -> dict[str, Any] | None:
    """Return the reference answers of a training page. Only for a page that was checked."""
    if page.phase != "training" or not page.expected:
        return None
    found = page_corrections(form, page, answers, tolerance, language)
    agreement = ReferenceAgreement.of(found)
    return {
        "right": agreement.right,
        "total": agreement.total,
        "expected": [
            {
                "candidate": one.candidate,
                "question": one.question,
                "value": one.expected,
                "agrees": one.agrees,
            }
            for one in found
        ],
        "why": dict(page.why),
    }


def _own_runs(text: str, others: Sequence[str]) -> tuple[TextRun, ...]:
    """Return the text with the places marked that none of the other texts has."""
    if not others or not text:
        return ()
    own = [True] * len(text)
    for other in others:
        for run in differences(other, text)[1]:
            if not run.differs:
                own[run.start : run.end] = [False] * (run.end - run.start)
    runs: list[TextRun] = []
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or own[at] != own[start]:
            runs.append(TextRun(start, text[start:at], own[start]))
            start = at
    return tuple(runs)


BlockKind: TypeAlias = Literal["text", "table", "typed"]


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """Lines of a text as they are shown: running text, rows of a table, or as they are typed.

    The latter is for formulas and tables that are lined up with blanks. ``cells`` are those of a
    table, row by row.
    """

    kind: BlockKind
    runs: tuple[TextRun, ...]
    cells: tuple[tuple[tuple[TextRun, ...], ...], ...] = ()


_TYPED = regex.compile(r"[^\S\n\u3000]{3,}\S|^\s*\$\$|^\s*\\(?:begin|end|\[)")
_RULE = regex.compile(r"[\s|:+-]*-[\s|:+-]*")


def text_blocks(runs: tuple[TextRun, ...]) -> tuple[ShownBlock, ...]:
    """Return the blocks of a text, in order; line breaks between them are left out."""
    text = "".join(run.text for run in runs)
    start = runs[0].start if runs else 0
    lines: list[tuple[BlockKind, int, int]] = []
    for line in text.splitlines(keepends=True):
        lines.append((_line_kind(line), start, start + len(line)))
        start += len(line)
    blocks = []
    for kind, group in groupby(lines, key=lambda one: one[0]):
        own = list(group)
        if kind == "table" and len(own) < 2:
            kind = "text"
        whole = cut(runs, own[0][1], own[-1][2])
        rows = (_cells(runs, line[1], line[2]) for line in own) if kind == "table" else ()
        blocks.append(ShownBlock(kind, whole, tuple(row for row in rows if row)))
    return tuple(blocks)


def _line_kind(line: str) -> BlockKind:
    bare = line.strip()
    if "\t" in bare or (bare.startswith("|") and bare.count("|") > 2):
        return "table"
    return "typed" if _TYPED.search(line.rstrip()) else "text"


def _cells(runs: tuple[TextRun, ...], start: int, end: int) -> tuple[tuple[TextRun, ...], ...]:
    """Return the cells of a line with tabs or bars; none for the rule below a head."""
    line = "".join(run.text for run in cut(runs, start, end))
    if _RULE.fullmatch(line):
        return ()
    bare = line.strip()
    sign = "\t" if "\t" in bare else "|"
    inner = line.rstrip("\r\n")
    parts, at = [], start
    for part in inner.split(sign):
        parts.append((at, at + len(part)))
        at += len(part) + 1
    if sign == "|":
        parts = parts[1:-1]
    return tuple(cut(runs, *part) for part in parts)


_DEEPEST_SHOWN = 5


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim; ``depth`` is its distance from an independent claim, at most 5."""

    name: str
    depth: int
    depends_on: tuple[int, ...]
    runs: tuple[TextRun, ...]


def claim_views(
    text: str, language: str | None, runs: tuple[TextRun, ...]
) -> tuple[ClaimView, ...]:
    """Return the claims of a text in the order of their tree; nothing for a single claim.

    Headings and other text before a claim go with the claim that follows, the rest with the last
    one: nothing of the text is lost but blanks between claims.
    """
    try:
        claims = parse_claims(text, language or None)
    except UsageError:  # claims of this language are not parsed; the script decides
        claims = parse_claims(text)
    if len(claims.claims) < 2:
        return ()
    below: dict[int, list[ParsedClaim]] = {}
    for claim in claims.claims:
        below.setdefault(_parent(claims, claim), []).append(claim)
    ends = [0, *(claim.end for claim in claims.claims[:-1]), len(text)]
    views: list[ClaimView] = []
    waiting = [(root, 0) for root in reversed(below[0])]
    while waiting:
        claim, depth = waiting.pop()
        start, end = ends[claim.position - 1], ends[claim.position]
        part = text[start:end]
        views.append(
            ClaimView(
                name="?" if claim.number is None else str(claim.number),
                depth=min(depth, _DEEPEST_SHOWN),
                depends_on=claim.depends_on,
                runs=cut(runs, end - len(part.lstrip()), start + len(part.rstrip())),
            )
        )
        waiting += [(child, depth + 1) for child in reversed(below.get(claim.position, []))]
    return tuple(views)


def _parent(claims: ClaimSet, claim: ParsedClaim) -> int:
    """Return the position of the first earlier claim on which this one depends; 0 for none."""
    for number in claim.depends_on:
        target = claims.find(number)
        if target is not None and target.position < claim.position:
            return target.position
    return 0


_TOKEN = regex.compile(
    r"\p{N}+(?:[.,]\p{N}+)+|[\p{Han}\p{Hiragana}\p{Katakana}]"
    r"|(?:(?![\p{Han}\p{Hiragana}\p{Katakana}])[\p{L}\p{N}\p{M}])+|\s+|."
)
_MOST_EXACT = 3000


@dataclass(frozen=True, slots=True)
class TextRun:
    """A part of a text, from ``start`` on, that the other text has or has not."""

    start: int
    text: str
    differs: bool = False

    @property
    def end(self) -> int:
        """The end of the run."""
        return self.start + len(self.text)


def differences(reference: str, candidate: str) -> tuple[tuple[TextRun, ...], tuple[TextRun, ...]]:
    """Split both texts into runs, equal or different at that place.

    Very long texts are compared without anchoring on their most frequent words, which is faster
    and may mark a little more than is needed.
    """
    a, b = _TOKEN.findall(reference), _TOKEN.findall(candidate)
    exact = max(len(a), len(b)) <= _MOST_EXACT
    matcher = SequenceMatcher(None, a, b, autojunk=not exact)
    left: list[tuple[str, bool]] = []
    right: list[tuple[str, bool]] = []
    for tag, a_from, a_to, b_from, b_to in matcher.get_opcodes():
        left.append(("".join(a[a_from:a_to]), tag != "equal"))
        right.append(("".join(b[b_from:b_to]), tag != "equal"))
    return _runs(left), _runs(right)


def cut(runs: tuple[TextRun, ...], start: int, end: int) -> tuple[TextRun, ...]:
    """Return the runs between two places of the text."""
    return tuple(
        TextRun(
            max(run.start, start),
            run.text[max(start - run.start, 0) : end - run.start],
            run.differs,
        )
        for run in runs
        if run.start < end and run.end > start
    )


def _runs(parts: list[tuple[str, bool]]) -> tuple[TextRun, ...]:
    runs: list[TextRun] = []
    at = 0
    for text, differs in parts:
        if text:
            runs.append(TextRun(at, text, differs and bool(text.strip())))
            at += len(text)
    return tuple(runs)
