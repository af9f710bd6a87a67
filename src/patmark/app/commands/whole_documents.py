"""Whole documents: sources for a system to translate, and outputs to score.

Outputs are aligned with the references before scoring.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from patmark.alignment import Hybrid, senses_for
from patmark.data import FilePath, Notice, Run, Segment, TestSet, split_name
from patmark.documents import (
    ALIGNED,
    WholeDocument,
    document_paragraphs,
    match_files,
    read_document,
    reference_segments,
    segment_like,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import (
    Evaluation,
    Inputs,
    NamedRun,
    Progress,
    Protocol,
    SharedOptions,
    TextEvaluation,
)
from patmark.languages import language_pair
from patmark.stats import Sampling
from patmark.systems import RunDataset
from patmark.wording import setting, tr, tr_n

_SHOWN = 10


@dataclass(frozen=True)
class InnerProtocol(Protocol):
    """A protocol applied to texts that another class prepares."""

    inner: Protocol

    @classmethod
    def of(
        cls, options: Any, shared: SharedOptions, sampling: Sampling, *, detailed: bool
    ) -> Protocol:
        raise UsageError(f"{cls.name} needs {setting(cls.name, 'FILE')}")

    def names(self, test_set: TestSet) -> list[str]:
        return self.inner.names(test_set)

    def signatures(self, test_set: TestSet) -> Mapping[str, str]:
        return self.inner.signatures(test_set)

    def check_comparable(self, test_set: TestSet) -> None:
        self.inner.check_comparable(test_set)

    def score(
        self, test_set: TestSet, runs: Sequence[Run], progress: Progress | None = None
    ) -> Evaluation:
        return self.inner.score(test_set, runs, progress)


@dataclass(frozen=True)
class WholeDocuments(InnerProtocol):
    """A protocol on segments, applied to aligned whole documents."""

    name: ClassVar[str] = "documents"

    def read(self, inputs: Inputs) -> tuple[TestSet, list[Run]]:
        return read_document_texts(inputs)

    def signatures(self, test_set: TestSet) -> Mapping[str, str]:
        found = self.inner.signatures(test_set)
        return {name: f"{signature}{ALIGNED}" for name, signature in found.items()}

    def score(
        self, test_set: TestSet, runs: Sequence[Run], progress: Progress | None = None
    ) -> Evaluation:
        done = self.inner.score(test_set, runs, progress)
        scores = {
            name: replace(one, signature=f"{one.signature}{ALIGNED}")
            for name, one in done.scores.items()
        }
        missing = {run.system: _without_counterpart(test_set, run) for run in runs}
        alignment = {
            "segments": len(test_set),
            "without_counterpart": {name: list(ids) for name, ids in missing.items()},
        }
        done = replace(done, scores=scores, alignment=alignment)
        if not isinstance(done, TextEvaluation):
            return done
        notes = [_note(name, ids, len(test_set)) for name, ids in missing.items() if ids]
        return replace(done, measure_messages=(*done.measure_messages, *notes))


def _without_counterpart(test_set: TestSet, run: Run) -> tuple[str, ...]:
    return tuple(
        segment.id for segment, text in zip(test_set, run.texts, strict=True) if not text.strip()
    )


def _note(system: str, ids: Sequence[str], segments: int) -> Notice:
    more = ("…",) if len(ids) > _SHOWN else ()
    text = tr_n(
        "{system}: {n} of {all} segments has no counterpart and scores as empty: {ids}",
        "{system}: {n} of {all} segments have no counterpart and score as empty: {ids}",
        n=len(ids), system=system, all=segments, ids=(*ids[:_SHOWN], *more),
    )  # fmt: skip
    return Notice("note", "no-counterpart", text)


def read_document_texts(inputs: Inputs) -> tuple[TestSet, list[Run]]:
    """Read folders of whole documents, or single ones, as segments of the first reference.

    Other references, sources and outputs are aligned with it.
    """
    inputs.refuse(f"with {setting('documents')}", "results", "testset", "docs", "allow_empty_refs")
    if not inputs.ref or not inputs.hyp:
        raise UsageError(
            f"{setting('documents')} needs references with {setting('ref', 'FOLDER')} and "
            f"translations with {setting('hyp', 'NAME=FOLDER')}"
        )
    source, target = (None, None) if inputs.lang is None else language_pair(inputs.lang)
    first = inputs.ref[0]
    own = match_files(first, first)
    if own.unread:
        raise InputError(Problem(reason, str(path)) for path, reason in own.unread.items())
    files = [pair.files[0] for pair in own.pairs]
    references = [read_document(file, lang=target) for file in files]
    target = target or _language(references)
    if inputs.src is not None and source is None:
        source = _language(
            [read_document(one) for one in _counterparts(first, inputs.src).values()]
        )
    parts = [reference_segments(document) for document in references]
    within = Hybrid(target, target)

    def aligned(folder: FilePath, aligner: Hybrid) -> list[str]:
        found = _counterparts(first, folder)
        texts: list[str] = []
        for file, segments in zip(files, parts, strict=True):
            if file not in found:
                texts += [""] * len(segments)
                continue
            document = read_document(found[file], lang=aligner.target)
            texts += segment_like(segments, document, aligner).texts
        return texts

    others = [aligned(one, within) for one in inputs.ref[1:]]
    sources: list[str] | None = None
    if inputs.src is not None and source is not None:
        sources = aligned(inputs.src, Hybrid(target, source, senses_for(None, target, source)))
    runs = [Run(name, tuple(aligned(folder, within))) for name, folder in _folders(inputs)]
    names = [file.name for file in files]
    ids = [
        (f"{name}:{number}", name, segment.text)
        for name, segments in zip(names, parts, strict=True)
        for number, segment in enumerate(segments, 1)
    ]
    segments = tuple(
        Segment(
            id=one,
            source=None if sources is None else sources[place],
            references=(text, *filter(None, (other[place] for other in others))),
            document=name,
        )
        for place, (one, name, text) in enumerate(ids)
    )
    return TestSet(segments, target, source, name=str(first)), runs


def read_documents_to_translate(
    src: FilePath, ref: Sequence[FilePath], lang: str | None, out: FilePath
) -> RunDataset:
    """Read a document, or a folder of them, for a system: each document is one segment.

    Paragraphs are lines. References are the same documents in the target language.
    """
    source, target = language_pair(lang or "")
    if source is None:
        given = setting("lang", "zh-en")
        raise UsageError(f"two languages are needed to translate, such as {given}")
    folder = Path(src).is_dir()
    if folder and Path(out).resolve().is_relative_to(Path(src).resolve()):
        raise UsageError(f"{out} lies in the folder of the sources; name another folder")
    matched = match_files(src, src)
    problems = [Problem(reason, str(path)) for path, reason in matched.unread.items()]
    references = [_counterparts(src, one) for one in ref]
    segments = []
    for pair in matched.pairs:
        file = pair.files[0]
        try:
            text = document_paragraphs(read_document(file, lang=source))
            found = (known[file] for known in references if file in known)
            right = [document_paragraphs(read_document(one, lang=target)) for one in found]
        except InputError as error:
            problems += error.problems
            continue
        if not text.strip():
            problems.append(Problem("has no text", str(file)))
        name = f"{pair.common_name}.txt"
        segments.append(Segment(name, text, tuple(right), document=name))
    if problems:
        raise InputError(problems)
    test_set = TestSet(tuple(segments), target, source, name=str(src))
    return RunDataset(test_set, "documents" if folder else "document")


def _counterparts(first: FilePath, folder: FilePath) -> dict[Path, Path]:
    """Return the file of a folder for each reference file; refuse files of other names."""
    matched = match_files(first, folder)
    others = [path for path in matched.unmatched if path.is_relative_to(folder)]
    if others and Path(first) != Path(folder):
        problem = tr("no reference has this name; rename the file or remove it")
        raise InputError(Problem(problem, str(path)) for path in others)
    return {pair.files[0]: pair.files[1] for pair in matched.pairs}


def _folders(inputs: Inputs) -> list[tuple[str, FilePath]]:
    found: list[tuple[str, FilePath]] = []
    for one in inputs.hyp:
        if isinstance(one, Run):
            raise UsageError(f"{one.system}: whole documents are given as files or folders")
        found.append((one.system, one.path) if isinstance(one, NamedRun) else split_name(one))
    return found


def _language(documents: Sequence[WholeDocument]) -> str:
    found = {document.lang for document in documents}
    if len(found) != 1 or None in found:
        raise UsageError(f"say which languages the documents are in: {setting('lang', 'zh-en')}")
    return str(found.pop())
