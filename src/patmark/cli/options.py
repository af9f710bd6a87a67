"""Options that mean the same in every command."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Results: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[RESULTS]...", help="PatSnap rows with translations, one file per system."
    ),
]
Protocol: TypeAlias = Annotated[
    str, typer.Option(help="plain: any measures. patsnap: the PatSnap bench.")
]
Hyp: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="Translations: text lines, or .jsonl {id, hypothesis}; FILE or NAME=FILE."),
]
Ref: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="References, one line per segment; may be repeated.")
]
Src: TypeAlias = Annotated[
    str | None, typer.Option(help="Source texts, one line per segment: enables the checks.")
]
Docs: TypeAlias = Annotated[
    str | None, typer.Option(help="Document ids, one per line: intervals by document.")
]
TestSetFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--testset", help="A test set with ids instead of --ref: JSONL or TSV; patsnap: bench rows."
    ),
]
Lang: TypeAlias = Annotated[
    str | None, typer.Option(help="Languages as SOURCE-TARGET, e.g. ja-en; or the target.")
]
Direction: TypeAlias = Annotated[
    str | None, typer.Option(help="patsnap: cn2en (default) or en2cn.")
]
Variant: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="patsnap: strict (default), or published for the published scorer's numbers."
    ),
]
AllowPartial: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--allow-partial",
        help="Accept missing answers. patsnap: leave those rows out; else they count as empty.",
    ),
]
Lemmatizer: TypeAlias = Annotated[
    str | None,
    typer.Option(help="patsnap: simplemma, spacy or auto (default: spacy if installed)."),
]
Checks: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--checks/--no-checks",
        help="patsnap: also run the reference-free checks (default: with --html).",
    ),
]
Measures: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Measures with commas, e.g. 'BLEU,chrF,TER(case=mixed)'; see patmark measures."
    ),
]
Tok: TypeAlias = Annotated[
    str | None, typer.Option(help="One segmenter for all word measures, e.g. zh-jieba.")
]
Force: TypeAlias = Annotated[
    bool,
    typer.Option("--force", help="Allow a segmenter that cannot split the target language."),
]
AllowEmptyRefs: TypeAlias = Annotated[
    bool, typer.Option("--allow-empty-refs", help="Accept empty reference lines.")
]
Resamples: TypeAlias = Annotated[int, typer.Option(help="Bootstrap resamples; 0 for no intervals.")]
CompareResamples: TypeAlias = Annotated[
    int, typer.Option(help="Bootstrap resamples for intervals, at least 1.")
]
Seed: TypeAlias = Annotated[int, typer.Option(help="Seed of the resampling.")]
By: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Resample by segment or document (default: document if at least 20)."),
]
Segments: TypeAlias = Annotated[
    str | None, typer.Option(help="Write system,segment,measure,value to this CSV.")
]
Html: TypeAlias = Annotated[str | None, typer.Option(help="Write a self-contained HTML report.")]
Csv: TypeAlias = Annotated[str | None, typer.Option(help="Write the tables as CSV.")]
Md: TypeAlias = Annotated[str | None, typer.Option(help="Write the tables as Markdown.")]
Latex: TypeAlias = Annotated[str | None, typer.Option(help="Write the tables as LaTeX.")]
AsJson: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print JSON on stdout and nothing else.")
]
Full: TypeAlias = Annotated[bool, typer.Option("--full", help="Print all tables.")]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors and warnings of gates.")
]
Save: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Save all statistics, to compare again later: .json (.gz, .zst) or .parquet."
    ),
]
FailUnder: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Exit with 1 if a system scores worse than this, e.g. 'BLEU=30,TER=60'."),
]
Baseline: TypeAlias = Annotated[
    str | None, typer.Option(help="Saved scores of an earlier version, for --max-drop.")
]
MaxDrop: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Exit with 1 if a score fell significantly by more, e.g. 'BLEU=0.5'."),
]
Junit: TypeAlias = Annotated[
    str | None, typer.Option(help="Write the outcome of the gates as JUnit XML.")
]
Test: TypeAlias = Annotated[
    str, typer.Option(help="randomisation, bootstrap or bootstrap-sacrebleu.")
]
Trials: TypeAlias = Annotated[int, typer.Option(help="Trials of the randomisation test.")]
CompareTrials: TypeAlias = Annotated[
    int | None,
    typer.Option(
        help="Trials of the randomisation test (default: 10000; p beyond these is a bound where "
        "the systems are many)."
    ),
]
Holm: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--holm/--no-holm", help="Correct for the number of pairs (default: for over two systems)."
    ),
]
Detect: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Say how many units it would take to see this, e.g. 'BLEU=0.5'."),
]
ScoresFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--scores",
        help="Compare saved scores (see --save) instead of texts; several files are joined.",
    ),
]
Systems: TypeAlias = Annotated[
    str | None, typer.Option(help="With --scores: only these systems, with commas, e.g. 'A,B'.")
]
Scales: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--scale", help="Grades of a criterion, worst first: NAME=1..5, NAME=F,C,B,A,AA; repeat."
    ),
]
KeepUnfinished: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-unfinished",
        help="Count segments that an evaluator graded for only some of the systems.",
    ),
]
