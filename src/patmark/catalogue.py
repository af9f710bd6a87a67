"""All built-in measures, protocols and systems by name, imported on first use.

This table holds import strings only, so that loading BLEU loads nothing else. Other packages add
theirs through entry points.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib import import_module
from typing import Any

from patmark.errors import MissingExtra, PatmarkWarning, UsageError, reason
from patmark.options import Options

PROTOCOL_GROUP = "patmark.protocols"
"""The group of entry points by which other packages add protocols."""
LIGHT_MEASURES = {
    "BLEU": "patmark.measures.bleu:BLEU",
    "BLEU(variant=nltk)": "patmark.measures.bleu:SentenceBLEU",
    "BLEU(variant=nltk-corpus)": "patmark.measures.bleu:CorpusBLEU",
    "chrF": "patmark.measures.chrf:ChrF",
    "TER": "patmark.measures.ter:TER",
    "NIST": "patmark.measures.nist:NIST",
    "RIBES": "patmark.measures.ribes:RIBES",
    "METEOR": "patmark.measures.meteor:METEOR",
    "METEOR(variant=nltk)": "patmark.measures.meteor:MeteorNltk",
    "ROUGE-1": "patmark.measures.rouge:ROUGE1",
    "ROUGE-2": "patmark.measures.rouge:ROUGE2",
    "ROUGE-L": "patmark.measures.rouge:ROUGEL",
    "ROUGE-1(variant=pltrdy)": "patmark.measures.rouge:PltrdyROUGE1",
    "ROUGE-2(variant=pltrdy)": "patmark.measures.rouge:PltrdyROUGE2",
    "ROUGE-L(variant=pltrdy)": "patmark.measures.rouge:PltrdyROUGEL",
    "length-ratio": "patmark.measures.length:LengthRatio",
    "omission": "patmark.measures.length:Omission",
    "length-hallucination": "patmark.measures.length:LengthHallucination",
    "leakage": "patmark.measures.length:Leakage",
    "term-accuracy": "patmark.measures.terms:TermAccuracy",
    "term-consistency": "patmark.measures.terms:TermConsistency",
    "term-success": "patmark.measures.terms:TermSuccess",
    "term-consistency-wmt": "patmark.measures.terms:TaskTermConsistency",
    "special-characters": "patmark.measures.terms:SpecialCharacters",
    "writing-norm": "patmark.measures.terms:WritingNorm",
    "numbers": "patmark.measures.fact_checks:Numbers",
    "reference-signs": "patmark.measures.fact_checks:ReferenceSigns",
    "claim-structure": "patmark.measures.fact_checks:ClaimStructure",
    "limits": "patmark.measures.fact_checks:Limits",
    "polarity": "patmark.measures.fact_checks:Polarity",
    "markers": "patmark.measures.fact_checks:Markers",
    "untranslated": "patmark.measures.untranslated:Untranslated",
    "doubled": "patmark.measures.doubled:Doubled",
    "term-drift": "patmark.measures.term_drift:TermDrift",
}
"""Measures that load fast and need no model, including all default measures."""
MEASURES = LIGHT_MEASURES | {
    "BERTScore": "patmark.measures.neural.embeddings:BERTScore",
    "MoverScore": "patmark.measures.neural.embeddings:MoverScore",
    "SimCSE": "patmark.measures.neural.embeddings:SimCSE",
    "BARTScore": "patmark.measures.neural.generation:BARTScore",
    "UniEval": "patmark.measures.neural.generation:UniEval",
    "AlignScore": "patmark.measures.neural.alignscore:AlignScore",
    "COMET": "patmark.measures.neural.comet:COMET",
    "CometKiwi": "patmark.measures.neural.comet:CometKiwi",
    "XCOMET": "patmark.measures.neural.comet:XCOMET",
    "XCOMET-QE": "patmark.measures.neural.comet:XCOMETQE",
    "MetricX": "patmark.measures.neural.metricx:MetricX24",
    "MetricX(variant=24)": "patmark.measures.neural.metricx:MetricX24",
    "MetricX(variant=23)": "patmark.measures.neural.metricx:MetricX23",
    "MetricX-QE": "patmark.measures.neural.metricx:MetricXQE24",
    "MetricX-QE(variant=24)": "patmark.measures.neural.metricx:MetricXQE24",
    "MetricX-QE(variant=23)": "patmark.measures.neural.metricx:MetricXQE23",
    "Judge": "patmark.systems.judge.measure:Judge",
    "ClaimQuality": "patmark.claims.quality:ClaimQuality",
    "PatClaimEval": "patmark.claims.patclaimeval.measure:PatClaimEval",
}
RANKING_MEASURES = {
    "AP": "patmark.collections.retrieval.measures:AP",
    "Recall@k": "patmark.collections.retrieval.measures:Recall",
    "P@k": "patmark.collections.retrieval.measures:Precision",
    "nDCG": "patmark.collections.retrieval.measures:NDCG",
    "RR": "patmark.collections.retrieval.measures:ReciprocalRank",
    "HitRate@k": "patmark.collections.retrieval.measures:HitRate",
    "PRES@k": "patmark.collections.retrieval.measures:PRES",
    "Bpref": "patmark.collections.retrieval.measures:Bpref",
    "Rprec": "patmark.collections.retrieval.measures:Rprec",
    "infAP": "patmark.collections.retrieval.measures:InferredAP",
    "ERR": "patmark.collections.retrieval.measures:ERR",
    "RBP": "patmark.collections.retrieval.measures:RBP",
    "Judged@k": "patmark.collections.retrieval.measures:JudgedShare",
}
SYSTEMS = {
    "openai": "patmark.systems.chat:OPENAI",
    "command": "patmark.systems.command:COMMAND",
    "http": "patmark.systems.service:HTTP",
    "hf": "patmark.systems.huggingface:HF",
    "dictionary": "patmark.systems.dictionary:DICTIONARY",
    "copy": "patmark.systems.baselines:COPY",
    "oracle": "patmark.systems.baselines:ORACLE",
}
PROTOCOLS = {
    "plain": "patmark.evaluation.protocol:Plain",
    "patsnap": "patmark.protocols.patsnap.protocol:Patsnap",
}
PROTOCOL_OPTIONS = {
    "plain": "patmark.options:Options",
    "patsnap": "patmark.protocols.patsnap.options:BenchOptions",
}
"""The options that a protocol adds to the command line; help pages read them without the rest."""
STUDIES = {
    "ntcir7": "patmark.protocols.studies.ntcir7:STUDY",
    "ntcir9": "patmark.protocols.studies.ntcir9:STUDY",
    "patent-ce": "patmark.protocols.studies.patent_ce:STUDY",
    "wmt21-ted-zhen": "patmark.protocols.studies.wmt21:STUDY",
}


@lru_cache(maxsize=1)
def protocols() -> dict[str, str]:
    """Return the import strings of all protocols by name: built in, and from entry points."""
    from importlib.metadata import entry_points

    added = {entry.name: entry.value for entry in entry_points(group=PROTOCOL_GROUP)}
    return PROTOCOLS | {name: place for name, place in added.items() if name not in PROTOCOLS}


def load_protocol(name: str) -> Any:
    """Load the class of a protocol; one of another package may be missing or broken."""
    known = PROTOCOLS if name in PROTOCOLS else protocols()
    if name not in known:
        raise UsageError(f"the protocol {name!r} is unknown; choose from {', '.join(known)}")
    try:
        return load(known[name])
    except Exception as error:  # foreign packages may raise anything on import
        found = f"the protocol {name!r} ({known[name]}) cannot be loaded: {reason(error)}"
        raise UsageError(found) from error


def load_protocol_options(name: str) -> type[Options]:
    """Load the group of options that a protocol adds to the command line."""
    place = PROTOCOL_OPTIONS.get(name)
    own = load(place) if place else getattr(load_protocol(name), "options", None)
    if isinstance(own, type) and issubclass(own, Options):
        return own
    raise UsageError(f"the protocol {name!r} cannot be used: its options are no group of options")


@lru_cache(maxsize=1)
def protocol_options() -> dict[str, type[Options]]:
    """Load the options of all protocols; one that cannot be loaded does not stop the rest."""
    found = {}
    for name in protocols():
        try:
            found[name] = load_protocol_options(name)
        except UsageError as error:
            warnings.warn(str(error), PatmarkWarning, stacklevel=2)
    return found


def load_library(name: str, extra: str) -> Any:
    """Import a library that comes with an optional extra."""
    try:
        return import_module(name)
    except ImportError:
        raise MissingExtra(name.partition(".")[0].replace("_", "-"), extra) from None


def load(place: str) -> Any:
    """Load the object of an import string such as ``patmark.measures.bleu:BLEU``."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
