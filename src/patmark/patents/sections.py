"""Sections of a description, from headings in English, Chinese, Japanese, German and French.

| section | what it holds |
|---|---|
| related | cross references to other applications, government interest |
| field | technical field |
| background | prior art, problems of the prior art |
| summary | problem, solution, effects: the disclosure of the invention |
| drawings | brief description of the drawings |
| embodiments | modes of carrying out the invention, examples |
| industrial | industrial applicability |
| signs | list of reference signs |
| sequences | sequence listing |
| other | before the first heading that is known |
"""

from __future__ import annotations

import re
import unicodedata

SECTIONS = (
    "related",
    "field",
    "background",
    "summary",
    "drawings",
    "embodiments",
    "industrial",
    "signs",
    "sequences",
    "other",
)

_LONGEST_HEADING = 120
_LONGEST_PLAIN_HEADING = 60

# the first pattern that fits decides: "brief description of the drawings" before "description"
_HEADINGS: tuple[tuple[str, str], ...] = (
    (
        "drawings",
        r"(?:brief )?(?:description|explanation) of (?:the )?(?:several views|accompanying )?.*"
        r"(?:drawings?|figures?)|brief description of .*views.*|(?:the )?drawings?"
        r"|图面说明|附图说明|附图的?简[要单]说明|说明书附图|図面の?簡単な説明|図面の説明"
        r"|(?:kurze )?(?:beschreibung|aufzählung) der (?:zeichnung|figur|abbildung)(?:en)?"
        r"|(?:brève )?description (?:sommaire )?des (?:dessins|figures)",
    ),
    (
        "related",
        r"(?:cross[- ]?references?(?: to)? )?(?:to )?(?:other )?related (?:u\.?s\.? )?(?:patent )?"
        r"(?:applications?|documents?|cases?|patents?)(?:\(s\))?.*|cross[- ]references?.*"
        r"|(?:claim of |claim to )?priority(?: claim| data)?|statement (?:regarding|of|as to) .*"
        r"(?:federal|government|sponsored).*|government (?:interest|support|rights|license).*"
        r"|相关申请.*|相关专利申请.*|関連出願.*|関連する出願.*",
    ),
    (
        "field",
        r"(?:technical )?fields?(?: of (?:the )?(?:present )?(?:invention|disclosure|use|art|"
        r"application|technology|endeavou?r))?|technical field.*"
        r"|field of .{0,40}|技术领域|(?:发明|实用新型)?所属技术领域"
        r"|(?:発明の属する)?技術分野"
        r"|産業上の利用分野|technisches gebiet|gebiet der (?:erfindung|technik)"
        r"|domaine (?:technique|de l'invention)(?: de l'invention)?",
    ),
    (
        "background",
        r"background(?: of the| of| to the)?(?: present)?"
        r"(?: invention| art| disclosure| technology)?(?: and summary.*)?"
        r"|background (?:technology|technique|information).*"
        r"|(?:brief )?(?:description|discussion) of (?:the )?"
        r"(?:related|prior|background|conventional) (?:art|technology).*"
        r"|(?:the )?(?:related|prior) art(?: documents?| literature)?"
        r"|state of the art|citation list|patent (?:literature|documents?)|non[- ]patent "
        r"(?:literature|documents?)|背景技术|现有技术|技术背景|背景技術|従来の?技術|先行技術文献"
        r"|特許文献|非特許文献|stand der technik|technischer hintergrund|état de la technique"
        r"|technique antérieure|arrière-plan.*",
    ),
    (
        "industrial",
        r"industrial (?:applicability|application|usability)|工业实用性|工业应用性"
        r"|産業上の利用可能性|gewerbliche anwendbarkeit|application industrielle",
    ),
    (
        "signs",
        r"(?:list of |description of |explanation of )?(?:the )?reference (?:signs?|numerals?|"
        r"numbers?|characters?|symbols?|marks?)(?: lists?)?|附图标记(?:说明)?|主要?元件符号说明"
        r"|标号说明|符号の説明|bezugszeichen(?:liste)?|liste des (?:références|signes).*",
    ),
    (
        "sequences",
        r"sequence listing(?: free text)?.*|(?:reference to )?sequence list.*|序列表.*|配列表.*",
    ),
    (
        "embodiments",
        r"(?:detailed )?descriptions? of (?:the )?(?:exemplary |illustrated |specific |preferred |"
        r"various |example )*"
        r"(?:embodiments?|examples?|invention|implementations?|modes?)(?:\(s\))?.*"
        r"|detailed descriptions?.*|(?:the )?(?:best )?modes? (?:for|of) (?:carrying|practi[cs]ing|"
        r"working|implementing).*|modes? for (?:the )?invention|embodiments?(?: of .*)?"
        r"|(?:preferred|exemplary|illustrative|specific) embodiments?.*|working examples?|examples?"
        r"|具体实施方[式案]|具体实施例|实施方式|实施例|(?:发明|実施)の(?:最良の)?形態"
        r"|発明を実施するための(?:最良の)?形態|発明の実施の(?:最良の)?形態|実施の?形態|実施例"
        r"|(?:wege zur )?ausführung(?:sformen|sbeispiele?)?(?: der erfindung)?"
        r"|detaillierte beschreibung.*|description détaillée.*|mode(?:s)? de réalisation.*",
    ),
    (
        "summary",
        r"(?:brief )?(?:general )?(?:summary|disclosure|statement|objects?|overview)"
        r"(?: and .*)?(?: of (?:the )?(?:present )?(?:invention|disclosure|application|technology|"
        r"embodiments?))?"
        r"|(?:technical )?(?:problems?|solutions?)(?: to (?:be solved|the problem).*)?"
        r"|problems? (?:to be|that the invention is to) solved?.*|means (?:for|of) solving.*"
        r"|(?:advantageous )?effects?(?: of (?:the )?invention)?|(?:brief )?summary.*"
        r"|(?:发明|实用新型|本发明)?内容|发明概述|发明目的|有益效果|発明の(?:概要|開示|要約|目的)"
        r"|(?:発明が)?解決しようとする課題|課題を解決するための手段|発明の効果|作用"
        r"|(?:darstellung|zusammenfassung|aufgabe|offenbarung) der erfindung"
        r"|(?:exposé|résumé|objet|divulgation) de l'invention",
    ),
)
_PATTERNS = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _HEADINGS)
_MARKS = re.compile(
    r"^[\s【\[<〈《(]*(?:\(?(?:\d{1,2}|[ivx]{1,4}|[a-h])[.)、]\s*|[一二三四五六七八九十]+、)?"
    r"|[\s】\]>〉》):.：。-]*$",
    re.IGNORECASE,
)

# element and processing-instruction names, lower case without hyphens
_ELEMENTS = {
    "related": "relapp crossreferencetorelatedapplications federalresearchstatement govint",
    "field": "technicalfield",
    "background": "backgroundart backgroundofinvention citationlist patentliterature "
    "nonpatentliterature priorart",
    "summary": "brfsum summaryofinvention disclosure techproblem techsolution advantageouseffects "
    "inventionsummary technicalproblem technicalsolution contentofinvention bsum",
    "drawings": "drwdesc drawingdescription descriptionofdrawings drawingsdescription "
    "briefdescriptionofdrawings drwd",
    "embodiments": "detdesc detaileddescription descriptionofembodiments bestmode modeforinvention "
    "embodimentsexample embodimentdescription inventionmode embodiments detd",
    "industrial": "industrialapplicability",
    "signs": "referencesignslist epreferencelist",
    "sequences": "sequencelisttext sequencelist",
}
_BY_ELEMENT = {name: section for section, names in _ELEMENTS.items() for name in names.split()}


def classify_heading(text: str) -> str | None:
    """The section that a heading opens; None for headings inside a section.

    >>> classify_heading("BACKGROUND OF THE INVENTION"), classify_heading("【発明の効果】")
    ('background', 'summary')
    """
    if len(text) > _LONGEST_HEADING:
        return None
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", text).strip())
    return next((name for name, pattern in _PATTERNS if pattern.fullmatch(plain)), None)


def plain_heading(text: str) -> str | None:
    """The same for a paragraph that may be a heading without being marked as one."""
    if len(text) > _LONGEST_PLAIN_HEADING or text.endswith((",", ";", "，", "；")):
        return None
    ends_sentence = text.endswith((".", "。")) and len(text) > _LONGEST_PLAIN_HEADING // 2
    return None if ends_sentence else classify_heading(text)


def element_section(name: str) -> str | None:
    """The section that an element or processing instruction of this name holds."""
    return _BY_ELEMENT.get(name.lower().replace("-", ""))
