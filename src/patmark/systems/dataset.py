"""The test set of a run, and the format of its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from patmark.catalogue import PROTOCOLS, load_protocol
from patmark.data import (
    JSON_FORMATS,
    Segment,
    TestSet,
    endings_of,
    fingerprint,
    is_jsonl,
    iter_json_lines,
    read_line_test_set,
    read_lines,
    read_test_set,
    row_format,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation import PLAIN, Protocol, bench_protocol
from patmark.languages import language_pair
from patmark.wording import setting

_BENCHES = [name for name in PROTOCOLS if name != PLAIN]
ResultFormat: TypeAlias = Literal["bench", "rows", "lines", "text", "document", "documents"]


@dataclass(frozen=True, slots=True, eq=False)
class RunDataset:
    """A test set and the format of its results.

    ``records`` are the bench rows of the file, to whose ``field`` results are added, in the
    ``direction`` of their ``protocol``. ``is_of_lines`` marks texts of files of lines. A segment of
    ``documents`` is a whole document; its id is the name of its result in a folder.
    """

    test_set: TestSet
    format: ResultFormat
    direction: str | None = None
    records: tuple[Mapping[str, Any], ...] = ()
    is_of_lines: bool = False
    field: str = ""
    protocol: str = PLAIN

    @property
    def is_of_documents(self) -> bool:
        """True if each segment is a whole document."""
        return self.format in ("document", "documents")

    @property
    def excluded(self) -> int:
        """The number of rows without a source in this direction."""
        return sum(not (segment.source or "").strip() for segment in self.test_set)

    @property
    def languages(self) -> str:
        """Both languages, as in zh-en, or the target alone."""
        known = (self.test_set.source_language, self.test_set.target_language)
        return "-".join(filter(None, known))

    @property
    def about(self) -> dict[str, Any]:
        """The part of the settings that must be equal when a run is continued."""
        sources = fingerprint(self.test_set).get("sources", "")[:16]
        return {"languages": self.languages, "testset": sources}


def read_dataset(
    *,
    testset: str | None = None,
    direction: str | None = None,
    lang: str | None = None,
    src: str | None = None,
    ref: Sequence[str] = (),
    docs: str | None = None,
    out: str,
    task: str = "translate",
) -> RunDataset:
    """Read the test set of a run, from rows (``testset``) or from lines of text (``src``).

    Rows of a bench are known by their fields; ``direction`` is its name for languages.
    """
    if (testset is None) == (src is None):
        both = f"a {setting('testset')} or source texts with {setting('src')}"
        raise UsageError(f"give either {both}")
    if row_format(out) == "table":
        known = ", ".join(endings_of("text", *JSON_FORMATS))
        raise UsageError(f"{out}: a run is written as rows or lines: {known}")
    if testset is not None and (ref or docs):
        lines = f"{setting('ref')} and {setting('docs')} go with {setting('src')}"
        raise UsageError(f"{lines}; a test set brings its own")
    bench_of = None if testset in (None, "-") else bench_protocol(testset)
    if direction is not None or bench_of is not None:
        return _bench(bench_of or load_protocol(_BENCHES[0]), testset, lang, direction, task)
    if not lang:
        raise UsageError(f"name the languages: {setting('lang', 'zh-en')}")
    source_language, target_language = language_pair(lang)
    if task == "translate" and source_language is None:
        given = setting("lang", lang)
        raise UsageError(f"{given}: two languages are needed to translate, such as zh-en")
    if testset is not None:
        test_set, *_ = read_test_set(testset, target_language, source_language)
        bench = RunDataset(test_set, "rows" if is_jsonl(out) else "lines")
        if task != "translate" and bench.format == "lines":
            raise UsageError(f"{out}: claims are many lines; write them to a .jsonl")
    elif task != "translate":
        bench = _one_text(cast("str", src), ref, docs, lang, out)
    else:
        test_set = read_line_test_set(
            ref,
            source=src,
            documents=docs,
            target_language=target_language,
            source_language=source_language,
        )
        bench = RunDataset(test_set, "rows" if is_jsonl(out) else "lines", is_of_lines=True)
    _check_sources(bench.test_set)
    return bench


def _check_sources(test_set: TestSet) -> None:
    problems = [
        Problem(f"segment {segment.id!r} has no source text", test_set.name)
        for segment in test_set
        if not (segment.source or "").strip()
    ]
    if problems:
        raise InputError(problems)


def _bench(
    protocol: type[Protocol],
    testset: str | None,
    lang: str | None,
    direction: str | None,
    task: str,
) -> RunDataset:
    if testset is None or task != "translate":
        given = setting("testset")
        raise UsageError(f"{protocol.title} rows are a {given}, and to be translated only")
    if testset == "-":
        raise UsageError(f"{protocol.title} rows must be in a file: results are added to them")
    rows = protocol.read_rows(testset, lang, direction)
    records = tuple(fields for _, fields in iter_json_lines(testset))
    bench = RunDataset(
        rows.test_set, "bench", rows.direction, records, field=rows.field, protocol=protocol.name
    )
    if bench.excluded == len(bench.test_set):
        raise InputError.at(f"no row has a source text for the direction {rows.direction}", testset)
    return bench


def _one_text(src: str, ref: Sequence[str], docs: str | None, lang: str, out: str) -> RunDataset:
    """Read a whole file as one segment: a description, or a draft of claims."""
    if docs is not None:
        raise UsageError(f"{setting('docs')} has no effect: the source file is one document")
    if is_jsonl(out):
        raise UsageError(f"{out}: the claims of one text are text; write them to a .txt")
    source_language, target_language = language_pair(lang)
    source, *references = ("\n".join(read_lines(path)) for path in (src, *ref))
    segment = Segment("0", source, tuple(references), src)
    test_set = TestSet((segment,), target_language, source_language or target_language, src)
    return RunDataset(test_set, "text", is_of_lines=True)
