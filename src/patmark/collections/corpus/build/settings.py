"""The settings of a build, as a pipeline file gives them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from patmark.alignment import DEFAULT_ALIGNER
from patmark.collections.patents import FAMILY_KINDS, SECTIONS, FamilyKind
from patmark.data import WHOLE_OBJECT, FilePath, SettingsFile, parse_model, read_settings_file
from patmark.engine import is_url, shown_url
from patmark.errors import InputError, Problem, UsageError
from patmark.languages import language_pair

POOLED = "description"
METHODS = (DEFAULT_ALIGNER, "utiyama-isahara", "gale-church")
ALIGNED_SECTIONS = ("title", "abstract", "claims", POOLED, *SECTIONS)
RELATIONS = ("family", "document")
SIDES = ("source", "target")
DATED_SIDES = (*SIDES, "later")
LANGUAGE_IDENTIFIERS = ("script", "lid176", "none")
DUPLICATES = ("pair", "source", "target", "either", "keep")


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """Conditions on a pair. Shares are from 0 (no condition) to 1.

    ``slack`` is a difference of length, in English characters, that is allowed at any ratio.
    ``number_share`` and ``sign_share`` are shares of all numbers or signs of the pair that must
    agree: a translator may omit a repeated number, or repeat a sign.

    ``language_id`` detects languages by script and function words, or by fastText's model
    (``lid176``). ``encoder`` is a sentence encoder by name, ``bicleaner`` a file of scores; pairs
    below ``encoder_score`` or ``bicleaner_score`` are rejected. ``plugins`` are custom functions,
    ``module:function``.
    """

    source_language: str
    target_language: str
    shortest: float = 6
    longest: float = 2000
    largest_ratio: float = 2.0
    slack: float = 15
    number_share: float = 0.5
    sign_share: float = 0.5
    letter_share: float = 0.4
    require_final_mark: bool = False
    language_id: str = "script"
    encoder: str = ""
    encoder_score: float = 0.6
    bicleaner: str = ""
    bicleaner_score: float = 0.5
    plugins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("language_id", self.language_id, LANGUAGE_IDENTIFIERS)
        for plugin in self.plugins:
            if not all(plugin.partition(":")):
                raise UsageError(f"plugins are such as package.module:function, not {plugin!r}")
        if self.largest_ratio < 1 or not 0 <= self.shortest <= self.longest:
            raise UsageError("filters need largest_ratio ≥ 1 and 0 ≤ shortest ≤ longest")
        shares = ("number_share", "sign_share", "letter_share", "encoder_score", "bicleaner_score")
        for name in shares:
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {getattr(self, name)}")


@dataclass(frozen=True, slots=True)
class FamilyChoice:
    """Kind of families."""

    kind: str = "simple"

    def __post_init__(self) -> None:
        check_choice("kind", self.kind, FAMILY_KINDS)


@dataclass(frozen=True, slots=True)
class PairSettings:
    """Selection of document pairs.

    ``kinds``: one publication of two offices per family, documents that are in both languages, or
    both. Offices are the allowed ones of a side, best first; ``prefer`` are kinds of publication,
    best first.
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
    """Settings of the sentence alignment.

    ``sections`` are those to align (default: all). With two ``passes``, the default of the hybrid,
    a lexicon is learned from the best pairs of the first pass, and everything is aligned and scored
    again with it. ``lexicon_pairs`` is the number of pairs for learning.
    """

    method: str = DEFAULT_ALIGNER
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
        """True if there is a second pass with learned words."""
        return self.passes != 1 and self.method == "hybrid"


@dataclass(frozen=True, slots=True)
class RankSettings:
    """Selection of aligned pairs.

    Pairs are ranked over all documents by SntScore = SIM × AVSIM, with ``use_ratio`` also × R, the
    ratio of the sentence counts of the documents. Cuts are a lowest score, a highest rank, or a
    share of all pairs; several may be given.

    Pairs of two abstracts are left out if these are not translations of each other: if their score
    is lower than ``abstracts`` times the usual score of claims and descriptions; 0 keeps them.
    """

    beads: tuple[str, ...] = ("1-1",)
    use_ratio: bool = False
    min_score: float | None = None
    keep: int | None = None
    share: float | None = None
    abstracts: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.abstracts <= 1:
            raise UsageError(f"abstracts is a share from 0 to 1, not {self.abstracts}")
        for bead in self.beads or ("",):
            if not all(part.isdigit() and int(part) for part in bead.split("-")) or "-" not in bead:
                raise UsageError(f"beads are such as 1-1 or 2-1, not {bead!r}")
        if self.keep is not None and self.keep < 1:
            raise UsageError("keep is the number of pairs to keep, at least 1")
        if self.share is not None and not 0 < self.share <= 1:
            raise UsageError(f"share is above 0 and at most 1, not {self.share}")


@dataclass(frozen=True, slots=True)
class DuplicateSettings:
    """Duplicates among pairs; the pair with the best score stays.

    ``exact``: the same text (letters and digits) in the pair, on one side, on either side; or keep
    them. ``near``: pairs with at least this similarity of both sides (Jaccard of character
    n-grams); 0 keeps them.
    """

    exact: str = "pair"
    near: float = 0.9

    def __post_init__(self) -> None:
        check_choice("exact", self.exact, DUPLICATES)
        if not 0 <= self.near <= 1:
            raise UsageError(f"near is a similarity from 0 to 1, not {self.near}")


@dataclass(frozen=True)
class SplitSettings:
    """Sizes, years and thresholds of train, dev and test.

    ``dev`` and ``test`` are numbers of pairs. With ``test_from``, patents published in that year or
    later are for dev and test, and ``train_until`` (default: the year before) is the last year of
    training data; without it, years have no effect. ``side`` is the dating publication: that of the
    source, of the target, or the later one.

    ``per_patent`` is the largest number of dev and test pairs from a patent. Pairs whose source or
    target has the pattern of a selected one (without numbers and signs; Jaccard of at least
    ``pattern``) are left out of dev and test, and training pairs with a side that is ``leak``
    similar to a side of dev or test are left out of the training data.
    """

    dev: int = 2000
    test: int = 2000
    side: str = "target"
    train_until: int | None = None
    test_from: int | None = None
    per_patent: int | None = 20
    pattern: float = 0.8
    leak: float = 0.8

    def __post_init__(self) -> None:
        check_choice("side", self.side, DATED_SIDES)
        if self.dev < 0 or self.test < 0:
            raise UsageError("dev and test are numbers of pairs, not negative")
        if self.per_patent is not None and self.per_patent < 1:
            raise UsageError("per_patent is at least 1")
        for name in ("pattern", "leak"):
            if not 0 < getattr(self, name) <= 1:
                raise UsageError(f"{name} is a similarity above 0 and at most 1")
        if self.train_until is not None:
            if self.test_from is None:
                raise UsageError("train_until needs test_from, the first year of dev and test")
            if self.train_until >= self.test_from:
                raise UsageError("train_until is before test_from")

    @property
    def last_training_year(self) -> int | None:
        """The last year of training data; None if years have no effect."""
        if self.test_from is None or self.train_until is not None:
            return self.train_until
        return self.test_from - 1


@dataclass(frozen=True)
class SampleSettings:
    """Number of pairs sampled for human judgement; 0 for none."""

    size: int = 200

    def __post_init__(self) -> None:
        if self.size < 0:
            raise UsageError("size is not negative")


@dataclass(frozen=True, slots=True)
class MonolingualSettings:
    """Whole documents of one language, for language models; none without ``sides``.

    ``until`` is the last year of publication, by default that of training pairs.
    """

    sides: tuple[str, ...] = ()
    until: int | None = None

    def __post_init__(self) -> None:
        for side in self.sides:
            check_choice("sides", side, SIDES)


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """Files of a collection.

    Up to ``rows`` ranked pairs, each table is one file. Beyond, workers write pairs, training pairs
    and similar ones in files of that many ranks. 0: always one file.
    """

    rows: int = 50_000

    def __post_init__(self) -> None:
        if self.rows < 0:
            raise UsageError(f"rows is at least 0, not {self.rows}")


@dataclass(frozen=True, slots=True)
class SourceTerms:
    """Name, licence and terms of use of an input; terms are a text or an address."""

    input: str
    name: str = ""
    licence: str = ""
    terms: str = ""

    def __post_init__(self) -> None:
        if not self.licence and not self.terms:
            raise UsageError(f"the source {self.input!r} states neither a licence nor terms")


@dataclass(frozen=True, slots=True)
class PipelineSettings:
    """All settings of a build."""

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
    monolingual: MonolingualSettings = field(default_factory=MonolingualSettings)
    export: ExportSettings = field(default_factory=ExportSettings)
    sources: tuple[SourceTerms, ...] = ()

    @property
    def filter_settings(self) -> FilterSettings:
        """The filters, with the languages of the build."""
        return self.filters or FilterSettings(self.source_language, self.target_language)

    @property
    def family_kind(self) -> FamilyKind:
        """Kind of families."""
        return next(kind for kind in FAMILY_KINDS if kind == self.families.kind)

    def to_json(self) -> dict[str, Any]:
        """Return all settings that change the result, without the places of files."""
        values = {**asdict(self), "inputs": tuple(map(shown_url, self.inputs))}
        del values["base"], values["sources"]  # terms change no result
        kind, colon, name = (self.align.dictionary or "").partition(":")
        align = {
            **values["align"],
            "dictionary": f"{kind}{colon}{os.path.basename(shown_url(name))}"
            or "that of the languages",
            "passes": 2 if self.align.learns else 1,
        }
        filters = asdict(self.filter_settings)
        del filters["source_language"], filters["target_language"]
        filters["bicleaner"] = Path(filters["bicleaner"]).name
        return {**values, "align": align, "filters": filters}


_SECTIONS: Mapping[str, type] = {
    "families": FamilyChoice,
    "pairs": PairSettings,
    "align": AlignSettings,
    "rank": RankSettings,
    "filters": FilterSettings,
    "duplicates": DuplicateSettings,
    "split": SplitSettings,
    "sample": SampleSettings,
    "monolingual": MonolingualSettings,
    "export": ExportSettings,
}
_LANGUAGES = ("source_language", "target_language")  # the same for all sections


def read_pipeline(path: FilePath) -> PipelineSettings:
    """Read a pipeline file (YAML, JSON or TOML); report all problems together.

    Inputs are relative to the folder of the file.
    """
    file = read_settings_file(path)
    base = Path(path).parent
    read = parse_model(file, _pipeline_model())
    file.problems.extend(_missing_files(file, base))
    if read is None or file.problems:
        raise InputError(sorted(file.problems, key=lambda problem: problem.line or 0))
    source, target = _languages(read.lang)
    given: dict[str, Any] = {}
    for name in read.model_fields_set & set(_SECTIONS):
        kind = _SECTIONS[name]
        used = dict(zip(_LANGUAGES, (source, target), strict=True))
        section = getattr(read, name)
        values = {
            # a number stays as it is written, 3 or 3.0
            each: getattr(section, each) if isinstance(value, list | str) else value
            for each, value in file.content[name].items()
        }
        given[name] = kind(**(used if kind is FilterSettings else {}), **values)
    if "align" in given:
        given["align"] = _with_dictionary_in(base, given["align"])
    if "filters" in given:
        given["filters"] = _with_files_in(base, given["filters"])
    title = read.name or Path(path).stem
    given["sources"] = tuple(SourceTerms(**each.model_dump()) for each in read.sources)
    unknown = [each.input for each in given["sources"] if each.input not in read.inputs]
    if unknown:
        message = f"field 'sources': {', '.join(unknown)}: not among the inputs"
        raise InputError.at(message, str(path), file.lines.get(("sources",)))
    return PipelineSettings(title, source, target, read.inputs, base, read.seed, **given)


def _pipeline_model() -> Any:
    """Return the model of a pipeline file; load pydantic only when a file is read."""
    from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, create_model

    config = ConfigDict(extra="forbid")
    texts = Annotated[tuple[str, ...], BeforeValidator(_one_or_more)]
    form: dict[str, Any] = {
        "name": (str | None, None),
        "lang": (
            Annotated[str, AfterValidator(_checked_languages)],
            Field("", validate_default=True),
        ),
        "inputs": (
            Annotated[texts, AfterValidator(_some_inputs)],
            Field((), validate_default=True),
        ),
        "seed": (int, 0),
    }
    for name, kind in _SECTIONS.items():
        form[name] = (_section_model(kind, config, texts), None)
    source: Any = _section_model(SourceTerms, config, texts)
    form["sources"] = (list[source], [])
    return create_model("Pipeline", __config__=config, **form)


def _section_model(kind: type, config: Any, texts: Any) -> Any:
    """Return the model of a table of the file: the fields of its settings."""
    from pydantic import create_model, model_validator

    hints = get_type_hints(kind)
    own: dict[str, Any] = {
        each.name: (
            texts if hints[each.name] == tuple[str, ...] else hints[each.name],
            ... if each.default is MISSING else each.default,
        )
        for each in fields(kind)
        if each.name not in _LANGUAGES
    }
    fixed = dict.fromkeys(_LANGUAGES, "") if kind is FilterSettings else {}

    def check(section: Any) -> Any:
        try:
            kind(**fixed, **section.model_dump())
        except UsageError as error:
            raise _about_whole(str(error)) from None
        return section

    validators: dict[str, Any] = {"check": model_validator(mode="after")(check)}
    return create_model(kind.__name__, __config__=config, __validators__=validators, **own)


def _one_or_more(value: Any) -> Any:
    """Return a tuple; a string is a list of one."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _about_whole(message: str) -> Exception:
    from pydantic_core import PydanticCustomError

    return PydanticCustomError(WHOLE_OBJECT, "{said}", {"said": message})


def _some_inputs(inputs: tuple[str, ...]) -> tuple[str, ...]:
    if not inputs:
        raise _about_whole("field 'inputs' is missing or empty; expected files or folders")
    return inputs


def _checked_languages(text: str) -> str:
    if not text:
        raise _about_whole("field 'lang' is missing or empty; expected two languages such as zh-en")
    _languages(text)
    return text


def _languages(text: str) -> tuple[str, str]:
    try:
        source, target = language_pair(text.strip())
    except UsageError as error:
        raise ValueError(str(error)) from None
    if source is None:
        raise ValueError(f"expected two languages such as zh-en, found {text!r}")
    return source, target


def _missing_files(file: SettingsFile, base: Path) -> Iterator[Problem]:
    """Yield problems of inputs and dictionaries that do not exist."""
    inputs, align = _one_or_more(file.content.get("inputs")), file.content.get("align")
    for name in inputs if isinstance(inputs, tuple) else ():
        if isinstance(name, str) and not is_url(name) and not os.path.exists(base / name):
            message = f"field 'inputs': {name}: no such file or folder"
            yield Problem(message, file.path, file.lines.get(("inputs",)))
    filters = file.content.get("filters")
    scores = filters.get("bicleaner") if isinstance(filters, dict) else None
    if isinstance(scores, str) and scores and not os.path.isfile(base / scores):
        line = file.lines.get(("filters", "bicleaner"), file.lines.get(("filters",)))
        yield Problem(f"field 'bicleaner': {scores}: no such file", file.path, line)
    dictionary = align.get("dictionary") if isinstance(align, dict) else None
    name = dictionary.partition(":")[2] if isinstance(dictionary, str) else ""
    if name and not is_url(name) and not os.path.isfile(base / name):
        lines = file.lines
        line = lines.get(("align", "dictionary"), lines.get(("align",)))
        yield Problem(f"field 'dictionary': {name}: no such file", file.path, line)


def _with_dictionary_in(base: Path, settings: AlignSettings) -> AlignSettings:
    """Resolve a dictionary file relative to the folder of the settings."""
    kind, colon, name = (settings.dictionary or "").partition(":")
    if not colon or is_url(name):
        return settings
    return replace(settings, dictionary=f"{kind}:{base / name}")


def _with_files_in(base: Path, settings: FilterSettings) -> FilterSettings:
    """Resolve a file of scores and the folder of an encoder relative to the settings."""
    folder = base / settings.encoder
    encoder = str(folder) if settings.encoder and folder.is_dir() else settings.encoder
    scores = str(base / settings.bicleaner) if settings.bicleaner else ""
    return replace(settings, encoder=encoder, bicleaner=scores)


def check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    """Refuse a value that is none of the known ones."""
    if value not in known:
        raise UsageError(f"{name} is one of {', '.join(known)}, not {value!r}")
