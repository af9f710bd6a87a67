"""patmark human report and convert: what people said, ranked or in another form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from patmark.cli.options import Grades, PairTests, Resampling, Scales, Texts
from patmark.cli.output import Output, Quiet, check_files, deliver
from patmark.errors import UsageError
from patmark.options import Options, Parameter, group, refuse

if TYPE_CHECKING:
    from patmark.data import TestSet
    from patmark.judgements import Judgements, Preferences

_TARGETS = ("csv", "jsonl", "mt-metrics-eval", "pearmut")
_WITHOUT_TEXTS = ("csv", "jsonl")
_ANY_LANGUAGE = "en"  # only ids and documents are used


@group
class Format(Options, heading="Judgements"):
    """How files are read."""

    format: str | None = None
    """csv, preferences, jsonl, label-studio, pearmut, appraise, annotations, wmt-mqm or wmt-esa
    (default: by content)."""


@group
class Reading(Grades, Format):
    """How judgements are read, and what may occur in them."""

    systems: str | None = None
    """The only systems that may occur, with commas."""
    manifest: str | None = None
    """A task manifest: its runs and segments only may occur."""
    testset: str | None = None
    """Test set (JSONL, TSV) whose segments only may occur."""

    def known(self) -> tuple[list[str] | None, TestSet | None]:
        """The systems and segments that may occur; None means any."""
        from patmark import data
        from patmark.data import read_manifest

        listed = self.systems
        named = None if listed is None else [name.strip() for name in listed.split(",")]
        if named is not None and not all(named):
            raise UsageError(f"--systems: expected names with commas between, found {listed!r}")
        if self.manifest is not None:
            refuse("with --manifest", self.named("systems", "testset"))
            task = read_manifest(self.manifest)
            return [one.id for one in task.submissions], task.test_set
        if self.testset is None:
            return named, None
        read, _ = data.read_test_set(self.testset, _ANY_LANGUAGE, allow_empty_references=True)
        return named, read


def report(
    *files: Annotated[
        str,
        Parameter(required=True, help="Judgements, preferences or error annotations, in any form."),
    ],
    reading: Reading = Reading(),
    tests: PairTests = PairTests(),
    sampling: Resampling = Resampling(),
    output: Output = Output(),
) -> None:
    """Rank systems by human judgements, and say how far the evaluators can be trusted.

    Examples:

      patmark human report judgements.csv

      patmark human report e1.csv e2.csv e3.csv --systems atlas,borealis --html human.html

      patmark human report answers.csv --scale clarity=1..7 --save human.json.gz

      patmark human report mqm.tsv --weights wmt --html errors.html
    """
    from patmark.judgements import evaluate_judgements, read_human_files

    output.check([*files, reading.manifest, reading.testset])
    settings = tests.settings(sampling)
    names, test_set = reading.known()
    data = read_human_files(
        list(files),
        reading.format,
        scales=reading.scales,
        systems=names,
        test_set=test_set,
        weights=reading.named_weights,
    )
    done = evaluate_judgements(data, settings, whole_segments=not reading.keep_unfinished)
    deliver(done, output)


@group
class Conversion(Scales, Format):
    """What becomes of which judgements."""

    to: str
    """One of csv, jsonl, mt-metrics-eval, pearmut; of error annotations: annotations, wmt-mqm,
    label-studio, pearmut-log."""
    only: str | None = None
    """judgements or preferences, of a file that holds both."""
    overwrite: bool = False
    """Write over OUT if it exists."""


def convert(
    source: Annotated[str, Parameter(name="IN", help="Judgements or preferences.")],
    target: Annotated[str, Parameter(name="OUT", help="The file or folder to write.")],
    /,
    *,
    conversion: Conversion,
    texts: Texts = Texts(),
    output: Quiet = Quiet(),
) -> None:
    """Turn judgements into another form.

    csv and jsonl hold the judgements themselves. mt-metrics-eval is a folder of texts and human
    scores; pearmut is a campaign with the same texts, criteria and number of evaluators, to judge
    them once more. Both need the texts, as patmark score takes them.

    Error annotations go from one of annotations (JSON Lines of our own), wmt-mqm, label-studio and
    pearmut-log to another; texts are needed where the file has none.

    Examples:

      patmark human convert answers.jsonl judgements.csv --to csv

      patmark human convert judgements.csv folder --to mt-metrics-eval --src s.ja --ref r.en
      --hyp atlas.en --hyp borealis.en --lang ja-en

      patmark human convert mqm.tsv annotations.jsonl --to annotations
    """
    from patmark.data import AnnotatedTexts
    from patmark.judgements import (
        ANNOTATION_TARGETS,
        check_target,
        convert_annotations,
        convert_rows,
        convert_with_texts,
        read_human_files,
    )

    to, of_errors = conversion.to, conversion.to in ANNOTATION_TARGETS
    if to not in (*_TARGETS, *ANNOTATION_TARGETS):
        known = ", ".join((*_TARGETS, *ANNOTATION_TARGETS))
        raise UsageError(f"the form {to!r} is unknown; choose from {known}")
    if of_errors:
        refuse(f"with --to {to}", conversion.named("only"))
    if to in _WITHOUT_TEXTS:
        named = texts.named("testset", "ref", "src", "docs", "hyp", "lang")
        refuse(f"with --to {to}", named)
    check_files([target], [source, *texts.check()])
    check_target(target, overwrite=conversion.overwrite)
    given = any(texts.named("testset", "ref", "src", "hyp").values())
    read = texts.read() if given or not (of_errors or to in _WITHOUT_TEXTS) else None
    data = read_human_files(
        [source],
        conversion.format,
        scales=conversion.scales,
        systems=[run.system for run in read[1]] if read else None,
        test_set=read[0] if read else None,
    )
    notes = [*data.notes]
    if of_errors:
        of_texts = AnnotatedTexts.of(*read) if read else None
        notes += convert_annotations(data, to, target, of_texts)
    else:
        chosen = _chosen(data.judgements, data.preferences, conversion.only)
        if read is None:
            convert_rows(chosen, to, target)
        else:
            notes += convert_with_texts(chosen, to, target, *read)
    output.say(*notes, f"wrote {target}")


def _chosen(
    judgements: Judgements | None, preferences: Preferences | None, only: str | None
) -> Judgements | Preferences:
    """The one kind that the file holds, or that was asked for."""
    if only not in (None, "judgements", "preferences"):
        raise UsageError(f"--only {only!r}: expected judgements or preferences")
    kinds = {"judgements": judgements, "preferences": preferences}
    held = {name: data for name, data in kinds.items() if data is not None}
    if only is None and len(held) > 1:
        raise UsageError("the file holds judgements and preferences; choose one kind with --only")
    wanted = only or next(iter(held))
    if wanted not in held:
        raise UsageError(f"the file holds no {wanted}")
    return held[wanted]
