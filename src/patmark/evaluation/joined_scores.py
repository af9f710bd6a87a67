"""Evaluations of several files: loaded, joined and selected.

External scores are files or programs with a name: ``NAME=FILE``, ``NAME=command:…``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from patmark.data import (
    FilePath,
    Notice,
    ScoreFacts,
    Scores,
    ScoreTable,
    check_stdin_once,
    differing_parts,
    read_score_table,
    shown,
    split_name,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.evaluation.evaluation import Evaluation
from patmark.evaluation.score_files import is_saved, read_scores, same_rule
from patmark.evaluation.scoring import refuse_descriptive
from patmark.measures import Measure, find_measure, split_names
from patmark.wording import setting, tr

_VERSION_PART = re.compile(r"\|patmark:[^|]*")


def load(
    *files: FilePath,
    measures: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    lower_is_better: Sequence[str] = (),
) -> Evaluation:
    """Read the output of :meth:`Evaluation.save`; several files are joined.

    Saved scores add systems, external scores (``NAME=FILE``) add measures. ``measures`` and
    ``systems`` select some of them. The texts are not in the files.
    """
    paths = [os.fspath(file) for file in files]
    doubles = sorted({path for path in paths if paths.count(path) > 1})
    if doubles:
        raise UsageError(f"{doubles[0]} is given twice")
    if not paths:
        raise UsageError("no file of scores is named")
    named = split_names(measures) if isinstance(measures, str) else measures
    if any(map(names_import, paths)):
        found = subset_scores(imported_scores(paths, lower_is_better), named, systems)
        return replace(found, name=", ".join(paths))
    joined = join_scores({path: subset_scores(read_scores(path), named) for path in paths})
    if named is not None:
        refuse_descriptive(joined.scores.values())
    return joined if systems is None else subset_scores(joined, systems=systems)


def measure_name(name: str) -> str:
    """Return the full name of an alias or spelling; an unknown name is returned unchanged."""
    known = find_measure(name)
    return name.strip() if known is None else known.name


def join_scores(files: Mapping[str, Evaluation]) -> Evaluation:
    """Return the systems of all files under the measures that each of them must have.

    The files are given by name. All mismatches are reported.
    """
    (first_name, first), *others = files.items()
    problems = [
        problem
        for name, other in others
        for problem in _problems((first_name, first), (name, other))
    ]
    problems += [
        Problem(message)
        for (one_name, one), (name, other) in combinations(files.items(), 2)
        if (message := _text_problem(other.facts.test_set, one.facts.test_set, (name, one_name)))
    ]
    owner: dict[str, str] = {}
    for name, one in files.items():
        for system in one.systems:
            if system in owner:
                problems.append(Problem(f"{owner[system]} has a system {system!r} too", name))
            owner.setdefault(system, name)
    if problems:
        raise InputError(problems)
    joined = first
    for name, other in others:
        joined = _joined(joined, other, (name, first_name))
    return replace(
        joined,
        facts=_joined_facts([one.facts for one in files.values()]),
        name=", ".join(files),
        joining_notes=joining_notes(files),
    )


def unchecked(fingerprints: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Return the named test sets whose texts cannot be checked against any other."""
    return [
        name
        for name, one in fingerprints.items()
        if all(
            differing_parts(one, other) is None
            for other_name, other in fingerprints.items()
            if other_name != name
        )
    ]


def joining_notes(files: Mapping[str, Evaluation]) -> tuple[Notice, ...]:
    """Return notes on files whose texts could not be checked when they were joined."""
    if len(files) < 2:
        return ()
    unknown = unchecked({name: one.facts.test_set for name, one in files.items()})
    return tuple(
        Notice(
            "note",
            "unknown-texts",
            tr(
                "{name} does not tell which texts it was scored on; it could not be checked "
                "that they are those of the other files.",
                name=name,
            ),
        )
        for name in unknown
    )


def subset_scores(
    saved: Evaluation,
    measures: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> Evaluation:
    """Return only some measures and systems, in the order in which they are named."""
    known = list(saved.scores)
    named = known
    if measures is not None:
        named = [name if name in known else measure_name(name) for name in measures]
    chosen = tuple(_chosen(saved.systems if systems is None else systems, saved.systems, "system"))
    rows = [saved.systems.index(system) for system in chosen]
    kept = {}
    for name in _chosen(named, known, "measure"):
        one = saved.scores[name]
        kept[name] = replace(one, systems=chosen, statistics=one.statistics[rows])
    return replace(saved, scores=kept, facts=saved.facts.only(chosen) if systems else saved.facts)


def check_same_counting(measure: str, one: str, other: str, names: tuple[str, str]) -> None:
    """Refuse signatures that differ in more than the version of patmark."""
    signatures = [_VERSION_PART.sub("", signature) for signature in (one, other)]
    if signatures[0] != signatures[1]:
        raise _counted_otherwise(measure, signatures, names)


def comparable(one: Scores, other: Scores, names: tuple[str, str]) -> tuple[Scores, Scores]:
    """Return both scores with one rule; refuse different segments or signatures."""
    check_same_segments(one.segments, other.segments, names)
    check_same_counting(one.measure, one.signature, other.signature, names)
    if same_rule(one.aggregation, other.aggregation):
        return one, other
    means = one.as_mean(), other.as_mean()
    if means[0] is None or means[1] is None:
        raise _counted_otherwise(one.measure, [one.signature, other.signature], names)
    return means[0], means[1]


def check_same_texts(
    one: Mapping[str, str], other: Mapping[str, str], names: tuple[str, str]
) -> None:
    """Refuse scores of other references or sources, according to fingerprints."""
    if problem := _text_problem(one, other, names):
        raise InputError.at(problem)


def check_same_segments(one: Sequence[str], other: Sequence[str], names: tuple[str, str]) -> None:
    """Refuse other ids of segments, or another order."""
    if problem := _segment_problem(one, other, names):
        raise InputError.at(problem)


def _counted_otherwise(
    measure: str, signatures: Sequence[str], names: tuple[str, str]
) -> InputError:
    return InputError.at(
        f"{names[0]} counted {measure} in another way than {names[1]}; make one of them "
        f"again: {signatures[0]} there, {signatures[1]} here"
    )


def _problems(first: tuple[str, Evaluation], other: tuple[str, Evaluation]) -> list[Problem]:
    (first_name, one), (name, two) = first, other
    names = (name, first_name)
    found = [_segment_problem(two.segments, one.segments, names)]
    if two.documents != one.documents:
        found.append(f"{name} has other documents than {first_name}")
    if set(two.scores) != set(one.scores):
        lists = [", ".join(sorted(scores)) for scores in (two.scores, one.scores)]
        found.append(
            f"{name} has other measures than {first_name}: {lists[0]} there, {lists[1]} here; "
            f"choose with {setting('measures')}"
        )
    spoken = [facts.languages for facts in (one.facts, two.facts)]
    if None not in spoken and spoken[0] != spoken[1]:
        found.append(f"{name} has other languages than {first_name}")
    return [Problem(message) for message in found if message]


def _segment_problem(one: Sequence[str], other: Sequence[str], names: tuple[str, str]) -> str:
    if len(one) != len(other):
        return f"{names[0]} has {len(one)} segments, {names[1]} has {len(other)}"
    places = (
        f"{names[0]} has other segments than {names[1]}: {mine!r} at place {place}, "
        f"where that has {its!r}"
        for place, (mine, its) in enumerate(zip(one, other, strict=True), 1)
        if mine != its
    )
    return next(places, "")


def _text_problem(one: Mapping[str, str], other: Mapping[str, str], names: tuple[str, str]) -> str:
    parts = differing_parts(one, other)
    if not parts:
        return ""
    return f"{names[0]} was scored on another test set than {names[1]}: other {' and '.join(parts)}"


def _joined(first: Evaluation, other: Evaluation, names: tuple[str, str]) -> Evaluation:
    scores = {}
    for measure in first.scores:
        two, one = comparable(other.scores[measure], first.scores[measure], names)
        scores[measure] = replace(
            one, systems=one.systems + two.systems,
            statistics=np.concatenate([one.statistics, two.statistics]),
        )  # fmt: skip
    return replace(first, scores=scores)


def _joined_facts(facts: Sequence[ScoreFacts]) -> ScoreFacts:
    """Return the facts about all systems; a fact that one file lacks comes from the next."""
    texts = {name: text for one in reversed(facts) for name, text in one.test_set.items()}
    missing = {name: number for one in facts for name, number in (one.missing or {}).items()}
    empty = {name: number for one in facts for name, number in one.empty.items()}
    languages = next((one.languages for one in facts if one.languages is not None), None)
    known = any(one.missing is not None for one in facts)
    return ScoreFacts(texts, languages, missing if known else None, empty, facts[0].treatment)


def _chosen(wanted: Sequence[str], known: Sequence[str], what: str) -> Sequence[str]:
    if not wanted:
        raise UsageError(f"no {what} is named; choose from {', '.join(known)}")
    for name in wanted:
        if name not in known:
            raise UsageError(f"no {what} {name!r} was saved; there are {', '.join(known)}")
        if list(wanted).count(name) > 1:
            raise UsageError(f"the {what} {name!r} is asked for twice")
    return wanted


_FORM = "NAME=FILE or NAME=command:PROGRAM"


def names_import(argument: str) -> bool:
    """Return True if an argument names a measure and its scores, rather than only a file."""
    return not Path(argument).exists() and split_name(argument)[1] != argument


def imported_paths(arguments: Sequence[str]) -> list[str]:
    """Return the files that arguments name."""
    from patmark.measures import parse_command

    named = [_split(argument) for argument in arguments]
    return [source for _, source in named if parse_command(source) is None]


def read_imported(
    arguments: Sequence[str], lower_is_better: Collection[str] = ()
) -> tuple[Measure, ...]:
    """Return the measures of ``NAME=FILE`` and ``NAME=command:…``.

    Lower is better for those in ``lower_is_better``, and for those known to patmark.
    """
    check_stdin_once(imported_paths(arguments))
    named = [_split(argument) for argument in arguments]
    titles = [title for title, _ in named]
    for title in titles:
        if titles.count(title) > 1:
            raise UsageError(f"{setting('scores')} names {title} twice")
    unknown = sorted(set(lower_is_better) - set(titles))
    if unknown:
        raise UsageError(f"{setting('lower_is_better')}: no scores are imported as {unknown[0]}")
    return tuple(_measure(title, source, title in lower_is_better) for title, source in named)


def imported_scores(arguments: Sequence[str], lower_is_better: Collection[str] = ()) -> Evaluation:
    """Return the scores of files without texts, for the systems that all files have."""
    from patmark.measures import ImportedScores

    measures = []
    for measure in read_imported(arguments, lower_is_better):
        if not isinstance(measure, ImportedScores):
            raise UsageError(f"{measure.name} is the measure of a program, which needs texts")
        if measure.table.systems == ("",):
            raise InputError.at("names no system", measure.table.name)
        measures.append(measure)
    first, *others = [measure.table for measure in measures]
    systems = [one for one in first.systems if all(one in table.systems for table in others)]
    if not systems:
        raise InputError.at(f"has no system that {others[0].name} has too", first.name)
    scores = {one.name: one.aligned(first.segments, systems, first.name) for one in measures}
    return Evaluation(scores=scores, documents=first.documents)


def _split(argument: str) -> tuple[str, str]:
    title, source = split_name(argument)
    if source == argument:
        raise UsageError(f"{setting('scores', argument)}: write {_FORM}")
    if set("(),") & set(title):
        raise UsageError(
            f"{setting('scores', argument)}: brackets and commas are not allowed in a name"
        )
    return title, source


def _measure(title: str, source: str, lower: bool) -> Measure:
    from patmark.measures import ImportedScores, LowerImportedScores, parse_command

    command = parse_command(source)
    if command is not None:
        if lower:
            raise UsageError(
                f"{setting('lower_is_better', title)}: write {title}=command-lower:… instead"
            )
        return replace(command, title=title)  # type: ignore[type-var]
    known = find_measure(title)
    table = _table(source, title)
    lower = lower or (known is not None and not known.higher_is_better)
    kind = LowerImportedScores if lower else ImportedScores
    return kind(title, table, _column(table, title))


def _table(path: FilePath, title: str) -> ScoreTable:
    if not is_saved(path):
        return read_score_table(path, title)
    saved = read_scores(path)
    values, lines = {}, {}
    for name, scores in saved.scores.items():
        if scores.as_mean() is not None:
            values[name] = scores.segment_scores
            lines[name] = np.zeros(values[name].shape, dtype=np.int64)
    if not values:
        message = "holds no mean of segments; a comparison of saved scores takes it as it is"
        raise InputError.at(message, shown(path))
    return ScoreTable(
        shown(path), saved.systems, saved.segments, {}, values, {}, saved.documents, lines
    )


def _column(table: ScoreTable, title: str) -> str:
    """Return the name of the scores in the file: the given one, or the only one."""
    known = list(table.of_segments)
    if title in known or len(known) == 1:
        return title if title in known else known[0]
    if not known:
        raise InputError.at("holds scores of whole systems and none of segments", table.name)
    raise InputError.at(f"has no measure {title!r}, but {', '.join(known)}", table.name)
