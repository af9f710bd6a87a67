"""One small campaign for each built-in form: its files, what is typed, and what that means.

``keys`` are pressed one after the other; ``@name`` stands for Tab until the control with that
name in ``CONTROLS`` has the focus. Escape leaves the field of a number and stays on the page;
Enter goes on to the next page when no answer is open. Answers are by candidate and question, as
they are stored. Choices name two labels and the better one of them, or ``equal``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Answers: TypeAlias = Mapping[str, str]
Choice: TypeAlias = tuple[str, str, str, str]

SYSTEMS = ("atlas", "borealis", "cobalt")
CONTROLS = {
    "text": ".marking", "missing": ".mark-missing", "none": ".mark-none",
    "kind": ".marked .category", "score": "input[type=number]",
}  # fmt: skip
_SOURCES = ("若亮度均值<阈值T1，则判定镜头被遮挡。", "𠀀号部件与基板电连接。")
_OUTPUTS = {
    "atlas": ("If the mean < threshold T1, the lens is covered.", "Part 𠀀 is connected."),
    "borealis": ("If brightness < T1 then lens is sheltered.", "𠀀 part couples substrate."),
    "cobalt": ("If brightness > T1 the lens is blocked.", "Part and plate are welded."),
}
_CLAIMS = {
    "atlas": ("1. A stool comprising a seat and three legs.\n2. The stool of claim 1, being round.",
              "1. A pen comprising a cap."),
    "borealis": ("1. A stool comprising a board.\n2. The chair of claim 5, being round.",
                 "1. A pen having a cap and a clip."),
}  # fmt: skip
_TRAINING = ("The battery (2) is mounted in the housing (1).", "Battery is shell.", "Housing.")


@dataclass(frozen=True)
class Typed:
    """What is typed on a page, and which answers it gives.

    ``judged`` are the answers that are exported as grades, ``chosen`` the choices between labels
    by question, ``spans`` the marks that are expected.
    """

    keys: str
    answers: Answers
    chosen: tuple[Choice, ...] = ()
    spans: tuple[tuple[int, int, str, str], ...] = ()


@dataclass(frozen=True)
class Story:
    """A form from training to review: two pages, the first one left and changed later.

    ``half`` is typed on the first page before it is loaded again; ``change`` when it is reviewed.
    """

    form: str
    training: Mapping[str, Any]
    train: str
    feedback: str
    half: Typed
    rest: Typed
    second: Typed
    change: Typed
    systems: int = 3
    segments: int = 2
    extra: Mapping[str, str] | None = None
    """Scores that are computed from the answers of the changed first page, by candidate."""


def _item(*expected: Mapping[str, str], page: Mapping[str, str] | None = None) -> dict[str, Any]:
    return {
        "id": "t1", "source": "电池(2)安装在壳体(1)内。", "reference": _CLAIMS["atlas"][0],
        "candidates": [
            {"text": text, **({"expected": dict(answer)} if answer else {})}
            for text, answer in zip(_TRAINING, expected, strict=False)
        ],
        **({"expected": dict(page)} if page else {}),
    }  # fmt: skip


def _graded(question: str, form: str | None = None) -> Story:
    """A form with one grade from 1 to 5 for each of three outputs."""
    return Story(
        form or question,
        _item({question: "5"}, {question: "3"}, {question: "2"}), "5 3 1", "2 of 3 answers",
        half=Typed("4 2", {f"A|{question}": "4", f"B|{question}": "2"}),
        rest=Typed("1 u 3", {f"C|{question}": "3"}),
        second=Typed("k j j j k 5 5 1", {
            f"A|{question}": "1", f"B|{question}": "5", f"C|{question}": "5"}),
        change=Typed("5", {f"A|{question}": "5"}),
    )  # fmt: skip


_BOTH = Story(
    "adequacy-fluency",
    _item({"adequacy": "5", "fluency": "5"}, {"adequacy": "3"}, {"fluency": "2"}),
    "5 4 3 3 1 2", "3 of 4 answers",
    half=Typed("4 5 2", {"A|adequacy": "4", "A|fluency": "5", "B|adequacy": "2"}),
    rest=Typed("1 3 2", {"B|fluency": "1", "C|adequacy": "3", "C|fluency": "2"}),
    second=Typed("1 2 3 4 5 5", {
        "A|adequacy": "1", "A|fluency": "2", "B|adequacy": "3", "B|fluency": "4",
        "C|adequacy": "5", "C|fluency": "5"}),
    change=Typed("j 3", {"A|fluency": "3"}),
)  # fmt: skip

_CHART = Story(
    "acceptability",
    _item({"acceptability": "AA"}, {"acceptability": "F"}, {"acceptability": "C"}),
    "y y y y y n 5", "2 of 3 answers",
    half=Typed("y y y n n", {"A|acceptability": "B", "B|acceptability": "F"}),
    rest=Typed("4", {"C|acceptability": "A"}),
    second=Typed("y n y y n 5", {
        "A|acceptability": "F", "B|acceptability": "C", "C|acceptability": "AA"}),
    change=Typed("5", {"A|acceptability": "AA"}),
)  # fmt: skip

_RANKING = Story(
    "ranking", _item({}, {}, {}, page={"preference": "A>B=C"}), "1 2 3", "0 of 1 answers",
    half=Typed("2 1 2", {"|preference": "B>A=C"}),
    rest=Typed("", {}),
    second=Typed("1 1 1", {"|preference": "A=B=C"}, (
        ("preference", "A", "B", "equal"), ("preference", "A", "C", "equal"),
        ("preference", "B", "C", "equal"))),
    change=Typed("@place-C 3", {"|preference": "B>A>C"}, (
        ("preference", "A", "B", "B"), ("preference", "A", "C", "A"),
        ("preference", "B", "C", "B"))),
)  # fmt: skip

_PAIRWISE = Story(
    "pairwise", _item({}, {}, page={"preference": "first"}), "1", "1 of 1 answers",
    half=Typed("3", {"|preference": "second"}),
    rest=Typed("", {}),
    second=Typed("3", {"|preference": "second"}, (("preference", "A", "B", "B"),)),
    change=Typed("2", {"|preference": "equal"}, (("preference", "A", "B", "equal"),)),
    systems=2,
)  # fmt: skip

_CLAIM_PAIRWISE = Story(
    "claim-pairwise", _item({}, {}, page={"quality": "first"}), "1", "1 of 1 answers",
    half=Typed("2", {"|quality": "equal"}),
    rest=Typed("j 3", {"|completeness": "second"}),
    second=Typed("3", {"|quality": "second"}, (("quality", "A", "B", "B"),)),
    change=Typed("1", {"|quality": "first"},
                 (("quality", "A", "B", "A"), ("completeness", "A", "B", "B"))),
    systems=2,
)  # fmt: skip

_EXAMINATION = Story(
    "examination", _item({"examination": "VI"}), "6", "1 of 1 answers",
    half=Typed("5", {"A|examination": "V"}),
    rest=Typed("", {}),
    second=Typed("1", {"A|examination": "I"}),
    change=Typed("4", {"A|examination": "IV"}),
    systems=2,
    segments=1,
)  # fmt: skip

_CRITERIA = ("completeness", "clarity", "consistency", "linkage", "overall")


def _rated(label: str, *values: int) -> dict[str, str]:
    return {f"{label}|{name}": str(value) for name, value in zip(_CRITERIA, values, strict=False)}


_CLAIM_RATING = Story(
    "claim-rating",
    _item(dict(zip(_CRITERIA, "9888", strict=False)), {"completeness": "2"}),
    "9 Enter 8 Enter 8 Enter 7 Enter 2 Enter 0 Enter 0 Enter 0", "4 of 5 answers",
    half=Typed("9 Enter 8 Enter 7 Enter 1", _rated("A", 9, 8, 7, 1)),
    rest=Typed("2 Enter 3 Enter 4 Enter 5", _rated("B", 2, 3, 4, 5)),
    second=Typed("6 Enter 6 Enter 6 Enter 6 j 7 j 0 Enter 1 Enter 0 Enter 3 j 2",
                 {**_rated("A", 6, 6, 6, 6, 7), **_rated("B", 0, 1, 0, 3, 2)}),
    change=Typed("8", {"A|completeness": "8"}),
    systems=2,
    extra={"A": repr(65 / 11), "B": repr(37 / 11)},  # (4·8 + 2·8 + 2·7 + 3·1) / 11, and so on
)  # fmt: skip

_PAIRS = Story(
    "pair-correctness", _item({"correctness": "correct"}), "1", "1 of 1 answers",
    half=Typed("2", {"A|correctness": "partly"}),
    rest=Typed("", {}),
    second=Typed("3", {"A|correctness": "wrong"}),
    change=Typed("1", {"A|correctness": "correct"}),
    systems=1,
)  # fmt: skip

_SELECT = "Shift+ArrowRight Shift+ArrowRight Enter"
_SPANS = Story(
    "error-spans", _item({"da": "90"}), "@none Enter @score 9 0 Escape", "1 of 1 answers",
    half=Typed(f"@text ArrowRight {_SELECT} 3 t",
               {"A|errors": "1"}, spans=((1, 3, "critical", "terminology"),)),
    rest=Typed("@text End @missing Enter 2 @score 7 3 Escape", {"A|errors": "2", "A|da": "73"}),
    second=Typed("@none Enter @score 1 0 0 Enter", {"A|errors": "0", "A|da": "100"}),
    change=Typed("@score 5 Escape", {"A|da": "5"}),
    systems=2,
    segments=1,
)  # fmt: skip

STORIES = {
    story.form: story
    for story in (
        _graded("adequacy"), _graded("fluency"), _graded("jpo-adequacy"), _EXAMINATION, _BOTH,
        _CHART, _RANKING, _PAIRWISE,
        _CLAIM_RATING, _CLAIM_PAIRWISE, _PAIRS, _SPANS,
    )
}  # fmt: skip


def write_campaign(folder: Path, story: Story) -> Path:
    """The files of a campaign of one evaluator with a page of training and two others."""
    runs = _CLAIMS if "claim" in story.form else _OUTPUTS
    sources = _SOURCES[: story.segments]
    shown = SYSTEMS[: story.systems]
    data: dict[str, Any] = {"testset": "testset.jsonl", "runs": [
        {"system": name, "file": f"{name}.jsonl"} for name in shown
    ]}  # fmt: skip
    if story.form == "pair-correctness":
        data = {"sample": "sample.jsonl"}
        _write(folder / "sample.jsonl", [
            {"id": f"s{place}", "source": source, "target": _OUTPUTS["atlas"][place],
             "judgement": "", "score": 0.5, "stratum": 1, "stratum_pairs": 2}
            for place, source in enumerate(sources)
        ])  # fmt: skip
    else:
        _write(folder / "testset.jsonl", [
            {"id": f"s{place}", "source": source, "references": [runs["atlas"][place]]}
            for place, source in enumerate(sources)
        ])  # fmt: skip
        for name in shown:
            _write(folder / f"{name}.jsonl", [
                {"id": f"s{place}", "hypothesis": runs[name][place]}
                for place in range(story.segments)
            ])  # fmt: skip
    _write(folder / "training.jsonl", [dict(story.training)])
    settings = {
        "name": f"Story of {story.form}", "form": story.form, "languages": "zh-en", **data,
        "evaluators": ["e1"], "seed": 5, "context": {"neighbours": 1},
        "training": {"file": "training.jsonl", "feedback": "each", "pass_mark": 0},
    }  # fmt: skip
    path = folder / "campaign.json"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8"
    )
