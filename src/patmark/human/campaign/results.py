"""Results of a campaign: the answers that count, and the judgements that follow from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from types import MappingProxyType
from typing import Any, TypeVar

from patmark.errors import InputError, Problem
from patmark.human.campaign.answer_validity import answer_problem, ranks
from patmark.human.campaign.form import (
    CHECKED,
    PREFERENCE_VALUES,
    Choice,
    ComputedScore,
    Form,
    Question,
)
from patmark.human.campaign.marks import decision_on, deleted_proposals
from patmark.human.campaign.page_completion import latest_answers
from patmark.human.campaign.plan import Answer, Candidate, Page, Plan
from patmark.human.judgements import (
    BUILT_IN_SCALES,
    PHASES,
    Judgement,
    Judgements,
    Kind,
    Phase,
    Preference,
    Preferences,
    Scale,
    check_judgements,
    check_preferences,
    grade_text,
    parse_number,
    row_record,
)
from patmark.stats import wilson_interval
from patmark.wording import tr_n

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class AnswerBook:
    """A plan with its latest answers, each of which fits the form and its page."""

    plan: Plan
    answers: Mapping[tuple[str, str, str], Answer]

    @classmethod
    def of(cls, plan: Plan, answers: Iterable[Answer] | AnswerBook) -> AnswerBook:
        """Keep the highest revision of each answer; refuse all invalid ones together.

        A book of the same pages is already validated.
        """
        if isinstance(answers, AnswerBook):
            return cls(plan, answers.answers)
        latest = latest_answers(answers)
        pages = {page.id: page for page in plan.pages}
        problems = []
        for answer in latest:
            page = pages.get(answer.page)
            message = "is of no page of the plan" if page is None else None
            message = message or answer_problem(plan.form, pages[answer.page], answer)
            if message:
                problems.append(Problem(f"answer to page {answer.page!r}: {message}", plan.name))
        if problems:
            raise InputError(problems)
        return cls(plan, {one.key: one for one in latest})

    def without(self, evaluators: Collection[str]) -> AnswerBook:
        """Return the book without the pages and answers of some evaluators."""
        if not evaluators:
            return self
        plan = replace(
            self.plan,
            evaluators=tuple(name for name in self.plan.evaluators if name not in evaluators),
            pages=tuple(page for page in self.plan.pages if page.evaluator not in evaluators),
        )
        kept = {page.id for page in plan.pages}
        return AnswerBook(plan, {key: one for key, one in self.answers.items() if key[0] in kept})

    def answer(self, page: Page, candidate: str, question: str) -> Answer | None:
        """Return the answer, None if none was given."""
        return self.answers.get((page.id, candidate, question))

    def value(self, page: Page, candidate: str, question: str) -> str | None:
        """Return the value of the answer, None if none was given or it was taken back."""
        found = self.answer(page, candidate, question)
        return None if found is None else found.value


def places(question: Question) -> tuple[str, ...]:
    """Return the ordered values of a question, worst first; a second output before the first.

    Rankings and spans have none.
    """
    if question.kind == "number":
        return tuple(map(str, range(question.lowest, question.highest + 1)))
    if question.kind == "preference":
        return PREFERENCE_VALUES[::-1]
    if question.kind in ("grade", "chart"):
        return tuple(one.value for one in reversed(question.choices) if one.is_grade)
    return ()


def place_of(question: Question, value: str) -> int | None:
    """Return the place of a value from the worst, 0; None for a value without a place."""
    if question.kind == "number":
        return int(value) - question.lowest
    known = places(question)
    return known.index(value) if value in known else None


@dataclass(frozen=True, slots=True)
class CampaignResults:
    """Results of a campaign so far; ``notes`` describe answers without judgements.

    ``sources`` are the answers of the rows, those of judgements before those of preferences. The
    source of a computed score is the last of its answers.
    """

    answers: AnswerBook
    judgements: Judgements | None
    preferences: Preferences | None
    notes: tuple[str, ...]
    sources: tuple[Answer, ...]

    @property
    def graded(self) -> Judgements | None:
        """Judgements of the main phase, if there are any."""
        return _main(self.judgements)

    @property
    def chosen(self) -> Preferences | None:
        """Preferences of the main phase, if there are any."""
        return _main(self.preferences)

    @property
    def rows(self) -> Iterator[tuple[Judgement | Preference, Answer]]:
        """All judgements and preferences, each with its source."""
        kinds = (self.judgements, self.preferences)
        return zip((row for one in kinds if one for row in one.rows), self.sources, strict=True)


_Rows = TypeVar("_Rows", Judgements, Preferences)


def _main(rows: _Rows | None) -> _Rows | None:
    main = rows and rows.in_phase("main")
    return main if main and main.rows else None


def campaign_results(plan: Plan, answers: Iterable[Answer] | AnswerBook) -> CampaignResults:
    """Return judgements and preferences of all phases.

    An answer about a text that several systems gave counts for each of them; between two of them it
    is a tie. Computed scores are separate criteria.
    """
    book = AnswerBook.of(plan, answers)
    scales, segments = declared_scales(plan.form), tuple(plan.settings.get("segments", ()))
    judgements, preferences = None, None
    graded, graded_by = _columns(_sourced_judgements(book))
    chosen, chosen_by = _columns(_sourced_preferences(book))
    if graded:
        judgements = check_judgements(graded, name=plan.name, scales=scales)
    if chosen:
        preferences = check_preferences(chosen, name=plan.name)
    return CampaignResults(
        book,
        judgements and replace(judgements, test_segments=segments),
        preferences and replace(preferences, test_segments=segments),
        tuple(_notes(book)),
        (*graded_by, *chosen_by),
    )


def kinds_of_rows(book: AnswerBook) -> dict[str, bool]:
    """Return the kinds of rows: judgements, preferences."""
    return {
        "judgements": any(True for _ in _sourced_judgements(book)),
        "preferences": any(True for _ in _sourced_preferences(book)),
    }


def form_scales(form: Form) -> tuple[Scale, ...]:
    """Return the scale of every criterion that a form grades, computed scores included."""
    graded = [one for one in form.questions if one.kind in ("grade", "chart", "number")]
    return (*map(_scale, graded), *(_computed_scale(form, one) for one in form.computed))


def declared_scales(form: Form) -> tuple[Scale, ...]:
    """Return the scales that are not built in and must be declared by readers of an export."""
    return tuple(
        scale for scale in form_scales(form) if BUILT_IN_SCALES.get(scale.criterion) != scale
    )


def marked_errors(book: AnswerBook) -> int:
    """Count the marked errors of all phases; those of a text of several systems count for each."""
    return sum(
        len(_spans(book, page.id, candidate.label)) * len(candidate.systems)
        for page, candidate in book.plan.shown()
    )


def answer_records(
    results: CampaignResults,
    phases: Collection[Phase] = PHASES,
    page_seconds: Mapping[str, float] = MappingProxyType({}),
) -> Iterator[dict[str, Any]]:
    """Yield all answers of some phases, as in campaign JSONL.

    First one record per judgement or preference, with additional data: form and version, spans, the
    path through a chart, times, revision. Then one record of the kind ``answer`` for each answer
    without a judgement: it cannot be judged, is no grade or incomplete, or only marks errors; and
    one of the kind ``text`` for each text, with the ``edit_distance`` to its draft.
    """
    book, plan = results.answers, results.answers.plan
    facts = campaign_facts(plan)

    def source_of(answer: Answer) -> dict[str, Any]:
        detail = {name: answer.detail.get(name) for name in ("steps", "places", "comment")}
        spent = page_seconds.get(answer.page)
        return detail | {
            "page": answer.page,
            "seconds": answer.seconds,
            "page_seconds": None if spent is None else round(spent, 3),
            "saved": answer.saved,
            "revision": answer.revision,
        }

    pages = {page.id: page for page in plan.pages if page.phase in phases}
    for row, answer in results.rows:
        if row.phase in phases:
            graded = isinstance(row, Judgement)
            spans = _spans(book, answer.page, answer.candidate) if graded else []
            marks = _spans_with_proposals(pages[answer.page], answer.candidate, spans)
            yield facts | row_record(row, marks, **source_of(answer))
    answered = {one.key for one in results.sources}
    for place, answer in book.answers.items():
        if place not in answered and answer.page in pages:
            page = pages[answer.page]
            yield facts | _other_answer(plan.form, page, answer, source_of(answer))


def computed_scores(form: Form, values: Mapping[str, str]) -> dict[str, float]:
    """Compute the scores of one candidate for which all values exist."""
    found = {}
    for score in form.computed:
        if all(name in values for name in score.weights):
            total = sum(weight * float(values[name]) for name, weight in score.weights.items())
            found[score.id] = total / sum(score.weights.values())
    return found


def campaign_facts(plan: Plan) -> dict[str, Any]:
    """Return the facts about the campaign in every record of an export."""
    return {"campaign": plan.name, "protocol": plan.form.id, "version": plan.form.version}


def _other_answer(
    form: Form, page: Page, answer: Answer, source: Mapping[str, Any]
) -> dict[str, Any]:
    about = [one for one in page.candidates if answer.candidate in ("", one.label)]
    spans = answer.detail.get("spans")
    is_text = any(one.id == answer.question and one.is_written for one in form.questions)
    record = {
        "kind": "text" if is_text else "answer",
        "item": page.segment_of(about[0]) if about else page.segment,
        "document": page.document,
        "systems": [system for one in about for system in one.systems],
        "candidate": answer.candidate,
        "evaluator": page.evaluator,
        "criterion": answer.question,
        "value": answer.value,
        "edit_distance": edits_since_draft(form, page, answer),
        "reason": answer.detail.get("reason"),
        "spans": _spans_with_proposals(page, answer.candidate, spans or ()),
        "deleted": [] if spans is None else list(map(dict, deleted_proposals(about[0], spans))),
        "unfinished": answer.detail.get("unfinished"),
        **source,
        "phase": page.phase,
    }
    return {name: value for name, value in record.items() if value not in (None, "", [], {})}


def _spans_with_proposals(
    page: Page, label: str, spans: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return marks of a text, with the decision on the proposal instead of its number."""
    return [
        {name: value for name, value in span.items() if name != "proposal"}
        | ({"proposal": decision} if (decision := decision_on(page.candidate(label), span)) else {})
        for span in spans
    ]


def _columns(pairs: Iterable[tuple[_T, Answer]]) -> tuple[list[_T], list[Answer]]:
    found = list(pairs)
    return [row for row, _ in found], [answer for _, answer in found]


def _spans(book: AnswerBook, page: str, candidate: str) -> list[dict[str, Any]]:
    asked = [one.id for one in book.plan.form.questions if one.kind == "spans"]
    found = [book.answers.get((page, candidate, name)) for name in asked]
    return [span for one in found if one for span in one.detail.get("spans", [])]


def _sourced_judgements(book: AnswerBook) -> Iterator[tuple[Judgement, Answer]]:
    graded = {
        one.id: frozenset(places(one))
        for one in book.plan.form.questions
        if one.kind in ("grade", "chart", "number")
    }
    for page, candidate in book.plan.shown() if graded else ():
        values: dict[str, str] = {}
        given: dict[str, Answer] = {}
        for question, grades in graded.items():
            answer = book.answers.get((page.id, candidate.label, question))
            if answer is not None and answer.value in grades:
                values[question], given[question] = answer.value, answer
        for name, score in computed_scores(book.plan.form, values).items():
            weights = next(one.weights for one in book.plan.form.computed if one.id == name)
            values[name] = grade_text(score)
            given[name] = max((given[one] for one in weights), key=lambda one: one.saved)
        for name, value in values.items():
            for system in candidate.systems:
                yield _judgement(page, candidate, system, name, value, given[name]), given[name]


def _judgement(
    page: Page, candidate: Candidate, system: str, criterion: str, value: str, answer: Answer
) -> Judgement:
    order = next(at for at, one in enumerate(page.candidates, 1) if one is candidate)
    comment = answer.detail.get("comment") or None
    return Judgement(
        evaluator=page.evaluator,
        system=system,
        segment=page.segment_of(candidate),
        criterion=criterion,
        value=value,
        document=page.document,
        order=order,
        phase=page.phase,
        comment=comment,
        copied=system != candidate.systems[0],
    )


def _sourced_preferences(book: AnswerBook) -> Iterator[tuple[Preference, Answer]]:
    """Yield every preference between two systems with its answer.

    A degraded text beside its original is not an output of a system and is left out.
    """
    tied: set[tuple[str, ...]] = set()
    asked = [question for question in book.plan.form.questions if question.compares]
    for page in book.plan.pages if asked else ():
        shown = [one for one in page.candidates if not one.edits]
        for question in asked:
            answer = book.answer(page, "", question.id)
            if answer is None or answer.value is None:
                continue
            rank_of = _ranks(question, page, answer.value)
            for one, other in combinations(shown, 2):
                for place, (first, second) in enumerate(product(one.systems, other.systems)):
                    lead = rank_of[other.label] - rank_of[one.label]
                    winner = None if not lead else (first if lead > 0 else second)
                    yield _preference(page, question, first, second, winner, place > 0), answer
            for one in shown:
                for first, second in combinations(one.systems, 2):
                    tie = _preference(page, question, first, second, None, True)
                    if tie.key not in tied:
                        tied.add(tie.key)
                        yield tie, answer


def _preference(
    page: Page, question: Question, first: str, second: str, winner: str | None, copied: bool
) -> Preference:
    return Preference(
        page.evaluator, page.segment, first, second, winner, question.id, page.document, page.phase,
        copied,
    )  # fmt: skip


def _ranks(question: Question, page: Page, value: str) -> dict[str, int]:
    if question.kind == "ranking":
        return ranks(value)
    first, second = (candidate.label for candidate in page.candidates)
    return {first: int(value == "second"), second: int(value == "first")}


def _notes(book: AnswerBook) -> Iterator[str]:
    refused = sum(bool(one.detail.get("reason")) for one in book.answers.values())
    if refused:
        yield tr_n(
            "{n} answer says that it cannot be judged, and why",
            "{n} answers say that it cannot be judged, and why",
            n=refused,
        )
    given = Counter((one.question, one.value) for one in book.answers.values())
    for question in book.plan.form.questions:
        for choice in question.choices:
            count = given[question.id, choice.value]
            if not choice.is_grade and count:
                yield tr_n(
                    "{question}: {n} answer {value!r} is no grade",
                    "{question}: {n} answers {value!r} are no grades",
                    n=count,
                    question=question.id,
                    value=choice.value,
                )


def _scale(question: Question) -> Scale:
    values = places(question)
    numbers = [parse_number(value) for value in values]
    rising = None not in numbers and numbers == sorted(numbers, key=lambda one: one or 0)
    known = BUILT_IN_SCALES.get(question.id)
    if known is not None and known.continuous and question.kind == "number":
        same = [float(one) for one in known.values] == [question.lowest, question.highest]
        return known if same else Scale(question.id, values, "interval")
    kind: Kind = "interval" if rising and question.kind != "chart" else "ordinal"
    return Scale(question.id, values, kind)


def _computed_scale(form: Form, score: ComputedScore) -> Scale:
    asked = [form.question(name) for name in score.weights]
    lowest, highest = min(one.lowest for one in asked), max(one.highest for one in asked)
    return Scale(score.id, (f"{lowest}.0", f"{highest}.0"), "interval", continuous=True)


@dataclass(frozen=True, slots=True)
class AnswerShare:
    """The share of one answer with its Wilson interval.

    Segments have equal weights; ``n`` is their number, because two answers about one segment are
    not independent.
    """

    choice: Choice
    share: float
    ci: tuple[float, float]
    n: int


def answer_shares(book: AnswerBook) -> dict[str, tuple[AnswerShare, ...]]:
    """Return the shares of all answers of the main phase by question; none for two systems."""
    main = [page for page in book.plan.pages if page.phase == "main"]
    systems = {system for page in main for one in page.candidates for system in one.systems}
    if len(systems) != 1:
        return {}
    found: dict[str, tuple[AnswerShare, ...]] = {}
    for question in book.plan.form.questions:
        given: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for page in main:
            for candidate in page.candidates:
                value = book.value(page, candidate.label, question.id)
                if value is not None:
                    given[page.segment_of(candidate)][value] += 1
        if given and question.choices and question.kind in ("grade", "chart"):
            found[question.id] = tuple(_share(choice, given) for choice in question.choices)
    return found


def _share(choice: Choice, given: dict[str, Counter[str]]) -> AnswerShare:
    shares = [counts[choice.value] / counts.total() for counts in given.values()]
    share = min(1.0, sum(shares) / len(shares))
    return AnswerShare(choice, share, wilson_interval(share, len(shares)), len(shares))


def edits_since_draft(form: Form, page: Page, answer: Answer) -> int | None:
    """Return the edit distance of a finished text to its draft; None without a draft."""
    if answer.value is None or answer.question == CHECKED:
        return None
    if not form.begins_with_draft(form.question(answer.question)):
        return None
    # Browsers have one sign for the end of a line.
    draft = page.candidate(answer.candidate).text.replace("\r\n", "\n")
    return edit_distance(draft, answer.value) if draft else None


def edit_distance(draft: str, text: str) -> int:
    """Return the Levenshtein distance of two texts in characters.

    It uses the bit vectors of Myers (1999) in the form of Hyyrö (2003): a column of the matrix is
    one number with a bit for each character of the draft.
    """
    places: dict[str, int] = {}
    for place, sign in enumerate(draft):
        places[sign] = places.get(sign, 0) | 1 << place
    size = len(draft)
    every, last = (1 << size) - 1, 1 << size >> 1
    rising, falling, distance = every, 0, size
    for sign in text if draft else ():
        equal = places.get(sign, 0)
        same = (((equal & rising) + rising) ^ rising) | equal | falling
        grows = falling | (every & ~(same | rising))
        falls = rising & same
        distance += bool(grows & last) - bool(falls & last)
        grows, falls = grows << 1 | 1, falls << 1
        rising = (falls | ~(same | grows)) & every
        falling = grows & same & every
    return distance if draft else len(text)
