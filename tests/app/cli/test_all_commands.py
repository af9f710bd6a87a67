"""All commands together: their options, help pages, ways to be wrong, and what they load."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Annotated, get_args, get_origin
from unittest.mock import patch

import pytest

from command_line import DATA, JA_EN, patmark
from patmark.app.cli.app import ABOUT, COMMANDS, load
from patmark.app.cli.output import Json, Quiet, Ui
from patmark.app.cli.parser import command_app
from patmark.app.commands import ScoreRequest
from patmark.evaluation import Sampling
from patmark.options import Declared, declared_groups, made_of, option_name, options_of
from patmark.wording import as_option

_PROMISED = """\
run:
  --out --testset --direction --lang --src --ref --docs --task --name --context
  --glossary --template --base-url --api-key-env --api-key-keyring --temperature
  --max-tokens --model-seed --extra --dictionary --format --method --body --header
  --answer --revision --device --beams --batch --model-lang --concurrency --timeout
  --retries --reasks --cache --no-cache --budget-tokens --budget-cost --price-in
  --price-out --fresh --resume --clean --no-clean --dry-run --then --measures
  --variant --resamples --seed --by --fail-under --baseline --max-drop --junit
  --segments --save --html --xlsx --csv --md --latex --json --full --quiet -q
score:
  --protocol --hyp --ref --src --docs --testset --lang --direction --variant
  --allow-partial --lemmatizer --checks --no-checks --measures --tok --force
  --allow-empty-refs --resamples --seed --by --fail-under --baseline --max-drop
  --junit --save --segments --html --xlsx --csv --md --latex --json --full --quiet -q
compare:
  --protocol --hyp --ref --src --docs --testset --scores --systems --lang --direction
  --variant --allow-partial --lemmatizer --measures --tok --force --allow-empty-refs
  --test --trials --holm --no-holm --detect --resamples --seed --by --fail-under
  --baseline --max-drop --junit --save --segments --html --xlsx --csv --md --latex --json
  --full --quiet -q
task:
  --out --overwrite --testset --ref --src --docs --lang --protocol --measures
  --judgements --scale --keep-unfinished --trials --resamples --seed --by --xlsx --csv --md
  --latex --json --full --quiet -q
meta:
  --gold --level --average-by --without --manifest --measures --lower-is-better --lang
  --allow-partial --scale --keep-unfinished --permutations --resamples --seed --by
  --html --xlsx --csv --md --latex --json --full --quiet -q
measures:
  --json
reproduce:
  --data --measures --resamples --seed --html --xlsx --csv --md --latex --json --full --quiet
  -q
open:
  --port --no-browser
demo:
  --html --json --quiet -q
examples:
  --json
human validate:
  --json --quiet -q
human new:
  --db --base-url --links --days --dry-run --json --quiet -q
human serve:
  --db --port --host --name --behind-tls --proxy --session-hours --access-log
  --create
human status:
  --db --campaign --resamples --seed --html --xlsx --csv --md --json --full --quiet -q
human export:
  --out --db --campaign --format --phase --only --with-excluded --overwrite --quiet -q
human report:
  --format --scale --systems --manifest --testset --keep-unfinished --by --resamples
  --trials --seed --holm --no-holm --save --html --xlsx --csv --md --latex --json --full
  --quiet -q
human convert:
  --to --format --scale --only --testset --ref --src --docs --hyp --lang --overwrite
  --quiet -q
human add-evaluator:
  --like --db --campaign --base-url --quiet -q
human link:
  --organiser --everywhere --revoke --db --campaign --base-url --quiet -q
human close:
  --db --campaign --quiet -q
human reopen:
  --db --campaign --quiet -q
human backup:
  --db --quiet -q
human forget:
  --db --campaign --yes --quiet -q
human migrate:
  --db --quiet -q
human list:
  --db --all --json --quiet -q
human clone:
  --db --campaign --base-url --json --quiet -q
human archive:
  --undo --db --campaign --quiet -q
human delete:
  --confirm --db --campaign --quiet -q
human add-organiser:
  --everywhere --db --campaign --base-url --quiet -q
human demo:
  --port --quiet -q
claims judge:
  --base-url --model --ref --hyp --pairs --api-key-env --api-key-keyring --samples
  --temperature --max-tokens --model-seed --extra --name --cache --no-cache
  --concurrency --timeout --retries --reasks --budget-tokens --budget-cost --price-in
  --price-out --dry-run --resamples --seed --by --segments --save --html --xlsx --csv --md
  --latex --json --full --quiet -q
claims lint:
  --office --select --ignore --description --lang --min-severity --fail-on --sarif
  --allow-ignore --list-rules --json --quiet -q
claims meta:
  --measures --criterion --prompts --resamples --seed --segments --html --xlsx --csv --md
  --latex --json --full --quiet -q
claims pairs:
  --testset --hyp --out --overwrite --scale --experts --equal-within --split --test
  --validation --seed --html --xlsx --csv --md --latex --json --full --quiet -q
claims parse:
  --lang --html --json
claims score:
  --ref --hyp --pairs --measures --resamples --seed --by --segments --save --html
  --xlsx --csv --md --latex --json --full --quiet -q
claims train:
  --out --criterion --encoder --revision --device --epochs --batch
  --accumulate --lr --weight-decay --margin --tolerance --schedule --warmup
  --validation --patience --watch --max-length --long --seed --resume --html --xlsx --csv
  --md --latex --json --quiet -q
corpus demo:
  --out --lang --families --seed --json --quiet -q
corpus build:
  --out --engine --master --workers --memory --from --json --full --quiet -q
corpus estimate:
  --documents --workers --executors --cores --html --xlsx --csv --md --json --full --quiet -q
corpus parse:
  --out --json --quiet -q
corpus families:
  --out --kind --one-per-office --prefer --json --quiet -q
corpus align:
  --lang --aligner --dictionary --lexicon --save-lexicon --ratio --translations
  --vectors --gold --out --show --json --quiet -q
corpus split:
  --out --dev --test --test-from --train-until --side --per-patent --seed --engine
  --master --workers --memory --json --full --quiet -q
corpus stats:
  --html --xlsx --csv --md --json --full --quiet -q
corpus sample:
  --out --n --seed --json --quiet -q
corpus judged:
  --judgements --html --xlsx --csv --md --latex --json --quiet -q
retrieve topics:
  --out --text --lang --ipc --date --from --to --number --seed --single --grades
  --by-family --claim-one --citations --families --html --xlsx --csv --md --latex --json --full
  --quiet -q
retrieve index:
  --out --lang --terms --add --families --exact --json --quiet -q
retrieve translate:
  --lang --dictionary --collection --drop-unknown --out --json --quiet -q
retrieve search:
  --topics --out --ipc --date --no-date --keep-own-family --k --engine --k1 --b
  --master --terms --qrels --json --quiet -q
retrieve run:
  --topics --translated --qrels --measures --ap-at-least --ap-below --ipc --date
  --no-date --keep-own-family --k --engine --k1 --b --master --runs-to --trials
  --resamples --seed --save --segments --html --xlsx --csv --md --latex --json --full --quiet
  -q
retrieve demo:
  --documents --topics --html --seed --json --full --quiet -q
retrieve evaluate:
  --qrels --run --runs --measures --collection --topics --drop-own-family --strip-kind
  --select-by --ap-at-least --ap-below --resamples --seed --save --segments --html
  --xlsx --csv --md --latex --json --full --quiet -q
retrieve compare:
  --qrels --run --runs --measures --bleu --collection --topics --drop-own-family
  --strip-kind --select-by --ap-at-least --ap-below --test --trials --resamples --seed
  --save --segments --html --xlsx --csv --md --latex --json --full --quiet -q
"""


def _promised() -> dict[str, list[str]]:
    """The options of version 0.1, which stay."""
    options: dict[str, list[str]] = {}
    command = ""
    for line in _PROMISED.splitlines():
        if line.startswith(" "):
            options[command] += line.split()
        else:
            command = line.rstrip(":")
            options[command] = []
    return options


def _paths() -> Iterator[str]:
    for name, found in COMMANDS.items():
        yield from [name] if isinstance(found, str) else (f"{name} {one}" for one in found)


PATHS = list(_paths())


def _protocol(path: str) -> list[str]:
    """Name a protocol that has options of its own, where a command takes one."""
    return ["--protocol", "patsnap"] if path in ("score", "compare") else []


def test_no_option_was_lost() -> None:
    promised = _promised()
    assert set(promised) <= set(PATHS)
    for path, options in promised.items():
        command = load(f"patmark {path}")
        arguments = command_app(path, command, _protocol(path)).assemble_argument_collection()
        known = [name for one in arguments for name in one.names if name != "*"]
        assert not set(options) - set(known), path
        assert len(known) == len(set(known)), path


_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")
_FOREIGN = {"--help", "--debug", "--version"}  # of every command
_ELSEWHERE = {  # options in the examples of documents, by the program that has them
    "--write": "tools/alarms.py", "--handbook": "a benchmark",
    "--longest": "a protocol of one's own", "--paired-bs": "sacreBLEU",
    "--smooth-method": "sacreBLEU", "--tokenize": "sacreBLEU", "--score-only": "sacreBLEU",
    "--sentence-level": "sacreBLEU", "--glob": "hadoop",
    **dict.fromkeys(
        ("--archives", "--conf", "--deploy-mode", "--driver-memory", "--executor-cores",
         "--executor-memory", "--files", "--master", "--num-executors", "--py-files"),
        "spark-submit",
    ),
}  # fmt: skip

_OF_OTHERS = {  # options of commands that a help page points to
    "reproduce": {"--pairs", "--save"}, "claims meta": {"--save"},
    "retrieve index": {"--engine"}, "retrieve search": {"--exact"}, "retrieve run": {"--exact"},
}  # fmt: skip


def _options(path: str) -> set[str]:
    arguments = command_app(path, load(f"patmark {path}"), _protocol(path))
    return {name for one in arguments.assemble_argument_collection() for name in one.names}


@pytest.mark.parametrize("path", PATHS)
def test_help_names_only_options_that_the_command_has(path: str, tmp_path: Path) -> None:
    page = patmark(tmp_path, *path.split(), *_protocol(path), "--help").stdout
    examples = [one.strip() for one in page.split("\n\n") if one.startswith("  patmark ")]
    shown = " ".join(one for one in page.split("\n\n") if one.strip() not in examples)
    own = [one for one in examples if one.startswith(f"patmark {path} ")]
    own.append(re.sub(r"\bpatmark [a-z]+(?: [a-z]+| --[a-z-]+| …)*", "", " ".join(shown.split())))
    named = set(_OPTION.findall("\n".join(own)))
    assert named - _options(path) - _FOREIGN == _OF_OTHERS.get(path, set())


def test_every_option_of_documents_and_every_setting_of_messages_exists() -> None:
    known = set.union(*map(_options, PATHS))
    root = Path(__file__).parents[3]
    documents = [*(root / "docs").rglob("*.md"), *root.glob("*.md")]
    named = {name for one in documents for name in _OPTION.findall(one.read_text("utf-8"))
             if one.name != "CHANGELOG.md"}  # fmt: skip
    assert sorted(named - known - _FOREIGN - set(_ELSEWHERE)) == []
    call = re.compile(r"""\bsetting\(\s*['"](\w+)""")
    modules = [one.read_text("utf-8") for one in (root / "src").rglob("*.py")]
    settings = {name for text in modules for name in call.findall(text)}
    assert len(settings) > 100 and not {*map(as_option, settings)} - known


@pytest.mark.parametrize("path", PATHS)
def test_help_shows_every_option_under_its_heading(path: str, tmp_path: Path) -> None:
    done = patmark(tmp_path, *path.split(), "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"Usage: patmark {path} ")
    command = load(f"patmark {path}")
    assert (command.__doc__ or "").splitlines()[0] in done.stdout
    headings: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            listed = headings.setdefault(line[:-1], [])
        elif line.startswith("  -"):
            listed += [part.split()[0] for part in line.split(", ")]
    for listed in options_of(command).values():
        for one in listed:
            name = one.name if one.argument is None else ""
            assert not name or option_name(name) in headings[one.owner.heading], name
    arguments = command_app(path, command).assemble_argument_collection(parse_docstring=True)
    assert all(one.parameter.help for one in arguments.filter_by(show=True))


@pytest.mark.parametrize("path", ["", "human", "claims", "corpus", "retrieve"])
def test_help_lists_commands(path: str, tmp_path: Path) -> None:
    done = patmark(tmp_path, *path.split(), "--help")
    known = COMMANDS[path] if path else COMMANDS
    assert not isinstance(known, str)
    assert all(f"\n  {name} " in done.stdout for name in known)
    bare = patmark(tmp_path, *path.split())
    if path:
        assert (bare.returncode, bare.stdout, bare.stderr) == (2, "", done.stdout)
    else:
        assert bare.returncode == 0 and bare.stdout.count("\n    patmark ") == 5
    assert " ".join(ABOUT[path or "patmark"].split("\n")[0].split()) in done.stdout


def _value(field: Declared) -> tuple[list[str], object] | None:
    """Words that give an option, and the value that they stand for; None for other types."""
    values = {
        int: ("7", 7), float: ("0.5", 0.5), str: ("text", "text"), Path: ("text", Path("text")),
        tuple[str, ...]: ("text", ("text",)),
    }  # fmt: skip
    kind = get_args(field.kind)[0] if get_origin(field.kind) is Annotated else field.kind
    kinds = [one for one in get_args(kind) if one is not type(None)]
    kind = kinds[0] if type(None) in get_args(kind) and len(kinds) == 1 else kind
    if kind is bool:
        return [option_name(field.name)], True
    if kind not in values:
        return None
    word, value = values[kind]
    return [option_name(field.name), word], value


@pytest.mark.parametrize("path", PATHS)
def test_every_option_reaches_its_group(path: str) -> None:
    command = load(f"patmark {path}")
    listed = [one for group in options_of(command, _protocol(path)).values() for one in group]
    given = {
        one.name: found
        for one in listed
        if one.name != "protocol" and one.argument is None and (found := _value(one))
    }
    line = [word for words, _ in given.values() for word in words]
    called = command_app(path, command, _protocol(path)).default_command
    positional = [one for one in inspect.signature(called).parameters.values()
                  if one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL)]  # fmt: skip
    arguments = ["-", "b", "c"][: 3 if any(one.kind is one.VAR_POSITIONAL for one in positional)
                                else len(positional)]  # fmt: skip
    for tokens in ([*arguments, *line, *_protocol(path)], [*line, *_protocol(path), *arguments]):
        _, bound, _ = command_app(path, command, tokens).parse_args(tokens)
        assert [*map(str, bound.args)] == arguments
        assert {name: bound.kwargs[name] for name in given} == {
            name: value for name, (_, value) in given.items()
        }


def test_options_become_the_fields_of_a_request() -> None:
    request = declared_groups(load("patmark score"))["request"]
    values = {"results": ("a",), "by": "segment", "fail_under": "BLEU=1", "direction": "cn2en"}
    made = made_of(request, values, ["--protocol", "patsnap"])
    assert isinstance(made, ScoreRequest)
    assert (made.results, made.sampling, made.gates.fail_under) == (
        ("a",), Sampling(by="segment"), "BLEU=1",
    )  # fmt: skip
    assert made.options is not None and made.options.changed() == {"direction": "cn2en"}


def test_requests_are_declared_once_below_the_command_line() -> None:
    """A field of a request is declared by commands; the command line declares its output alone."""
    for path in PATHS:
        for name, group in declared_groups(load(f"patmark {path}")).items():
            of_output = issubclass(group, (Quiet, Json, Ui)) or group.__module__.endswith(
                "cli.open"
            )
            assert of_output or group.__module__.startswith("patmark.app.commands"), (path, name)


def test_groups_are_frozen() -> None:
    [*groups] = declared_groups(load("patmark score")).values()
    with pytest.raises(FrozenInstanceError):
        groups[0]().ref = ()  # type: ignore[attr-defined]


def test_values_follow_a_name_or_an_equals_sign() -> None:
    score = load("patmark score")
    line = ["--hyp", "A=a.txt", "--hyp=B=-", "--lang", "en", "--resamples", "-1", "-q", "--json"]
    _, bound, _ = command_app("patmark score", score, line).parse_args(line)
    assert bound.kwargs["hyp"] == ("A=a.txt", "B=-")
    assert bound.kwargs["resamples"] == -1 and bound.kwargs["quiet"]


def test_options_are_repeated_negated_and_mixed_with_arguments(tmp_path: Path) -> None:
    for line, message in (
        ("score a.jsonl -q b.jsonl --tok x --tok y", "a.jsonl: no such file"),
        ("score --protocol x --protocol plain --no-checks -", "--checks has no effect without"),
        ("claims lint -q - - --no-checks", "claims lint has no option --no-checks"),
    ):
        done = patmark(tmp_path, *line.split())
        assert done.returncode == 2 and message in done.stderr, done.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("scor", "there is no command patmark scor; did you mean score?"),
        ("human serv", "there is no command patmark human serv; did you mean serve?"),
        ("score --hpy a", "score has no option --hpy; did you mean --hyp?"),
        ("score --source a", "score has no option --source; did you mean --src?"),
        ("score --reference a", "score has no option --reference; did you mean --ref?"),
        ("score --metrics BLEU", "score has no option --metrics; did you mean --measures?"),
        ("score a --ui cn", "--ui cn: expected en or zh or ja"),
        ("score --no-json", "score has no option --no-json"),
        ("score --empty-hyp", "score has no option --empty-hyp"),
        ("score -x", "score has no option -x"),
        ("meta x.csv --golf y", "meta has no option --golf; did you mean --gold?"),
        ("score --hyp", "--hyp needs a value"),
        ("score", "give files, such as mine.txt reference.txt; or translations with --hyp"),
        ("score --hyp a.txt", "give references with --ref, a source with --src, or a --testset"),
        ("run dictionry --out o", "the system 'dictionry' is unknown; did you mean dictionary?"),
        ("measures Recal@10", "the measure 'Recal@10' is unknown; did you mean Recall?"),
        ("score --resamples x", "--resamples x: expected a whole number"),
        ("score --resamples 1.5 -q", "--resamples 1.5: expected a whole number"),
        ("claims train p.json --out o --lr x", "--lr x: expected a number"),
        ("meta x.csv --gold g --permutations 0", "--permutations 0: Must be >= 1"),
        ("human serve --port 70000", "--port 70000: Must be"),
        ("run copy", "--out is missing"),
        ("run", "SYSTEM is missing"),
        ("meta --gold g", "SCORES is missing"),
        ("corpus align a b c --lang zh-en", "unexpected argument 'c'"),
        ("corpus align a b --lang zh-en --vectors a.npy", "--vectors"),
    ],
)
def test_bad_usage_is_one_message_and_exit_code_2(line: str, message: str, tmp_path: Path) -> None:
    done = patmark(tmp_path, *line.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("patmark: ") and message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_debug_shows_where_an_error_came_from(tmp_path: Path) -> None:
    texts = ["--hyp", str(JA_EN / "atlas.en"), *DATA[:6]]
    failing = ["score", *texts, "--measures", "command:false"]
    for line in (["score", "--hyp", "absent.txt", "--lang", "en"], failing, ["score", "--hpy"]):
        short = patmark(tmp_path, *line)
        assert short.returncode == 2 and "Traceback" not in short.stderr
        for place in (0, 1, len(line)):
            long = patmark(tmp_path, *line[:place], "--debug", *line[place:])
            assert (long.returncode, long.stdout) == (2, "")
            assert long.stderr.startswith("Traceback") and long.stderr.endswith(short.stderr)


def test_an_error_in_patmark_itself_is_exit_code_3(tmp_path: Path) -> None:
    """It was 1, as for a failed gate, with a traceback."""
    fault = patch("patmark.measures.describe_all", side_effect=ZeroDivisionError("by zero"))
    with fault:
        short = patmark(tmp_path, "measures")
    assert (short.returncode, short.stdout) == (3, "") and len(short.stderr.splitlines()) == 1
    said = "patmark: an error in patmark itself: ZeroDivisionError: by zero; please report it at "
    assert short.stderr.startswith(said)
    written = Path(short.stderr.partition("traceback in ")[2].strip())
    text = written.read_text(encoding="utf-8")
    written.unlink()
    assert "patmark measures\n" in text and "Traceback (most recent call last)" in text
    with fault:
        long = patmark(tmp_path, "measures", "--debug")
    assert long.returncode == 3 and long.stderr.startswith("Traceback")
    assert long.stderr.splitlines()[-1].startswith(said)


def _modules(tmp_path: Path, *tokens: str) -> set[str]:
    program = (
        "import sys, io, contextlib\n"
        "from patmark.app.cli import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()): main()\n"
        "print(*sys.modules)\n"
    )
    command = [sys.executable, "-c", program, *tokens]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_command_loads_what_it_needs(tmp_path: Path) -> None:
    score = ["score", "--hyp", str(JA_EN / "atlas.en"), *DATA[:6], "--measures", "BLEU", "--json"]
    loaded = _modules(tmp_path, *score)
    assert "patmark.app.cli.score" in loaded and "rich" not in loaded
    assert not [name for name in loaded if name.startswith("patmark.app.cli.human")]
    for page in (["--help"], ["score", "--help"], ["human", "--help"]):
        loaded = _modules(tmp_path, *page)
        assert not {"numpy", "rich", "patmark.protocols.patsnap.protocol"} & loaded, page
