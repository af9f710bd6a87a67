"""Any program as a measure."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from patmark.data.model import Run, Segment, TestSet
from patmark.errors import InputError, UsageError
from patmark.evaluation.scoring import Sampling, evaluate
from patmark.measures.registry import parse_measure, parse_measures, split_names

_LENGTHS = """
import json, sys
for line in sys.stdin.buffer:
    row = json.loads(line)
    print(len(row["hypothesis"]) / max(1, len((row["references"] or [""])[0])))
"""


def _name(folder: Path, program: str, *arguments: str, label: str = "command") -> str:
    path = folder / "metric.py"
    path.write_text(program, encoding="utf-8")
    return f"{label}:{shlex.join([sys.executable, str(path), *arguments])}"


def _scores(name: str, hypotheses: list[str]) -> list[float]:
    measure = parse_measure(name)
    test_set = TestSet.of(["reference"] * len(hypotheses))
    return [float(x) for x in measure.score(measure.statistics(test_set, hypotheses))]


def test_a_program_is_a_measure_with_intervals(tmp_path: Path) -> None:
    name = _name(tmp_path, _LENGTHS)
    test_set = TestSet.of(["abcd", "ab", "abc"])
    runs = [Run("half", ("ab", "a", "abc")), Run("full", ("abcd", "ab", "abc"))]
    evaluation = evaluate(test_set, runs, ["chrF", name], Sampling(resamples=100))
    half, full = (evaluation.estimates[name][system] for system in ("half", "full"))
    assert half.value == pytest.approx((0.5 + 0.5 + 1) / 3) and full.value == 1.0
    assert half.ci is not None and half.ci[0] < half.value < half.ci[1] and half.n == 3
    assert evaluation.scores[name].segment_scores.tolist() == [[0.5, 0.5, 1.0], [1.0, 1.0, 1.0]]
    assert evaluation.to_report().tables[0].columns[2].title == name
    json.dumps(evaluation.to_json(), allow_nan=False)


def test_the_program_sees_everything_in_order_as_utf8(tmp_path: Path) -> None:
    copy = tmp_path / "seen.jsonl"
    name = _name(
        tmp_path,
        "import sys\ndata = sys.stdin.buffer.read()\nopen(sys.argv[1], 'wb').write(data)\n"
        "print('\\n'.join('1' for _ in data.splitlines()))",
        str(copy),
    )
    test_set = TestSet(
        (
            Segment(
                "p1", "弁を開く。", ("Open the valve.", "The valve opens."), meta={"ipc": "F16K"}
            ),
            Segment("p2"),
        ),
        "en",
    )
    parse_measure(name).statistics(test_set, ["Opens\nthe\u2028valve", ""])
    lines = copy.read_bytes().decode("utf-8").removesuffix("\n").split("\n")
    assert "弁を開く。" in lines[0]
    assert [json.loads(line) for line in lines] == [
        {
            "id": "p1",
            "source": "弁を開く。",
            "references": ["Open the valve.", "The valve opens."],
            "hypothesis": "Opens\nthe\u2028valve",
        },
        {"id": "p2", "source": None, "references": [], "hypothesis": ""},
    ]


def test_numbers_may_be_written_in_any_plain_way(tmp_path: Path) -> None:
    name = _name(tmp_path, r"print('1\r\n -2.5 \n+3e-2\n.5', end='')")
    assert _scores(name, ["a"] * 4) == [1.0, -2.5, 0.03, 0.5]


def test_more_output_than_a_pipe_holds(tmp_path: Path) -> None:
    name = _name(tmp_path, _LENGTHS.replace("print(", "print('x' * 500, file=sys.stderr); print("))
    assert np.mean(_scores(name, ["hypothesis" * 20] * 3000)) == pytest.approx(200 / 9)


def test_a_program_need_not_read_its_input(tmp_path: Path) -> None:
    name = _name(tmp_path, "print('0.5\\n' * 2000, end='')")
    assert _scores(name, ["x" * 500] * 2000) == [0.5] * 2000


def test_lower_is_better_on_request(tmp_path: Path) -> None:
    measure = parse_measure(_name(tmp_path, _LENGTHS, label="command-lower"))
    assert not measure.higher_is_better and measure.label == "command-lower"
    assert parse_measure(_name(tmp_path, _LENGTHS)).higher_is_better


@pytest.mark.parametrize(
    "found", ["good", "", "nan", "inf", "-Infinity", "1,5", "1_000", "1 2", "٣"]
)
def test_a_line_that_is_no_number_is_named(tmp_path: Path, found: str) -> None:
    program = f"import sys; sys.stdout.buffer.write('1\\n{found}\\n2\\n'.encode())"
    name = _name(tmp_path, program)
    with pytest.raises(InputError) as caught:
        _scores(name, ["a", "b", "c"])
    assert f"{name}:2: expected a number for segment '2', found {found!r}" in str(caught.value)


def test_all_bad_lines_are_reported_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        _scores(_name(tmp_path, "print('x\\n1\\ny')"), ["a", "b", "c"])
    assert [problem.line for problem in caught.value.problems] == [1, 3]


@pytest.mark.parametrize(("printed", "count"), [("", 0), ("1\\n", 1), ("1\\n2\\n\\n", 3)])
def test_wrong_number_of_lines(tmp_path: Path, printed: str, count: int) -> None:
    name = _name(tmp_path, f"print('{printed}', end='')")
    with pytest.raises(InputError, match=f"for 2 segments, found {count} lines"):
        _scores(name, ["a", "b"])


def test_a_failing_program_is_quoted(tmp_path: Path) -> None:
    program = "import sys\nfor i in range(50): print('step', i, file=sys.stderr)\nsys.exit(3)"
    with pytest.raises(UsageError) as caught:
        _scores(_name(tmp_path, program), ["a"])
    message = str(caught.value)
    assert "ended with code 3:\n" in message and message.endswith("step 49")
    assert "step 40" in message and "step 39" not in message


def test_a_silent_failure_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="code 1 and said nothing on standard error"):
        _scores(_name(tmp_path, "raise SystemExit(1)"), ["a"])


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_killed_program_names_the_signal(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="ended by signal 9"):
        _scores(_name(tmp_path, "import os; os.kill(os.getpid(), 9)"), ["a"])


def test_a_missing_program_is_named() -> None:
    with pytest.raises(UsageError, match="there is no program 'no-such-program-here'"):
        _scores("command:no-such-program-here --fast", ["a"])


@pytest.mark.skipif(sys.platform == "win32", reason="execution rights are POSIX")
def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    path = tmp_path / "metric.txt"
    path.write_text("1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="may not be executed"):
        _scores(f"command:{shlex.quote(str(path))}", ["a"])
    path.write_bytes(b"\x00\x01")
    path.chmod(0o755)
    with pytest.raises(UsageError, match="cannot be run"):
        _scores(f"command:{shlex.quote(str(path))}", ["a"])


def test_no_shell_is_involved(tmp_path: Path) -> None:
    program = "import sys\nprint(float(sys.argv[1:] == ['$HOME', ';', '|', 'a b']))"
    assert _scores(_name(tmp_path, program) + " $HOME ; | 'a b'", ["a"]) == [1.0]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("command:", "names no program"),
        ("command", "names no program"),
        ("command-lower: ", "write e.g. command-lower:python"),
        ("command:python 'x", "not a command line: No closing quotation"),
    ],
)
def test_bad_commands_say_what_is_wrong(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_measure(name)


def test_names_print_back_to_themselves() -> None:
    for name in ("command:python m.py --k=1,2", "command-lower:./ter (strict)"):
        assert parse_measure(name).name == name
    assert parse_measure("  Command : python  m.py ").name == "command:python  m.py"
    assert parse_measure("command:a") == parse_measure("command: a")
    assert parse_measure("command:a") != parse_measure("command-lower:a")


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_command_parses_back(line: str) -> None:
    try:
        measure = parse_measure(f"command:{line}")
    except UsageError:
        return
    assert parse_measure(measure.name) == measure
    assert split_names(f"BLEU(n=1,tok=zh),{measure.name}") == ["BLEU(n=1,tok=zh)", measure.name]


def test_a_command_comes_last_in_a_list() -> None:
    assert split_names("BLEU(n=1,tok=zh), chrF , command:m --x a,b(c, d") == [
        "BLEU(n=1,tok=zh)", "chrF", "command:m --x a,b(c, d",
    ]  # fmt: skip
    assert split_names("command:m a,chrF") == ["command:m a,chrF"]
    assert [m.name for m in parse_measures("TER,command-lower:m a,b")] == [
        "TER", "command-lower:m a,b",
    ]  # fmt: skip
    assert [m.name for m in parse_measures(["command:a", "BLEU", "command:b"])] == [
        "command:a", "BLEU", "command:b",
    ]  # fmt: skip


def test_the_signature_holds_the_command_line() -> None:
    test_set = TestSet.of([["a", "b"], ["c"]])
    signature = parse_measure("command:python m.py -k 3").signature(test_set)
    assert signature.startswith("command|line:python m.py -k 3|refs:1-2|over:mean|patmark:")
