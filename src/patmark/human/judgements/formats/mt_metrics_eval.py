"""Folders of MT Metrics Eval: texts, and scores per segment (``seg``) or system (``sys``)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count
from pathlib import Path

import numpy as np

from patmark.data import (
    NO_SCORE,
    OF_SEGMENTS,
    FilePath,
    FloatArray,
    Run,
    Scores,
    Segment,
    TestSet,
    counted,
    read_lines,
    write_atomically,
)
from patmark.errors import InputError, Problem
from patmark.human.judgements.model import parse_number
from patmark.languages import language_pair

OF_SYSTEMS = ".sys.score"
_RESERVED = ("all", "src")


def _read_score_files(
    folder: Path, prefix: str, systems: tuple[str, ...], segments: int, problems: list[Problem]
) -> tuple[dict[str, Scores], dict[str, FloatArray], list[Path]]:
    """Return scores of segments and of systems by name, and the files of other levels."""
    of_segments, of_systems, others = dict[str, Scores](), dict[str, FloatArray](), list[Path]()
    ids = tuple(str(number + 1) for number in range(segments))
    for path in sorted(folder.glob(f"{prefix}*.score")):
        name = path.name[len(prefix) : -len(OF_SEGMENTS)]
        if path.name.endswith(OF_SEGMENTS):
            values = _values(path, systems, segments, "segment", problems)
            signature = f"{name}|from:{path.name}|over:mean"
            of_segments[name] = Scores.of_values(name, signature, systems, ids, values)
        elif path.name.endswith(OF_SYSTEMS):
            of_systems[name] = _values(path, systems, 1, "system", problems)[:, 0]
        else:
            others.append(path)
    return of_segments, of_systems, others


def _text(value: float) -> str:
    return NO_SCORE if np.isnan(value) else repr(float(value))


def _values(
    path: Path, systems: tuple[str, ...], count: int, what: str, problems: list[Problem]
) -> FloatArray:
    """Read scores of shape (systems, count), NaN for absent ones."""
    values = np.full((len(systems), count), np.nan)
    blocks: dict[str, list[float]] = {}
    for system, score in _entries(path, systems, problems):
        blocks.setdefault(system, []).append(score)
    expected = f"{count}, one for each segment" if what == "segment" else "one"
    for system, scores in blocks.items():
        if len(scores) != count:
            message = f"{system!r} has {counted(len(scores), 'score')}; expected {expected}"
            problems.append(Problem(message, str(path)))
        else:
            values[systems.index(system)] = scores
    return values


def _entries(
    path: Path, systems: Sequence[str], problems: list[Problem]
) -> Iterator[tuple[str, float]]:
    """Yield system and score of each line, NaN for a missing score."""
    for number, line in enumerate(read_lines(path), 1):
        parts = line.split()
        score = parse_number(parts[1]) if len(parts) == 2 and parts[1] != NO_SCORE else np.nan
        if len(parts) != 2 or score is None:
            message = f"expected SYSTEM SCORE or SYSTEM {NO_SCORE}, found {line!r}"
            problems.append(Problem(message, str(path), number))
        elif parts[0] not in systems:
            message = f"unknown system {parts[0]!r}; the outputs are of {', '.join(systems)}"
            problems.append(Problem(message, str(path), number))
        else:
            yield parts[0], score


@dataclass(frozen=True, slots=True, eq=False)
class MetricsEvalSet:
    """One language pair of a test set; scores by name (metrics by NAME-REF).

    ``human`` and ``metrics`` are of segments. ``human_systems`` and ``metric_systems`` are scores
    of whole systems in the order of the runs, NaN if missing; those of a corpus measure are not
    means of its segments. ``meta["domain"]`` of a segment is its DOMAIN; the IPC section suits it.
    """

    pair: str
    test_set: TestSet
    runs: tuple[Run, ...]
    reference_names: tuple[str, ...] = ()
    human: Mapping[str, Scores] = field(default_factory=dict)
    metrics: Mapping[str, Scores] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    human_systems: Mapping[str, FloatArray] = field(default_factory=dict)
    metric_systems: Mapping[str, FloatArray] = field(default_factory=dict)


def read_metrics_eval(folder: FilePath, pair: str) -> MetricsEvalSet:
    """Read one language pair, as ``ja-en``, of a folder."""
    root, problems = Path(folder), list[Problem]()
    source_language, target_language = language_pair(pair)
    sources = read_lines(root / "sources" / f"{pair}.txt")
    references = sorted((root / "references").glob(f"{pair}.*.txt"))
    names = tuple(path.name[len(pair) + 1 : -len(".txt")] for path in references)
    problems += [Problem(text, str(root / "references")) for text in _reference_problems(names)]
    outputs = sorted((root / "system-outputs" / pair).glob("*.txt"))
    if not outputs:
        problems.append(Problem("has no system outputs", str(root / "system-outputs" / pair)))
    reference_columns = _columns(references, len(sources), problems)
    output_columns = _columns(outputs, len(sources), problems)
    documents = _documents(root / "documents" / f"{pair}.docs", len(sources), problems)
    systems = tuple(path.name.removesuffix(".txt") for path in outputs)
    count = len(sources)
    human, human_systems, others = _read_score_files(
        root / "human-scores", f"{pair}.", systems, count, problems
    )
    metrics, metric_systems, more = _read_score_files(
        root / "metric-scores" / pair, "", systems, count, problems
    )
    if problems:
        raise InputError(problems)
    segments = tuple(
        Segment(
            str(place + 1),
            source,
            tuple(column[place] for column in reference_columns),
            documents[place][1],
            {"domain": documents[place][0]} if documents[place][0] else {},
        )
        for place, source in enumerate(sources)
    )
    return MetricsEvalSet(
        pair,
        TestSet(segments, target_language, source_language, str(root), True),
        tuple(Run(name, tuple(lines)) for name, lines in zip(systems, output_columns, strict=True)),
        names,
        human,
        metrics,
        _not_read(others + more),
        human_systems,
        metric_systems,
    )


def _not_read(paths: Sequence[Path]) -> tuple[str, ...]:
    """Name the first file of another level, and count the others."""
    if not paths:
        return ()
    more = f" and {counted(len(paths) - 1, 'other file')}" if len(paths) > 1 else ""
    return (f"not read, because only {OF_SEGMENTS} and {OF_SYSTEMS} are: {paths[0]}{more}",)


def with_plain_names(data: MetricsEvalSet) -> tuple[MetricsEvalSet, list[str]]:
    """Rename systems that the format cannot hold; return the data and notes on the changes.

    Names are parts of file names and of lines separated by blanks, so they must be one word. A text
    is one line: line breaks become blanks.
    """
    broken = sum(
        _BREAKS.search(text) is not None for _, texts in _columns_of(data) for text in texts
    )
    criteria = _one_word([*data.human, *data.human_systems], ".")
    systems = _one_word(run.system for run in data.runs)
    documents = _one_word(filter(None, data.test_set.documents))
    segments = (
        replace(
            one,
            document=documents.get(one.document or "", one.document),
            source=None if one.source is None else _one_line(one.source),
            references=tuple(map(_one_line, one.references)),
        )
        for one in data.test_set
    )
    renamed = {**documents, **systems, **criteria}
    notes = [f"{old!r} is {new!r} in the folder" for old, new in renamed.items() if old != new]
    if broken:
        changed_texts = counted(broken, "text has line breaks", "texts have line breaks")
        notes.append(f"{changed_texts}, which are blanks in the folder")
    changed = replace(
        data,
        test_set=replace(data.test_set, segments=tuple(segments)),
        runs=tuple(
            replace(
                run,
                system=systems[run.system],
                hypotheses=tuple(one and _one_line(one) for one in run.hypotheses),
            )
            for run in data.runs
        ),
        human={
            criteria[name]: replace(
                one, systems=tuple(systems.get(each, each) for each in one.systems)
            )
            for name, one in data.human.items()
        },
        human_systems={criteria[name]: values for name, values in data.human_systems.items()},
    )
    return changed, notes


_BREAKS = re.compile(r"[\r\n]+")


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text)


def _columns_of(data: MetricsEvalSet) -> list[tuple[str, tuple[str, ...]]]:
    """Return the texts of a folder, with the name of each column for messages."""
    columns = [("sources", data.test_set.sources), ("references", data.test_set.flat_references)]
    return columns + [(f"outputs of {run.system!r}", run.texts) for run in data.runs]


def _one_word(names: Iterable[str], others: str = "") -> dict[str, str]:
    """Return each name as one unique word: blanks, slashes and ``others`` become _."""
    words = {name: re.sub(rf"[\s/{others}]+", "_", name.strip()) for name in names}
    taken = {name for name, word in words.items() if name == word}
    for name, word in words.items():
        if name != word:
            numbered = (f"{word}_{number}" for number in count(2))
            words[name] = next(one for one in chain([word], numbered) if one not in taken)
            taken.add(words[name])
    return words


def write_metrics_eval(folder: FilePath, data: MetricsEvalSet) -> None:
    """Write one language pair. Everything is checked before the first file is written."""
    if problems := _writing_problems(data):
        raise InputError(Problem(text, str(folder)) for text in problems)
    root, pair, tests = Path(folder), data.pair, data.test_set
    files = {root / "sources" / f"{pair}.txt": list(tests.sources)}
    for place, name in enumerate(data.reference_names):
        lines = [segment.references[place] for segment in tests]
        files[root / "references" / f"{pair}.{name}.txt"] = lines
    for run in data.runs:
        files[root / "system-outputs" / pair / f"{run.system}.txt"] = list(run.texts)
    if any(tests.documents):
        files[root / "documents" / f"{pair}.docs"] = [
            f"{segment.meta.get('domain', 'all')} {segment.document}" for segment in tests
        ]
    files |= _score_files(root / "human-scores", f"{pair}.", data, data.human, data.human_systems)
    folder_of_metrics = root / "metric-scores" / pair
    files |= _score_files(folder_of_metrics, "", data, data.metrics, data.metric_systems)
    if left := _left_over(root, pair, files):
        raise InputError(Problem(text, str(folder)) for text in left)
    for path, lines in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, "".join(f"{line}\n" for line in lines))


def _left_over(root: Path, pair: str, files: Collection[Path]) -> list[str]:
    """Name files of the same languages that would remain and be read as part of the data."""
    found = sorted(
        path
        for pattern in (f"*/{pair}.*", f"*/{pair}/*")
        for path in root.glob(pattern)
        if path.is_file() and path not in files
    )
    return [
        f"holds {path.relative_to(root)}, which would be read with the new files; remove it, or "
        "take an empty folder"
        for path in found
    ]


def _columns(paths: Sequence[Path], count: int, problems: list[Problem]) -> list[list[str]]:
    """Return the lines of files that must all be as long as the sources."""
    columns = []
    for path in paths:
        lines = read_lines(path)
        if len(lines) != count:
            message = f"has {counted(len(lines), 'line')}; expected {count}, one for each source"
            problems.append(Problem(message, str(path)))
        columns.append(lines)
    return columns


def _documents(
    path: Path, count: int, problems: list[Problem]
) -> list[tuple[str | None, str | None]]:
    if not path.is_file():
        return [(None, None)] * count
    [lines] = _columns([path], count, problems)
    found: list[tuple[str | None, str | None]] = []
    for number, line in enumerate(lines, 1):
        parts = line.split()
        if len(parts) != 2:
            message = f"expected DOMAIN DOCUMENT, found {line!r}"
            problems.append(Problem(message, str(path), number))
        found.append((parts[0], parts[1]) if len(parts) == 2 else (None, None))
    return found


def _score_files(
    folder: Path,
    prefix: str,
    data: MetricsEvalSet,
    of_segments: Mapping[str, Scores],
    of_systems: Mapping[str, FloatArray],
) -> dict[Path, list[str]]:
    systems = [run.system for run in data.runs]
    lines = {
        f"{name}{OF_SEGMENTS}": [
            f"{system} {_text(value)}"
            for system, row in zip(scores.systems, scores.segment_scores, strict=True)
            for value in row
        ]
        for name, scores in of_segments.items()
    } | {
        f"{name}{OF_SYSTEMS}": [
            f"{system}\t{_text(value)}" for system, value in zip(systems, values, strict=True)
        ]
        for name, values in of_systems.items()
    }
    return {folder / f"{prefix}{name}": found for name, found in lines.items()}


def _reference_problems(names: Sequence[str]) -> list[str]:
    return [
        f"the name of reference {name!r} must not hold . or -, or be one of {', '.join(_RESERVED)}"
        for name in names
        if "." in name or "-" in name or name in _RESERVED
    ]


def _writing_problems(data: MetricsEvalSet) -> list[str]:
    tests = data.test_set
    problems = [*_reference_problems(data.reference_names), *_name_problems(data)]
    problems += [
        f"{run.system!r} has no output for {counted(run.missing, 'segment')}, which the form "
        "cannot express"
        for run in data.runs
        if run.missing
    ]
    problems += [
        f"segment {segment.id!r} has {counted(len(segment.references), 'reference')}, but "
        f"{counted(len(data.reference_names), 'name is given', 'names are given')}"
        for segment in tests
        if len(segment.references) != len(data.reference_names)
    ]
    problems += _score_problems(data)
    return (
        problems
        + [
            f"a text of the {name} has a line break in it: {text[:40]!r}"
            for name, texts in _columns_of(data)
            for text in texts
            if "\n" in text or text.endswith("\r")
        ]
        + _document_problems(tests)
    )


def _name_problems(data: MetricsEvalSet) -> list[str]:
    """Describe names that cannot be parts of file names and of lines."""
    human = dict.fromkeys([*data.human, *data.human_systems])
    metrics = dict.fromkeys([*data.metrics, *data.metric_systems])
    problems = [f"human score {name!r} must not hold a ." for name in human if "." in name]
    problems += [
        f"metric score {name!r} must end in -REF, REF one of {', '.join(_RESERVED)} or references"
        for name in metrics
        if not {*name.rpartition("-")[2].split(".")} <= {*_RESERVED, *data.reference_names}
    ]
    problems += [
        f"name {name!r} is empty or has a space, a line break or a slash in it; rename it, such as "
        f"{'_'.join(name.replace('/', ' ').split()) or 'A'!r}, in the texts and in the judgements"
        for name in (*(run.system for run in data.runs), *data.reference_names, *human, *metrics)
        if not name or len(name.split()) != 1 or name != name.strip() or "/" in name
    ]
    return problems


def _score_problems(data: MetricsEvalSet) -> list[str]:
    ids = tuple(segment.id for segment in data.test_set)
    systems = {run.system for run in data.runs}
    problems = [
        f"scores {name!r} are of other systems or segments than the texts"
        for name, scores in (*data.human.items(), *data.metrics.items())
        if scores.segments != ids or not set(scores.systems) <= systems
    ]
    return problems + [
        f"{name!r} has {counted(len(values), 'score')} of systems, but the outputs are of "
        f"{counted(len(systems), 'system')}"
        for name, values in (*data.human_systems.items(), *data.metric_systems.items())
        if values.shape != (len(data.runs),)
    ]


def _document_problems(tests: TestSet) -> list[str]:
    """Describe segments without a document, and documents that are not in one block."""
    if not any(tests.documents):
        return []
    problems: list[str] = []
    finished: set[str | None] = set()
    for place, segment in enumerate(tests):
        names = (segment.document or "", str(segment.meta.get("domain", "all")))
        if any(len(name.split()) != 1 for name in names):
            problems.append(f"segment {segment.id!r} needs document and domain without spaces")
        if place and tests[place - 1].document != segment.document:
            finished.add(tests[place - 1].document)
        if segment.document in finished:
            problems.append(f"the segments of document {segment.document!r} are not in one block")
            finished.discard(segment.document)
    return problems
