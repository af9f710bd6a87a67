"""Which aligned pairs are kept: scores and ranks over all documents, filters, duplicates.

    AVSIM = mean SIM over the beads of a document pair
    SntScore = AVSIM × SIM
    score = SntScore, or SntScore × R

after Utiyama and Isahara (2003); R, the ratio of the sentence counts of the two documents, is that
of their work on patents (2007). Sums are sums of whole numbers, so that their order cannot change
them.

``ranked`` holds the texts of all pairs, each with its place in the ranking; all later tables are
narrow and name a pair by its place. Pairs are marked, none is thrown away.

A pair gets all reasons that speak against it:

| reason | what it means |
|---|---|
| empty | a side has no letter or digit |
| source-language, target-language | script or function words are those of another language |
| short, long | a side is shorter or longer than allowed |
| length-ratio | the sides are of too different length, given the languages |
| numbers | too few numbers of the two sides agree |
| reference-signs | too few reference signs, figure numbers and step labels agree |
| copy | the target repeats the source |
| non-letters | a side is mostly digits and marks |
| no-final-mark | a side does not end as sentences end (only asked for one-to-one pairs) |

Lengths are counted in *English characters*: a Chinese character counts for about three, because
three English letters are what it takes to say the same. Latin letters and digits in Chinese,
Japanese and Korean (step S101, 25 mm) are as long as in English. Blanks do not count.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial

import numpy as np

from patmark.corpus import near_duplicates as near
from patmark.corpus.build.document_pairs import quoted
from patmark.corpus.build.settings import DuplicateSettings, FilterSettings, RankSettings
from patmark.data import TestSet
from patmark.engine import (
    Batch,
    Dataset,
    Relation,
    StepRunner,
    View,
    arrow,
    arrow_schema,
    batch_of,
)
from patmark.facts import COUNTED_LANGUAGES
from patmark.measures import Check, Numbers, ReferenceSigns
from patmark.text import fits_language, fold

# characters per English character, blanks left out: translated patents (see docs/pairs.md)
_DENSITY = {"zh": 0.31, "ja": 0.43, "ko": 0.5, "de": 1.12, "fr": 1.17}
_UNSPACED = frozenset(("zh", "ja", "ko"))
_AS_IN_ENGLISH = re.compile("[0-9A-Za-z０-９Ａ-Ｚａ-ｚ]")
_FINAL = re.compile(r"[.!?。．｡！？…][\"'”’»)\]」』）】]*$")
_DIGITS = re.compile(r"\d+")
_LONGER_DIGITS = re.compile(r"\d{2,}")
_WORD = re.compile(r"[^\W\d_]{4,}")
_COPIED_SHARE = 0.8
_ENOUGH_WORDS = 5
CHECK_SCHEMA = {
    "place": "int64",
    "left_out": "string",
    "reasons": "string",
    "source_key": "string",
    "target_key": "string",
}
BAND_SCHEMA = {"place": "int64", "band": "int64", "band_key": "int64"}
SIMILAR_SCHEMA = {"place": "int64", "earlier": "int64"}
_HIGH = 0.85
_EXACT_KEYS = {
    "pair": ("source_key, target_key",),
    "source": ("source_key",),
    "target": ("target_key",),
    "either": ("source_key", "target_key"),
    "keep": (),
}

_SCORES = """
WITH document_scores AS (
  SELECT pair_id,
         CAST(SUM(source_count) AS DOUBLE) AS source_total,
         CAST(SUM(target_count) AS DOUBLE) AS target_total,
         CAST(SUM(CASE WHEN source_count > 0 AND target_count > 0 AND problem = ''
                       THEN CAST(FLOOR(sim * 1e9 + 0.5e0) AS BIGINT) ELSE 0 END) AS DOUBLE)
         / SUM(CASE WHEN source_count > 0 AND target_count > 0 AND problem = ''
                    THEN 1e0 ELSE 0e0 END) / 1e9 AS mean
  FROM aligned GROUP BY pair_id
  HAVING SUM(CASE WHEN source_count > 0 AND target_count > 0 AND problem = ''
                  THEN 1 ELSE 0 END) > 0
), scored AS (
  SELECT a.pair_id, a.number,
         FLOOR(d.mean * 1e9 + 0.5e0) / 1e9 AS avsim,
         FLOOR(CASE WHEN d.source_total < d.target_total THEN d.source_total / d.target_total
                    ELSE d.target_total / d.source_total END * 1e9 + 0.5e0) / 1e9 AS ratio,
         a.sim
  FROM aligned a JOIN document_scores d ON d.pair_id = a.pair_id
  WHERE a.problem = '' AND a.bead IN ({beads})
)
SELECT pair_id, number, avsim, ratio,
       FLOOR(sim * avsim * 1e12 + 0.5e0) / 1e12 AS sntscore,
       FLOOR(sim * avsim{ratio} * 1e12 + 0.5e0) / 1e12 AS score
FROM scored
"""
# Scores of 1/10,000 are numbered apart, so that no worker has to hold all pairs.
_BUCKET = "CAST(FLOOR(-score * 1e4) AS BIGINT)"
_NUMBERED = """
SELECT t.*, CAST(b.total AS BIGINT) AS total,
       CAST(b.earlier + ROW_NUMBER() OVER (PARTITION BY t.bucket ORDER BY {order}) AS BIGINT)
         AS place
FROM in_buckets t
JOIN (
  SELECT bucket, SUM(n) OVER (ORDER BY bucket) - n AS earlier, SUM(n) OVER () AS total
  FROM (SELECT bucket, COUNT(*) AS n FROM in_buckets GROUP BY bucket) counted
) b ON b.bucket = t.bucket
"""
_RANKED = """
SELECT s.place, a.pair_id, a.number, a.section, a.bead, a.sim, s.avsim, s.ratio, s.sntscore,
       s.score, a.source, a.target, CASE WHEN {kept} THEN '' ELSE 'cut' END AS left_out
FROM scores s
JOIN aligned a ON a.pair_id = s.pair_id AND a.number = s.number
ORDER BY s.place
"""
_UNIQUE = """
SELECT place, reasons, source_key, target_key,
       CASE WHEN left_out = '' AND ROW_NUMBER() OVER (
              PARTITION BY CASE WHEN left_out = '' THEN 0 ELSE 1 END, {keys} ORDER BY place) > 1
            THEN 'duplicate' ELSE left_out END AS left_out
FROM {table} t
"""
_KEPT = """
SELECT r.place, r.source
FROM ranked r JOIN unique_pairs u ON u.place = r.place
WHERE u.left_out = ''
"""
# Each pair is held against the first of its bucket and against the one before it.
_CANDIDATES = """
WITH neighbours AS (
  SELECT place,
         FIRST_VALUE(place) OVER (PARTITION BY band, band_key ORDER BY place) AS first_place,
         LAG(place) OVER (PARTITION BY band, band_key ORDER BY place) AS place_before
  FROM bands
), candidates AS (
  SELECT place, first_place AS earlier FROM neighbours WHERE first_place < place
  UNION
  SELECT place, place_before AS earlier FROM neighbours WHERE place_before IS NOT NULL
)
SELECT c.place, c.earlier, l.source, l.target,
       e.source AS earlier_source, e.target AS earlier_target
FROM candidates c
JOIN ranked l ON l.place = c.place
JOIN ranked e ON e.place = c.earlier
"""
_NOTHING_SIMILAR = "SELECT place, place AS earlier FROM ranked WHERE 1 = 0"
_CLEANED = """
SELECT u.place, u.reasons,
       CASE WHEN u.left_out = '' AND s.place IS NOT NULL THEN 'near-duplicate'
            ELSE u.left_out END AS left_out
FROM unique_pairs u
LEFT JOIN (SELECT DISTINCT place FROM similar_pairs) s ON s.place = u.place
ORDER BY u.place
"""


def numbered(pairs: str, order: str) -> str:
    """Pairs that have a score, with their ``place`` by falling scores and then by ``order``."""
    buckets = f"WITH in_buckets AS (SELECT p.*, {_BUCKET} AS bucket FROM ({pairs}) p)"
    return f"{buckets} {_NUMBERED.format(order=f'score DESC, {order}')}"


def scores_view(aligned: Dataset, settings: RankSettings) -> View:
    """The scores and ranks of beads of the wanted kinds, without their texts."""
    statement = _SCORES.format(
        beads=", ".join(map(quoted, settings.beads)),
        ratio=" * ratio" if settings.use_ratio else "",
    )
    return View(numbered(statement, "pair_id, number"), {"aligned": aligned})


def rank_step(steps: StepRunner, aligned: Dataset, settings: RankSettings) -> Dataset:
    """All pairs of the wanted kinds of beads in the order of their scores, with their texts."""
    tables: dict[str, Relation] = {"scores": scores_view(aligned, settings), "aligned": aligned}
    return steps.sql("ranked", _RANKED.format(kept=_kept(settings)), tables)


def _kept(settings: RankSettings) -> str:
    """The condition of the cut."""
    conditions = ["1 = 1"]
    if settings.min_score is not None:
        conditions.append(f"s.score >= CAST({settings.min_score!r} AS DOUBLE)")
    if settings.keep is not None:
        conditions.append(f"s.place <= {settings.keep}")
    if settings.share is not None:
        conditions.append(
            f"s.place <= CEIL(CAST(s.total AS DOUBLE) * CAST({settings.share!r} AS DOUBLE))"
        )
    return " AND ".join(conditions)


def clean_step(
    steps: StepRunner, ranked: Dataset, filters: FilterSettings, duplicates: DuplicateSettings
) -> tuple[Dataset, Dataset]:
    """The keys of the texts of each pair; and the reason why it is left out, if there is one."""
    check = partial(check_pairs, filters)
    columns = ("place", "left_out", "source", "target")
    checked = steps.map("checked", check, ranked, CHECK_SCHEMA, asdict(filters), columns=columns)
    table = "checked"
    for keys in _EXACT_KEYS[duplicates.exact]:
        table = f"({_UNIQUE.format(keys=keys, table=table)})"
    unique = View(f"SELECT place, reasons, left_out FROM {table} u", {"checked": checked})
    similar = _similar(steps, ranked, unique, duplicates.near)
    tables = {"unique_pairs": unique, "similar_pairs": similar}
    return checked, steps.sql("cleaned", _CLEANED, tables)


def check_pairs(filters: FilterSettings, pairs: Batch) -> Iterator[Batch]:
    """The reasons against pairs, and the keys of their texts; cut pairs are not looked at."""
    columns = pairs.to_pydict()
    wanted = [n for n, left_out in enumerate(columns["left_out"]) if not left_out]
    sources, targets = ([columns[side][n] for n in wanted] for side in ("source", "target"))
    found = dict(zip(wanted, filter_all(sources, targets, filters), strict=True))
    rows = []
    for n, place in enumerate(columns["place"]):
        reasons = found.get(n, ())
        keys = [
            near.exact_key(columns[side][n]) if n in found else "" for side in ("source", "target")
        ]
        rows.append(
            {
                "place": place,
                "left_out": columns["left_out"][n] or ("filter" if reasons else ""),
                "reasons": " ".join(reasons),
                "source_key": keys[0],
                "target_key": keys[1],
            }
        )
    yield batch_of(rows, CHECK_SCHEMA)


def _similar(steps: StepRunner, ranked: Dataset, unique: View, threshold: float) -> Relation:
    """Pairs that are nearly the same as a better one, on both sides."""
    if not threshold:
        return View(_NOTHING_SIMILAR, {"ranked": ranked})
    settings = near_settings(threshold)
    given = asdict(settings)
    kept = View(_KEPT, {"ranked": ranked, "unique_pairs": unique})
    bands = steps.map("bands", partial(source_bands, settings), kept, BAND_SCHEMA, given)
    candidates = View(_CANDIDATES, {"bands": bands, "ranked": ranked})
    compare = partial(similar_pairs, settings)
    return steps.map("similar", compare, candidates, SIMILAR_SCHEMA, given)


def near_settings(threshold: float) -> near.MinHashSettings:
    """Bands that miss almost nothing at a threshold, and no more of them than that takes.

    16 bands of 8 miss one in 8,000 pairs at Jaccard 0.9; 32 bands of 4 are for lower thresholds.
    """
    if threshold >= _HIGH:
        return near.MinHashSettings(threshold, bands=16, rows=8)
    return near.MinHashSettings(threshold)


def source_bands(settings: near.MinHashSettings, pairs: Batch) -> Iterator[Batch]:
    """The band keys of the source sides, one row each."""
    keys = near.band_keys(pairs.column("source").to_pylist(), settings)
    count, bands = keys.shape
    pyarrow = arrow()
    columns = [
        np.repeat(np.array(pairs.column("place").to_pylist(), dtype=np.int64), bands),
        np.tile(np.arange(bands), count),
        keys.reshape(-1),
    ]
    arrays = [pyarrow.array(column, pyarrow.int64()) for column in columns]
    yield pyarrow.RecordBatch.from_arrays(arrays, schema=arrow_schema(BAND_SCHEMA))


def similar_pairs(settings: near.MinHashSettings, candidates: Batch) -> Iterator[Batch]:
    """The candidates whose sources and targets are both similar enough."""
    columns = candidates.to_pydict()
    alike = np.ones(candidates.num_rows, dtype=bool)
    for side in ("source", "target"):
        found = near.similarities(columns[side], columns[f"earlier_{side}"], settings)
        alike &= found >= settings.threshold
    rows = [
        {"place": columns["place"][n], "earlier": columns["earlier"][n]}
        for n in np.flatnonzero(alike)
    ]
    yield batch_of(rows, SIMILAR_SCHEMA)


def filter_reasons(source: str, target: str, settings: FilterSettings) -> tuple[str, ...]:
    """Why a pair should be left out, in the order of the table above; empty for a good pair.

    >>> settings = FilterSettings("en", "zh")
    >>> filter_reasons("The pump 12 has two valves.", "泵12具有两个阀。", settings)
    ()
    >>> filter_reasons("The pump 12 has two valves.", "泵14具有两个阀。", settings)
    ('numbers', 'reference-signs')
    """
    return filter_all([source], [target], settings)[0]


def filter_all(
    sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[tuple[str, ...]]:
    """The reasons of each pair."""
    if not sources:
        return []
    numbers = _number_shares(sources, targets, settings)
    signs = _agreement(ReferenceSigns(), sources, targets, settings)
    pairs = zip(sources, targets, numbers, signs, strict=True)
    return [
        tuple(_reasons(source, target, number_share, sign_share, settings))
        for source, target, number_share, sign_share in pairs
    ]


def ends_sentence(text: str) -> bool:
    """Whether a text ends with a mark that ends sentences, closing brackets and quotes apart."""
    return _FINAL.search(text.rstrip()) is not None


def english_length(text: str, language: str) -> float:
    """The length of a text in English characters, blanks left out."""
    marks = "".join(text.split())
    same = len(_AS_IN_ENGLISH.findall(marks)) if language in _UNSPACED else 0
    return same + (len(marks) - same) / _DENSITY.get(language, 1.0)


def _reasons(
    source: str, target: str, number_share: float, sign_share: float, settings: FilterSettings
) -> Iterator[str]:
    sides = ((source, settings.source_language), (target, settings.target_language))
    if not all(any(map(str.isalnum, text)) for text, _ in sides):
        yield "empty"
        return
    for name, (text, language) in zip(("source", "target"), sides, strict=True):
        if not fits_language(text, language):
            yield f"{name}-language"
    ours, theirs = (english_length(text, language) for text, language in sides)
    yield from _length_reasons(ours, theirs, settings)
    if number_share < settings.number_share:
        yield "numbers"
    if sign_share < settings.sign_share:
        yield "reference-signs"
    if _is_copy(source, target):
        yield "copy"
    if min(_letter_share(source), _letter_share(target)) < settings.letter_share:
        yield "non-letters"
    if settings.require_final_mark and not (ends_sentence(source) and ends_sentence(target)):
        yield "no-final-mark"


def _length_reasons(source: float, target: float, settings: FilterSettings) -> Iterator[str]:
    low, high = sorted((source, target))
    if low < settings.shortest:
        yield "short"
    if high > settings.longest:
        yield "long"
    if high > low * settings.largest_ratio and high - low > settings.slack:
        yield "length-ratio"


def _number_shares(
    sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[float]:
    """The share of numbers that agree in each pair.

    Number words and units are known in English, Chinese and Japanese. For other languages groups
    of digits are compared, because 0,5 and 0.5, 1.000 and 1,000 are the same; against Chinese and
    Japanese single digits are left out, because they write 第１ for a first in words.
    """
    languages = (settings.source_language, settings.target_language)
    if all(language in COUNTED_LANGUAGES for language in languages):
        return _agreement(Numbers(), sources, targets, settings)
    pattern = _LONGER_DIGITS if {"zh", "ja"} & set(languages) else _DIGITS
    return [
        _shared(*(Counter(pattern.findall(fold(text).text)) for text in pair))
        for pair in zip(sources, targets, strict=True)
    ]


def _shared(ours: Counter[str], theirs: Counter[str]) -> float:
    return (ours & theirs).total() / (ours | theirs).total() if ours or theirs else 1.0


def _agreement(
    check: Check, sources: Sequence[str], targets: Sequence[str], settings: FilterSettings
) -> list[float]:
    """The share of what a check looks for that both sides of each pair have."""
    test_set = TestSet.of(
        targets,
        sources=sources,
        source_language=settings.source_language,
        target_language=settings.target_language,
    )
    return [
        finding.kept / finding.expected if finding.expected else 1.0
        for finding in check.inspect(test_set, targets)
    ]


def _is_copy(source: str, target: str) -> bool:
    """Whether the target repeats the source, or nearly all of its longer words."""
    if _plain(source) == _plain(target):
        return True
    ours, theirs = (_WORD.findall(text.lower()) for text in (source, target))
    if min(len(ours), len(theirs)) < _ENOUGH_WORDS:
        return False
    shared = (Counter(ours) & Counter(theirs)).total()
    return shared >= _COPIED_SHARE * max(len(ours), len(theirs))


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, folded))


def _letter_share(text: str) -> float:
    marks = "".join(text.split())
    return sum(map(str.isalpha, marks)) / len(marks)
