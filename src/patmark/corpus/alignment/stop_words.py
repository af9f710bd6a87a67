"""Words without content of their own, which aligners leave out.

Only articles, prepositions, conjunctions and particles: pronouns and auxiliaries have translations
and help to tell sentences apart.
"""

from __future__ import annotations

from functools import lru_cache

from patmark.corpus.alignment.words import sentence_words

_ENGLISH = "a an the of to in on at by for with from as be and or that this it"
_CHINESE = "的 地 得 了 着 过 在 是 和 与 及 或 之 所 把 被 吗 呢 吧 啊 呀 嘛 啦 而 于 为 以 等"
_CHINESE += " 著 過 與 嗎 於 為"


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """Words to leave out, in the form of :func:`sentence_words`; in Japanese they are not there."""
    if language == "en":
        return frozenset(sentence_words([_ENGLISH], "en")[0])
    return frozenset(_CHINESE.split()) if language == "zh" else frozenset()
