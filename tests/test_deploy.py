"""The files for a server: they parse, name what exists, and start with options that there are."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from patmark.app.cli.app import load
from patmark.options import option_name, options_of

_ROOT = Path(__file__).parents[1]
_DEPLOY = _ROOT / "deploy"
_COMPOSE = yaml.safe_load((_DEPLOY / "compose.yaml").read_text(encoding="utf-8"))


def _known_options() -> set[str]:
    groups = options_of(load("patmark human serve"))
    return {option_name(one.name) for group in groups.values() for one in group}


def test_compose_starts_what_it_names() -> None:
    services, volumes = _COMPOSE["services"], set(_COMPOSE["volumes"])
    assert set(services) == {"db", "patmark", "caddy"}
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            assert source in volumes or source == "./campaigns" or (_DEPLOY / source).is_file()
    build = services["patmark"]["build"]
    assert (_DEPLOY / build["context"] / build["dockerfile"]).is_file()
    command = services["patmark"]["command"]
    given = {part.partition("=")[0] for part in command[2:]}
    assert command[:2] == ["human", "serve"] and given <= _known_options()


def test_variables_of_compose_are_asked_for_or_refused() -> None:
    text = re.sub(r"#.*", "", (_DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    assert re.findall(r"\$\{(\w+)", text) == re.findall(r"\$\{(\w+):\?set it in \.env\}", text)


def test_the_image_copies_what_exists_and_runs_as_nobody() -> None:
    lines = (_DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    steps = [line.split(maxsplit=1) for line in lines if line and not line.startswith("#")]
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT",
             "CMD"}  # fmt: skip
    assert {name for name, _ in steps} <= known
    for name, rest in steps:
        if name == "COPY" and not rest.startswith("--from"):
            assert all((_ROOT / part).exists() for part in rest.split()[:-1])
    assert [rest for name, rest in steps if name == "USER"] == ["10001"]
    assert all("@" in rest or ":" in rest for name, rest in steps if name == "FROM")


def test_the_service_starts_with_options_that_there_are() -> None:
    unit = (_DEPLOY / "patmark.service").read_text(encoding="utf-8")
    [line] = re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    command = shlex.split(line)
    assert command[1:3] == ["human", "serve"]
    assert {part for part in command if part.startswith("--")} <= _known_options()


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="hadolint is not installed")
def test_hadolint_finds_nothing_wrong() -> None:
    done = subprocess.run(
        ["hadolint", str(_DEPLOY / "Dockerfile")], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    unit = (_DEPLOY / "patmark.service").read_text(encoding="utf-8")
    file = tmp_path / "patmark.service"
    file.write_text(unit.replace("/opt/patmark/bin/patmark", "/bin/true"), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", str(file)], capture_output=True, text=True, check=False
    )
    assert "patmark.service" not in done.stderr
