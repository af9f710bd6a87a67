"""judge and run refuse the same requests with the same words, on the command line and in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chat_server import Reply, said, serving
from command_line import invoke
from patmark import commands
from patmark.app.commands import JudgeRequest
from patmark.errors import PatmarkError, PatmarkWarning
from patmark.llm import ClientSettings
from patmark.wording import as_option, settings_worded

_URL = "http://127.0.0.1:9/v1"
_SOURCES = ("阀门关闭。", "弹簧断了。")
_TEXTS = {
    "source": list(_SOURCES),
    "reference": ["The valve closes.", "The spring broke."],
    "system:a": ["Valve closes.", "Spring broke."],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of a small test set, to work in."""
    for name, column in (("src", "source"), ("ref", "reference"), ("a", "system:a")):
        (tmp_path / f"{name}.txt").write_text("\n".join(_TEXTS[column]) + "\n")
    (tmp_path / "terms.tsv").write_text("齿轮\tgear\n")
    (tmp_path / "no_gap.txt").write_text("Translate!\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _refusal(call: Any) -> str:
    with settings_worded(as_option), pytest.raises(PatmarkError) as caught:
        call()
    return str(caught.value)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "settings"),
    [
        ("--scheme stars", {"scheme": "stars"}),
        ("--scheme mqm --criteria x.toml", {"scheme": "mqm", "criteria": "x.toml"}),
        ("--typology wmt", {"typology": "wmt"}),
        ("--scheme esa --typology x", {"scheme": "esa", "typology": "x"}),
        ("--annotations x.jsonl", {"annotations": "x.jsonl"}),
        ("--probe --name x", {"probe": True, "name": "x"}),
        ("--probe --samples 1", {"probe": True, "samples": 1}),
        ("--scheme pairwise", {"scheme": "pairwise"}),
        ("--context 1", {"context": 1}),
        ("--glossary no.tsv", {"glossary": ["no.tsv"]}),
        ("--glossary terms.tsv", {"glossary": ["terms.tsv"]}),
        ("--criteria no.toml", {"criteria": "no.toml"}),
        ("--prompt no_gap.txt", {"prompt": "no_gap.txt"}),
        ("--temperature 3", {"temperature": 3.0}),
        ("--max-tokens 0", {"max_tokens": 0}),
    ],
)
def test_judge_refuses_alike(options: str, settings: dict[str, Any]) -> None:
    texts = "--src src.txt --ref ref.txt --hyp a=a.txt --lang zh-en"
    asked = f"judge {texts} --base-url {_URL} --model m {options}".split()
    told = _refusal(lambda: invoke(*asked))
    found = _refusal(
        lambda: commands.judge(_TEXTS, lang="zh-en", base_url=_URL, model="m", **settings)
    )
    assert found == told


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("system", "options", "settings"),
    [
        ("orakel", "", {}),
        ("openai:", "", {}),
        ("copy:x", "", {}),
        ("openai:m", "", {}),
        ("oracle", "--beams 2", {"beams": 2}),
        ("oracle", "--template x.toml", {"template": "x.toml"}),
        ("copy", "--context 1", {"context": 1}),
        ("copy", "--glossary terms.tsv", {"glossary": ["terms.tsv"]}),
        ("copy", "--name a/b", {"name": "a/b"}),
        ("command:cat", "--format xml", {"format": "xml"}),
        ("command:no-such-program-here", "", {}),
        ("hf:m", "--device tpu", {"device": "tpu"}),
        ("dictionary", "--dictionary tsv:no.tsv", {"dictionary": ("tsv:no.tsv",)}),
        (_URL, "--method PATCH", {"method": "PATCH"}),
        (_URL, "--header x", {"header": ("x",)}),
        (_URL, "--body x", {"body": "x"}),
        ("openai:m", f"--base-url {_URL} --extra x", {"base_url": _URL, "extra": "x"}),
        ("openai:m", f"--base-url {_URL} --price-in 1", {"base_url": _URL, "price_in": 1.0}),
        ("openai:m", f"--base-url {_URL} --budget-cost 1", {"base_url": _URL, "budget_cost": 1.0}),
        (
            "openai:m",
            f"--base-url {_URL} --template no_gap.txt",
            {"base_url": _URL, "template": "no_gap.txt"},
        ),
        (
            "openai:m",
            f"--base-url {_URL} --cache c --no-cache",
            {"base_url": _URL, "cache": "c", "no_cache": True},
        ),
    ],
)
def test_run_refuses_alike(system: str, options: str, settings: dict[str, Any]) -> None:
    line = f"--src src.txt --lang zh-en --out out.txt {options}".split()
    told = _refusal(lambda: invoke("run", system, *line))
    found = _refusal(lambda: commands.run(system, list(_SOURCES), lang="zh-en", **settings))
    assert found == told


def test_a_setting_that_does_not_exist_is_refused() -> None:
    with pytest.raises(PatmarkError, match=r"judge has no setting sampels; choose from .*samples"):
        commands.judge(_TEXTS, lang="zh-en", base_url=_URL, model="m", sampels=1)


def test_a_judge_asks_again_as_often_as_a_client() -> None:
    assert JudgeRequest(model="m", base_url=_URL).reasks == ClientSettings().reasks


def test_options_of_the_endpoint_count_in_python_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("A_KEY", "sk-secret-0123456789")

    def reply(body: dict[str, Any], seen: int) -> Reply:
        return Reply(status=500) if seen == 0 else said("A valve.")

    with serving(reply) as server:
        found = commands.run(
            "openai:m",
            list(_SOURCES),
            lang="zh-en",
            base_url=server.url,
            api_key_env="A_KEY",
            retries=0,
            cache=str(folder / "answers"),
        )
    assert found.hypotheses == (None, None)
    assert set(server.keys) == {"Bearer sk-secret-0123456789"}


def test_python_warns_of_connections_that_are_not_encrypted() -> None:
    with pytest.warns(PatmarkWarning, match="is not encrypted: texts can be read on the way"):
        commands.run(
            "openai:m",
            ["阀门"],
            lang="zh-en",
            base_url="http://192.0.2.1:9/v1",
            no_cache=True,
            timeout=0.05,
            retries=0,
        )


def test_python_warns_of_a_judge_that_is_not_encrypted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patmark.app.commands.judge_outputs.judge_runs", lambda *_: None)
    with pytest.warns(PatmarkWarning, match="is not encrypted: translations can be read"):
        commands.judge(_TEXTS, lang="zh-en", base_url="http://192.0.2.1:9/v1", model="m")
