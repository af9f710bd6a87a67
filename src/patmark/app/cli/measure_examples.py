"""Example commands for measures on the files of ``patmark examples``."""

from __future__ import annotations

from patmark.measures import MeasureInfo

_FILES = {"references": "--ref reference.en", "source": "--src source.ja"}
_COMMANDS = {
    "claims": "patmark claims score --ref granted.txt --hyp draft.txt",
    "rankings": "patmark retrieve evaluate --qrels qrels.txt --run found.run",
}


def example_command(info: MeasureInfo) -> str:
    """Return a command that computes a measure."""
    command = _COMMANDS.get(info.area)
    if command is None:
        known = [_FILES[need] for need in sorted(info.reads) if need in _FILES]
        files = "--testset rows.jsonl" if info.reads - set(_FILES) else " ".join(known)
        command = f"patmark score --hyp atlas.en {files} --lang ja-en"
    endpoint = (
        " --base-url 'http://localhost:8000/v1'"
        if info.name.startswith("Judge(") or info.name == "Judge"
        else ""
    )
    return f"{command} --measures '{info.call}'{endpoint}"
