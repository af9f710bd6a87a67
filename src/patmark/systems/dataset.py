"""The test set of a run, and the format of its results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast

from patmark.data import (
    Direction,
    Segment,
    TestSet,
    fingerprint,
    has_patsnap_rows,
    is_jsonl,
    iter_json_lines,
    language_pair,
    patsnap_direction,
    read_line_test_set,
    read_lines,
    read_patsnap_bench,
    read_test_set,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.wording import setting

ResultFormat: TypeAlias = Literal["bench", "rows", "lines", "text"]


@dataclass(frozen=True, slots=True, eq=False)
class RunDataset:
    """A test set and the format of its results.

    ``records`` are the bench rows of the file, to which results are added. ``is_of_lines`` marks
    texts that were read from files of lines.
    """

    test_set: TestSet
    format: ResultFormat
    direction: Direction | None = None
    records: tuple[Mapping[str, Any], ...] = ()
    is_of_lines: bool = False

    @property
    def protocol(self) -> str:
        """The protocol that scores results in this format."""
        return "plain" if self.direction is None else "patsnap"

    @property
    def excluded(self) -> int:
        """The number of rows without a source in this direction."""
        return sum(not (segment.source or "").strip() for segment in self.test_set)

    @property
    def languages(self) -> str:
        """Both languages, as in zh-en; the target alone where only that is known."""
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

    Rows of the PatSnap bench are known by their fields; ``direction`` is its name for languages.
    """
    if (testset is None) == (src is None):
        both = f"a {setting('testset')} or source texts with {setting('src')}"
        raise UsageError(f"give either {both}")
    if testset is not None and (ref or docs):
        lines = f"{setting('ref')} and {setting('docs')} go with {setting('src')}"
        raise UsageError(f"{lines}; a test set brings its own")
    if direction is not None or (testset not in (None, "-") and has_patsnap_rows(testset)):
        return _patsnap(testset, patsnap_direction(lang, direction), task)
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
    """Refuse segments without a source, all of them at once."""
    problems = [
        Problem(f"segment {segment.id!r} has no source text", test_set.name)
        for segment in test_set
        if not (segment.source or "").strip()
    ]
    if problems:
        raise InputError(problems)


def _patsnap(testset: str | None, direction: Direction | None, task: str) -> RunDataset:
    if direction is None:
        needed = setting("lang", "zh-en")
        raise UsageError(f"name the languages of the PatSnap rows: {needed} or en-zh")
    if testset is None or task != "translate":
        raise UsageError(f"PatSnap rows are a {setting('testset')}, and to be translated only")
    if testset == "-":
        raise UsageError("PatSnap rows must be in a file: results are added to them")
    test_set = read_patsnap_bench(testset, direction)
    records = tuple(fields for _, fields in iter_json_lines(testset))
    bench = RunDataset(test_set, "bench", direction, records)
    if bench.excluded == len(test_set):
        raise InputError.at(f"no row has a source text for the direction {direction}", testset)
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
