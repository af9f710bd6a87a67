"""Topics and graded judgements from the citations of a collection, as in NTCIR and CLEF-IP.

A document of the collection is a topic. The documents that it cites, or that were cited against it,
are relevant if they are in the collection, were published before the date of the topic and belong
to another family. Everything that is left out is counted by its reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date as Day
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Literal, TypeAlias, get_args

from patmark.collections.patents import publication_key
from patmark.collections.retrieval.collection import CollectionProblems, same_language
from patmark.collections.retrieval.ipc import ipc_prefixes
from patmark.collections.retrieval.qrels import PARTIAL, RELEVANT, Qrels, write_qrels
from patmark.collections.retrieval.topics import Topic, write_topics
from patmark.data import Citation, PatentDocument, write_atomically
from patmark.errors import InputError, UsageError
from patmark.languages import plain_form, split_claims
from patmark.report import Cell, Column, Report, Result, Table
from patmark.wording import tr, tr_n

TopicText: TypeAlias = Literal["claim", "abstract", "description"]
TopicDate: TypeAlias = Literal["filing", "priority", "publication"]
TEXTS: tuple[TopicText, ...] = get_args(TopicText)
DATES: tuple[TopicDate, ...] = get_args(TopicDate)
PARTIES = ("examiner", "applicant", "third-party", "other", "unknown")
TOPICS_FILE, QRELS_FILE, CARD_FILE = "topics.jsonl", "qrels.txt", "card.json"

_BY_CATEGORY = {"X": RELEVANT, "I": RELEVANT, "Y": PARTIAL, "A": 0, "examiner": 1, "unknown": 1}
_BY_PARTY = {"examiner": 2, "third-party": 2, "applicant": 1, "other": 1, "unknown": 1}
_SCHEMES = {"category": _BY_CATEGORY, "party": _BY_PARTY}
_GRADE = re.compile(r"(?P<label>[A-Z&]|[a-z-]+)=(?P<grade>\d)")

_DATE_NAMES = {
    "filing": tr("its filing, as in NTCIR-7"),
    "priority": tr("its first priority, or of its filing if it claims none"),
    "publication": tr("its own publication"),
}
# reasons why a document is no topic, in the order of the tests
LEFT_OUT = {
    "language": tr("in another language"),
    "ipc": tr("outside of the IPC codes"),
    "no_citations": tr("cite nothing"),
    "no_date": tr("have no such date"),
    "dates": tr("outside of the dates"),
    "no_text": tr("have no such text"),
    "no_relevant": tr("have no relevant document in the collection"),
    "several_relevant": tr("have several relevant documents"),
    "family": tr("are of the family of a topic"),
    "not_drawn": tr("were not drawn"),
}
# outcomes of a cited document; the last one of its publications counts
CITED = {
    "outside": tr("not in the collection"),
    "own_family": tr("of the topic's own family"),
    "undated": tr("without a date"),
    "not_before": tr("not published before the date of the topic"),
    "other_claims": tr("against other claims"),
    "no_grade": tr("without a grade"),
    "judged": "judged",
}


@dataclass(frozen=True, slots=True)
class CitationGrades:
    """The grade of a citation by its label: a letter of the search report, or the citing party.

    A citation in several categories has the best of their grades. If letters have grades, only
    letters count for citations that have some. A citation without a grade is not judged.
    """

    by_label: Mapping[str, int] = field(default_factory=lambda: dict(_BY_CATEGORY))

    @classmethod
    def parsed(cls, text: str) -> CitationGrades:
        """Parse ``category``, ``party``, or labels with grades: ``X=3,Y=2,A=1,examiner=1``."""
        if text in _SCHEMES:
            return cls(_SCHEMES[text])
        found: dict[str, int] = {}
        for part in filter(None, map(str.strip, text.split(","))):
            match = _GRADE.fullmatch(part)
            label = match["label"] if match else ""
            if match is None or (len(label) > 1 and label not in PARTIES):
                known = f"a letter or {', '.join(PARTIES)}"
                raise UsageError(f"grades {part!r}: expected LABEL=GRADE, the label {known}")
            found[label] = int(match["grade"])
        if not any(grade > 0 for grade in found.values()):
            names = ", ".join(_SCHEMES)
            raise UsageError(f"grades {text!r}: no label is relevant; try {names} or X=2,Y=1")
        return cls(found)

    def __str__(self) -> str:
        return ",".join(f"{label}={grade}" for label, grade in self.by_label.items())

    @property
    def _has_letters(self) -> bool:
        return any(len(label) == 1 for label in self.by_label)

    def of(self, citation: Citation) -> int | None:
        """Return the grade of a citation; None if it has none."""
        if self._has_letters and citation.category:
            found = [self.by_label[each] for each in citation.category if each in self.by_label]
            return max(found, default=None)
        return self.by_label.get(citation.by or "unknown")

    def of_all(self, citations: Sequence[Citation]) -> list[int]:
        """Return the grades of all citations of one document; those with letters come first.

        A document may be listed without a letter in a patent and with one in its search report.
        """
        lettered = [each for each in citations if each.category and self._has_letters]
        grades = map(self.of, lettered or citations)
        return [grade for grade in grades if grade is not None]


@dataclass(frozen=True, slots=True)
class TopicChoice:
    """Selection of topics, their text, and relevance.

    ``first`` and ``last`` bound the date of the topic, both included. With ``by_family``, a
    citation by any document of a family counts for the topic, and a citation of any document of a
    family for all its documents in the collection. With ``claim_one``, citations only against other
    claims are not judged. With ``single``, only topics with one relevant document are kept.
    """

    text: TopicText = "claim"
    date: TopicDate = "filing"
    grades: CitationGrades = field(default_factory=CitationGrades)
    ipc: tuple[str, ...] = ()
    first: Day | None = None
    last: Day | None = None
    language: str | None = None
    by_family: bool = False
    claim_one: bool = False
    single: bool = False
    number: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for value, known in ((self.text, TEXTS), (self.date, DATES)):
            if value not in known:
                raise UsageError(f"{value!r}: choose from {', '.join(known)}")
        wrong = [code for code in self.ipc if ipc_prefixes(code) is None]
        if wrong:
            raise UsageError(f"{wrong[0]!r} is no code of the IPC")
        if self.number is not None and self.number < 1:
            raise UsageError(f"{self.number} topics: the number must be at least 1")

    def to_json(self) -> dict[str, Any]:
        """Return all settings."""
        return {
            "text": self.text,
            "date": self.date,
            "grades": dict(self.grades.by_label),
            "ipc": list(self.ipc),
            "from": self.first and self.first.isoformat(),
            "to": self.last and self.last.isoformat(),
            "lang": self.language,
            "by_family": self.by_family,
            "claim_one": self.claim_one,
            "single": self.single,
            "number": self.number,
            "seed": self.seed,
        }

    def day(self, document: PatentDocument) -> Day | None:
        """Return the date of the topic: filing (as NTCIR), the first priority, or publication."""
        if self.date == "priority":
            return document.priority or document.filed
        return document.filed if self.date == "filing" else document.date

    def words(self, document: PatentDocument) -> str:
        """Return the text of the topic."""
        if self.text == "claim":
            return _without_number(document.first_claim) or first_claim(document.claims)
        return (document.abstract if self.text == "abstract" else document.description).strip()

    def has_class(self, codes: Iterable[str]) -> bool:
        """Return True if one of the codes is within a wanted one."""
        wanted = [list((ipc_prefixes(code) or {}).items())[-1] for code in self.ipc]
        found = [ipc_prefixes(code) or {} for code in codes]
        return not wanted or any(
            each.get(level) == code for level, code in wanted for each in found
        )


def first_claim(claims: str) -> str:
    """Return claim 1 of a text of claims without its number, or the first that is not canceled.

    >>> first_claim("1. A cup of at least\\n2.5 mm with\\n2 handles.\\n2. The cup of claim 1.")
    'A cup of at least\\n2.5 mm with\\n2 handles.'
    """
    found = [each for each in split_claims(plain_form(claims))[0] if each.content < each.end]
    chosen = next((each for each in found if each.number == 1), found[0] if found else None)
    return (claims[chosen.content : chosen.end] if chosen else claims).strip()


def _without_number(claim: str) -> str:
    """Return a separate claim without its number; "1 mm" is not a claim number."""
    found, _ = split_claims(plain_form(claim))
    return claim[found[0].content if found and found[0].number else 0 :].strip()


@dataclass(frozen=True, slots=True)
class _Facts:
    """Facts stored of every document of the collection."""

    id: str
    date: Day | None
    family: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A candidate for a topic; ``span`` is the place of its text in a file."""

    topic: Topic
    span: tuple[int, int]
    day: Day
    facts: _Facts


@dataclass(slots=True)
class _Collection:
    """Documents by id, by number without kind, and by family."""

    families: Mapping[str, str]
    by_id: dict[str, _Facts] = field(default_factory=dict)
    by_key: dict[str, list[_Facts]] = field(default_factory=lambda: defaultdict(list))
    by_family: dict[str, list[_Facts]] = field(default_factory=lambda: defaultdict(list))

    def add(self, document: PatentDocument) -> _Facts:
        """Add a document; without a family, its publications form one."""
        key = publication_key(document.id)
        facts = _Facts(document.id, document.date, document.family or key, document.citations)
        self.by_id[facts.id] = facts
        self.by_key[key].append(facts)
        self.by_family[facts.family].append(facts)
        return facts

    def cited(self, key: str, names: set[str], whole_families: bool) -> list[_Facts]:
        """Return the documents of a cited number: the named publications, else all of it.

        Families may also be known for documents outside the collection.
        """
        exact = [self.by_id[name] for name in names if name in self.by_id]
        found = exact or self.by_key.get(key, [])
        if not whole_families:
            return found
        known = {each.family for each in found} | {self.families.get(n) for n in (key, *names)}
        return [each for family in known if family for each in self.by_family.get(family, ())]


@dataclass(frozen=True, slots=True)
class CitedTopics(Result):
    """Topics in the order of their ids, judgements, and the data card.

    ``cited`` and ``outside`` count the citations of these topics, ``left_out`` all other documents.
    """

    topics: tuple[Topic, ...]
    qrels: Qrels
    choice: TopicChoice
    documents: int
    left_out: Mapping[str, int]
    cited: Mapping[str, int]
    outside: Mapping[str, int]
    problems: CollectionProblems

    def to_json(self) -> dict[str, Any]:
        """Return the data card."""
        relevant, rigid = self.qrels.relevant(PARTIAL), self.qrels.relevant(RELEVANT)
        days = sorted(topic.date.isoformat() for topic in self.topics if topic.date)
        classes = Counter(
            code
            for topic in self.topics
            for code in {(ipc_prefixes(each) or {}).get("class", "") for each in topic.ipc}
            if code
        )
        return {
            "documents": self.documents,
            "topics": len(self.topics),
            "topics_rigid": int((rigid > 0).sum()),
            "topics_with_one_relevant": int((relevant == 1).sum()),
            "relevant_per_topic": float(relevant.mean()) if len(self.topics) else 0.0,
            "dates": [days[0], days[-1]] if days else [],
            "ipc": dict(sorted(classes.items())),
            "grades": self._grades(),
            "left_out": dict(self.left_out),
            "cited": dict(self.cited),
            "outside_by_office": dict(self.outside),
            "settings": self.choice.to_json(),
            "qrels": self.qrels.fingerprint,
            "problems": self.problems.to_json(),
        }

    def _grades(self) -> dict[str, int]:
        counts = Counter(grade for _, _, grade in self.qrels.rows())
        return {str(grade): counts[grade] for grade in sorted(counts, reverse=True)}

    def to_report(self) -> Report:
        """Return the card as tables."""
        card = self.to_json()
        made: list[tuple[Cell, ...]] = [
            (tr("topics"), card["topics"]),
            (
                tr("topics with a document of grade {relevant}", relevant=RELEVANT),
                card["topics_rigid"],
            ),
            (tr("topics with one relevant document"), card["topics_with_one_relevant"]),
            *(
                (tr("documents of grade {grade}", grade=grade), n)
                for grade, n in card["grades"].items()
            ),
        ]
        became: list[tuple[Cell, ...]] = [
            *((tr("documents"), LEFT_OUT[reason], n) for reason, n in self.left_out.items()),
            *((tr("cited documents"), CITED[reason], n) for reason, n in self.cited.items()),
        ]
        more: list[tuple[Cell, ...]] = [
            *((tr("IPC classes of topics"), code, n) for code, n in card["ipc"].items()),
            *(
                (tr("offices cited, not in the collection"), each, n)
                for each, n in self.outside.items()
            ),
        ]
        wanted = self.choice.number
        made_of = tr_n("{n} topic", "{n} topics", n=len(self.topics))
        if wanted and wanted > len(self.topics):
            made_of = tr("{topics} of {wanted} asked for", topics=made_of, wanted=wanted)
        return Report(
            title=tr("Topics from citations"),
            subtitle=tr(
                "{topics} from {documents} documents",
                topics=made_of,
                documents=self.documents,
            ),
            headlines=(),
            tables=(
                Table(tr("Topics and judgements"), _columns(tr("what")), tuple(made)),
                Table(
                    tr("Excluded and cited documents"),
                    _columns(tr("what"), tr("why")),
                    tuple(became),
                ),
                Table(tr("Classes and offices"), _columns(tr("what"), tr("code")), tuple(more)),
            ),
            signatures={},
            notes=(
                tr(
                    "The date of a topic is that of {date}; what is relevant was published before "
                    "it.",
                    date=_DATE_NAMES[self.choice.date],
                ),
                tr("Grades: {grades}.", grades=self.choice.grades),
            ),
        )

    def write(self, folder: Path) -> None:
        """Write topics, qrels and card to a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        write_topics(folder / TOPICS_FILE, self.topics)
        write_qrels(folder / QRELS_FILE, self.qrels)
        card = json.dumps(self.to_json(), ensure_ascii=False, indent=2)
        write_atomically(folder / CARD_FILE, f"{card}\n")


def _columns(*names: str) -> tuple[Column, ...]:
    return (*map(Column, names), Column(tr("count"), 0))


def cited_topics(
    documents: Iterable[PatentDocument],
    choice: TopicChoice | None = None,
    families: Mapping[str, str] | None = None,
    citations: Mapping[str, Sequence[Citation]] | None = None,
    problems: CollectionProblems | None = None,
) -> CitedTopics:
    """Create topics and judgements from the citations of documents, in any order.

    ``families`` maps documents in and outside the collection to families and replaces those of the
    documents. ``citations`` by ``publication_key`` are added to those of the documents, because
    full texts and search reports come in different files. ``problems`` of the readers are part of
    the card.
    """
    choice = choice or TopicChoice()
    known, more = families or {}, citations or {}
    keyed = {publication_key(name): family for name, family in known.items()}
    collection = _Collection({**keyed, **known})
    left_out: Counter[str] = Counter()
    candidates: list[_Candidate] = []
    with TemporaryFile() as texts:
        for document in documents:
            named = replace(
                document,
                family=known.get(document.id, document.family),
                citations=(*document.citations, *more.get(publication_key(document.id), ())),
            )
            facts = collection.add(named)
            found = _candidate(named, facts, choice, texts)
            if isinstance(found, str):
                left_out[found] += 1
            else:
                candidates.append(found)
        judging = _Judging(collection, choice)
        citing = [each for each in candidates if judging.cites(each)]
        left_out["no_citations"] += len(candidates) - len(citing)
        judged = {each.facts.id: judging.judged(each) for each in citing}
        relevant = {name: judging.relevant(each.grades) for name, each in judged.items()}
        chosen = _chosen(citing, relevant, choice, left_out)
        if not chosen:
            by_unit = {judging.unit(each): judged[each.facts.id] for each in citing}
            raise InputError.at(_nothing(left_out, _outcomes(by_unit.values())))
        topics = tuple(
            _with_text(each, texts) for each in sorted(chosen, key=lambda one: one.topic.id)
        )
    kept = {topic.id: judged[topic.id] for topic in topics}
    cited = _outcomes(kept.values())
    outside = Counter(
        key[:2] for each in kept.values() for key, what in each.cited.items() if what == "outside"
    )
    return CitedTopics(
        topics,
        Qrels("citations", {name: each.grades for name, each in kept.items()}),
        choice,
        len(collection.by_id),
        {reason: left_out[reason] for reason in LEFT_OUT if left_out[reason]},
        {reason: cited[reason] for reason in reversed(CITED) if cited[reason]},
        dict(sorted(outside.items())),
        problems or CollectionProblems(),
    )


def _nothing(left_out: Counter[str], cited: Counter[str]) -> str:
    """Explain why there is no topic."""
    reasons = [f"{left_out[each]} {text}" for each, text in LEFT_OUT.items() if left_out[each]]
    reasons += [f"{cited[each]} cited {text}" for each, text in CITED.items() if cited[each]]
    return f"no document can be a topic: {'; '.join(reasons) or 'the collection is empty'}"


def _candidate(
    document: PatentDocument, facts: _Facts, choice: TopicChoice, texts: IO[bytes]
) -> _Candidate | str:
    """Return the topic of a document, or the reason why it has none.

    Its text is written to a file, because descriptions of a collection exceed memory.
    """
    if choice.language and document.lang and not same_language(document.lang, choice.language):
        return "language"
    codes = document.ipc or document.cpc
    if not choice.has_class(codes):
        return "ipc"
    if not document.citations and not choice.by_family:
        return "no_citations"
    day = choice.day(document)
    if day is None:
        return "no_date"
    if (choice.first and day < choice.first) or (choice.last and day > choice.last):
        return "dates"
    words = choice.words(document)
    if not words:
        return "no_text"
    span = texts.tell(), texts.write(words.encode())
    return _Candidate(Topic(document.id, "", day, codes, document.family), span, day, facts)


def _with_text(candidate: _Candidate, texts: IO[bytes]) -> Topic:
    start, size = candidate.span
    texts.seek(start)
    return replace(candidate.topic, text=texts.read(size).decode())


@dataclass(frozen=True, slots=True)
class _Judged:
    """The grades of the cited documents of a candidate, and the outcome for each cited number."""

    grades: Mapping[str, int]
    cited: Mapping[str, str]


def _outcomes(judged: Iterable[_Judged]) -> Counter[str]:
    return Counter(outcome for each in judged for outcome in each.cited.values())


@dataclass(frozen=True, slots=True)
class _Judging:
    """Judgement of the documents that candidates cite."""

    collection: _Collection
    choice: TopicChoice

    def judged(self, candidate: _Candidate) -> _Judged:
        """Return the judged documents of a topic; the best grade of each counts."""
        grades: dict[str, int] = {}
        cited = {
            key: self._judge(candidate, key, citations, grades)
            for key, citations in self._by_number(candidate).items()
        }
        return _Judged(grades, cited)

    def unit(self, candidate: _Candidate) -> str:
        """Return the citing unit: a document, or its family."""
        return candidate.facts.family if self.choice.by_family else candidate.facts.id

    def relevant(self, judged: Mapping[str, int]) -> int:
        """Count the relevant documents, or families."""
        names = [name for name, grade in judged.items() if grade > 0]
        if not self.choice.by_family:
            return len(names)
        return len({self.collection.by_id[name].family for name in names})

    def cites(self, candidate: _Candidate) -> bool:
        """Return True if anything is cited."""
        return any(facts.citations for facts in self._citing(candidate))

    def _citing(self, candidate: _Candidate) -> list[_Facts]:
        """Return the documents whose citations count for a topic."""
        if self.choice.by_family:
            return self.collection.by_family[candidate.facts.family]
        return [candidate.facts]

    def _by_number(self, candidate: _Candidate) -> dict[str, list[Citation]]:
        """Return the citations that count for a topic, by the number of the cited document."""
        grouped: dict[str, list[Citation]] = defaultdict(list)
        for citation in (each for facts in self._citing(candidate) for each in facts.citations):
            grouped[publication_key(citation.document)].append(citation)
        return grouped

    def _judge(
        self,
        candidate: _Candidate,
        key: str,
        citations: list[Citation],
        judged: dict[str, int],
    ) -> str:
        """Judge all documents of a cited number, and return the outcome."""
        names = {each.document for each in citations}
        documents = self.collection.cited(key, names, self.choice.by_family)
        outcomes = [_outcome(candidate, facts) for facts in documents]
        reason = max(outcomes, key=list(CITED).index, default="outside")
        if reason != "judged":
            return reason
        held = [each for each in citations if self._concerns(each)]
        grades = self.choice.grades.of_all(held)
        if not grades:
            return "no_grade" if held else "other_claims"
        for facts, outcome in zip(documents, outcomes, strict=True):
            if outcome == "judged":
                judged[facts.id] = max(max(grades), judged.get(facts.id, 0))
        return "judged"

    def _concerns(self, citation: Citation) -> bool:
        return not (self.choice.claim_one and citation.claims and 1 not in citation.claims)


def _outcome(candidate: _Candidate, cited: _Facts) -> str:
    if cited.family == candidate.facts.family:
        return "own_family"
    if cited.date is None:
        return "undated"
    return "judged" if cited.date < candidate.day else "not_before"


def _chosen(
    candidates: list[_Candidate],
    relevant: Mapping[str, int],
    choice: TopicChoice,
    left_out: Counter[str],
) -> list[_Candidate]:
    """Choose candidates with relevant documents, the first of each family, then draw."""
    by_family: dict[str, list[_Candidate]] = defaultdict(list)
    for each in candidates:
        if not relevant[each.facts.id]:
            left_out["no_relevant"] += 1
        elif choice.single and relevant[each.facts.id] > 1:
            left_out["several_relevant"] += 1
        else:
            by_family[each.facts.family].append(each)
    kept = [min(each, key=_publication) for each in by_family.values()]
    left_out["family"] += sum(map(len, by_family.values())) - len(kept)
    if choice.number is not None and len(kept) > choice.number:
        left_out["not_drawn"] += len(kept) - choice.number
        kept = sorted(kept, key=lambda each: _lot(choice.seed, each.topic.id))[: choice.number]
    return kept


def _publication(candidate: _Candidate) -> tuple[Day, str]:
    return candidate.facts.date or Day.max, candidate.facts.id


def _lot(seed: int, name: str) -> bytes:
    """Return the random key of a document, independent of other documents."""
    return sha256(f"{seed} {name}".encode()).digest()
