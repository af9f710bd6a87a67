"""Answers that are none: refusals, nothing, half a text, the source once more."""

from __future__ import annotations

import re

from patmark.text import has_cjk

_REFUSAL = re.compile(
    r"\A\W{0,3}(?:"
    r"(?:(?:i['’]?m|i am) (?:very |so |really )?sorry|sorry|my apologies|i apologi[sz]e"
    r"|unfortunately, (?:i|we))\b"
    r"[^.\n]{0,80}\b(?:can(?:no|['’])?t|can not|unable|not able|won['’]t|will not)\b"
    r"|i (?:can(?:no|['’])?t|can not|won['’]t|must decline)\b"
    r"|(?:i['’]m|i am) (?:unable|not able) to\b"
    r"|as an ai(?: language)?(?: model| assistant)?, i\b"
    r"|我?(?:很|非常)?(?:抱歉|对不起|對不起)[^。\n]{0,40}(?:无法|不能|不便)"
    r"|(?:作为[^，,。\n]{0,8}(?:AI|人工智能)[^，,。\n]{0,8}[，,])?我(?:无法|不能)"
    r"(?:提供|协助|帮助|翻译|完成|处理)"
    r"|(?:申し訳(?:ありません|ございません)|すみません)[^\n]{0,40}(?:できません|いたしかねます)"
    r")",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 600
_SHORTEST_COPY = 10
_PLAIN_WORD = re.compile(r"\b[a-z]{3,}\b")
_WORDS_OF_A_SENTENCE = 3


def refusal(text: str) -> str | None:
    """The first words of a refusal, None if the text is none."""
    found = len(text) <= _LONGEST_REFUSAL and _REFUSAL.match(text)
    return f"refused: {' '.join(text.split())[:100]}" if found else None


def is_copy(source: str, text: str) -> bool:
    """Whether a translation is the source itself, where that cannot be right.

    Short titles may be written alike in Chinese and Japanese; numbers, formulas and names need no
    translation.
    """
    copied = "".join(text.split())
    if copied != "".join(source.split()):
        return False
    if has_cjk(source):
        return len(copied) >= _SHORTEST_COPY
    return len(_PLAIN_WORD.findall(source)) >= _WORDS_OF_A_SENTENCE


def find_fault(
    source: str, text: str, *, cut_off: bool = False, may_copy: bool = True, chatty: bool = False
) -> str | None:
    """What is wrong with an answer, None if nothing is; only ``chatty`` systems refuse."""
    if cut_off:
        return "the answer is cut off: it reached the largest number of tokens (--max-tokens)"
    if not text.strip():
        return "the answer is empty"
    if chatty and (refused := refusal(text)) is not None:
        return refused
    if not may_copy and is_copy(source, text):
        return "the answer is the source, not a translation"
    return None
