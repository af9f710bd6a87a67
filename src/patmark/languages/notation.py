"""Notation of reference signs, ordinals, figures and tables: patterns for parsers of claims."""

from __future__ import annotations

REFERENCE_SIGN = r"[A-Za-z]{0,2}\d{1,4}[a-z']{0,2}"
"""A sign in brackets: 12, 10a, R1, 3'."""

BARE_SIGN = r"\d{1,4}[a-z]?"
"""A sign that may stand without brackets after a noun."""

HAN_NUMBER = r"(?:[一二三四五六七八九十]{1,3}|\d{1,3})"
"""The number of a Chinese or Japanese ordinal after 第."""

ENGLISH_DIGIT_ORDINAL = r"\d{1,3}(?:st|nd|rd|th)"
"""An ordinal in digits: 21st."""

FIGURE_MENTION = (
    r"\b(?:Figs?\.?|FIGS?\.?|[Ff]igures?)\s*\d+[A-Za-z]?\b"
    r"|(?:如|参见|見)?附?[图圖]\s?\d+(?=所示)|図\s?\d+(?=に示)"
)
"""A mention of a drawing in a claim."""

FIGURE_START = r"\bFigs?\.|\bfigures?\s+\d|附图|图\s?\d|図\s?\d"
"""Words by which a description speaks of its drawings."""

TABLE_MENTION = r"\b(?:Table|TABLE|Example|EXAMPLE)s?\s+[\dIVX]+\b"
"""A mention of a table or an example."""
