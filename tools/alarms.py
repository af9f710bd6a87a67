"""List all findings on correct texts, and compare them with the stored list.

    python tools/alarms.py             # what differs from tests/alarms.tsv; exit 1 if anything does
    python tools/alarms.py --write     # store the findings of now
    python tools/alarms.py --all       # print them

Every finding on a correct text is a false alarm, or a hint that nobody needs. A change of words or
rules shows here which ones it adds (+) and removes (-). The texts are those of the repository:

| set | texts |
|---|---|
| pairs | correct translations of ``tests/facts/pairs.tsv`` and ``mechanisms.jsonl`` |
| documents | the bundled documents with their human translations, by ``patmark check`` |
| claims | ``tests/claims/correct_claims.jsonl`` and the correct twins of planted defects |
| scope | drafts in ``tests/claims/scope_pairs.jsonl`` that say the same as their reference |
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from patmark import check
from patmark.claims import lint
from patmark.claims.comparison import compare_texts
from patmark.examples import example_path
from patmark.facts import compare_facts, facts_of

TESTS = Path(__file__).resolve().parents[1] / "tests"
STORED = TESTS / "alarms.tsv"
_COLUMNS = "set\ttext\tkind\tseverity\tsource\ttarget\tmessage"
_LONGEST = 60
_DOCUMENTS = (
    ("whole_documents/patent.zh.txt", "whole_documents/translation.en.txt", "zh-en"),
    ("ja_en/source.ja", "ja_en/reference.en", "ja-en"),
    ("ja_en/source.ja", "ja_en/reference2.en", "ja-en"),
    ("en_zh/source.en", "en_zh/reference.zh", "en-zh"),
)


def json_lines(name: str) -> list[dict[str, str]]:
    """Read a file of JSON lines below ``tests``."""
    return [json.loads(line) for line in (TESTS / name).read_text("utf-8").splitlines()]


def pairs() -> Iterator[str]:
    """Yield the findings on correct translations of sentences."""
    table = (TESTS / "facts" / "pairs.tsv").read_text("utf-8").splitlines()
    listed = [line.split("\t") for line in table if line and not line.startswith("#")]
    found = [("pairs", row[0], row[1], row[3]) for row in listed]
    found += [
        ("mechanisms", row["languages"], row["source"], row["correct"])
        for row in json_lines("facts/mechanisms.jsonl")
    ]
    for name, languages, source, target in found:
        one, other = languages.split("-")
        for difference in compare_facts(facts_of(source, one), facts_of(target, other)):
            yield _line(
                name, source, difference.kind, difference.severity,
                _quoted(source, difference.source), _quoted(target, difference.target),
                difference.message,
            )  # fmt: skip


def documents() -> Iterator[str]:
    """Yield the findings on whole documents; the first has two faults, which stay in the list."""
    for source, target, languages in _DOCUMENTS:
        paths = (example_path(source), example_path(target))
        texts = [path.read_text("utf-8") for path in paths]
        result = check(*map(str, paths), lang=languages).to_json()
        for finding in result["documents"][0]["findings"]:
            quoted = (
                _quoted(text, finding[side])
                for text, side in zip(texts, ("source", "target"), strict=True)
            )
            yield _line(
                "documents", target, finding["kind"], finding["severity"], *quoted,
                finding["message"],
            )  # fmt: skip


def claims() -> Iterator[str]:
    """Yield the findings of the linter on correct claims."""
    sets = [(row["office"], row["text"]) for row in json_lines("claims/correct_claims.jsonl")]
    sets += [(row["office"], row["correct"]) for row in json_lines("claims/planted_defects.jsonl")]
    for office, text in sets:
        for finding in lint(text, office=office).findings:
            yield _line(
                "claims", text, finding.rule, finding.severity,
                _quoted(text, (finding.start, finding.end)), "", finding.message,
            )  # fmt: skip


def scope() -> Iterator[str]:
    """Yield the relations of equivalent drafts that are not called equivalent."""
    for row in json_lines("claims/scope_pairs.jsonl"):
        if row["relation"] == "equivalent":
            draft = row["reference"].replace(row["old"], row["new"])
            found = compare_texts(row["reference"], draft).relation
            if found != "equivalent":
                yield _line("scope", draft, found, "relation", row["old"], row["new"], "")


SETS = {"pairs": pairs, "documents": documents, "claims": claims, "scope": scope}


def _quoted(text: str, span: tuple[int, int] | list[int] | None) -> str:
    return "" if span is None else text[span[0] : span[1]]


def _line(*cells: str) -> str:
    return "\t".join(" ".join(cell.split())[:_LONGEST] for cell in cells)


def main(arguments: list[str]) -> int:
    """Compare, print or store the findings; return the exit code."""
    parser = argparse.ArgumentParser(description="Findings on correct texts.")
    parser.add_argument("--write", action="store_true", help="store the findings of now")
    parser.add_argument("--all", action="store_true", help="print every finding")
    chosen = parser.parse_args(arguments)
    found = [line for each in SETS.values() for line in each()]
    if chosen.write:
        STORED.write_text("\n".join([_COLUMNS, *found, ""]), encoding="utf-8")
    now = Counter(found)
    before = Counter(STORED.read_text("utf-8").splitlines()[1:]) if STORED.exists() else Counter()
    shown = (
        [("", found)]
        if chosen.all
        else [("+ ", (now - before).elements()), ("- ", (before - now).elements())]
    )
    for mark, lines in shown:
        for line in lines:
            print(f"{mark}{line}")
    by_severity = Counter(line.split("\t")[3] for line in found)
    counts = ", ".join(f"{count} {name}" for name, count in sorted(by_severity.items()))
    print(f"{len(found)} findings on correct texts: {counts}", file=sys.stderr)
    return int(now != before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
