"""Error annotations in the formats of other tools: what is written is read again, exactly."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from campaigns import campaign
from patmark.data.annotations import (
    AnnotatedTexts,
    Annotation,
    Annotations,
    Rating,
    write_annotations,
)
from patmark.data.files import write_json_lines
from patmark.errors import InputError, UsageError
from patmark.evaluation.error_marks import esa_scores, mqm_scores
from patmark.human.campaign import Answer, answer_records, campaign_results, plan_campaign
from patmark.human.judgements.files import read_human_files, read_judgements
from patmark.human.judgements.formats.label_studio import write_label_studio
from patmark.human.judgements.formats.pearmut import write_pearmut_annotations
from patmark.human.judgements.formats.wmt_mqm import write_wmt_mqm

SIGNS = st.sampled_from("ab 搅拌、ガ𠮷𝒙é́")
TEXTS = st.text(SIGNS, min_size=0, max_size=8)
CATEGORIES = st.sampled_from(("Accuracy/Omission", "Fluency/Punctuation", "Non-translation"))
SEVERITIES = st.sampled_from(("minor", "major", "neutral"))


@st.composite
def annotated(draw: st.DrawFn, breaks: str = "") -> tuple[Annotations, AnnotatedTexts]:
    """Ratings of two systems by two people, with marks that overlap, nest, or are empty."""
    text = st.text(SIGNS | st.sampled_from(breaks), max_size=8) if breaks else TEXTS
    segments = draw(st.lists(st.sampled_from("123"), min_size=1, unique=True))
    sources = {segment: draw(text) for segment in segments}
    targets = {(system, segment): draw(text) for system in "AB" for segment in segments}
    ratings, marks = [], []
    for (system, segment), output in targets.items():
        for evaluator in draw(st.sampled_from((("ann",), ("bob",), ("ann", "bob")))):
            key = (system, segment, evaluator)
            ratings.append(Rating(*key, document="d" + segment))
            for _ in range(draw(st.integers(0, 3))):
                side = draw(st.sampled_from(("source", "target")))
                size = len(sources[segment] if side == "source" else output)
                start, end = sorted((draw(st.integers(0, size)), draw(st.integers(0, size))))
                kind = draw(CATEGORIES), draw(SEVERITIES)
                marks.append(Annotation(*key, start, end, side, *kind))
    return Annotations(tuple(ratings), tuple(marks)), AnnotatedTexts(sources, targets)


def same_scores(one: Annotations, other: Annotations) -> bool:
    mine, theirs = mqm_scores(one), mqm_scores(other)
    named = [dict(zip(each.systems, each.system_scores, strict=True)) for each in (mine, theirs)]
    return named[0] == pytest.approx(named[1])


@settings(max_examples=60, deadline=None)
@given(annotated(), st.data())
def test_wmt_round_trip(tmp_path_factory: Any, given_data: Any, data: st.DataObject) -> None:
    annotations, texts = given_data
    annotations = with_scores(annotations, data)
    path = tmp_path_factory.mktemp("wmt") / "mqm.tsv"
    write_wmt_mqm(path, annotations, texts)
    reading = read_judgements(path)
    assert reading.format == "WMT MQM TSV"
    assert reading.annotations == annotations and reading.texts == texts
    assert same_scores(reading.annotations, annotations)


@settings(max_examples=60, deadline=None)
@given(annotated("\n"), st.data())
def test_pearmut_round_trip(tmp_path_factory: Any, given_data: Any, data: st.DataObject) -> None:
    annotations, texts = given_data
    annotations = with_scores(annotations, data)
    path = tmp_path_factory.mktemp("pearmut") / "log.jsonl"
    write_pearmut_annotations(path, annotations, texts)
    reading = read_judgements(path)
    assert reading.format == "Pearmut annotations"
    assert reading.annotations == annotations and reading.texts == texts
    assert same_scores(reading.annotations, annotations)


@settings(max_examples=60, deadline=None)
@given(annotated("\n"), st.data())
def test_label_studio_round_trip(
    tmp_path_factory: Any, given_data: Any, data: st.DataObject
) -> None:
    annotations, texts = given_data
    annotations = with_scores(annotations, data)
    path = tmp_path_factory.mktemp("studio") / "export.json"
    write_label_studio(path, annotations, texts)
    reading = read_judgements(path)
    assert reading.format == "Label Studio JSON"
    assert reading.annotations == annotations and reading.texts == texts
    assert same_scores(reading.annotations, annotations)


def with_scores(annotations: Annotations, data: st.DataObject) -> Annotations:
    scores = st.none() | st.integers(0, 100).map(float)
    rated = (Rating(*one.key, data.draw(scores), one.document) for one in annotations.rated)
    return Annotations(tuple(rated), annotations.marks)


def test_our_export_through_wmt_gives_the_same_spans_and_scores(tmp_path: Path) -> None:
    """A campaign with marked errors, one output without; an astral character before a mark."""
    text = "𠮷搅拌8小时"
    plan = plan_campaign(
        campaign("error-spans", segments=2, evaluators=["e1"], texts=lambda *_: text)
    )
    spans = [
        {"start": 1, "end": 3, "severity": "major", "category": "terminology"},
        {"start": 6, "end": 6, "severity": "minor", "category": "omission"},
    ]
    first, second = plan.pages[:2]
    answers = [
        Answer(first.id, "A", "errors", "2", {"spans": spans}),
        Answer(first.id, "A", "da", "40"),
        Answer(second.id, "A", "errors", "0", {"spans": []}),
        Answer(second.id, "A", "da", "97"),
    ]
    export = tmp_path / "answers.jsonl"
    write_json_lines(export, answer_records(campaign_results(plan, answers)))
    reading = read_judgements(export)
    assert reading.annotations is not None
    systems = first.candidates[0].systems
    assert {one.key for one in reading.annotations.rated} == {
        (system, page.segment, "e1") for page in (first, second) for system in systems
    }
    assert {(mark.start, mark.end, mark.severity) for mark in reading.annotations.marks} == {
        (1, 3, "major"),
        (6, 6, "minor"),
    }
    assert len(reading.annotations.marks) == 2 * len(systems)
    esa = esa_scores(reading.annotations)
    assert esa is not None and set(esa.system_scores) == {68.5}
    assert set(mqm_scores(reading.annotations).system_scores) == {-3.0}
    texts = AnnotatedTexts(
        {}, {(system, page.segment): text for page in (first, second) for system in systems}
    )
    again = tmp_path / "mqm.tsv"
    write_wmt_mqm(again, reading.annotations, texts)
    found = read_judgements(again).annotations
    assert found is not None and same_scores(found, reading.annotations)
    assert sorted(map(str, found.marks)) == sorted(map(str, reading.annotations.marks))
    assert {one.score for one in found.rated} == {40, 97}


def test_marks_that_are_not_finished_are_no_rating(tmp_path: Path) -> None:
    """An answer has a value as soon as all its marks are complete, and 0 where there are none."""
    answer = {"kind": "answer", "evaluator": "e1", "systems": ["A"], "criterion": "errors"}
    span = {"start": 0, "end": 1, "severity": "minor", "category": "omission"}
    path = tmp_path / "answers.jsonl"
    write_json_lines(
        path,
        [
            answer | {"item": "s1", "value": "1", "spans": [{**span, "side": "source"}]},
            answer | {"item": "s2", "spans": [span]},
            answer | {"item": "s3", "value": "0"},
            answer | {"item": "s4", "value": "1", "spans": [span], "phase": "training"},
        ],
    )
    reading = read_judgements(path)
    assert reading.annotations is not None
    assert reading.annotations.segments == ("s1", "s3")
    assert [mark.side for mark in reading.annotations.marks] == ["source"]
    assert reading.notes == (
        "1 other answer left aside",
        "1 answer with marked errors of other phases left aside",
    )


HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def tsv(folder: Path, *rows: str) -> Path:
    path = folder / "mqm.tsv"
    path.write_text(HEADER + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_rows_of_wmt_as_they_are_published(tmp_path: Path) -> None:
    path = tsv(
        tmp_path,
        'A\td\t1\t7\tr1\t源\tthe "<v>valve" op</v>ens\tAccuracy/Mistranslation\tMajor',
        'A\td\t1\t7\tr1\t<v>源</v>\tthe "valve" opens\tAccuracy/Omission\tMinor',
        'A\td\t1\t7\tr1\t源\tthe "valve" opens\tNon-translation!\tMajor',
        "B\td\t1\t7\tr2\t源\t<v>It closes.\tStyle/Awkward\tMinor",
        "B\td\t1\t8\tr2\t泉\tA spring.\tNo-error\tNo-error",
    )
    reading = read_judgements(path)
    assert reading.annotations is not None
    assert reading.notes == ("1 mark without an end taken to the end of the text",)
    assert reading.annotations.marks == (
        Annotation("A", "7", "r1", 5, 14, "target", "Accuracy/Mistranslation", "major"),
        Annotation("A", "7", "r1", 0, 1, "source", "Accuracy/Omission", "minor"),
        Annotation("A", "7", "r1", 0, 0, "target", "Non-translation!", "major"),
        Annotation("B", "7", "r2", 0, 10, "target", "Style/Awkward", "minor"),
    )
    assert reading.annotations.by_rating["B", "8", "r2"] == ()
    scores = mqm_scores(reading.annotations)
    assert scores.system_scores.tolist() == [-31.0, -0.5]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("A\td\t1\t7\tr1\ts\tt\tOther", "expected 9 fields as in the header, found 8"),
        ("A\td\t1\t7\tr1\ts\t<v>t</v> <v>u</v>\tOther\tMajor", "expected one <v>…</v> in a row"),
        ("A\td\t1\t7\tr1\ts\tt</v>\tOther\tMajor", "found 0 and 1"),
        ("A\td\t1\t7\t\ts\tt\tOther\tMajor", "field 'rater' is empty"),
        ("A\td\t1\t9\tr1\ts\tanother\tOther\tMajor", "another row has another text for"),
    ],
)
def test_a_broken_row_is_named_with_its_line(tmp_path: Path, row: str, message: str) -> None:
    path = tsv(tmp_path, "A\td\t1\t9\tr1\ts\tt\tOther\tMajor", row)
    with pytest.raises(InputError) as caught:
        read_judgements(path)
    assert [problem.line for problem in caught.value.problems] == [3]
    assert message in str(caught.value)


def test_a_file_without_a_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mqm.tsv"
    path.write_text("system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mqm\.tsv:1: column 'severity' is missing"):
        read_judgements(path, "wmt-mqm")


_MARKED = "A\td\t1\t7\tr1\t源\tthe <v>valve</v> opens\tAccuracy/Mistranslation\tMajor"
_WHOLE = "A\td\t1\t7\tr1\t源\tthe valve opens\tNon-translation\tMajor"


def test_a_repeated_row_is_no_second_error(tmp_path: Path) -> None:
    """Another severity, category, rater or place is; so is another thing missing at one place."""
    others = [
        _MARKED.replace("Major", "Minor"),
        _MARKED.replace("Mistranslation", "Addition"),
        _MARKED.replace("r1", "r2"),
        _MARKED.replace("<v>valve</v> opens", "valve <v>opens</v>"),
    ]
    gap = "A\td\t1\t8\tr1\t源\tthe valve<v></v>\tAccuracy/Omission\tMajor"
    path = tsv(tmp_path, _MARKED, _MARKED, *others, _WHOLE, _WHOLE, gap, gap)
    reading = read_judgements(path)
    assert reading.annotations is not None and len(reading.annotations.marks) == 8
    assert reading.notes == ("2 marks that repeat another left aside",)


def test_repeated_marks_can_count_as_often_as_they_are_written(tmp_path: Path) -> None:
    path = tsv(tmp_path, _MARKED, _MARKED, _WHOLE, _WHOLE)
    found = read_judgements(path, repeated_marks="count")
    assert found.annotations is not None and found.notes == ()
    assert [mark.category for mark in found.annotations.marks] == [
        "Accuracy/Mistranslation", "Accuracy/Mistranslation", "Non-translation", "Non-translation",
    ]  # fmt: skip
    once, counted = read_human_files([path]), read_human_files([path], repeated_marks="count")
    assert [one.judgements.rows[0].value for one in (once, counted) if one.judgements] == [
        "-30", "-60",
    ]  # fmt: skip
    write_annotations(tmp_path / "marks.jsonl", found.annotations)
    again = read_judgements(tmp_path / "marks.jsonl", repeated_marks="count").annotations
    assert again == found.annotations
    with pytest.raises(UsageError, match="repeated_marks='twice': expected once or count"):
        read_judgements(path, repeated_marks="twice")  # type: ignore[arg-type]


@pytest.mark.parametrize("repeats", ["once", "count"])
def test_both_rules_give_the_published_table_of_ted_zhen(shared_data: Path, repeats: Any) -> None:
    """The file repeats no mark; 14 of 15 printed values come out (Borderline: 2.4053, not 2.40)."""
    folder = shared_data / "mqm"
    found = read_judgements(folder / "ted_zhen.tsv.gz", repeated_marks=repeats)
    assert found.notes == ("1 mark without an end taken to the end of the text",)
    assert found.annotations is not None
    scores = mqm_scores(found.annotations)
    computed = dict(zip(scores.systems, -scores.system_scores, strict=True))
    with (folder / "ted_zhen_published.csv").open(encoding="utf-8") as file:
        printed = {row["system_in_file"]: float(row["mqm"]) for row in csv.DictReader(file)}
    assert [name for name, mqm in printed.items() if abs(computed[name] - mqm) > 0.005] == [
        "Borderline"
    ]


def test_a_column_that_begins_with_a_hash_may_have_no_values(tmp_path: Path) -> None:
    names = HEADER.split()
    path = tmp_path / "mqm.tsv"
    whole = read_judgements(tsv(tmp_path, _MARKED, _WHOLE)).annotations
    for at in (0, 4, len(names)):
        header = [*names[:at], "#notes", *names[at:]]
        fields = _WHOLE.split("\t")
        valued = "\t".join([*fields[:at], "seen", *fields[at:]])
        path.write_text("\n".join(["\t".join(header), _MARKED, valued]) + "\n", encoding="utf-8")
        assert read_judgements(path).annotations == whole
    path.write_text("\n".join(["\t".join(names), valued]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=":2: expected 9 fields as in the header, found 10"):
        read_judgements(path)


def test_texts_that_differ_in_white_space_only_are_the_same(tmp_path: Path) -> None:
    rows = (
        "A\td\t1\t7\tr1\t源 头\tthe  valve opens\tNo-error\tNo-error",
        "A\td\t1\t7\tr2\t源头\t the <v>valve </v>opens \tOther\tMajor",
        "A\td\t1\t7\tr3\t源<v>头</v>\tthe valve\u3000opens\tAccuracy/Omission\tMajor",
        "A\td\t1\t7\tr4\t源 头\tthe  valve opens\tNon-translation\tMajor",
    )
    found = read_judgements(tsv(tmp_path, *rows))
    assert found.notes == (
        "2 rows with a text that differs from another row's in white space only",
    )
    assert found.annotations is not None and found.texts is not None
    assert found.texts.targets == {("A", "7"): "the  valve opens"}
    assert [(mark.start, mark.end) for mark in found.annotations.marks] == [(5, 10), (2, 3), (0, 0)]
    other = rows[1].replace("opens", "open s ed")
    with pytest.raises(InputError, match="another row has another text for"):
        read_judgements(tsv(tmp_path, rows[0], other))


@pytest.mark.parametrize(
    "header",
    [
        "system doc docSegId globalSegId rater source target category severity metadata",
        "system doc doc_seg_id global_seg_id rater source target category severity metadata",
        "severity category target source rater metadata system doc doc_id seg_id",
    ],
)
def test_newer_headers_and_other_orders_are_read_by_name(tmp_path: Path, header: str) -> None:
    names = header.split()
    usual = [*HEADER.split(), "metadata"]
    known = {"docSegId": "doc_id", "doc_seg_id": "doc_id"}
    known |= {"globalSegId": "seg_id", "global_seg_id": "seg_id"}
    rows = (
        _MARKED + '\t{"timestamp": 1}',
        "A\td\t2\t8\tr1\t泉\tx\tno-error\tno-error\t{}",
        "A\td\t3\t9\tr1\t泉\tx\tFound\tHOTW-test\t{}",
        'A\td\t4\t10\t\t泉\tx\t\t\t{"segment": {"metrics": {"BLEURT-X": 0.4}}}',
    )
    fields = [dict(zip(usual, row.split("\t"), strict=True)) for row in rows]
    lines = ["\t".join(one[known.get(name, name)] for name in names) for one in fields]
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join(["\t".join(names), *lines]) + "\n", encoding="utf-8")
    reading = read_judgements(path)
    assert reading.annotations == Annotations(
        (Rating("A", "7", "r1", None, "d"), Rating("A", "8", "r1", None, "d")),
        (Annotation("A", "7", "r1", 4, 9, "target", "Accuracy/Mistranslation", "major"),),
    )
    assert reading.notes == (
        "1 row left aside: a test of whether a rater is awake",
        "1 row left aside: nobody rated there",
    )


def test_segments_without_a_number_across_documents(tmp_path: Path) -> None:
    """Where there is no such number, the column holds a constant."""
    rows = [
        f"A\t{doc}\t{at}\t0\tr1\t{doc}{at}\tt\tNo-error\tNo-error" for doc, at in ("a1", "a2", "b1")
    ]
    found = read_judgements(tsv(tmp_path, *rows)).annotations
    assert found is not None and found.segments == ("a:1", "a:2", "b:1")


def test_rows_of_esa_have_a_score_and_need_no_category(tmp_path: Path) -> None:
    path = tmp_path / "esa.tsv"
    rows = (
        "system\tdoc\tseg_id\tannotator\tsource\ttarget\tseverity\tesa_score",
        "A\td\t1\tr1\t源\tthe <v>valve</v> opens\tMajor\t61.5",
        "A\td\t1\tr1\t源\tthe valve <v>opens</v>\tMinor\t61.5",
        "B\td\t1\tr1\t源\tit opens\tNo-error\t90",
    )
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    found = read_judgements(path).annotations
    assert found is not None
    assert [(one.system, one.score) for one in found.rated] == [("A", 61.5), ("B", 90)]
    assert [(one.category, one.severity) for one in found.marks] == [
        ("Unspecified", "major"), ("Unspecified", "minor"),
    ]  # fmt: skip
    wrong = (rows[2].replace("61.5", "62"), "another row has another score"), (
        rows[2].replace("61.5", "101"), "score: expected a number from 0 to 100, found '101'",
    )  # fmt: skip
    for row, message in wrong:
        path.write_text("\n".join([*rows[:2], row]) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match=f"esa.tsv:3: {message}"):
            read_judgements(path)


def test_severities_are_the_same_however_files_write_them(tmp_path: Path) -> None:
    spans = [
        {"start_i": 0, "end_i": 0, "category": "Other", "severity": "Minor"},
        {"start_i": 2, "end_i": 2, "category": "Other", "severity": "MINOR"},
    ]
    entry = {
        "annotation": [{"A": {"score": 60, "error_spans": spans}}],
        "item": [{"item_id": "s1", "src": "x", "tgt": {"A": "abc"}}],
        "user_id": "fox",
        "item_i": 0,
    }
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    found = read_judgements(path).annotations
    assert found is not None and {one.severity for one in found.marks} == {"minor"}


def test_segments_numbered_anew_in_every_document(tmp_path: Path) -> None:
    rows = [f"A\t{doc}\t1\t1\tr1\t{doc}\tt\tNo-error\tNo-error" for doc in ("d1", "d2")]
    found = read_judgements(tsv(tmp_path, *rows)).annotations
    assert found is not None and found.segments == ("d1:1", "d2:1")


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a <v> b"])
def test_what_wmt_cannot_hold_is_refused(tmp_path: Path, text: str) -> None:
    annotations = Annotations((Rating("A", "1", "ann"),), ())
    with pytest.raises(InputError, match="segment '1': a t"):
        write_wmt_mqm(tmp_path / "x.tsv", annotations, AnnotatedTexts({}, {("A", "1"): text}))
    assert not (tmp_path / "x.tsv").exists()


def test_places_of_pearmut_are_units_with_the_last_included(tmp_path: Path) -> None:
    """What Pearmut itself writes: UTF-16 units, no line breaks, [missing] behind the text."""
    spans = [
        {"start_i": 2, "end_i": 2, "category": None, "severity": "minor"},
        {"start_i": 5, "end_i": 5, "category": "Accuracy/Omission", "severity": "major"},
    ]
    entry = {
        "annotation": [{"A": {"score": 60, "error_spans": spans}}],
        "item": [{"item_id": "s1", "src": "x", "tgt": {"A": "𠮷\n搅ab"}}],
        "user_id": "fox",
        "item_i": 0,
    }
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    reading = read_judgements(path)
    assert reading.annotations is not None and reading.judgements is not None
    assert reading.annotations.marks == (
        Annotation("A", "s1", "fox", 2, 3, "target", "Unspecified", "minor"),
        Annotation("A", "s1", "fox", 5, 5, "target", "Accuracy/Omission", "major"),
    )
    assert reading.annotations.rated == (Rating("A", "s1", "fox", 60.0),)


def test_pearmut_without_any_span_did_not_ask_for_errors(tmp_path: Path) -> None:
    entry = {
        "annotation": [{"A": {"score": 60, "error_spans": []}}],
        "item": [{"item_id": "s1", "tgt": {"A": "x"}}],
        "user_id": "fox",
        "item_i": 0,
    }
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(entry) + "\n", encoding="utf-8")
    assert read_judgements(path).annotations is None


def test_label_studio_counts_units_where_only_they_fit(tmp_path: Path) -> None:
    """The piece says which of the two counts is meant; labels may be severities themselves."""
    piece = {"start": 3, "end": 4, "text": "ガ", "labels": ["Major"]}
    region = {"id": "r1", "from_name": "label", "to_name": "output", "value": piece}
    task = {
        "id": 5,
        "data": {"system": "A", "output": "𠮷野ガ", "segment": "s1"},
        "annotations": [{"completed_by": 3, "result": [region]}],
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    found = read_judgements(path).annotations
    assert found is not None
    assert found.marks == (Annotation("A", "s1", "3", 2, 3, "target", "Unspecified", "major"),)
    piece["text"] = "野"
    path.write_text(json.dumps([task]), encoding="utf-8")
    with pytest.raises(
        InputError, match="a piece labelled 'Unspecified' is not where it should be"
    ):
        read_judgements(path)


def test_label_studio_a_label_without_severity_is_not_the_absence_of_errors(
    tmp_path: Path,
) -> None:
    def region(number: int, **value: Any) -> dict[str, Any]:
        place = {"start": 0, "end": 1, "text": "a"}
        return {"id": f"r{number}", "from_name": "x", "to_name": "output", "value": place | value}

    results = [
        [region(1, labels=["Omission"]), region(1, choices=["minor"])],
        [region(2, labels=["Omission"])],
        [],
    ]
    entries = [{"completed_by": who, "result": one} for who, one in enumerate(results)]
    task = {"id": 5, "data": {"system": "A", "output": "ab"}, "annotations": entries}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    reading = read_judgements(path)
    assert reading.annotations is not None and len(reading.annotations.marks) == 1
    assert [one.evaluator for one in reading.annotations.rated] == ["0", "2"]
    assert "1 annotation left aside: a labelled piece of text has no severity" in reading.notes
    entries[2]["completed_by"] = 0
    path.write_text(json.dumps([task]), encoding="utf-8")
    with pytest.raises(InputError, match="'0' annotated this output of 'A' twice"):
        read_judgements(path)


def test_label_studio_labels_that_are_no_errors_are_no_annotations(tmp_path: Path) -> None:
    value = {"start": 0, "end": 1, "text": "a", "labels": ["chemical name"]}
    result = [{"id": "r1", "from_name": "names", "to_name": "output", "value": value}]
    result.append({"from_name": "da", "to_name": "output", "value": {"number": 70}})
    entries = [{"completed_by": 1, "result": result}]
    task = {"id": 5, "data": {"system": "A", "output": "ab"}, "annotations": entries}
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]), encoding="utf-8")
    reading = read_judgements(path)
    assert reading.annotations is None and reading.judgements is not None


def test_our_own_file_is_told_by_its_content(tmp_path: Path) -> None:
    annotations = Annotations((Rating("A", "1", "ann", 80.0, "d"),), ())
    path = tmp_path / "a.jsonl"
    write_annotations(path, annotations)
    reading = read_judgements(path)
    assert reading.format == "annotation JSONL" and reading.annotations == annotations
