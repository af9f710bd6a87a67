"""What the user gave to be judged: files of translations, references, sources, bench rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

from patmark.cli.options import Choice
from patmark.cli.output import Html, say
from patmark.cli.parsing import Options, Parameter, group

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.evaluation import Inputs, Protocol as Judging, Sampling

    Read: TypeAlias = tuple[TestSet, list[Run]]


@group
class References(Options, heading="Inputs"):
    """A test set: lines of several files, or one file."""

    ref: tuple[str, ...] = ()
    """References, one line per segment; may be repeated."""
    src: str | None = None
    """Source texts, one line per segment: enables the checks."""
    docs: str | None = None
    """Document ids, one per line: intervals by document."""
    testset: str | None = None
    """A test set with ids instead of --ref: JSONL or TSV; patsnap: bench rows."""
    lang: str | None = None
    """Languages as SOURCE-TARGET, e.g. ja-en; or the target."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        others = [path for path in (self.src, self.docs, self.testset) if path is not None]
        return [*self.ref, *others]

    def inputs(self, results: Sequence[str] = ()) -> Inputs:
        """The files that were named."""
        from patmark.evaluation import Inputs

        given = {name: value for name, value in self.changed().items() if name != "allow_partial"}
        return Inputs(results=results, **given)


@group
class Hypotheses(Options, heading="Inputs"):
    """Translations."""

    hyp: tuple[str, ...] = ()
    """Translations: text lines, or .jsonl {id, hypothesis}; FILE or NAME=FILE."""


@group
class Texts(References, Hypotheses):
    """A test set and its translations."""

    @property
    def paths(self) -> list[str]:
        """All files to read."""
        from patmark.data import split_name

        return [*(split_name(one)[1] for one in self.hyp), *super().paths]

    def check(self, results: Sequence[str] = ()) -> list[str]:
        """All files to read; inputs that ask for standard input twice are refused."""
        from patmark.data import check_stdin_once, split_name

        paths = [*(split_name(one)[1] for one in results), *self.paths]
        check_stdin_once(paths)
        return paths

    def read(self) -> Read:
        """The test set and its translations."""
        inputs = self.inputs()
        test_set, runs = inputs.read_test_set()
        runs += inputs.read_runs(test_set, allow_partial=False)
        for warning in inputs.script_warnings(test_set, runs):
            say(warning)
        return test_set, runs


@group
class Data(Texts):
    """What score and compare are given beside result files."""

    allow_partial: bool = False
    """Accept missing answers. patsnap: leave those rows out; else they count as empty."""
    allow_empty_refs: bool = False
    """Leave segments without a reference out of the measures that need one."""

    def read_for(self, protocol: Judging, results: Sequence[str]) -> Read:
        """The test set and its translations, as the protocol reads them."""
        inputs = self.inputs(results)
        test_set, runs = protocol.read(inputs)
        for warning in inputs.script_warnings(test_set, runs) if self.lang else ():
            say(warning)
        return test_set, runs


@group
class Protocol(Options, heading="PatSnap bench"):
    """By which protocol translations are judged, and the options of that of PatSnap."""

    protocol: str = "plain"
    """plain: any measures. patsnap: the PatSnap bench."""
    direction: str | None = None
    """patsnap: cn2en (default) or en2cn."""
    variant: str | None = None
    """patsnap: strict (default), or published for the published scorer's numbers."""
    lemmatizer: str | None = None
    """patsnap: simplemma, spacy or auto (default: spacy if installed)."""

    def chosen(self, data: Data, choice: Choice, sampling: Sampling, output: Html) -> Judging:
        """The protocol with its options; an option that it does not have is refused."""
        from patmark.evaluation import protocol_called

        given = {**choice.changed(), **self.changed()}
        given.pop("protocol", None)
        if data.allow_partial:
            given["allow_partial"] = True
        return protocol_called(self.protocol, given, sampling, detailed=bool(output.html))


@group
class CheckedProtocol(Protocol):
    """The same, with the checks that need no reference."""

    checks: Annotated[bool | None, Parameter(negative="--no-checks")] = None
    """patsnap: also run the reference-free checks (default: with --html)."""
