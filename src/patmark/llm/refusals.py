"""Refusals in words: the phrases with which models decline to answer."""

from __future__ import annotations

import re

_CANNOT = r"(?:can(?:no|['’])?t|can not|won['’]t)"
_NOT_FOUND = r"(?! (?:find|see|identify|detect|spot|locate)\b)"
_PHRASE = (
    r"(?:(?:i['’]?m|i am) (?:very |so |really )?sorry|sorry|my apologies|i apologi[sz]e"
    r"|unfortunately, (?:i|we))\b"
    rf"[^.\n]{{0,80}}\b(?:{_CANNOT}|unable|not able|will not)\b"
    rf"|i (?:{_CANNOT}|must decline)\b{_NOT_FOUND}"
    rf"|(?:i['’]m|i am|i was) (?:unable|not able) to\b{_NOT_FOUND}"
    r"|as an ai(?: language)?(?: model| assistant)?,? i\b"
    r"|(?:that|this|it) (?:is|goes) against (?:my|the) (?:policy|guidelines)"
    r"|我?(?:很|非常)?(?:抱歉|对不起|對不起)[^。\n]{0,40}(?:无法|無法|不能|不便)"
    r"|(?:作为[^，,。\n]{0,8}(?:AI|人工智能)[^，,。\n]{0,8}[，,])?我(?:无法|不能)"
    r"(?:提供|协助|帮助|翻译|完成|处理|评|回答)"
    r"|(?:申し訳(?:ありません|ございません)|すみません)[^\n]{0,40}"
    r"(?:できません|いたしかねます|できかねます)"
    r"|お答えできません"
)
_LONGEST_REFUSAL = 600


def is_refusal(text: str, *, anywhere: bool = False) -> bool:
    """Return True if a short text begins with a refusal, or if any text has one ``anywhere``.

    A translation may say that something cannot be done, so only its beginning counts.
    """
    # compiled by re on first use
    if anywhere:
        return re.search(rf"(?i)(?<![a-z])(?:{_PHRASE})", text) is not None
    begins = rf"(?i)\A\W{{0,3}}(?:{_PHRASE})"
    return len(text) <= _LONGEST_REFUSAL and re.match(begins, text) is not None
