"""Remove chatter from answers step by step, and check them for faults such as refusals.

| step | removed text |
|---|---|
| thinking | the reasoning of a model before ``</think>`` |
| preamble | a first line that announces the answer: "Here is the translation:" |
| fence | a code fence around all of it |
| label | "Translation:" before the text |
| quotes | quotation marks around all of it, if the source has none there |
| closing | a last paragraph that speaks to the reader: "Let me know if …" |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from patmark.llm import is_refusal
from patmark.text import has_cjk
from patmark.wording import setting

VERSION = 2

# Patterns are texts here, and compiled by re on first use.
_THINKING = r"(?s)\A\s*(?:<think(?:ing)?>)?.*</think(?:ing)?>"
_POLITE = r"(?:(?:sure|certainly|of course|okay|ok|absolutely)[,!.]\s*)?"
_POLITE_ZH = r"(?:(?:好的|当然)[，,。！!]?\s*)?"
_POLITE_JA = r"(?:(?:はい|承知(?:しま|いたしま)した)[、。]?\s*)?"
_END_JA = r"(?:[:：]|。\s*\n)\s*"
_ANNOUNCED = r"\b(?:translat\w*|rendering|claims?|revis\w*)\b"
_PREAMBLE = (
    r"(?i)"
    r"\A\s*(?:\*\*|#+ )?(?:"
    rf"{_POLITE}(?:here(?:'s|’s| is| are)|below (?:is|are)|the following (?:is|are))"
    rf"[^\n:]{{0,80}}{_ANNOUNCED}[^\n:]{{0,80}}:(?:\*\*)?\s*"
    rf"|{_POLITE}(?:the|my) (?:(?:english |chinese |japanese )?translation|translated text)"
    r"(?: of [^\n:]{0,40})? (?:is|reads)(?: as follows)?:(?:\*\*)?\s*"
    r"|(?:sure|certainly|of course|absolutely)!\s*\n\s*"
    rf"|{_POLITE_ZH}(?:以下|下面|这)[为是][^\n:：]{{0,40}}(?:翻译|译文|权利要求)[^\n:：]{{0,20}}[:：]\s*"
    rf"|{_POLITE_ZH}[^\n:：，。]{{0,10}}(?:翻译|译文)(?:结果)?如下[:：]\s*"
    rf"|{_POLITE_JA}以下[はが][^\n:：]{{0,40}}(?:翻訳|訳文|請求項|クレーム)[^\n:：]{{0,20}}[:：]\s*"
    rf"|{_POLITE_JA}以下(?:に|の(?:通り|とおり))[^\n:：。]{{0,20}}(?:翻訳|訳文)[^\n:：。]{{0,20}}{_END_JA}"
    rf"|{_POLITE_JA}(?:翻訳|訳文)(?:結果)?は(?:以下|次)の(?:通り|とおり)[^\n:：。]{{0,10}}{_END_JA}"
    r")"
)
_LABEL = (
    r"(?i)"
    r"\A\s*(?:\*\*)?(?:(?:english |chinese |japanese )?translation(?: \(\w+\))?|translated text"
    r"|revised claims|(?:中文|英文|日文)?(?:翻译|译文)(?:结果)?"
    r"|(?:日本語|英語|中国語)?(?:翻訳|訳)文?(?:結果)?|英訳|和訳)(?:\*\*)?\s*[:：](?:\*\*)?\s*"
)
_FENCE = r"(?s)\A\s*(`{3,}|~{3,})[\w-]*[ \t]*\n(.*?)\n?[ \t]*\1\s*\Z"
_CLOSING = (
    r"(?i)"
    r"\n[ \t]*\n[ \t]*(?:(?:please )?let me know\b|i hope\b|feel free\b"
    r"|if you (?:need|have|would|want)\b"
    r"|\(?note:? (?:that )?(?:i|the translation|this translation)\b"
    r"|希望[^\n]{0,20}帮助|如(?:果|有)[^\n]{0,20}(?:问题|疑问)|ご不明な点|何かご質問)[^\n]*\s*\Z"
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "‘": "’", "「": "」", "『": "』", "«": "»", "`": "`"}
_SHORTEST_COPY = 10
_PLAIN_WORD = r"\b[a-z]{3,}\b"
_WORDS_OF_A_SENTENCE = 3


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without chatter, and the names of the steps that changed it."""

    text: str
    steps: tuple[str, ...] = ()


def clean(raw: str, source: str) -> Cleaned:
    """Return the answer within a text; phrases that the source has too are not chatter."""
    text, done = raw, []
    for name, step in _STEPS.items():
        shorter = step(text, source)
        if shorter != text:
            text = shorter
            done.append(name)
    stripped = text.strip()
    return Cleaned(stripped, tuple(done) if done or stripped == raw else ("blanks",))


def _thinking(text: str, source: str) -> str:
    return text if "</think" in source else re.sub(_THINKING, "", text, count=1)


def _preamble(text: str, source: str) -> str:
    return text if re.match(_PREAMBLE, source) else re.sub(_PREAMBLE, "", text, count=1)


def _label(text: str, source: str) -> str:
    return text if re.match(_LABEL, source) else re.sub(_LABEL, "", text, count=1)


def _fence(text: str, source: str) -> str:
    found = None if "```" in source or "~~~" in source else re.match(_FENCE, text)
    return found[2] if found else text


def _quotes(text: str, source: str) -> str:
    bare, given = text.strip(), source.strip()
    if len(bare) < 2 or _QUOTES.get(bare[0]) != bare[-1] or given[:1] in _QUOTES:
        return text
    inner = bare[1:-1]
    return text if bare[0] in inner or bare[-1] in inner else inner


def _closing(text: str, source: str) -> str:
    return text if re.search(_CLOSING, source) else re.sub(_CLOSING, "", text, count=1)


_STEPS: Mapping[str, Callable[[str, str], str]] = {
    "thinking": _thinking,
    "preamble": _preamble,
    "closing": _closing,
    "fence": _fence,
    "label": _label,
    "quotes": _quotes,
}


def refusal(text: str) -> str | None:
    """Return the first words of a refusal, None if the text is not one."""
    return f"refused: {' '.join(text.split())[:100]}" if is_refusal(text) else None


def is_copy(source: str, text: str) -> bool:
    """Return True if a translation is the source itself although it should differ.

    Short titles may be written alike in Chinese and Japanese; numbers, formulas and names need no
    translation.
    """
    copied = "".join(text.split())
    if copied != "".join(source.split()):
        return False
    if has_cjk(source):
        return len(copied) >= _SHORTEST_COPY
    return len(re.findall(_PLAIN_WORD, source)) >= _WORDS_OF_A_SENTENCE


def find_fault(
    source: str, text: str, *, cut_off: bool = False, may_copy: bool = True, chatty: bool = False
) -> str | None:
    """Return the fault of an answer, or None; only ``chatty`` systems refuse."""
    if cut_off:
        limit = setting("max_tokens")
        return f"the answer is cut off: it reached the largest number of tokens ({limit})"
    if not text.strip():
        return "the answer is empty"
    if chatty and (refused := refusal(text)) is not None:
        return refused
    if not may_copy and is_copy(source, text):
        return "the answer is the source, not a translation"
    return None
