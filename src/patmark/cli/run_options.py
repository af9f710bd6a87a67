"""The options of patmark run."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

System: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="SYSTEM",
        help="openai:MODEL, command:PROGRAM, http://ADDRESS, hf:MODEL, dictionary, copy or oracle.",
    ),
]
Out: TypeAlias = Annotated[
    str, typer.Option(help="Results: .jsonl for rows, another ending for text lines.")
]
TestSetFile: TypeAlias = Annotated[
    str | None, typer.Option("--testset", help="A test set: JSONL, TSV, or PatSnap rows.")
]
Direction: TypeAlias = Annotated[
    str | None, typer.Option(help="The test set has PatSnap rows: cn2en or en2cn.")
]
Lang: TypeAlias = Annotated[
    str | None, typer.Option(help="Languages as SOURCE-TARGET, e.g. ja-en; claims: the language.")
]
Src: TypeAlias = Annotated[
    str | None,
    typer.Option(help="Source texts, one on each line; claims: one text in the whole file."),
]
Ref: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="References of --src, for oracle and --then score.")
]
Docs: TypeAlias = Annotated[
    str | None, typer.Option(help="Document ids of --src, one on each line, for --context.")
]
TaskName: TypeAlias = Annotated[
    str,
    typer.Option(help="translate; claims: draft them from a description; revise: improve claims."),
]
Name: TypeAlias = Annotated[
    str | None, typer.Option(help="The name of the system in results (default: from SYSTEM).")
]
Context: TypeAlias = Annotated[
    int | None, typer.Option(min=0, help="Show this many preceding texts of the document.")
]
GlossaryFile: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="FILE|rows",
        help="Terms to use: a file (term, tab, translation), or rows: those of the test set.",
    ),
]
TemplateFile: TypeAlias = Annotated[
    str | None, typer.Option(help="A prompt of your own: .toml, or text with the gap {source}.")
]
BaseUrl: TypeAlias = Annotated[
    str | None, typer.Option(help="openai: the endpoint, e.g. http://localhost:8000/v1.")
]
Temperature: TypeAlias = Annotated[
    float | None, typer.Option(help="openai: how freely the model answers, 0–2 (default: 0).")
]
MaxTokens: TypeAlias = Annotated[
    int | None, typer.Option(help="openai, hf: the longest answer (default: the model's).")
]
ModelSeed: TypeAlias = Annotated[int | None, typer.Option(help="openai: a seed for the model.")]
Extra: TypeAlias = Annotated[
    str | None, typer.Option(metavar="JSON", help="openai: more fields of the request.")
]
Dictionary: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(help="dictionary: cedict (default for zh-en), edict:FILE or tsv:FILE; repeat."),
]
Format: TypeAlias = Annotated[
    str | None, typer.Option(help="command: lines (default), or jsonl: one object on each line.")
]
Method: TypeAlias = Annotated[str | None, typer.Option(help="http: POST (default), GET or PUT.")]
Body: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="JSON",
        help="http: the request, with gaps {source} {source_code} {target_code} {key} "
        "(default: that of LibreTranslate).",
    ),
]
Header: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(metavar="'NAME: VALUE'", help="http: a header; {key} stands for the API key."),
]
AnswerPath: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--answer",
        help="http: where the answer stands, e.g. data.0.text (default: translatedText).",
    ),
]
Revision: TypeAlias = Annotated[str | None, typer.Option(help="hf: the revision of a model id.")]
Device: TypeAlias = Annotated[str | None, typer.Option(help="hf: auto (default), cpu or cuda.")]
Beams: TypeAlias = Annotated[int | None, typer.Option(min=1, help="hf: beams (default: 1).")]
BatchSize: TypeAlias = Annotated[
    int | None, typer.Option("--batch", min=1, help="hf: texts at a time (default: 8).")
]
ModelLang: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="SOURCE:TARGET", help="hf: the model's own codes, e.g. zho_Hans:eng_Latn."
    ),
]
Concurrency: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="Requests under way at once (default: 8); command: processes (1)."),
]
Timeout: TypeAlias = Annotated[
    float | None, typer.Option(help="Seconds to wait for an answer (default: 120).")
]
Retries: TypeAlias = Annotated[
    int | None, typer.Option(help="Retries after failed requests, with growing waits (default: 6).")
]
Reasks: TypeAlias = Annotated[
    int | None,
    typer.Option(help="openai: how often to ask again after a refusal or nothing (default: 1)."),
]
Fresh: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--fresh/--resume", help="Begin anew, or go on with a run that was stopped (default)."
    ),
]
Clean: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--clean/--no-clean",
        help="Take away chatter such as 'Here is the translation:' (default: for models).",
    ),
]
DryRun: TypeAlias = Annotated[
    bool,
    typer.Option("--dry-run", help="Ask nothing: show the first prompt and what it would take."),
]
Then: TypeAlias = Annotated[
    str | None, typer.Option(help="score: score the results at once, with the options below.")
]
Resamples: TypeAlias = Annotated[
    int | None, typer.Option(help="Bootstrap resamples (default: 2000; 0 for no intervals).")
]
Seed: TypeAlias = Annotated[int | None, typer.Option(help="Seed of the resampling (default: 0).")]
