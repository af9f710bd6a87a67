"""The records of a running campaign: people, pages, answers, remarks, decisions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, TypeAlias

from patmark.errors import PatmarkError, UsageError
from patmark.human.campaign.plan import Answer
from patmark.human.judgements import Phase
from patmark.wording import tr

Reason: TypeAlias = Literal[
    "not-assigned",
    "closed",
    "revoked",
    "invalid",
    "training",
    "reused",
    "full",
    "stale",
    "return-code",
]
Actor: TypeAlias = Literal["organiser", "evaluator"]
PageCounts: TypeAlias = Counter[tuple[Phase, bool, bool]]
"""Number of pages by phase, by being of a shared pool, and by being done."""


def to_the_minute(time: str | None) -> str | None:
    """Format a time to the minute, in UTC; None if there is no time."""
    return None if time is None else time[:16].replace("T", " ")


class Refused(PatmarkError):
    """A write that is not allowed; nothing of it was stored.

    ``reason`` is not-assigned (the page belongs to somebody else, or to nobody), closed, revoked,
    invalid (the answer does not fit the form and its page), training (which comes first, or is
    final), reused (the client id of another answer), full (as many people have come as the
    campaign wants), stale (a later answer is stored), or return-code (of a person who joined).
    """

    def __init__(self, reason: Reason, message: str) -> None:
        self.reason: Reason = reason
        self.message = message
        super().__init__(message)


class StaleAnswer(Refused):
    """An answer that is not based on the stored one, ``newer``."""

    def __init__(self, newer: Answer) -> None:
        self.newer = newer
        super().__init__("stale", tr("a later answer was saved on another device"))


class NoCampaign(UsageError):
    """The database has no campaign of this id."""

    def __init__(self, campaign: str) -> None:
        super().__init__(f"there is no campaign {campaign!r}")


@dataclass(frozen=True, slots=True)
class CampaignInfo:
    """A campaign without its pages. Times are ISO 8601 in UTC; ``closed`` is None while open.

    An archived campaign is closed, and listed only on request. ``places`` is the total number of
    judgements of items in a shared pool; 0 without a pool.
    """

    id: str
    name: str
    created: str
    closed: str | None
    archived: str | None
    form: str
    form_version: int
    source_language: str | None
    target_language: str
    seed: int
    pass_mark: float | None
    places: int = 0

    @property
    def is_open(self) -> bool:
        """True if answers are accepted."""
        return self.closed is None


@dataclass(frozen=True, slots=True)
class Progress:
    """The pages of a campaign: complete, held by somebody, free in a shared pool.

    Training pages and those of excluded evaluators do not count. Checks and repeats of a pool count
    once they are held.
    """

    done: int
    taken: int
    free: int = 0

    @classmethod
    def of(cls, info: CampaignInfo, counts: PageCounts) -> Progress:
        """Compute the progress from the held pages of evaluators whose answers count."""
        judged = {key: count for key, count in counts.items() if key[0] != "training"}
        done = sum(count for (_, _, is_done), count in judged.items() if is_done)
        places = sum(n for (phase, pooled, _), n in judged.items() if pooled and phase == "main")
        return cls(done, sum(judged.values()) - done, max(0, info.places - places))

    @property
    def total(self) -> int:
        """All of them."""
        return self.done + self.taken + self.free

    def to_json(self) -> dict[str, int]:
        """Return the numbers with their total."""
        return {**asdict(self), "total": self.total}


@dataclass(frozen=True, slots=True)
class CampaignOverview:
    """A campaign in a list, with its progress and the last save."""

    info: CampaignInfo
    evaluators: int
    progress: Progress
    last_saved: str | None

    @property
    def state(self) -> Literal["open", "closed", "archived"]:
        """The state of the campaign in lists."""
        if self.info.archived is not None:
            return "archived"
        return "open" if self.info.is_open else "closed"


@dataclass(frozen=True, slots=True)
class Created:
    """A new campaign and all its secrets, which are shown only once.

    ``join`` is that of the common link, if people may join by themselves.
    """

    campaign: str
    organiser_secret: str = field(repr=False)
    links: Mapping[str, str] = field(repr=False)
    join: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class EvaluatorInfo:
    """An evaluator of a campaign.

    ``expires`` is the time when the link stops working (None: never), ``revoked`` the end of
    access. ``qualified`` is None until somebody decides. ``excluded`` is the reason why the
    answers do not count, None if they do. ``waiting`` counts the items that a shared pool has for
    them, ``extras`` the checks and repeats of their items. ``enrolled`` is the time when they had
    answered the questions before the start, ``background`` the answers.
    """

    campaign: str
    name: str
    expires: str | None = None
    revoked: str | None = None
    qualified: bool | None = None
    excluded: str | None = None
    waiting: int = 0
    extras: int = 0
    enrolled: str | None = ""
    background: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OrganiserInfo:
    """An organiser of a campaign, or of all campaigns of the database if ``campaign`` is None."""

    campaign: str | None
    name: str
    added: str = ""
    revoked: str | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """A browser that has shown its link: that of an evaluator, or that of an organiser.

    ``campaign`` is None for an organiser of all campaigns.
    """

    campaign: str | None
    evaluator: str | None
    organiser: str | None
    csrf: str = field(repr=False)
    expires: str

    @property
    def is_organiser(self) -> bool:
        """True if it is the session of an organiser."""
        return self.organiser is not None


@dataclass(frozen=True, slots=True)
class PageInfo:
    """A page without its texts; it is done when ``needed`` of its required answers exist.

    A page of a shared pool has an ``item``, and was ``claimed`` at some time. ``content`` is the
    digest of ``Page.content`` on pages of the main phase, which no evaluator may hold twice; None
    on a second such page that an older patmark assigned.
    """

    id: str
    position: int
    phase: Phase
    segment: str
    evaluator: str = ""
    needed: int = 1
    item: int | None = None
    claimed: str | None = None
    content: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerBasis:
    """The last revision that a browser knew when it was answered, and the time of the answer."""

    known: int
    answered: str


@dataclass(frozen=True, slots=True)
class SaveReceipt:
    """Acknowledgement of a saved answer.

    ``stored`` is False if the very same save had arrived before; ``revision`` is then its first.
    A revision that is higher than the browser expects tells of a second tab. ``phase`` is that of
    the page.
    """

    revision: int
    stored: bool
    phase: Phase = "main"


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer and its evaluator; ``counts`` if the page needs it."""

    evaluator: str
    answer: Answer
    counts: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """The place of the answer on its page: candidate and question."""
        return self.answer.candidate, self.answer.question


@dataclass(frozen=True, slots=True)
class Remark:
    """The latest comment on a page, and True if the evaluator asks for attention."""

    evaluator: str
    page: str
    segment: str
    text: str
    flagged: bool
    saved: str


@dataclass(frozen=True, slots=True)
class Consensus:
    """The value that the organisers agreed on for one text, or for a page (``systems=()``)."""

    segment: str
    systems: tuple[str, ...]
    question: str
    value: str
    note: str
    saved: str

    @property
    def place(self) -> tuple[str, tuple[str, ...], str]:
        """The subject of the agreement: segment, systems and question."""
        return self.segment, self.systems, self.question


@dataclass(frozen=True, slots=True)
class Event:
    """An entry of the log; ``evaluator`` acted or is concerned, None after forgetting.

    ``organiser`` is the name of the organiser who decided; None for the command line.
    """

    at: str
    by: Actor
    organiser: str | None
    action: str
    evaluator: str | None
    detail: str


@dataclass(frozen=True, slots=True, eq=False)
class SavedAnswers:
    """Latest answers of each page, in the order of their last save.

    ``seconds`` is the time spent on each page over all saves with a time, ``last`` the time of the
    last save of each evaluator.
    """

    by_page: Mapping[str, Mapping[tuple[str, str], StoredAnswer]] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    last: Mapping[str, str] = field(default_factory=dict)

    def with_later(self, saves: Iterable[StoredAnswer]) -> SavedAnswers:
        """Return a copy with later answers, given by time on each page."""
        by_page = dict(self.by_page)
        seconds, last = dict(self.seconds), dict(self.last)
        own: defaultdict[str, dict[tuple[str, str], StoredAnswer]] = defaultdict(dict)
        for one in saves:
            answer, place = one.answer, one.place
            page = answer.page
            if page not in own:
                own[page] |= by_page.get(page, {})
            known = own[page].pop(place, None)
            is_newer = known is None or answer.revision > known.answer.revision
            own[page][place] = one if is_newer or known is None else known
            if answer.seconds is not None:
                seconds[page] = seconds.get(page, 0.0) + answer.seconds
            if answer.saved > last.get(one.evaluator, ""):
                last[one.evaluator] = answer.saved
        return SavedAnswers(by_page | own, seconds, last)

    def latest_on(self, pages: Iterable[str]) -> tuple[StoredAnswer, ...]:
        """Return the latest answers on some pages."""
        return tuple(one for page in pages for one in self.by_page.get(page, {}).values())
