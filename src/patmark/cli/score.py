"""patmark score: how good are these translations?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import typer

if TYPE_CHECKING:
    from patmark.cli.output import Outputs
    from patmark.data import Direction, Run, TestSet
    from patmark.protocols import Settings

_DATA = "Data"
_HOW = "How to score"
_OUT = "Output"


def score(
    results: list[str] = typer.Argument(
        None, metavar="[RESULTS]...", help="PatSnap rows with translations, one file per system."
    ),
    protocol: str = typer.Option("plain", help="plain: any measures. patsnap: the PatSnap bench."),
    hyp: list[str] = typer.Option(
        [], help="Translations: text lines, or JSONL {id, hypothesis}; FILE or NAME=FILE."
    ),
    ref: list[str] = typer.Option([], help="References, one line per segment; may be repeated."),
    src: str = typer.Option(None, help="Source texts, one line per segment: enables the checks."),
    docs: str = typer.Option(None, help="Document ids, one per line: intervals by document."),
    testset: str = typer.Option(
        None, help="A test set with ids instead of --ref: JSONL, TSV, or PatSnap rows."
    ),
    lang: str = typer.Option(None, help="Languages as SOURCE-TARGET, e.g. ja-en; or the target."),
    direction: str = typer.Option("cn2en", help="patsnap: cn2en or en2cn."),
    variant: str = typer.Option(
        "strict", help="patsnap: strict, or published for the numbers of the published scorer."
    ),
    allow_partial: bool = typer.Option(
        False, "--allow-partial", help="Leave out rows without an answer instead of failing them."
    ),
    lemmatizer: str = typer.Option("auto", help="patsnap: auto, simplemma or spacy."),
    checks: bool = typer.Option(
        None,
        "--checks/--no-checks",
        help="patsnap: also run the reference-free checks (default: with --html).",
    ),
    measures: str = typer.Option(
        None, help="Measures with commas, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."
    ),
    tok: str = typer.Option(None, help="One segmenter for all word measures, e.g. zh-jieba."),
    force: bool = typer.Option(
        False, "--force", help="Allow a segmenter that cannot split the target language."
    ),
    allow_empty_refs: bool = typer.Option(
        False, "--allow-empty-refs", help="Accept empty reference lines."
    ),
    resamples: int = typer.Option(2000, help="Bootstrap resamples; 0 for no intervals."),
    seed: int = typer.Option(0, help="Seed of the resampling."),
    by: str = typer.Option(
        None, help="Resample by segment or document (default: document if at least 20)."
    ),
    segments: str = typer.Option(None, help="Write system,segment,measure,value to this CSV."),
    html: str = typer.Option(None, help="Write a self-contained HTML report."),
    csv: str = typer.Option(None, help="Write the tables as CSV."),
    md: str = typer.Option(None, help="Write the tables as Markdown."),
    latex: str = typer.Option(None, help="Write the tables as LaTeX."),
    as_json: bool = typer.Option(False, "--json", help="Print JSON on stdout and nothing else."),
    full: bool = typer.Option(False, "--full", help="Print all tables."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="Print nothing but errors."),
) -> None:
    """Score translations, every number with a confidence interval and a signature.

    Examples:

      patmark score results.jsonl --protocol patsnap --direction cn2en

      patmark score --hyp mine.txt --ref ref.txt --lang ja-en

      patmark score --hyp A=a.txt --hyp B=b.txt --ref r1.txt --ref r2.txt --src s.txt
      --docs d.txt --lang zh-en --measures BLEU,RIBES,numbers --html report.html

    Files may be gzip or zst; - is stdin. A name and a file are joined by =: NAME=FILE.
    """
    from patmark.cli.output import Outputs
    from patmark.data import check_stdin_once
    from patmark.protocols import Settings

    check_stdin_once([*(results or []), *hyp, *ref, *filter(None, [src, docs, testset])])
    settings = Settings(resamples, seed, by)
    outputs = Outputs(as_json, quiet, full, html, csv, md, latex)
    if protocol == "patsnap":
        _refuse("with --protocol patsnap", {"--ref": ref, "--src": src, "--docs": docs,
                "--measures": measures, "--tok": tok, "--force": force,
                "--allow-empty-refs": allow_empty_refs})  # fmt: skip
        _score_patsnap(
            results or [], testset, hyp, direction, variant, allow_partial, lemmatizer,
            bool(html) if checks is None else checks, settings, segments, outputs,
        )  # fmt: skip
    elif protocol == "plain":
        _refuse("without --protocol patsnap", {"RESULTS": results, "--checks": checks,
                "--variant": variant if variant != "strict" else None})  # fmt: skip
        test_set, runs = _read_plain(
            hyp, ref, src, docs, testset, lang, allow_partial, allow_empty_refs
        )
        _score_plain(test_set, runs, measures, tok, force, settings, segments, outputs)
    else:
        raise _usage(f"the protocol {protocol!r} is unknown; choose from plain, patsnap")


def _usage(message: str) -> Exception:
    from patmark.errors import UsageError

    return UsageError(message)


def _refuse(where: str, options: dict[str, object]) -> None:
    """An option without effect is an error."""
    given = [name for name, value in options.items() if value]
    if given:
        raise _usage(f"{', '.join(given)} has no effect {where}")


def _languages(lang: str | None) -> tuple[str | None, str]:
    if not lang:
        raise _usage("say which language the translations are in: --lang ja-en, or --lang en")
    source, _, target = lang.rpartition("-")
    return source or None, target


def _read_plain(
    hyp: list[str], ref: list[str], src: str | None, docs: str | None, testset: str | None,
    lang: str | None, allow_partial: bool, allow_empty_refs: bool,
) -> tuple[TestSet, list[Run]]:  # fmt: skip
    from patmark import data

    source_language, target_language = _languages(lang)
    if testset is None:
        if not ref and src is None:
            raise _usage("give references with --ref, a source with --src, or a --testset")
        _refuse("without --testset", {"--allow-partial": allow_partial})
        test_set = data.read_line_test_set(
            ref, source=src, documents=docs, target_language=target_language,
            source_language=source_language, allow_empty_references=allow_empty_refs,
        )  # fmt: skip
        return test_set, [_read_run(name, test_set, False) for name in hyp]
    _refuse("with --testset", {"--ref": ref, "--src": src, "--docs": docs})
    if data.system_name(testset) != testset and ".tsv" in testset:
        test_set, runs = data.read_tsv(testset, target_language, source_language)
    else:
        test_set, runs = data.read_jsonl_test_set(testset, target_language, source_language), []
    return test_set, [*runs, *(_read_run(name, test_set, allow_partial) for name in hyp)]


def _read_run(argument: str, test_set: TestSet, allow_partial: bool) -> Run:
    from patmark import data

    name, path = data.split_name(argument)
    if ".jsonl" in path:
        return data.read_jsonl_run(path, test_set, name, allow_partial=allow_partial)
    return data.read_line_run(path, test_set, name)


def _score_plain(
    test_set: TestSet, runs: list[Run], measures: str | None, tok: str | None, force: bool,
    settings: Settings, segments: str | None, outputs: Outputs,
) -> None:  # fmt: skip
    from patmark.cli.output import deliver, progress_bar
    from patmark.data import write_segment_csv
    from patmark.protocols import choose_measures, evaluate

    chosen = choose_measures(test_set, measures, tok, force)
    with progress_bar(outputs.quiet or outputs.as_json) as progress:
        evaluation = evaluate(test_set, runs, chosen, settings, progress)
    report, result = evaluation.to_report(), evaluation.to_json()
    if segments:
        write_segment_csv(segments, list(evaluation.scores.values()))
    deliver(report, result, outputs)


def _score_patsnap(
    results: list[str], testset: str | None, hyp: list[str], direction: str, variant: str,
    allow_partial: bool, lemmatizer: str, checks: bool, settings: Settings,
    segments: str | None, outputs: Outputs,
) -> None:  # fmt: skip
    from patmark.cli.output import deliver
    from patmark.data import write_segment_csv
    from patmark.protocols import PatsnapOptions, patsnap_report, score_patsnap

    options = PatsnapOptions(
        cast("Any", direction), cast("Any", variant), allow_partial, cast("Any", lemmatizer),
        checks, settings,
    )  # fmt: skip
    test_set, runs = _read_patsnap(results, testset, hyp, options.direction)
    result = score_patsnap(test_set, runs, options)
    report, summary = patsnap_report(result), result.to_json()
    if segments:
        write_segment_csv(segments, result.scores)
    deliver(report, summary, outputs)


def _read_patsnap(
    results: list[str], testset: str | None, hyp: list[str], direction: Direction
) -> tuple[TestSet, list[Run]]:
    from patmark import data

    if testset is not None:
        if results or not hyp:
            raise _usage("with --testset, give the translations as --hyp NAME=FILE")
        bench = data.read_patsnap_bench(testset, direction)
        return bench, [_read_run(name, bench, True) for name in hyp]
    if not results or hyp:
        raise _usage("give result files, or a --testset and translations as --hyp NAME=FILE")
    read = []
    for argument in results:
        name, path = data.split_name(argument)
        read.append((argument, name, *data.read_patsnap(path, direction)))
    first_name, _, first, _ = read[0]
    for argument, _, other, _ in read[1:]:
        data.check_same_rows(first, other, (first_name, argument))
    from dataclasses import replace

    return first, [replace(run, system=name) for _, name, _, run in read]
