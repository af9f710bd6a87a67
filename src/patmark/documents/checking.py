"""The check of a document against its translation: alignment, findings, coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from patmark.alignment import Bead, Hybrid, Lexicon, lexicon_of_beads, senses_for
from patmark.data import FilePath, Notice
from patmark.documents.document_sentences import DocumentSide
from patmark.documents.findings import (
    DocumentFinding,
    coverage_findings,
    fact_findings,
    in_order,
    sign_findings,
    structure_findings,
    term_findings,
)
from patmark.documents.formats.glossary import GlossaryTerm, read_glossary_terms
from patmark.documents.model import BilingualDocument, WholeDocument
from patmark.documents.reference_scores import ReferenceScores
from patmark.documents.review_alignment import (
    LONE_SCORE,
    AlignedDocuments,
    align_for_review,
    align_pairs,
)
from patmark.errors import InputError
from patmark.facts import COUNTED_LANGUAGES, FACT_LANGUAGES
from patmark.languages import language
from patmark.wording import setting, tr, tr_n

_ENOUGH_SENTENCES = {True: 10, False: 20}  # with and without a dictionary
_LEAST_LIKENESS = 0.43
"""Similarity of unrelated documents is .1 to .4; of translations .7 and more, .5 without a
dictionary."""


@dataclass(frozen=True, slots=True)
class TextCoverage:
    """Letters and digits of one document that have a counterpart in the other.

    Numbers of paragraphs do not count.
    """

    sentences: int
    paired: int
    characters: int
    covered: int

    @property
    def share(self) -> float:
        """Share of the letters and digits with a counterpart; 1 for an empty document."""
        return self.covered / self.characters if self.characters else 1.0


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """A document and its translation with beads and findings; with a reference, also scores."""

    name: str
    aligned: AlignedDocuments
    findings: tuple[DocumentFinding, ...]
    notices: tuple[Notice, ...] = ()
    scores: ReferenceScores = field(default_factory=ReferenceScores)

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target language."""
        return self.aligned.source.language, self.aligned.target.language

    @property
    def coverage(self) -> tuple[TextCoverage, TextCoverage]:
        """Coverage of the source and of the translation."""
        beads = [bead for bead in self.aligned.beads if bead.source and bead.target]
        return (
            _coverage(self.aligned.source, [bead.source for bead in beads]),
            _coverage(self.aligned.target, [bead.target for bead in beads]),
        )

    def to_json(self) -> dict[str, Any]:
        """Return beads, findings and coverage for JSON."""
        source, target = self.coverage
        sides = self.aligned.source, self.aligned.target
        return {
            "name": self.name,
            "lang": "-".join(self.languages),
            "beads": [
                {
                    "source": _listed(sides[0].span(bead.source)),
                    "target": _listed(sides[1].span(bead.target)),
                    "score": bead.score,
                }
                for bead in self.aligned.beads
            ],
            "findings": [finding.to_json() for finding in self.findings],
            "coverage": {
                "source": source.share,
                "target": target.share,
                "source_sentences": source.sentences,
                "target_sentences": target.sentences,
                "source_paired": source.paired,
                "target_paired": target.paired,
                "weak_pairs": self.aligned.weak_pairs,
            },
            **({"scores": self.scores.to_json()} if self.scores.parts else {}),
        }


def of_first_languages(documents: Sequence[CheckedDocument]) -> list[CheckedDocument]:
    """Return the documents in the languages of the first one."""
    return [one for one in documents if one.languages == documents[0].languages]


def _listed(span: tuple[int, int] | None) -> list[int] | None:
    return None if span is None else list(span)


def _coverage(side: DocumentSide, groups: Sequence[Sequence[int]]) -> TextCoverage:
    text, places = side.document.text, {place for group in groups for place in group}
    numbers = sum(_size(text[slice(*span)]) for span in side.numbers)
    covered = sum(_size(side.sentences[place].text) for place in places)
    return TextCoverage(len(side.sentences), len(places), _size(text) - numbers, covered)


def _size(text: str) -> int:
    """Return the number of letters and digits."""
    return sum(map(str.isalnum, text))


def _sure_beads(aligned: AlignedDocuments) -> list[Bead]:
    beads = [bead for bead in aligned.beads if not (bead.weak or bead.moved)]
    return [Bead(bead.source, bead.target, bead.score) for bead in beads]


@dataclass(frozen=True, slots=True)
class DocumentChecker:
    """Checks of document pairs.

    ``lexicon`` has word translations of earlier documents, ``glossary`` files of terms.
    """

    lexicon: Lexicon | None = None
    glossary: tuple[FilePath, ...] = ()

    def aligner(self, languages: tuple[str, str]) -> Hybrid:
        """Return the aligner of a pair of languages."""
        senses = senses_for(None, *languages)
        return Hybrid(*languages, senses, self.lexicon, lone=LONE_SCORE)

    def check(
        self, name: str, source: WholeDocument, target: WholeDocument, languages: tuple[str, str]
    ) -> CheckedDocument:
        """Check a document against its translation; refuse documents with little in common."""
        aligner = self.aligner(languages)
        aligned = align_for_review(source, target, aligner)
        enough = _ENOUGH_SENTENCES[aligner.senses is not None]
        if len(aligned.source.sentences) >= enough and aligned.likeness < _LEAST_LIKENESS:
            problem = tr(
                "does not seem to be a translation of {source}: hardly any words, names or numbers "
                "correspond; check that the files belong together",
                source=source.name,
            )
            raise InputError.at(problem, target.name)
        notices = (*source.notices, *target.notices, *self._notices(languages))
        return self._checked(name, aligned, notices)

    def check_bilingual(
        self, name: str, document: BilingualDocument, languages: tuple[str, str]
    ) -> CheckedDocument:
        """Check the pairs of a bilingual file."""
        notices = (*document.source.notices, *document.target.notices)
        return self._checked(name, align_pairs(document, languages), notices)

    def _checked(
        self, name: str, aligned: AlignedDocuments, notices: tuple[Notice, ...]
    ) -> CheckedDocument:
        if weak := aligned.weak_pairs:
            text = tr_n(
                "{name}: {n} pair of sentences is joined by its place alone; only numbers, units "
                "and limits are compared there.",
                "{name}: {n} pairs of sentences are joined by their places alone; only numbers, "
                "units and limits are compared there.",
                n=weak, name=name,
            )  # fmt: skip
            notices = (*notices, Notice("note", "weak-pairs", text))
        facts = list(fact_findings(aligned))
        found = (
            *coverage_findings(aligned),
            *facts,
            *sign_findings(aligned, facts),
            *structure_findings(aligned),
            *term_findings(aligned, self._terms(aligned)),
        )
        return CheckedDocument(name, aligned, in_order(found), notices)

    def _terms(self, aligned: AlignedDocuments) -> list[GlossaryTerm]:
        languages = aligned.source.language, aligned.target.language
        return [term for path in self.glossary for term in read_glossary_terms(path, languages)]

    def learnt(self, documents: Sequence[CheckedDocument]) -> Lexicon:
        """Return the word translations of these documents, added to those of earlier ones.

        Only documents in the languages of the first one count.
        """
        known = self.lexicon or Lexicon({})
        if not documents:
            return known
        aligned = [
            (one.aligned.source.texts, one.aligned.target.texts, _sure_beads(one.aligned))
            for one in of_first_languages(documents)
        ]
        return known.updated(lexicon_of_beads(aligned, self.aligner(documents[0].languages)))

    def _notices(self, languages: tuple[str, str]) -> list[Notice]:
        """Return notices on checks that a language pair does not support."""
        pair = "-".join(languages)
        limits = (language(code).cannot for code in languages)
        found = [Notice("note", "pack-limits", text) for text in limits if text]
        if senses_for(None, *languages) is None and self.lexicon is None:
            text = tr("No dictionary of {pair}: numbers, names and lengths align first.", pair=pair)
            remedy = tr("{setting} adds word translations.", setting=setting("lexicon", "FILE"))
            found.append(Notice("note", "no-dictionary", text, remedy))
        if not FACT_LANGUAGES.issuperset(languages):
            text = tr("Numbers, signs and negation of {pair} are not compared.", pair=pair)
            found.append(Notice("warning", "facts-not-compared", text))
        elif not COUNTED_LANGUAGES.issuperset(languages):
            text = tr(
                "Negation, words such as “only” and “or”, number words and the nouns of reference "
                "signs are not compared in {pair}; numbers, units, limits, signs and claims are.",
                pair=pair,
            )
            found.append(Notice("warning", "words-not-compared", text))
        return found
