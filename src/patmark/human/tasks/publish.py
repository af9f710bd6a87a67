"""The folder of results of a shared task: leaderboard, a page for each run, scores."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from patmark.data import write_atomically
from patmark.errors import InputError
from patmark.human.tasks.result import TaskResult
from patmark.report import Link, in_language, leaderboard_html, to_html, to_json_text
from patmark.wording import DEFAULT_LANGUAGE, tr


def _rendered(result: TaskResult, language: str) -> dict[str, str | bytes]:
    """Return the files of the folder by name, without writing them."""
    pages = {one.id: f"runs/{one.id}.html" for one in result.manifest.submissions}
    several = result.comparison is not None
    compared = [Link(tr("Tests of all pairs of runs"), "comparison.html")] if several else []
    above = [replace(link, address=f"../{link.address}") for link in compared]
    home = (Link(tr("← All runs"), "../index.html"), *above)
    board = replace(result.to_leaderboard(pages), links=tuple(compared))
    files: dict[str, str | bytes] = {
        "index.html": leaderboard_html(in_language(board, language)),
        **{
            page: to_html(in_language(replace(result.run_report(run), links=home), language))
            for run, page in pages.items()
        },
        "results.csv": result.to_csv(),
        "results.json": to_json_text(result.to_json()) + "\n",
    }
    if several:
        report = replace(result.to_report(), links=(Link(tr("← All runs"), "index.html"),))
        files["comparison.html"] = to_html(in_language(report, language))
    with TemporaryDirectory() as folder:
        saved = Path(folder) / "scores.json.gz"
        result.evaluation.save(saved)
        files[saved.name] = saved.read_bytes()
    return files


def publish(out: Path, result: TaskResult, language: str = DEFAULT_LANGUAGE) -> list[str]:
    """Write the folder after everything is rendered; return a message for the user."""
    files = _rendered(result, language)
    try:
        (out / "runs").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError.at(f"cannot be made: {error.strerror}", str(out)) from None
    for name, content in files.items():
        write_atomically(out / name, content)
    pages = {f"runs/{page.name}" for page in (out / "runs").glob("*.html")}
    return [
        f"wrote {len(files)} files to {out}; open {out / 'index.html'}",
        *(
            f"{out / stale} is from an earlier task and not part of these results"
            for stale in sorted(pages - set(files))
        ),
    ]
