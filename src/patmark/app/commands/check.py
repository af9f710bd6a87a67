"""patmark check: whole documents against their translations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

from patmark.alignment import Lexicon
from patmark.app.commands.inputs import file_list
from patmark.app.commands.requests import takes
from patmark.data import FilePath, Notice
from patmark.documents import (
    DEFAULT_CHECK_MEASURES,
    FINDING_SEVERITIES,
    CheckedDocument,
    CheckResult,
    DocumentChecker,
    FailedDocument,
    FilePair,
    FindingSeverity,
    commented_copies,
    finding_key,
    match_files,
    not_checked,
    of_first_languages,
    read_bilingual,
    read_document,
    read_review,
    score_against,
    write_commented_copy,
)
from patmark.errors import InputError, PatmarkError, UsageError
from patmark.languages import both_languages, detect_language
from patmark.options import Argument, Options, group
from patmark.wording import setting, tr, tr_n

if TYPE_CHECKING:
    from patmark.documents import FindingKey, MatchedFiles, Verdict
    from patmark.evaluation import MeasureNames

Advance: TypeAlias = Callable[[str, int, int], None]


@group
class CheckInputs(Options, heading="Inputs"):
    """Languages and resources of a check."""

    lang: str | None = None
    """Languages as SOURCE-TARGET, e.g. zh-en (default: detected)."""
    glossary: tuple[str, ...] | FilePath = ()
    """Terms to use: TBX, TMX, CSV, TSV or JSON; may be repeated."""
    lexicon: str | FilePath | None = None
    """A file of --save-lexicon: word translations of earlier documents."""
    save_lexicon: str | FilePath | None = None
    """Write the word translations of these documents, added to those of --lexicon."""
    revisions: Literal["final", "original"] = "final"
    """Tracked changes of a file: accepted (final) or rejected (original)."""
    ref: str | FilePath | None = None
    """A reference translation, or a folder of them: adds scores by document, section and claim."""
    measures: str | MeasureNames | None = None
    """With --ref: comma-separated measures (default: BLEU,chrF)."""
    review: str | FilePath | None = None
    """A review saved by the HTML page: shows its decisions and the resulting precision."""
    comments: str | FilePath | None = None
    """Write a copy of the translation (Word, XLIFF) with findings as comments: a file or folder."""


@group
class CheckGate(Options, heading="Gates"):
    """Condition on findings."""

    fail_on: Literal["error", "warning"] | None = None
    """Exit with 1 if a finding has this severity or a higher one."""


@group
class CheckRequest(CheckInputs, CheckGate):
    """Documents and their translations: two files, or two folders matched by name."""

    source: Annotated[str | FilePath, Argument()]
    """A document, or a folder of documents."""
    translation: Annotated[str | FilePath | None, Argument()] = None
    """Its translation, or a folder matched by name; none for XLIFF and TMX."""

    @property
    def paths(self) -> list[FilePath | None]:
        """All files to read."""
        files = (self.source, self.translation, self.lexicon, self.ref)
        return [*files, *file_list(self.glossary)]

    def __post_init__(self) -> None:
        if self.ref is not None and self.translation is None:
            raise UsageError(f"{setting('ref')} has no effect on a file of both languages")
        if self.measures is not None and self.ref is None:
            raise UsageError(f"{setting('measures')} has no effect without {setting('ref')}")
        if self.lang is not None:
            both_languages(self.lang)
        if self.fail_on is not None and self.fail_on not in FINDING_SEVERITIES:
            known = ", ".join(FINDING_SEVERITIES)
            raise UsageError(f"{setting('fail_on', self.fail_on)}: choose from {known}")

    @property
    def limit(self) -> FindingSeverity | None:
        """The lowest severity that makes the check fail."""
        return next((one for one in FINDING_SEVERITIES if one == self.fail_on), None)


@takes(CheckRequest, "source", "translation")
def check(request: CheckRequest, progress: Advance | None = None) -> CheckResult:
    """Check whole documents against their translations.

    An unreadable document does not stop the others; alone, it is an error.
    """
    verdicts = {} if request.review is None else read_review(request.review)
    sides = [one for one in (request.source, request.translation) if one is not None]
    matched = match_files(*sides)
    references: dict[Path, Path] = {}
    notices = [not_checked(str(path), why) for path, why in matched.unread.items()]
    if request.ref is not None and request.translation is not None:
        with_reference = match_files(request.translation, request.ref)
        references = {pair.files[0]: pair.files[1] for pair in with_reference.pairs}
        notices += _without_reference(with_reference)
    copies: list[Path] = []
    if request.comments is not None:
        copies = commented_copies(matched.pairs, sides[-1], request.comments)
    lexicon = None if request.lexicon is None else Lexicon.load(request.lexicon)
    checker = DocumentChecker(lexicon, tuple(file_list(request.glossary)))
    failures: list[FailedDocument] = []
    checked: dict[FilePair, CheckedDocument] = {}
    for number, pair in enumerate(matched.pairs):
        if progress is not None:
            progress(pair.name, number, len(matched.pairs))
        try:
            document = _checked(pair, request, checker)
            if pair.files[-1] in references:
                document = _scored(document, references[pair.files[-1]], request)
            checked[pair] = document
        except PatmarkError as error:
            if len(matched.pairs) == 1:
                raise
            failures.append(FailedDocument(pair.name, str(error)))
    done = tuple(checked.values())
    if request.review is not None:
        notices += _stale(verdicts, done, request.review)
    uncommented: list[FailedDocument] = []
    for pair, copy in zip(matched.pairs, copies, strict=False):
        if pair not in checked:
            continue
        try:
            write_commented_copy(checked[pair], pair.files[-1], copy, request.revisions)
        except PatmarkError as error:
            if len(matched.pairs) == 1:
                raise
            uncommented.append(FailedDocument(pair.name, str(error)))
    if request.save_lexicon is not None:
        checker.learnt(done).save(request.save_lexicon)
        notices += _not_learnt(done)
    return CheckResult(
        done,
        tuple(failures),
        tuple(map(str, matched.unmatched)),
        request.limit,
        verdicts,
        tuple(map(str, matched.missed)),
        tuple(uncommented),
        tuple(notices),
    )


def _without_reference(matched: MatchedFiles) -> Iterator[Notice]:
    """Yield notices on translations without a reference, and on unused references."""
    for path, why in matched.unread.items():
        yield not_checked(str(path), why)
    if matched.unmatched:
        text = tr(
            "Translations without a reference, or references without a translation: {files}",
            files=tuple(map(str, matched.unmatched)),
        )
        yield Notice("warning", "unmatched-reference", text)


def _stale(
    verdicts: Mapping[FindingKey, Verdict], documents: Sequence[CheckedDocument], review: FilePath
) -> Iterator[Notice]:
    """Yield a notice on decisions without a finding; refuse a review with only such."""
    found = {
        finding_key(document.name, finding.to_json())
        for document in documents
        for finding in document.findings
    }
    stale = len(verdicts.keys() - found)
    if stale and stale == len(verdicts):
        raise InputError.at("none of its verdicts is on a finding of this check", str(review))
    if stale:
        text = tr_n(
            "{n} verdict of the review is on no finding of this check.",
            "{n} verdicts of the review are on no finding of this check.",
            n=stale,
        )
        yield Notice("warning", "stale-review", text)


def _not_learnt(documents: Sequence[CheckedDocument]) -> Iterator[Notice]:
    """Yield a notice on documents whose words are not in the saved lexicon."""
    learnt = {one.name for one in of_first_languages(documents)}
    others = tuple(one.name for one in documents if one.name not in learnt)
    if others:
        text = tr(
            "The saved lexicon is of {pair}; documents of other languages are left out: {files}",
            pair="-".join(documents[0].languages), files=others,
        )  # fmt: skip
        yield Notice("warning", "not-learnt", text)


def _checked(pair: FilePair, request: CheckRequest, checker: DocumentChecker) -> CheckedDocument:
    if len(pair.files) == 1:
        [file] = pair.files
        both = read_bilingual(file, lang=request.lang)
        languages = _language(both.source.lang, file), _language(both.target.lang, file)
        return checker.check_bilingual(pair.name, both, languages)
    stated = (None, None) if request.lang is None else both_languages(request.lang)
    source, target = (
        read_document(path, lang=lang, revisions=request.revisions)
        for path, lang in zip(pair.files, stated, strict=True)
    )
    languages = _language(source.lang, pair.files[0]), _language(target.lang, pair.files[1])
    texts = source.text, target.text
    _check_languages(pair, languages, texts)
    checked = checker.check(pair.name, source, target, languages)
    return replace(checked, notices=(*_other_languages(languages, texts), *checked.notices))


def _other_languages(languages: tuple[str, str], texts: tuple[str, str]) -> Iterator[Notice]:
    """Yield a warning for each document whose text seems to be in another language than stated."""
    for side, stated, text in zip((tr("source"), tr("translation")), languages, texts, strict=True):
        found = detect_language(text)
        if found not in (None, stated):
            message = tr(
                "the {side} should be in {language}, but seems to be in {found}",
                side=side, language=stated, found=str(found),
            )  # fmt: skip
            yield Notice("warning", "other-language", message)


def _check_languages(pair: FilePair, languages: tuple[str, str], texts: tuple[str, str]) -> None:
    """Refuse a document as its own translation, and a translation in place of its source."""
    source, target = languages
    if len({path.resolve() for path in pair.files}) == 1:
        raise UsageError(tr("{name} is both the source and the translation", name=pair.name))
    if source == target:
        raise UsageError(
            tr("{name}: both documents are in {language}", name=pair.name, language=source)
        )
    if tuple(map(detect_language, texts)) == (target, source):
        raise UsageError(
            tr(
                "{name}: the first document is in {target} and the second in {source}; exchange "
                "them, or state other languages",
                name=pair.name, source=source, target=target,
            )
        )  # fmt: skip


def _scored(document: CheckedDocument, path: Path, request: CheckRequest) -> CheckedDocument:
    """Add the scores of the translation against a reference."""
    _, target = document.languages
    reference = read_document(path, lang=target, revisions=request.revisions)
    measures = request.measures or DEFAULT_CHECK_MEASURES
    translation = document.aligned.target.document
    return replace(document, scores=score_against(reference, translation, target, measures))


def _language(found: str | None, path: Path) -> str:
    if found is None:
        raise UsageError(f"{path}: say which languages these are: {setting('lang', 'zh-en')}")
    return found
