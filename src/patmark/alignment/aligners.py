"""Aligners by name, built from plain settings in every worker process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from numpy.typing import ArrayLike

from patmark.alignment.beads import Aligner
from patmark.alignment.embeddings import EmbeddingAligner
from patmark.alignment.gale_church import GaleChurch
from patmark.alignment.hybrid import Hybrid
from patmark.alignment.lexicon import Lexicon, Senses, read_senses
from patmark.alignment.translation import TranslationAligner
from patmark.alignment.utiyama_isahara import UtiyamaIsahara
from patmark.data import FilePath, jmdict_is_installed
from patmark.errors import UsageError
from patmark.languages import GLOSS_LANGUAGE, language

_T = TypeVar("_T")
DEFAULT_ALIGNER = "hybrid"
ALIGNERS = (DEFAULT_ALIGNER, "utiyama-isahara", "gale-church", "translation", "embeddings")
_USES = {
    "hybrid": {"dictionary", "lexicon"},
    "utiyama-isahara": {"dictionary"},
    "gale-church": set[str](),
    "translation": {"translations"},
    "embeddings": {"embed"},
}


def aligner_for(
    name: str,
    source_language: str,
    target_language: str,
    dictionary: str | None = None,
    lexicon: FilePath | None = None,
    *,
    translations: Sequence[str] | None = None,
    embed: Callable[[Sequence[str]], ArrayLike] | None = None,
) -> Aligner:
    """Return the aligner of a name for a language pair.

    ``dictionary`` is cedict, jmdict, edict:FILE, tsv:FILE or none; by default cedict for Chinese
    and English, jmdict for Japanese and English if installed, else none. ``lexicon`` is a file of
    learned translations, for hybrid. Settings without effect are refused.
    """
    if name not in _USES:
        raise UsageError(f"the aligner {name!r} is unknown; choose from {', '.join(ALIGNERS)}")
    settings = {
        "dictionary": dictionary, "lexicon": lexicon, "translations": translations, "embed": embed,
    }  # fmt: skip
    given = {setting for setting, value in settings.items() if value is not None}
    if unused := sorted(given - _USES[name]):
        raise UsageError(f"the aligner {name} does not use: {', '.join(unused)}")
    if name == "gale-church":
        dense = [language(code).is_dense for code in (source_language, target_language)]
        return GaleChurch(adapt=dense[0] != dense[1])
    if name == "translation":
        return TranslationAligner(target_language, _needed(translations, name, "translations"))
    if name == "embeddings":
        return EmbeddingAligner(_needed(embed, name, "a function that gives vectors"))
    senses = senses_for(dictionary, source_language, target_language)
    if name == "utiyama-isahara":
        needed = _needed(senses, name, "a dictionary: cedict, jmdict, edict:FILE or tsv:FILE")
        return UtiyamaIsahara(source_language, target_language, needed)
    learnt = None if lexicon is None else Lexicon.load(lexicon)
    return Hybrid(source_language, target_language, senses, learnt)


def _needed(value: _T | None, name: str, what: str) -> _T:
    if value is None:
        raise UsageError(f"the aligner {name} needs {what}")
    return value


def senses_for(choice: str | None, source: str, target: str) -> Senses | None:
    """Return the dictionary for a language pair, in either direction; None for ``none``."""
    chosen = choice or _usual(frozenset({source, target}))
    if chosen == "none":
        return None
    if source == GLOSS_LANGUAGE and chosen.partition(":")[0] in language(target).dictionaries:
        return read_senses(chosen, target, source)
    return read_senses(chosen, source, target)


def _usual(languages: frozenset[str]) -> str:
    """Return the default dictionary of a language pair; that of Japanese is a separate extra."""
    listed = [name for code in languages for name in language(code).dictionaries[:1]]
    if len(listed) != 1 or GLOSS_LANGUAGE not in languages:
        return "none"
    return listed[0] if listed[0] != "jmdict" or jmdict_is_installed() else "none"
