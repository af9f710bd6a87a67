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
        r"|附图(?:简[述介]|概述)|(?:附|图)图?的?(?:简[要单])?(?:描述|说明)|图示说明|图式(?:简单)?说明"
        r"|圖式簡?[單要]?說明|附?圖式?之?簡?[單要]?說明|図面"
        r"|(?:kurze )?(?:beschreibung|aufzählung) der (?:zeichnung|figur|abbildung)(?:en)?"
        r"|(?:brève )?description (?:sommaire )?des (?:dessins|figures)",
    ),
    (
        "related",
        r"(?:cross[- ]?references?(?: to)? )?(?:to )?(?:other )?related (?:u\.?s\.? )?(?:patent )?"
        r"(?:applications?|documents?|cases?|patents?)(?:\(s\))?.*|cross[- ]references?.*"
        r"|(?:claim of |claim to )?priority(?: claim| data)?|statement (?:regarding|of|as to) .*"
        r"(?:federal|government|sponsored).*|government (?:interest|support|rights|license).*"
        r"|相关申请.*|相关专利申请.*|関連出願.*|関連する出願.*"
        r"|相關申請.*|交叉引用.*|優先権.{0,12}",
    ),
    (
        "field",
        r"(?:technical )?fields?(?: of (?:the )?(?:present )?(?:invention|disclosure|use|art|"
        r"application|technology|endeavou?r))?|technical field.*"
        r"|field of .{0,40}|技术领域|(?:发明|实用新型)?所属技术领域"
        r"|(?:発明の属する)?技術(?:の)?分野|発明の(?:技術)?分野|発明の属する分野"
        r"|(?:本?发明|本?实用新型)?的?(?:技术)?领域|(?:發明|新型)?(?:所屬之)?技術領域|發明領域"
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
        r"|(?:发明|技术|本发明的?)?背景(?:介绍|资料)?|相关技术(?:的?(?:描述|说明))?|发明的背景"
        r"|(?:発明の|技術の?)?背景|(?:発明の)?技術的背景|関連技術(?:の説明)?|先行技術|従来例"
        r"|先前技術|習知技術|發明背景|相關技術"
        r"|特許文献|非特許文献|stand der technik|technischer hintergrund|état de la technique"
        r"|technique antérieure|arrière-plan.*",
    ),
    (
        "industrial",
        r"industrial (?:applicability|application|usability)|工业实用性|工业应用性"
        r"|(?:工业|产业)上?的?(?:可?利用性|适用性|实用性|可应用性)|產業(?:上之?)?(?:可)?利用性"
        r"|産業上の利用の?可能性|gewerbliche anwendbarkeit|application industrielle",
    ),
    (
        "signs",
        r"(?:list of |description of |explanation of )?(?:the )?reference (?:signs?|numerals?|"
        r"numbers?|characters?|symbols?|marks?)(?: lists?)?|附图标记(?:说明)?|主要?元件符号说明"
        r"|(?:附图|主要)?(?:元件)?(?:符号|标记|标号)的?说明|(?:主要)?(?:元件)?(?:代表)?符號(?:之?簡單)?說明"
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
        r"|(?:发明的?)?(?:详细|具体)(?:描述|说明)|发明详述|优选实施(?:例|方式)(?:的?(?:详细)?(?:描述|说明))?"
        r"|(?:实施|实现)(?:本)?发明的?(?:最佳)?(?:方式|方案)|最佳实施(?:例|方式)"
        r"|實施方式|實施例|較佳實施例|(?:發明之?)?詳細(?:說明|描述)|最佳實施方式"
        r"|(?:発明の)?詳細な説明|実施するための形態|好適な実施(?:の)?形態|発明を実施する最良の形態"
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
        r"|(?:发明|本发明|实用新型)?的?(?:概述|概要|简述|简介|摘要)|发明的?(?:公开|目的|效果|概[述要])|技术方案"
        r"|(?:發明|新型)?內容|發明(?:概述|概要|目的|之?功效)|所欲解決之?(?:問題|課題)|解決問題之技術手段"
        r"|発明の(?:要旨|構成|摘要)|概要|課題|効果|(?:発明が)?解決しようとする問題点"
        r"|問題点を解決するための手段|発明が解決する課題|解決手段"
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
    """Return the section that a heading opens; None for headings inside a section.

    >>> classify_heading("BACKGROUND OF THE INVENTION"), classify_heading("【発明の効果】")
    ('background', 'summary')
    """
    if len(text) > _LONGEST_HEADING:
        return None
    plain = _MARKS.sub("", unicodedata.normalize("NFKC", text).strip())
    return next((name for name, pattern in _PATTERNS if pattern.fullmatch(plain)), None)


def plain_heading(text: str) -> str | None:
    """Return the section of a paragraph that may be a heading without markup."""
    if len(text) > _LONGEST_PLAIN_HEADING or text.endswith((",", ";", "，", "；")):
        return None
    ends_sentence = text.endswith((".", "。")) and len(text) > _LONGEST_PLAIN_HEADING // 2
    return None if ends_sentence else classify_heading(text)


def element_section(name: str) -> str | None:
    """Return the section that an element or processing instruction of this name holds."""
    return _BY_ELEMENT.get(name.lower().replace("-", ""))
