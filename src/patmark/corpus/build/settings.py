"""The settings of a build, as a pipeline file gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_type_hints

from patmark.corpus.pair_filters import FilterSettings
from patmark.corpus.section_pairing import POOLED
from patmark.corpus.splits import SplitSettings
from patmark.data.files import FilePath
from patmark.data.languages import language_pair
from patmark.data.records import json_type, raise_if_any
from patmark.data.settings_file import Entry, SettingsFile, read_settings_file
from patmark.errors import UsageError
from patmark.patents.families import FAMILY_KINDS, FamilyKind
from patmark.patents.sections import SECTIONS

METHODS = ("hybrid", "utiyama-isahara", "gale-church")
ALIGNED_SECTIONS = ("title", "abstract", "claims", POOLED, *SECTIONS)
RELATIONS = ("family", "document")
DUPLICATES = ("pair", "source", "target", "either", "keep")
_TYPE_NAMES: dict[Any, str] = {
    str: "a string", int: "a whole number", float: "a number", bool: "true or false",
    tuple[str, ...]: "a list of strings",
}  # fmt: skip
_Settings = TypeVar("_Settings")


@dataclass(frozen=True, slots=True)
class FamilyChoice:
    """How documents are put into families."""

    kind: str = "simple"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, FAMILY_KINDS)


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Which documents are put side by side.

    ``kinds``: one publication of two offices per family, documents that are in both languages, or
    both. Offices are those that may stand on a side, best first; ``prefer`` are kinds of
    publication, best first.
    """

    kinds: tuple[str, ...] = ("family",)
    source_offices: tuple[str, ...] = ()
    target_offices: tuple[str, ...] = ()
    prefer: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.kinds:
            raise UsageError(f"kinds is empty; choose from {', '.join(RELATIONS)}")
        for kind in self.kinds:
            check_choice("kinds", kind, RELATIONS)


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """How sentences are aligned.

    ``sections`` are those to align (none named: all of them). With two ``passes``, the default of
    the hybrid, a lexicon is learnt from the best pairs of the first pass, and everything is
    aligned and scored again with it. ``lexicon_pairs`` is how many pairs it is learnt from.
    """

    method: str = "hybrid"
    dictionary: str | None = None
    sections: tuple[str, ...] = ()
    clauses: bool = False
    passes: int | None = None
    lexicon_pairs: int = 20_000

    def __post_init__(self) -> None:
        check_choice("method", self.method, METHODS)
        if self.passes not in (None, 1, 2):
            raise UsageError(f"passes is 1 or 2, not {self.passes}")
        if self.passes == 2 and self.method != "hybrid":
            raise UsageError(f"{self.method} learns no words; passes = 2 needs the hybrid")
        for section in self.sections:
            check_choice("sections", section, ALIGNED_SECTIONS)
        if self.lexicon_pairs < 1:
            raise UsageError("lexicon_pairs is at least 1")

    @property
    def learns(self) -> bool:
        """Whether there is a second pass with learnt words."""
        return self.passes != 1 and self.method == "hybrid"


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Which aligned pairs are kept.

    Pairs are ranked over all documents by SntScore = SIM × AVSIM, with ``use_ratio`` also × R,
    the ratio of the sentence counts of the documents. Cuts: a lowest score, a highest rank, a
    share of all pairs; several may be given.
    """

    beads: tuple[str, ...] = ("1-1",)
    use_ratio: bool = False
    min_score: float | None = None
    keep: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        for bead in self.beads or ("",):
            if not all(part.isdigit() and int(part) for part in bead.split("-")) or "-" not in bead:
                raise UsageError(f"beads are such as 1-1 or 2-1, not {bead!r}")
        if self.keep is not None and self.keep < 1:
            raise UsageError("keep is the number of pairs to keep, at least 1")
        if self.share is not None and not 0 < self.share <= 1:
            raise UsageError(f"share is above 0 and at most 1, not {self.share}")


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """Which pairs count as said before; the one with the best score stays.

    ``exact``: the same text (letters and digits) in the pair, on one side, on either side; or keep
    them. ``near``: pairs whose two sides are both this similar (Jaccard of character n-grams);
    0 keeps them.
    """

    exact: str = "pair"
    near: float = 0.9

    def __post_init__(self) -> None:
        check_choice("exact", self.exact, DUPLICATES)
        if not 0 <= self.near <= 1:
            raise UsageError(f"near is a similarity from 0 to 1, not {self.near}")


@dataclass(frozen=True, slots=True)
class SampleSettings:
    """How many pairs are drawn for people to judge; 0 for none."""

    size: int = 200

    def __post_init__(self) -> None:
        if self.size < 0:
            raise UsageError("size is not negative")


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """All that a build is made from."""

    name: str
    source_language: str
    target_language: str
    inputs: tuple[str, ...]
    base: Path
    seed: int = 0
    families: FamilyChoice = field(default_factory=FamilyChoice)
    pairs: PairSettings = field(default_factory=PairSettings)
    align: AlignSettings = field(default_factory=AlignSettings)
    rank: RankSettings = field(default_factory=RankSettings)
    filters: FilterSettings | None = None
    duplicates: DuplicateSettings = field(default_factory=DuplicateSettings)
    split: SplitSettings = field(default_factory=SplitSettings)
    sample: SampleSettings = field(default_factory=SampleSettings)

    @property
    def filter_settings(self) -> FilterSettings:
        """The filters, with the languages of the build."""
        return self.filters or FilterSettings(self.source_language, self.target_language)

    @property
    def family_kind(self) -> FamilyKind:
        """How documents are put into families."""
        return next(kind for kind in FAMILY_KINDS if kind == self.families.kind)

    def to_json(self) -> dict[str, Any]:
        """All settings that change the result; where the files lie does not."""
        values = asdict(self)
        del values["base"]
        align = {
            **values["align"],
            "dictionary": self.align.dictionary or "that of the languages",
            "passes": 2 if self.align.learns else 1,
        }
        filters = asdict(self.filter_settings)
        del filters["source_language"], filters["target_language"]
        return {**values, "align": align, "filters": filters}


_SECTIONS: Mapping[str, type] = {
    "families": FamilyChoice, "pairs": PairSettings, "align": AlignSettings, "rank": RankSettings,
    "filters": FilterSettings, "duplicates": DuplicateSettings, "split": SplitSettings,
    "sample": SampleSettings,
}  # fmt: skip
_TOP = ("name", "lang", "inputs", "seed")


def read_pipeline(path: FilePath) -> PipelineSettings:
    """Read a pipeline file (YAML, JSON or TOML); all problems are reported at once.

    Inputs are relative to the folder of the file.
    """
    file = read_settings_file(path)
    top = file.top()
    top.only((*_TOP, *_SECTIONS))
    source, target = _languages(top)
    inputs = top.one_or_more_texts("inputs")
    if not inputs:
        top.complain("field 'inputs' is missing or empty; expected files or folders")
    base = Path(path).parent
    for name in inputs:
        if not (base / name).exists():
            top.complain_about("inputs", f"{name}: no such file or folder")
    seed = _checked(top, "seed", int) if "seed" in top.fields else 0
    given: dict[str, Any] = {}
    for name, kind in _SECTIONS.items():
        if name in file.content:
            fixed = {"source_language": source, "target_language": target}
            used = fixed if kind is FilterSettings else {}
            given[name] = _section(_entry(file, name), kind, used)
    if given.get("align"):
        given["align"] = _with_dictionary_in(base, given["align"], _entry(file, "align"))
    raise_if_any(file.problems)
    title = top.optional_text("name") or Path(path).stem
    return PipelineSettings(title, source, target, inputs, base, seed or 0, **given)


def _languages(top: Entry) -> tuple[str, str]:
    text = top.needed_text("lang")
    try:
        source, target = language_pair(text) if text else (None, "")
    except UsageError as error:
        top.complain_about("lang", str(error))
        return "", ""
    if text and source is None:
        top.complain_about("lang", f"expected two languages such as zh-en, found {text!r}")
    return source or "", target


def _with_dictionary_in(base: Path, settings: AlignSettings, entry: Entry) -> AlignSettings:
    """A dictionary in a file is named relative to the settings too."""
    kind, colon, name = (settings.dictionary or "").partition(":")
    if not colon:
        return settings
    if not (base / name).is_file():
        entry.complain_about("dictionary", f"{name}: no such file")
    return replace(settings, dictionary=f"{kind}:{base / name}")


def _entry(file: SettingsFile, name: str) -> Entry:
    """A table of the file as an object with places."""
    content = file.content[name]
    if not isinstance(content, dict):
        file.top().mismatch(name, "an object")
        content = {}
    lines = {
        str(where[1]): line
        for where, line in file.lines.items()
        if len(where) == 2 and where[0] == name
    }
    return Entry(content, file.path, file.lines.get((name,), 0), file.problems, lines, name)


def _section(entry: Entry, kind: type[_Settings], given: Mapping[str, Any]) -> _Settings | None:
    """The settings of a table; None, and a problem, if they are wrong."""
    hints = get_type_hints(kind)
    names = [each.name for each in fields(kind) if each.name not in given]  # type: ignore[arg-type]
    entry.only(names)
    before = len(entry.problems)
    values = {name: _checked(entry, name, hints[name]) for name in names if name in entry.fields}
    if len(entry.problems) > before:
        return None
    try:
        return kind(**given, **values)
    except UsageError as error:
        entry.complain(str(error))
        return None


def _checked(entry: Entry, name: str, hint: Any) -> Any:
    """A value of the wanted type; a problem if it is of another one."""
    [wanted] = [each for each in (get_args(hint) or (hint,)) if each is not NoneType][:1]
    if hint == tuple[str, ...]:
        return entry.one_or_more_texts(name)
    value = entry.fields[name]
    accepted = (int, float) if wanted is float else wanted
    if isinstance(value, bool) != (wanted is bool) or not isinstance(value, accepted):
        entry.complain_about(name, f"expected {_TYPE_NAMES[wanted]}, found {json_type(value)}")
        return None
    return value


def check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a value that is none of the known ones."""
    if value not in known:
        raise UsageError(f"{name} is one of {', '.join(known)}, not {value!r}")
