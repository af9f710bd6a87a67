"""PatentEval as claim pairs: two continuations of given claims, compared by experts.

The annotations are an export of Label Studio: ``output1`` (left) and ``output2`` (right) are two
next claims for ``input_claim``. ``comparison`` names the better one; if absent, the expert saw no
difference. The true next claims are in a CSV of prompts, joined by the input text.
"""

from __future__ import annotations

from typing import Any

from patmark.data.claim_pairs import ClaimPair, ClaimPairs, numbered_items, same_spaces
from patmark.data.csv_records import named_rows, read_csv_records
from patmark.data.files import FilePath, json_entries, shown
from patmark.data.records import raise_if_any
from patmark.errors import InputError, Problem

CRITERION = "Preference"
MAIN_ANNOTATOR = 13391
_PROMPT_COLUMNS = ("input_claims", "true_next_claim")
_TEXTS = ("input_claim", "output1", "output2")
_LABELS = {"left": 1, "right": -1}


def read_patenteval(
    annotations: FilePath, prompts: FilePath, annotator: int = MAIN_ANNOTATOR
) -> ClaimPairs:
    """Read the pairs that one annotator compared, against the true next claim.

    ``meta`` of a pair holds the ``task`` that two annotators may share, and the ``domain``. The
    main annotator compared all pairs.
    """
    true_claims = _true_claims(prompts)
    problems: list[Problem] = []
    pairs, known = [], set()
    entries = json_entries(annotations, "a JSON list of annotations")
    for item in numbered_items(entries, annotations, problems):
        entry = item.fields
        found = _problems(entry, true_claims)
        for message in found:
            item.complain(message)
        if not found:
            known.add(entry["annotator"])
            if entry["annotator"] == annotator:
                pairs.append(_pair(entry, true_claims))
    if not problems and not pairs:
        there = ", ".join(map(str, sorted(known))) or "none"
        message = f"has no annotations of annotator {annotator}; the annotators are {there}"
        problems.append(Problem(message, shown(annotations)))
    raise_if_any(problems)
    return ClaimPairs(tuple(pairs), f"{shown(annotations)}, annotator {annotator}")


def _true_claims(path: FilePath) -> dict[str, str]:
    """Read the true next claim for each input text, ignoring white space."""
    header, *records = read_csv_records(path, foreign=True)
    missing = [name for name in _PROMPT_COLUMNS if name not in header.fields]
    if missing:
        raise InputError.at(f"column {missing[0]!r} is missing", shown(path), header.line)
    problems: list[Problem] = []
    claims: dict[str, str] = {}
    for line, row in named_rows(records, header, shown(path), problems):
        prompt, claim = (row[name] for name in _PROMPT_COLUMNS)
        if not claim.strip():
            problems.append(Problem("field 'true_next_claim' is empty", shown(path), line))
        if claims.setdefault(same_spaces(prompt), claim) != claim:
            message = "the same input claims occur before with another next claim"
            problems.append(Problem(message, shown(path), line))
    raise_if_any(problems)
    return claims


def _problems(entry: dict[str, Any], true_claims: dict[str, str]) -> list[str]:
    """Describe the faults of one annotation."""
    found = [
        f"field {name!r}: expected a text"
        for name in _TEXTS
        if not isinstance(entry.get(name), str) or not entry[name].strip()
    ]
    found += [
        f"field {name!r}: expected a whole number"
        for name in ("id", "annotator")
        if not isinstance(entry.get(name), int)
    ]
    if "comparison" in entry and _chosen(entry["comparison"]) not in _LABELS:
        found.append('field \'comparison\': expected [{"selected": "left" or "right"}]')
    if not found and same_spaces(entry["input_claim"]) not in true_claims:
        found.append("its input claims are not among the prompts")
    return found


def _chosen(comparison: object) -> str | None:
    match comparison:
        case [{"selected": str(side)}]:
            return side
    return None


def _pair(entry: dict[str, Any], true_claims: dict[str, str]) -> ClaimPair:
    side = _chosen(entry["comparison"]) if "comparison" in entry else None
    return ClaimPair(
        reference=true_claims[same_spaces(entry["input_claim"])],
        first=entry["output1"],
        second=entry["output2"],
        labels={CRITERION: _LABELS[side] if side else 0},
        meta={"task": entry["id"], "domain": entry.get("domain")},
    )
