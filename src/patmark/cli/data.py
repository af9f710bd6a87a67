"""What the user gave to be judged: files of translations, references, sources, bench rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from patmark.cli.options import Choice
from patmark.cli.output import Html, say
from patmark.options import Options, defaults_of, group

if TYPE_CHECKING:
    from patmark.data import Run, TestSet
    from patmark.evaluation import Inputs, Protocol as Judging, Sampling

    Read: TypeAlias = tuple[TestSet, list[Run]]

PLAIN = "plain"


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
    """A test set with ids instead of --ref: JSONL or TSV; or the rows of a protocol."""
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
        for warning in inputs.language_warnings(test_set, runs):
            say(warning)
        return test_set, runs


@group
class Data(Texts):
    """What score and compare are given beside result files."""

    allow_partial: bool = False
    """Accept missing answers: they count as empty, or the protocol leaves them out."""
    allow_empty_refs: bool = False
    """Leave segments without a reference out of the measures that need one."""

    def read_for(self, protocol: Judging, results: Sequence[str]) -> Read:
        """The test set and its translations, as the protocol reads them."""
        inputs = self.inputs(results)
        test_set, runs = protocol.read(inputs)
        for warning in inputs.language_warnings(test_set, runs) if self.lang else ():
            say(warning)
        return test_set, runs


@group
class Protocol(Options, heading="Protocol"):
    """By which protocol translations are judged."""

    protocol: str = PLAIN
    """A published way of judging, with the options listed below; plain: any measures."""

    def chosen(
        self, own: Options, data: Data, choice: Choice, sampling: Sampling, output: Html
    ) -> Judging:
        """The protocol with its options; an option that it does not have is refused."""
        from patmark.evaluation import protocol_called

        given = {**choice.changed(), **own.changed()}
        if data.allow_partial:
            given["allow_partial"] = True
        return protocol_called(self.protocol, given, sampling, detailed=bool(output.html))


@group
class OwnOptions(Options):
    """The options that a protocol declares itself."""

    @classmethod
    def on_line(cls, tokens: Sequence[str]) -> type[Options]:
        """Those of the protocol that the line names."""
        from patmark.catalogue import load_protocol_options

        return load_protocol_options(_protocol_on(tokens))

    @classmethod
    def others(cls) -> Mapping[str, type[Options]]:
        """Those of all protocols."""
        from patmark.catalogue import protocol_options

        known = protocol_options().items()
        return {f"--protocol {name}": own for name, own in known if defaults_of(own)}


def _protocol_on(tokens: Sequence[str]) -> str:
    """The protocol that a line names; the last one counts."""
    name = PLAIN
    for token, after in pairwise([*tokens, ""]):
        option, equals, value = token.partition("=")
        if option == "--protocol":
            name = value if equals else after or name
    return name
