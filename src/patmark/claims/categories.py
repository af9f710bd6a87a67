"""Categories of claims, from the noun at the head of the preamble.

| category | English | Chinese | Japanese |
|---|---|---|---|
| method | method, process | 方法, 工艺 | 方法 |
| use | use | 用途, 应用 | 使用, 用途 |
| medium | medium, program product | 存储介质, 程序产品 | 記憶媒体, プログラム |
| system | system | 系统 | システム |
| kit | kit | 试剂盒 | キット |
| composition | composition, compound, alloy | 组合物, 化合物 | 組成物, 化合物 |
| apparatus | every other noun | | |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from patmark.claims.model import Category, TextSpan
from patmark.claims.terms import is_adverb
from patmark.claims.words import source, verb_last, word_list
from patmark.languages import language as pack_of, singular

_LETTERS = re.compile(r"[a-z]+")
_NAMED: tuple[Category, ...] = ("method", "use", "medium", "system", "kit", "composition")
_CATEGORY_OF = {word: name for name in _NAMED for word in word_list(f"category-{name}")}
_CJK_NAMED: tuple[Category, ...] = ("use", "method", "medium", "system", "kit", "composition")
# not "process": a process chamber is no method
_ALWAYS_METHODS = frozenset(("method", "procedure"))
_USES = word_list("category-use")
_MEDIUM = re.compile(
    r"\b(?:program product|computer program|(?:readable|recordable|storage|usable|useable)"
    r"(?: \S+){0,2} (?:medium|media|memor(?:y|ies)|storage|devices?|hardware)|data carriers?)$"
)
_ARTICLE_OF = re.compile(r"\b(?:medium|media|program)\b", re.IGNORECASE)
_CHEMICAL = re.compile(
    r".+(?:saccharide|peptide|nucleotide|globulin|oxide|ester|ether|amide|amine|hydrate|chloride|"
    r"sulfate|sulphate|phosphate|acetate|polymer|zeolite|silane|olefin)"
)
# 4-Chloro-N-(2-hydroxyethyl)benzamide
_CHEMICAL_NAME = re.compile(
    r"(?:\((?=\S*\d))?\d{1,2}[\w',]{0,12}-[A-Za-z(\[]\S*[a-z](?=[.,;]*(?P<alone>\s+or\b|\s*\Z)|\s)"
)
_CHEMICAL_SIGN = re.compile(r"[(\[]|-[NOS]-|\d\D+\d")
_PARTICIPLE = re.compile(r".{3,}ed")
_SUBJECT = re.compile(
    r"(?:(?:an?|the|said|one or more|at least one|any|in an?|in the|improved|new)\s+){0,3}"
    r"(?P<noun>[^\s,;:.()]+(?:\s+(?!(?:for|of|to|in|on|that|which|with|by|as|according|wherein|"
    r"comprising|comprises|having|including|consisting|from|at|configured|adapted|used|using|"
    r"\w+ing\s+(?:an?|the|said|one|at)|"
    r"characterized|characterised|suitable|capable|operable|between|obtainable|containing|"
    r"storing|encoded|made|produced|prepared|under|via|is|are|being|per|when|where|further)\b)"
    r"[^\s,;:.()]+){0,9})",
    re.IGNORECASE,
)
_LONGEST_PREAMBLE = 600
_CLAUSE = re.compile(r"[,。;:\n]")
_BRACKETED = re.compile(r"\([^()]{0,40}\)")


@dataclass(frozen=True, slots=True)
class ClaimSubject:
    """The head noun of a claim in singular (empty when there is none) and its category."""

    noun: str
    category: Category


def subject_of(plain: str, preamble: TextSpan, language: str) -> ClaimSubject:
    """Return the subject of a claim, from its preamble."""
    words = plain[preamble.start : preamble.end]
    if pack_of(language).is_spaced:
        return _english(words[:_LONGEST_PREAMBLE])
    return _cjk(words, language)


def english_noun(phrase: str) -> str:
    """Return the head of the first noun phrase, in singular; empty when there is none."""
    return _english(phrase).noun


def _is_chemical_name(line: str) -> bool:
    """Return True if a line opens with a compound: 2-butanone, but not "3-way valve"."""
    name = _CHEMICAL_NAME.match(line)
    if name is None:
        return False
    return name["alone"] is not None or _CHEMICAL_SIGN.search(name.group()) is not None


def _english(preamble: str) -> ClaimSubject:
    line = " ".join(preamble.split())
    if _is_chemical_name(line):
        return ClaimSubject("compound", "composition")
    match = _SUBJECT.match(line)
    words = [] if match is None else _LETTERS.findall(match["noun"].lower())
    while len(words) > 1 and (_PARTICIPLE.fullmatch(words[-1]) or is_adverb(words[-1], True)):
        words.pop()
    if not words:
        return ClaimSubject("", "other")
    procedure = next((word for word in words if word in _ALWAYS_METHODS), None)
    last = singular(words[-1])
    if procedure is not None and (last not in _CATEGORY_OF or last in _USES):
        return ClaimSubject(procedure, "method")
    return ClaimSubject(singular(words[-1]), _english_category(words, line))


def _english_category(words: list[str], line: str) -> Category:
    noun = singular(words[-1])
    if _MEDIUM.search(" ".join(words)) or (noun == "article" and _ARTICLE_OF.search(line)):
        return "medium"
    if noun in _CATEGORY_OF:
        return _CATEGORY_OF[noun]
    return "composition" if _CHEMICAL.fullmatch(noun) else "apparatus"


def _cjk(preamble: str, language: str) -> ClaimSubject:
    """Return the end of the preamble in Japanese, of its first clause in Chinese."""
    line = _BRACKETED.sub("", preamble)
    if verb_last(language):
        noun = re.sub(rf"{source('preamble-end', language)}?[、,。.\s]*$", "", line)
    else:
        noun = next(filter(None, map(str.strip, _CLAUSE.split(line))), "")
    if not noun:
        return ClaimSubject("", "other")
    found = (name for name in _CJK_NAMED if _category_end(name).search(noun))
    return ClaimSubject(noun, next(found, "apparatus"))


@cache
def _category_end(category: Category) -> re.Pattern[str]:
    return re.compile(f"{source('category', name=category)}$")
