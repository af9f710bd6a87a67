"""patmark examples: files to try the commands on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from patmark.cli import options as given


def examples(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="A new folder for the example files.")
    ],
    as_json: given.AsJson = False,
) -> None:
    """Write the invented example files that the documentation uses.

    The commands of the README and of most pages in docs/ run in that folder as they stand.
    """
    import json

    from patmark.cli.output import say
    from patmark.examples import SYSTEMS, write_examples

    write_examples(folder)
    if as_json:
        written = sorted(path for path in folder.rglob("*") if path.is_file())
        print(json.dumps({"files": [str(path) for path in written]}, ensure_ascii=False))
        return
    say(f"wrote {folder}: the systems {', '.join(SYSTEMS)}, with sources, references, judgements")
    say(f"now: cd {folder}; patmark score --hyp atlas.en --ref reference.en --lang ja-en")
