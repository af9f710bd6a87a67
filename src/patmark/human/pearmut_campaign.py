"""Pearmut campaigns: the texts to judge, as one JSON file, in and out.

``data`` is a list of people (``task-based``) or one pool (``single-stream``, ``dynamic``), each a
list of documents, each a list of items ``{item_id, src, ref, tgt{system: text}}``. What patmark
writes is task-based, with ``document`` as a further field, which Pearmut keeps in its log. The
form is that of Pearmut 1.1.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from patmark.data import (
    FilePath,
    Run,
    Segment,
    TestSet,
    json_object,
    raise_if_any,
    read_lines,
    shown,
    write_atomically,
)
from patmark.errors import InputError, Problem, UsageError
from patmark.human.judgements import unique
from patmark.human.scales import Scale

_ASSIGNMENTS = ("task-based", "single-stream", "dynamic")


@dataclass(frozen=True, slots=True, eq=False)
class PearmutCampaign:
    """The texts of a campaign; a system without an output for a segment has None there.

    ``left_out`` counts the tutorial and check items, which are not part of the test set.
    """

    campaign: str
    protocol: str
    test_set: TestSet
    runs: tuple[Run, ...]
    left_out: int = 0


def read_pearmut_campaign(
    path: FilePath, target_language: str, source_language: str | None = None
) -> PearmutCampaign:
    """Test set and systems of a campaign; items that several people see are taken once."""
    try:
        content = json_object("\n".join(read_lines(path)))
        campaign, info = content["campaign_id"], content["info"]
        assignment, protocol = info["assignment"], info.get("protocol", "")
        if assignment not in _ASSIGNMENTS:
            expected = ", ".join(_ASSIGNMENTS)
            raise ValueError(f"assignment: expected one of {expected}, found {assignment!r}")
        tasks = content["data"] if assignment == "task-based" else [content["data"]]
        items = [item for task in tasks for document in task for item in document]
    except ValueError as error:
        raise InputError.at(str(error), shown(path)) from None
    except (KeyError, TypeError, AttributeError) as error:
        message = f"is no Pearmut campaign with campaign_id, info.assignment and data: {error}"
        raise InputError.at(message, shown(path)) from None
    by_id = _unique_items(items, shown(path))
    segments = tuple(
        Segment(
            identity,
            item.get("src"),
            (item["ref"],) if item.get("ref") else (),
            item.get("document"),
        )
        for identity, item in by_id.items()
    )
    systems = unique(system for item in by_id.values() for system in item["tgt"])
    runs = tuple(
        Run(system, tuple(item["tgt"].get(system) for item in by_id.values())) for system in systems
    )
    test_set = TestSet(segments, target_language, source_language, shown(path))
    left_out = sum("validation" in item for item in items)
    return PearmutCampaign(str(campaign), str(protocol), test_set, runs, left_out)


def write_pearmut_campaign(
    path: FilePath,
    test_set: TestSet,
    runs: Sequence[Run],
    *,
    campaign: str,
    people: int = 1,
    protocol: str = "DA",
    scales: Iterable[Scale] = (),
) -> None:
    """Write a campaign in which each of ``people`` judges every segment of every system.

    Interval scales become sliders (continuous ones in steps of a half); without any, Pearmut shows
    its own slider from 0 to 100.
    """
    if people < 1:
        raise UsageError(f"a campaign needs at least one person, found {people}")
    _check_runs(test_set, runs)
    info: dict[str, Any] = {"assignment": "task-based", "protocol": protocol}
    if sliders := [_slider(scale) for scale in scales]:
        info["sliders"] = sliders
    items = [_item(segment, place, runs) for place, segment in enumerate(test_set)]
    grouped = groupby(enumerate(items), key=lambda entry: _group(*entry))
    documents = [[item for _, item in group] for _, group in grouped]
    content = {"info": info, "campaign_id": campaign, "data": [documents] * people}
    write_atomically(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")


def _group(place: int, item: dict[str, Any]) -> tuple[object, ...]:
    """What one page shows: Pearmut shuffles systems only if all items of a page have the same."""
    return (item.get("document", place), *item["tgt"])


def _slider(scale: Scale) -> dict[str, Any]:
    if scale.kind == "ordinal":
        raise UsageError(f"Pearmut has no ordinal grades like those of {scale.criterion!r}")
    low, high = (float(value) for value in (scale.values[0], scale.values[-1]))
    step = 0.5 if scale.continuous else 1
    return {"name": scale.criterion, "min": low, "max": high, "step": step}


def _item(segment: Segment, place: int, runs: Sequence[Run]) -> dict[str, Any]:
    outputs = {run.system: run.hypotheses[place] for run in runs}
    item: dict[str, Any] = {
        "item_id": segment.id,
        "document": segment.document,
        "src": segment.source,
        "ref": segment.references[0] if segment.references else None,
    }
    known = {name: value for name, value in item.items() if value is not None}
    return known | {"tgt": {name: text for name, text in outputs.items() if text is not None}}


def _check_runs(test_set: TestSet, runs: Sequence[Run]) -> None:
    problems = [
        Problem(f"the run of {run.system} has {len(run.hypotheses)} hypotheses for {test_set.name}")
        for run in runs
        if len(run.hypotheses) != len(test_set)
    ]
    problems += [
        Problem(f"{run.system!r} occurs twice")
        for place, run in enumerate(runs)
        if run.system in [other.system for other in runs[:place]]
    ]
    problems += [
        Problem(f"Pearmut takes no name of digits alone for a system: {run.system!r}")
        for run in runs
        if run.system.isdigit()
    ]
    if not runs:
        problems.append(Problem("a campaign needs at least one system"))
    raise_if_any(problems)


def _unique_items(items: Sequence[Any], path: str) -> Mapping[str, dict[str, Any]]:
    """Items by id, without tutorials and checks; the same id must mean the same texts."""
    found: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []
    for number, item in enumerate(items, 1):
        where = f"item {number}"
        if not isinstance(item, dict) or not _is_texts(item.get("tgt")):
            problems.append(Problem(f"{where}: expected an object 'tgt' from system to text", path))
            continue
        wrong = [name for name in ("src", "ref", "document") if not _is_text(item.get(name))]
        problems += [Problem(f"{where}: field {name!r} is no string", path) for name in wrong]
        identity = item.get("item_id")
        if not isinstance(identity, str | int) or not str(identity).strip():
            problems.append(Problem(f"{where}: field 'item_id' is missing or empty", path))
            continue
        if "validation" in item:
            continue
        earlier = found.setdefault(str(identity), {**item, "tgt": {}})
        if any(earlier.get(name) != item.get(name) for name in ("src", "ref", "document")):
            problems.append(Problem(f"{where}: {identity!r} occurs with other texts", path))
        for system, text in item["tgt"].items():
            if earlier["tgt"].setdefault(system, text) != text:
                message = f"{where}: {identity!r} occurs with another output of {system!r}"
                problems.append(Problem(message, path))
    if not problems and not found:
        problems.append(Problem("has no items", path))
    raise_if_any(problems)
    return found


def _is_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_texts(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())
