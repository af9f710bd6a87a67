"""Programs as systems: well behaved ones, and those that die, hang, stammer or lose lines."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from patmark.errors import UsageError
from patmark.llm import Message
from patmark.systems import CommandSystem, SystemAnswer, SystemInput, command
from patmark.systems.command import named_files

_JSON_LOOP = """
import json, os, sys, time
for line in sys.stdin:
    row = json.loads(line)
    text = row["source"]
    {}
    print(json.dumps({{"id": row["id"], "hypothesis": text.upper()}}), flush=True)
"""


@pytest.fixture(autouse=True)
def _short_farewell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that go wrong are waited for as long as it takes to see that they do not end."""
    monkeypatch.setattr(command, "_EXIT_SECONDS", 0.2)


def _command(folder: Path, program: str, **settings: Any) -> CommandSystem:
    script = folder / "program.py"
    script.write_text(program, encoding="utf-8")
    line = shlex.join([sys.executable, str(script)])
    return CommandSystem(line, ("zh", "en"), **{"timeout": 60.0} | settings)


def _answers(system: CommandSystem, texts: Sequence[str]) -> list[SystemAnswer]:
    items = [
        SystemInput(
            str(at),
            text,
            context=("before",),
            glossary=(("a", "b"),),
            messages=(Message("user", text),),
        )
        for at, text in enumerate(texts)
    ]
    found: dict[str, list[SystemAnswer]] = {item.id: [] for item in items}
    asyncio.run(system.answer_all(items, lambda item, answer: found[item.id].append(answer)))
    for first, *later in found.values():
        # Lines that came before a program went wrong are taken back; nothing else is said twice.
        taken_back = system.format == "lines" and [one.text for one in later] == [None]
        assert not later or (first.text is not None and taken_back)
    return [answers[-1] for answers in found.values()]


def test_lines_in_lines_out_also_from_a_program_that_waits_for_the_end(tmp_path: Path) -> None:
    program = "import sys; sys.stdout.writelines(sorted(sys.stdin, key=lambda _: 0))"
    texts = ["阀门", "two\nlines\n\nand more", "弹簧"]
    assert [one.text for one in _answers(_command(tmp_path, program), texts)] == texts


def test_lines_are_settled_as_they_come(tmp_path: Path) -> None:
    """The program goes on only when its first answer is known to have arrived."""
    program = """
import os, sys, time
for line in sys.stdin:
    print(line.strip().upper(), flush=True)
    while not os.path.exists(sys.argv[0] + ".go"):
        time.sleep(0.01)
"""
    system = _command(tmp_path, program)
    found = []

    def settled(item: SystemInput, answer: SystemAnswer) -> None:
        found.append(answer.text)
        (tmp_path / "program.py.go").touch()

    asyncio.run(system.answer_all([SystemInput("1", "a"), SystemInput("2", "b\n\nc")], settled))
    assert found == ["A", "B\n\nC"]


def test_many_lines_do_not_block_the_pipes(tmp_path: Path) -> None:
    program = "import sys\nfor line in sys.stdin: print(line.strip() * 2)"
    texts = [f"{at} {'x' * 300}" for at in range(2000)]
    answers = _answers(_command(tmp_path, program, processes=2), texts)
    assert [one.text for one in answers] == [text * 2 for text in texts]


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("import sys; sys.stdin.read(); print('one')", "gave 1 lines for 3"),
        ("import sys\nfor line in sys.stdin: print(line)", "gave more than the 3 lines"),
        ("while True: print('y')", "gave more than the 3 lines"),
        (
            "import sys; print('x', flush=True); sys.exit('no model')",
            "code 1: no model (after 1 of",
        ),
        ("import time; time.sleep(60)", "no line within 0.5 seconds"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\n' * 3)", "not UTF-8"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
    ],
)
def test_lines_that_cannot_be_trusted_fail_with_the_reason(
    program: str, reason: str, tmp_path: Path
) -> None:
    timeout = 0.5 if "seconds" in reason else 20.0
    answers = _answers(_command(tmp_path, program, timeout=timeout), ["a", "b", "c"])
    assert all(one.text is None and reason in (one.failure or "") for one in answers)


def test_a_program_may_say_much_on_standard_error(tmp_path: Path) -> None:
    """It is read while lines are awaited; and every text that fails repeats the last of it."""
    program = "import sys; sys.stderr.write('x' * 1_000_000); print('a'); sys.exit(1)"
    [answer] = _answers(_command(tmp_path, program), ["a"])
    assert answer.text is None and "code 1: xxx" in (answer.failure or "")
    assert len(answer.failure or "") < 10_000


def test_json_brings_everything_and_answers_come_in_any_order(tmp_path: Path) -> None:
    program = """
import json, sys
rows = [json.loads(line) for line in sys.stdin]
for row in reversed(rows):
    said = [row["source"], row["source_language"], row["target_language"], row["context"][0],
            row["glossary"][0]["target"], row["messages"][0]["role"]]
    print(json.dumps({"id": row["id"], "hypothesis": " ".join(said)}))
"""
    answers = _answers(_command(tmp_path, program, format="jsonl"), ["阀门", "two\nlines"])
    assert [one.text for one in answers] == [
        "阀门 zh en before b user",
        "two\nlines zh en before b user",
    ]


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        ("os._exit(3) if text == 'bad' else None", "ended with code 3"),
        ("time.sleep(60) if text == 'bad' else None", "no line within"),
        ("print('oops', flush=True) if text == 'bad' else None", "not valid JSON"),
        ("row['id'] = '99' if text == 'bad' else row['id']", "answered '99'"),
        ("text = 'x'; row['id'] == '1' and sys.exit(0)", "without an answer for this text"),
    ],
)
def test_a_program_that_fails_on_one_text_is_started_again_for_the_others(
    harm: str, reason: str, tmp_path: Path
) -> None:
    timeout = 2.0 if "within" in reason else 20.0
    system = _command(tmp_path, _JSON_LOOP.format(harm), format="jsonl", timeout=timeout)
    answers = _answers(system, ["a", "bad", "c", "d"])
    assert [one.text is None for one in answers] == [False, True, False, False]
    assert reason in (answers[1].failure or "") and "tried 2 times" in (answers[1].failure or "")


def test_bad_texts_side_by_side_do_not_spoil_the_others(tmp_path: Path) -> None:
    harm = "os._exit(3) if text.startswith('bad') else None"
    answers = _answers(
        _command(tmp_path, _JSON_LOOP.format(harm), format="jsonl"), ["a", "bad", "bad too", "d"]
    )
    assert [one.text for one in answers] == ["A", None, None, "D"]
    answers = _answers(
        _command(tmp_path, _JSON_LOOP.format(harm), format="jsonl"),
        ["a", "bad 1", "bad 2", "bad 3", "bad 4", "e"],
    )
    assert "6 starts without an answer" in (answers[-1].failure or "")


def _goes_on(process: int) -> bool:
    """Whether a process runs; one that has ended may stay listed for a while."""
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc").exists(), reason="the state of processes is not in /proc")
@pytest.mark.parametrize(
    ("last", "texts"), [("sed s/^/X/", ["Xa", "Xb"]), ("wait; cat", [None, None])]
)
def test_what_a_program_has_started_ends_with_it(
    last: str, texts: list[str | None], tmp_path: Path
) -> None:
    """What lives on holds the pipes open, and a run that waits for their end would hang."""
    script = f"sleep 60 >/dev/null & echo $! > {shlex.quote(str(tmp_path / 'pid'))}; {last}"
    system = CommandSystem(
        shlex.join(["sh", "-c", script]), ("zh", "en"), timeout=20.0 if texts[0] else 2.0
    )
    assert [one.text for one in _answers(system, ["a", "b"])] == texts
    _wait_for_the_end(int((tmp_path / "pid").read_text()))


def _wait_for_the_end(process: int) -> None:
    for _ in range(6000):
        if not _goes_on(process):
            return
        time.sleep(0.01)
    pytest.fail("the process goes on")


@pytest.mark.parametrize("session", [False, True], ids=["child", "child-of-its-own-session"])
@pytest.mark.parametrize("format", ["lines", "jsonl"])
def test_a_program_that_gave_all_lines_is_done_though_a_child_holds_its_output(
    format: str, session: bool, tmp_path: Path
) -> None:
    upper = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)\n"
    program = (
        f"import subprocess\n{upper if format == 'lines' else _JSON_LOOP.format('pass')}"
        f"subprocess.Popen(['sleep', '20'], start_new_session={session})\n"
    )
    texts = [f"row {number}" for number in range(40)]
    begin = time.monotonic()
    answers = _answers(_command(tmp_path, program, format=format), texts)
    assert [one.text for one in answers] == [text.upper() for text in texts]
    assert time.monotonic() - begin < 15


def test_a_program_that_failed_is_not_waited_for_because_of_its_child(tmp_path: Path) -> None:
    program = "import subprocess, sys\nsubprocess.Popen(['sleep', '20'])\nsys.exit(3)"
    begin = time.monotonic()
    [answer] = _answers(_command(tmp_path, program), ["a"])
    assert (answer.failure or "").startswith("the program ended with code 3")
    assert time.monotonic() - begin < 15


_RUNNER = """
import asyncio, signal, sys
from patmark.systems import CommandSystem, SystemInput
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
system = CommandSystem(sys.argv[1], ("zh", "en"))
asyncio.run(system.answer_all([SystemInput("1", "a")], lambda item, answer: None))
"""


@pytest.mark.skipif(not Path("/proc").exists(), reason="the state of processes is not in /proc")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_what_ends_the_runner_ends_the_program_and_its_children(
    stop: signal.Signals, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    script = f"sleep 600 & echo $! $$ > {pids}.new; mv {pids}.new {pids}; exec sleep 600"
    line = shlex.join(["sh", "-c", script])
    runner = subprocess.Popen(
        [sys.executable, "-c", _RUNNER, line], stderr=subprocess.PIPE, text=True
    )
    while not pids.exists() and runner.poll() is None:
        time.sleep(0.01)
    runner.send_signal(stop)
    _, complaint = runner.communicate(timeout=60)
    assert runner.returncode == -stop
    assert "never retrieved" not in complaint and "closed" not in complaint
    for process in map(int, pids.read_text().split()):
        _wait_for_the_end(process)


@pytest.mark.skipif(not Path("/proc").exists(), reason="the state of processes is not in /proc")
@pytest.mark.parametrize("turns", range(1, 9))
def test_a_program_that_is_stopped_while_it_starts_ends_with_its_children(
    turns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that holds the pipes must not delay a cancelled start."""
    pids = tmp_path / "pids"
    script = f"sleep 600 & echo $! $$ > {pids}.new; mv {pids}.new {pids}; exec sleep 600"
    system = CommandSystem(shlex.join(["sh", "-c", script]), ("zh", "en"))
    started: list[Any] = []
    popen = subprocess.Popen

    def noted(arguments: Any, **settings: Any) -> subprocess.Popen[bytes]:
        started.append(arguments)
        return popen(arguments, **settings)

    async def stopped() -> bool:
        running = asyncio.create_task(
            system.answer_all([SystemInput("1", "a")], lambda item, answer: None)
        )
        for _ in range(turns):
            await asyncio.sleep(0)
        while len(started) == 2 and not pids.exists():  # the guard and the program
            time.sleep(0.01)  # the loop stands still: the start goes no further
        running.cancel()
        await asyncio.wait({running}, timeout=20)
        return running.cancelled()

    monkeypatch.setattr(subprocess, "Popen", noted)
    assert asyncio.run(stopped())
    if pids.exists():
        for process in map(int, pids.read_text().split()):
            _wait_for_the_end(process)


@pytest.mark.parametrize("format", ["lines", "jsonl"])
@pytest.mark.parametrize(
    "program",
    [
        "import sys; sys.exit(3)",
        "import sys; sys.stdin.buffer.read(100_000); print('x')",
        "import os, time; os.read(0, 9); os.close(0); time.sleep(0.5)",
        "import sys, time; sys.stdin.readline(); print('x' * (60 << 20)); time.sleep(1)",
        "import sys; sys.stdout.buffer.write(bytes([255, 10]) * 100)",
        "import time; time.sleep(60)",
        "import os, subprocess; subprocess.Popen(['sleep', '9']); os._exit(1)",
        "import os; os.fork() or (os.setsid(), os.execlp('sleep', 'sleep', '9')); os._exit(1)",
    ],
    ids=["ends", "reads-half", "closes", "long", "bytes", "hangs", "child", "child-that-escapes"],
)
def test_a_program_that_goes_wrong_leaves_no_exception_behind(
    program: str, format: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    system = _command(tmp_path, program, format=format, timeout=1.0, processes=2)
    answers = _answers(system, ["abc" * 100_000] * 4)
    gc.collect()
    assert all(one.text is None and one.failure for one in answers)
    assert caplog.text == ""


def test_a_line_that_is_far_longer_than_its_text_is_refused(tmp_path: Path) -> None:
    program = "import sys\nfor line in sys.stdin: print('x' * 5_000_000, flush=True)"
    [answer] = _answers(_command(tmp_path, program), ["20 characters of text"])
    assert answer.failure == "the program printed a line of more than 4.2 MB"
    assert _answers(_command(tmp_path, program), ["x" * 50_000])[0].text == "x" * 5_000_000


def test_a_program_can_say_why_it_has_no_answer(tmp_path: Path) -> None:
    harm = """if text == "bad":
        print(json.dumps({"id": row["id"], "error": "too long"}), flush=True)
        continue"""
    program = _JSON_LOOP.replace("{}", harm).replace("{{", "{").replace("}}", "}")
    answers = _answers(_command(tmp_path, program, format="jsonl"), ["a", "bad"])
    assert answers[1].failure == "the program says: too long"
    longer = _command(tmp_path, program.replace('"too long"', '"x" * 10_000'), format="jsonl")
    assert _answers(longer, ["bad"])[0].failure == f"the program says: {'x' * 500}…"


def test_a_program_that_never_answers_is_given_up(tmp_path: Path) -> None:
    system = _command(tmp_path, "import sys; sys.exit('no licence')", format="jsonl")
    answers = _answers(system, ["a"] * 10)
    assert all("no licence" in (one.failure or "") for one in answers)
    assert "3 starts without an answer" in (answers[-1].failure or "")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no-such-program-here", "there is no program"),
        ("", "names no program"),
        ("'unclosed", "not a command line"),
        ("translate --api-key abcdefgh", "seems to hold a key"),
        ("translate --api-key=abcdefgh", "seems to hold a key"),
        ("translate sk-12345678", "seems to hold a key"),
        ("curl -H 'X-Api-Key: abcdefgh' http://x", "seems to hold a key"),
        ("sh -c 'translate --with sk-12345678'", "seems to hold a key"),
        ("translate model:sk-12345678", "seems to hold a key"),
        ("/", "may not be executed"),
    ],
)
def test_commands_that_cannot_be_run(line: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        _answers(CommandSystem(line, (None, "en")), ["a"])


def test_the_timeout_must_be_one() -> None:
    with pytest.raises(UsageError, match="more than 0 seconds"):
        CommandSystem("cat", (None, "en"), timeout=0)


def test_the_format_must_be_known() -> None:
    with pytest.raises(UsageError, match="must be one of lines, jsonl"):
        CommandSystem("cat", (None, "en"), format="xml")


def test_files_are_known_by_their_content_and_a_program_on_the_path_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("up.py", "mine.toml", "python3", "run.sh"):
        Path(name).write_text(name, encoding="utf-8")
    with open("model.bin", "wb") as model:
        model.truncate(2**26 + 1)
    Path("folder").mkdir()
    words = ["up.py", "--config=mine.toml", "folder", "model.bin", "", "absent", "x" * 5000]

    def digest(name: str) -> str:
        return hashlib.sha256(name.encode()).hexdigest()[:16]

    found = {"up.py": digest("up.py"), "mine.toml": digest("mine.toml")}
    found["model.bin"] = f"{2**26 + 1} bytes"
    assert named_files(["python3", *words]) == found
    assert named_files(["./run.sh", *words]) == {"./run.sh": digest("run.sh"), **found}


def test_an_edited_file_changes_the_signature_of_a_system_but_not_of_one_that_runs(
    tmp_path: Path,
) -> None:
    program = tmp_path / "up.py"
    program.write_text("1", encoding="utf-8")
    before = CommandSystem(f"python3 '{program}'", ("ja", "en"))
    signature = before.description.signature
    program.write_text("2", encoding="utf-8")
    after = CommandSystem(f"python3 '{program}'", ("ja", "en"))
    assert before.description.signature == signature != after.description.signature


def test_a_command_without_files_is_described_as_ever() -> None:
    described = CommandSystem("sed s/^/X/", ("ja", "en")).description
    assert described.signature == "command:sed s/^/X/|format=lines"
