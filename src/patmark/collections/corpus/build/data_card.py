"""The data card: contents of a collection, and losses of each step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from patmark.collections.corpus.build.metadata import DATASET_CARD, dataset_card
from patmark.collections.corpus.splits import SPLITS
from patmark.data import damaged_files
from patmark.engine import Place, write_text
from patmark.languages import language
from patmark.report import Cell, Column, Report, Result, Table, in_language, to_html, to_markdown
from patmark.wording import tr, tr_n, yes_or_no

_REASONS = {
    "cut": tr("score or rank below the cut"),
    "abstract": tr("abstracts that are not translations of each other"),
    "filter": tr("refused by a filter"),
    "duplicate": tr("the same text as a better pair"),
    "near-duplicate": tr("nearly the same as a better pair, on both sides"),
    "pattern": tr("dev or test has a pair of this pattern"),
    "per-patent": tr("dev or test has enough pairs of this patent"),
    "unused": tr("for dev or test, but not needed"),
    "years": tr("of years that no split takes, or of a family in later years"),
    "no-date": tr("without a date of publication"),
    "leak": tr("nearly the same as a pair of dev or test"),
}
_SIDES = {"source": tr("source"), "target": tr("target")}
_RELATIONS = {"family": tr("family"), "document": tr("document")}
_SHOWN = 10
_BY = {
    "year": tr("Year of publication (target side)"),
    "section": tr("Section"),
    "ipc": tr("IPC section"),
    "offices": tr("Offices"),
    "bead": tr("Sentences per pair"),
}


@dataclass(frozen=True, slots=True)
class CollectionStats(Result):
    """Counts of a build, or of a file of pairs with its ``name``."""

    facts: dict[str, Any]
    name: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the counts."""
        return self.facts

    def to_report(self) -> Report:
        """Return the data card."""
        return pairs_card(self.name, self.facts) if self.name else data_card(self.facts)


def data_card(facts: Mapping[str, Any]) -> Report:
    """Return the card of a build."""
    source, target = facts["languages"]
    pairs = facts["pairs"]
    return Report(
        title=tr("Data card: {name}", name=facts["name"]),
        subtitle=tr(
            "{source} → {target} · {number} pairs",
            source=source,
            target=target,
            number=_number(_used(pairs)),
        ),
        headlines=(),
        tables=(
            _splits(pairs),
            _steps(facts),
            *_left_out(pairs),
            *_not_aligned(facts),
            *_lengths(pairs, {"source": source, "target": target}),
            *_parts(pairs),
            _scores(pairs, facts["ranked_by"]),
            *_on_the_way(facts),
            _files(facts),
            *_sources(facts.get("sources", [])),
            _settings(facts["settings"]),
        ),
        signatures={"collection": facts["signature"]},
        notes=_notes(facts),
        findings=_findings(facts),
        brief=4,
    )


def pairs_card(name: str, pairs: Mapping[str, Any]) -> Report:
    """Return the card of a file of pairs, of which nothing else is known."""
    return Report(
        title=tr("Sentence pairs: {name}", name=name),
        subtitle=tr(
            "{total} pairs, {used} of them in a split",
            total=_number(pairs["total"]),
            used=_number(_used(pairs)),
        ),
        headlines=(),
        tables=(
            _splits(pairs),
            *_left_out(pairs),
            *_lengths(pairs, {}),
            *_parts(pairs),
            _scores(pairs, ""),
        ),
        signatures={},
    )


def _used(pairs: Mapping[str, Any]) -> int:
    return sum(split["pairs"] for split in pairs["splits"].values())


def _number(count: int) -> str:
    return f"{count:,}"


def _whole(*titles: str) -> tuple[Column, ...]:
    return tuple(Column(title, decimals=0) for title in titles)


def _table(
    title: str,
    first: str,
    others: Sequence[str],
    rows: Iterable[tuple[Cell, ...]],
    note: str = "",
    section: str = "",
) -> Table:
    return Table(title, (Column(first), *_whole(*others)), tuple(rows), note, section)


def _splits(pairs: Mapping[str, Any]) -> Table:
    names = ("pairs", "families", "document_pairs")
    rows = [
        (split, *(pairs["splits"].get(split, {}).get(name, 0) for name in names))
        for split in SPLITS
    ]
    return _table(
        tr("Splits"), tr("split"), (tr("pairs"), tr("families"), tr("document pairs")), rows
    )


def _lengths(pairs: Mapping[str, Any], languages: Mapping[str, str]) -> list[Table]:
    """Tabulate sentence lengths, in characters where no blanks divide words.

    If the languages are unknown, both are shown; builds of earlier versions did not measure them.
    """
    rows: list[tuple[Cell, ...]] = []
    measured = pairs.get("lengths", ())
    for row in (row for split in SPLITS for row in measured if row["split"] == split):
        code = languages.get(row["side"])
        name: str = _SIDES[row["side"]]
        if code:
            name = tr("{side} ({language})", side=name, language=code)
        for unit, title in (("characters", tr("characters")), ("words", tr("words"))):
            if code is None or language(code).is_spaced == (unit == "words"):
                found = row[unit]
                rows.append((row["split"], name, title, found["min"], found["mean"], found["max"]))
    columns = (*map(Column, (tr("split"), tr("side"), tr("unit"))), Column(tr("shortest"), 0))
    columns = (*columns, Column(tr("mean"), 1), Column(tr("longest"), 0))
    table = Table(tr("Lengths"), columns, tuple(rows), tr("Words between blanks."), tr("Contents"))
    return [table] if rows else []


def _steps(facts: Mapping[str, Any]) -> Table:
    """Tabulate the output and the losses of each step."""
    parse, pairs = facts["parse"], facts["pairs"]
    documents, families = facts["families"]["documents"], _families(facts)
    beads, used = sum(facts["align"]["beads"].values()), _used(pairs)
    lost = sum(each["sections"] for each in facts["align"]["lost"].values())
    rows: list[tuple[Cell, ...]] = [
        (tr("records"), parse["records"] + parse["broken"], parse["broken"], tr("broken")),
        (
            tr("documents"),
            documents,
            parse["records"] - documents,
            tr("other records of a publication"),
        ),
        (tr("families"), families, None, ""),
        *_pair_rows(facts),
        (tr("beads"), beads, lost, tr("sections not aligned")),
        (tr("pairs"), pairs["total"], beads - pairs["total"], tr("beads of other kinds")),
        (
            tr("pairs in a split"),
            used,
            pairs["total"] - used,
            tr("pairs left out"),
        ),
        *(
            (tr("monolingual documents ({language})", language=language), count, None, "")
            for language, count in facts.get("monolingual", {}).items()
        ),
    ]
    columns = (
        Column(tr("step")),
        Column(tr("count"), decimals=0),
        Column(tr("left behind"), decimals=0),
        Column(tr("which are")),
    )
    return Table(tr("Steps"), columns, tuple(rows))


def _families(facts: Mapping[str, Any]) -> int:
    return sum(each["families"] for each in facts["families"]["by_offices"].values())


def _pair_rows(facts: Mapping[str, Any]) -> list[tuple[Cell, ...]]:
    """Return rows of document pairs: of families, or of documents in both languages."""
    rows: list[tuple[Cell, ...]] = []
    for relation, total, name in (
        ("family", _families(facts), tr("families without documents in both languages")),
        (
            "document",
            facts["families"]["documents"],
            tr("documents without text in both languages"),
        ),
    ):
        if relation in facts["settings"]["pairs"]["kinds"]:
            counts = facts["document_pairs"].items()
            found = sum(count for pair, count in counts if pair.startswith(f"{relation} "))
            kind = tr("document pairs ({relation})", relation=_RELATIONS[relation])
            rows.append((kind, found, total - found, name))
    return rows


def _left_out(pairs: Mapping[str, Any]) -> list[Table]:
    rows: list[tuple[Cell, ...]] = [
        (name, _REASONS.get(name, ""), count) for name, count in pairs["left_out"].items()
    ]
    rows += [
        (tr("filter: {name}", name=name), "", count) for name, count in pairs["filters"].items()
    ]
    columns = (Column(tr("left out as")), Column(tr("because")), Column(tr("pairs"), decimals=0))
    note = tr("A pair counts once for each filter that refuses it.") if pairs["filters"] else ""
    return [Table(tr("Pairs left out"), columns, tuple(rows), note)] if rows else []


def _parts(pairs: Mapping[str, Any]) -> list[Table]:
    return [
        _table(
            title,
            title,
            SPLITS,
            [
                (value or tr("unknown"), *(counts.get(split, 0) for split in SPLITS))
                for value, counts in pairs["by"][name].items()
            ],
            section=tr("Contents"),
        )
        for name, title in _BY.items()
    ]


def _scores(pairs: Mapping[str, Any], ranked_by: str) -> Table:
    bins = pairs["scores"]
    most = float(max((each["pairs"] for each in bins), default=1))
    columns = (
        Column(tr("from"), decimals=3),
        Column(tr("to"), decimals=3),
        Column(tr("pairs"), decimals=0, scale=(0.0, most)),
        Column(tr("in a split"), decimals=0),
    )
    rows = tuple((each["from"], each["to"], each["pairs"], each["used"]) for each in bins)
    note = ""
    if ranked_by:
        note = tr(
            "Pairs are ranked by S × the mean S of the document pair, and × R if that is on. "
            "S is the {score}.",
            score=ranked_by,
        )
    return Table(tr("Scores"), columns, rows, note, tr("Contents"))


def _not_aligned(facts: Mapping[str, Any]) -> list[Table]:
    rows = [(problem, *lost.values()) for problem, lost in facts["align"]["lost"].items()]
    titles = (tr("sections"), tr("source sentences"), tr("target sentences"))
    return [_table(tr("Sections not aligned"), tr("why"), titles, rows)] if rows else []


def _on_the_way(facts: Mapping[str, Any]) -> list[Table]:
    beads = _table(
        tr("Beads"),
        tr("kind"),
        (tr("beads"),),
        facts["align"]["beads"].items(),
        tr("Sentences on the source and the target side."),
        tr("On the way"),
    )
    offices = _table(
        tr("Document pairs"),
        tr("pair"),
        (tr("pairs"),),
        facts["document_pairs"].items(),
        section=tr("On the way"),
    )
    return [offices, beads]


def _files(facts: Mapping[str, Any]) -> Table:
    parse = facts["parse"]
    rows: list[tuple[Cell, ...]] = [
        (tr("office {office}", office=office), n) for office, n in parse["by_office"].items()
    ]
    rows += [
        (tr("published {year}", year=year or tr("unknown")), n)
        for year, n in parse["by_year"].items()
    ]
    return _table(tr("Records read"), tr("by"), (tr("records"),), rows, section=tr("On the way"))


def _sources(sources: Sequence[Mapping[str, str]]) -> list[Table]:
    """Tabulate licences and terms of the inputs; builds of earlier versions state none."""
    columns = tuple(map(Column, (tr("input"), tr("name"), tr("licence"), tr("terms of use"))))
    rows = tuple(
        (
            source["input"],
            source["name"],
            source["licence"] or tr("not stated"),
            source["terms"] or tr("not stated"),
        )
        for source in sources
    )
    table = Table(tr("Sources"), columns, rows, section=tr("Contents"))
    return [table] if rows else []


def _settings(settings: Mapping[str, Any]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, value in settings.items():
        inside = value if isinstance(value, dict) else {"": value}
        rows += [(f"{name}.{key}" if key else name, _shown(each)) for key, each in inside.items()]
    return Table(
        tr("Settings"),
        (Column(tr("setting")), Column(tr("value"))),
        tuple(rows),
        section=tr("Settings"),
    )


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple):
        return tr("{parts}", parts=tuple(map(str, value))) if value else tr("all")
    if isinstance(value, bool):
        return yes_or_no(value)
    return tr("none") if value is None else str(value)


def _findings(facts: Mapping[str, Any]) -> tuple[str, ...]:
    checked, split = facts["leakage"], facts["settings"]["split"]
    found: list[str] = [
        tr(
            "No family, document or text is in two splits: {n} training pairs were checked against "
            "all of dev and test.",
            n=_number(checked["training_pairs"]),
        )
    ]
    for name in ("dev", "test"):
        size = facts["pairs"]["splits"].get(name, {}).get("pairs", 0)
        if size < split[name]:
            found.append(
                tr(
                    "{name} has {n} pairs, not {wanted}: there were no more.",
                    name=name,
                    n=_number(size),
                    wanted=_number(split[name]),
                )
            )
    text = facts.get("text", {})  # builds of earlier versions did not count it
    if text.get("passed_over"):
        found.append(
            tr_n(
                "{n} earlier publication without claims and description gave way to one of its "
                "family that has them: {example}.",
                "{n} earlier publications without claims and description gave way to one of their "
                "family that has them, e.g. {example}.",
                n=text["passed_over"],
                example=text["passed_over_example"],
            )
        )
    if text.get("pairs_without"):
        found.append(
            tr_n(
                "{n} document pair has no claims and no description on one side; only title and "
                "abstract can be aligned: {example}.",
                "{n} document pairs have no claims and no description on one side; only title and "
                "abstract can be aligned, e.g. {example}.",
                n=text["pairs_without"],
                example=text["pairs_without_example"],
            )
        )
    abstracts = facts.get("abstracts", {})
    if abstracts.get("left_out"):
        found.append(
            tr_n(
                "{n} of {total} pairs of abstracts is not a translation: its score is below "
                "{least}. Its sentences are left out: {example}.",
                "{n} of {total} pairs of abstracts are not translations: their scores are below "
                "{least}. Their sentences are left out, e.g. {example}.",
                n=abstracts["left_out"],
                total=_number(abstracts["document_pairs"]),
                least=f"{abstracts['least_score']:.3f}",
                example=abstracts["example"],
            )
        )
    return tuple(found)


def _notes(facts: Mapping[str, Any]) -> tuple[str, ...]:
    parse, families = facts["parse"], facts["families"]
    broken = parse["broken_files"]
    notes: list[str] = [
        tr(
            "{file}: {n} broken records; {first}",
            file=each["file"],
            n=_number(each["records"]),
            first=each["first"],
        )
        for each in broken[:_SHOWN]
    ]
    if parse.get("damaged"):
        notes.insert(0, damaged_files(parse["damaged"]))
    if len(broken) > _SHOWN:
        notes.append(tr("More files have broken records; all are listed in broken.jsonl."))
    notes += [
        tr("{n} files were not opened: {ending}", n=_number(count), ending=ending)
        for ending, count in parse["skipped_files"].items()
    ]
    partly = families["families_that_share_numbers"]
    if partly:
        notes.append(
            tr(
                "{n} families share a priority or an application with another one; they are "
                "aligned apart, but stand in one split.",
                n=_number(partly),
            )
        )
    unknown = families["documents_with_unknown_numbers"]
    if unknown:
        notes.append(
            tr(
                "{n} documents have a number that is not understood, so that links to others may "
                "be missing; near-duplicates across splits were removed all the same.",
                n=_number(unknown),
            )
        )
    return tuple(notes)


def write_card(folder: Place, result: Result, language: str) -> Report:
    """Write the data card into a collection, as Markdown and as HTML."""
    card = in_language(result.to_report(), language)
    write_text(folder / "data_card.md", to_markdown(card))
    write_text(folder / "data_card.html", to_html(card))
    facts = result.to_json()
    if "languages" in facts:  # not of pairs alone
        write_text(folder / DATASET_CARD, dataset_card(facts, to_markdown(card)))
    return card
