"""Sections of a description, from headings in en, zh, ja, de, fr and ko.

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

_ACCENTS = re.compile("[\u0300-\u036f]")
_ELISION = re.compile(r"\b([ld])['’]", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=\w)\((s|e|n|en|es)\)", re.IGNORECASE)

# A heading consists of known words only. Its section is the first one here with one of its words:
# "detailed description of the drawings" opens embodiments, "brief description of the drawings" does
# not.
_KEY_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        "signs",
        r"reference (?:signs?|numerals?|numbers?|characters?|symbols?|marks?|letters?)(?: lists?)?"
        r"|numerals?|letters|symbols|bezugs(?:zeichen|ziffern)"
        r"(?:liste|verzeichnis|aufstellung)?"
        r"|(?:signes|numéros) de références?|(?:liste|nomenclature) des références|repères",
        r"(?:附[图圖]|[图圖]式|図面|主要|元件|部件|组件|代表|参照|参考)*(?:符[号號]|标[记号])|参照(?:番号|数字)"
        r"|(?:도면)?\s*부호(?:의)?|도면의\s*주요\s*부분",
    ),
    (
        "sequences",
        r"sequence list(?:ing)?s?(?: free text)?|sequenzprotokoll|listage (?:de|des) séquences?",
        r"序列表|序列列表|配列表(?:フリーテキスト)?|서열\s*목록(?:\s*자유\s*텍스트)?",
    ),
    (
        "industrial",
        r"industrial (?:applicability|application|usability|use|exploitation)"
        r"|exploitation in industry"
        r"|(?:gewerbliche|industrielle) (?:anwend|verwert|nutz)(?:barkeit|ung)"
        r"|(?:possibilités? d'|susceptible d')?(?:application|applicabilité) industrielle",
        r"(?:工业|产业|產業|工業)上?[的之]?(?:可?利用性|适用性|实用性|应用性|可应用性)"
        r"|産業上の?利用の?可能性|산업상의?\s*이용\s*가능성",
    ),
    (
        "related",
        r"cross[- ]?references?|co-?pending|(?:related|prior|parent|provisional|earlier|priority|"
        r"commonly (?:assigned|owned)) (?:filed )?(?:u\.?s\.? )?"
        r"(?:patents?|(?:patent )?(?:applications?|documents?|cases?))|applications? data"
        r"|(?:claim (?:of|to|for) |claiming )?priority(?: claims?| data| information)?"
        r"|incorporat(?:ion|ed) by reference|government(?:al)?|federal(?:ly)?|querverweise?"
        r"|(?:verwandte|zugehörige|frühere|ältere|parallele)n? (?:patent)?anmeldung(?:en)?"
        r"|(?:références? croisées?|renvois?)|demandes? (?:apparentées?|connexes?|liées?"
        r"|associées?)"
        r"|priorität(?:en|s(?:anspruch|ansprüche|anmeldung(?:en)?|daten))?"
        r"|(?:revendications? de )?priorités?",
        r"(?:関連|同時係属(?:中)?|係属(?:中)?|先の|親|原|仮)(?:する|の|特許|米国)*出願|相互(?:参照|引用)|優先権"
        r"|参照による援用|(?:連邦|政府)|(?:相关|相關|同时待审|共同未决|在先|临时)的?(?:专利|專利|美国)*申[请請]"
        r"|交叉(?:引用|参考|参照)|优先权|優先權|(?:联邦|聯邦)|관련\s*(?:특허\s*)?출원(?:들)?|상호\s*참조|우선권|연방\s*(?:정부)?|정부",
    ),
    (
        "background",
        r"background(?: art| technology| technique| information)?|(?:related|prior|conventional|"
        r"background|known) (?:art|technology|technologies|techniques?)|state of (?:the )?art"
        r"|citation list|(?:non[- ])?patent (?:literature|documents?|citations?)(?: \d+)?"
        r"|stand(?:es)? der technik|bekannte[nr]? (?:technische[nr]? )?(?:lösung(?:en)?|technik)"
        r"|contexte"
        r"|hintergrund|(?:nicht)?patentliteratur|état (?:antérieur )?(?:de la technique|de l'art)"
        r"(?: antérieure?)?"
        r"|(?:technique|art) (?:antérieure?|connue?)|technische grundlagen"
        r"|arrière[- ]plan(?: technologique| technique)?",
        r"背景|(?:現有|现有|先前|習知|相關|相关|関連|従来|先行|周知)の?(?:背景)?(?:技[术術](?:文献)?|文献)|従来例"
        r"|(?:非)?(?:特許|专利)文献\d*|배경(?:이\s*되는)?|종래|선행\s*기술(?:\s*문헌)?|(?:비)?특허\s*문헌",
    ),
    (
        "embodiments",
        r"detailed|detail(?:lierte|beschreibung)|ausführliche|eingehende|détaillée?"
        r"|experimental (?:section|part|details|procedures?)|experimenteller teil"
        r"|partie expérimentale",
        r"詳細|详细|详述|詳述|상세한?|실시하기|실시를|(?:발명|고안)의\s*구성",
    ),
    (
        "drawings",
        r"drawings?|figures?|views?|zeichnung(?:en|s)?|figuren?|abbildung(?:en)?"
        r"|(?:figuren|zeichnungs|abbildungs)(?:beschreibung|liste|verzeichnis)|dessins?",
        r"(?:说明书)?附[图圖]|[图圖](?:面|式|示)|視図|视图|図面|図(?!示)|[图圖](?=的?[简簡])|도면",
    ),
    (
        "summary",
        r"summary|summaries|objects?|objectives?|aims?|overview|advantages?|statement of (?:the )?"
        r"invention|problems?|solutions?|means|effects?|darstellung|kurzdarstellung|zusammenfassung"
        r"|aufgabe(?:nstellung)?|ziele?|wesens?|lösung|vorteil(?:e|hafte)"
        r"|exposé|résumé|objet|buts?|présentation"
        r"|problèmes?|avantages?|effets?|brief descriptions? of (?:the )?(?:present )?invention"
        r"|kurz(?:e )?beschreibung der (?:vorliegenden )?erfindung"
        r"|brève description de l'invention"
        r"|description (?:succincte|sommaire|brève) de l'invention",
        r"概[要述略]|[简簡][述介]|要[约約旨]|摘要|目的|课题|課題|問題点?|问题|解決手段|手段|効果|效果|功效|作用"
        r"|[内內]容|構成|技[术術]方案|요약|개요|목적|과제|해결\s*(?:수단|방법|방안)|수단|효과|내용|작용",
    ),
    (
        "embodiments",
        r"embodiments?|examples?|implementations?|modes?|ways|ausführung(?:s(?:form(?:en)?|arten))?"
        r"|[a-zäöüß]*beispiele?[ns]?|exemples?|réalis(?:er|ations?)|mise en (?:œ|oe)uvre",
        r"[实實実]施(?:の|するための|[方形]式|方案|例|の?形態|の?態様|样态)+|[实實実]施|最良の形態"
        r"|(?:比較|比较|对比|對比|製造|制造)例|실시(?:예(?:들)?|\s*형태|하기)?|최선의\s*형태",
    ),
    (
        "field",
        r"fields?|(?:anwendungs|einsatz|erfindungs|sach|fach)?gebiet|domaines?|champ|secteur",
        r"領域|领域|分野|(?:기술)?분야",
    ),
    (
        "summary",
        r"disclosure|offenbarung|divulgation",
        r"(?:公开|公開|開示)(?:内容)?",
    ),
    (
        "embodiments",
        r"descriptions? of (?:the )?(?:present )?invention|beschreibung der erfindung"
        r"|description (?:générale )?de l'invention",
        r"発明の説明|发明的?(?:描述|说明)",
    ),
)

_FILLER_WORDS = (
    r"brief|short|general|descriptions?|explanations?|discussion|of|the|an?|several|various|"
    r"some|accompanying|attached|appended|present|preferred|exemplary|illustrative|illustrated|"
    r"illustrating|specific|particular|certain|alternative|example|representative|best|"
    r"currently|for|carrying|out|practi[cs]ing|working|implementing|performing|making|using|"
    r"invention|inventive|inventions|applications?|data|technology|use|art|endeavou?r|"
    r"technical|list|and|or|to|in|with|other|be|solved|solving|by|advantageous|statement|"
    r"claims?|rights|interest|support|license|research|sponsored|development|regarding|under|"
    r"part|according|related|reference|commonly|assigned|owned|filed|comparative|capability|"
    r"capable|documents?|der|die|das|des|den|dem|eine?[rsnm]?|von|vom|zur|zum|zu|für|und|mit|"
    r"auf|bevorzugte[nrs]?|besondere[nrs]?|kurze|kurz|beschreibung|kurzbeschreibung|"
    r"beispielhafte[nrs]?|exemplarische[nrs]?|konkrete[nrs]?|spezielle[nrs]?|mögliche[nrs]?|"
    r"verschiedene[nr]?|mehrere[nr]?|einige[nr]?|weitere[nrs]?|zugrunde ?liegende[nrs]?|"
    r"technologische[nrs]?|nachteile?|auflistung|erfindung|erfindungsgemäße[nrs]?|"
    r"technische[rsn]?|technischer|besten?|bester|wege?|allgemeine[rs]?|wirkung(?:en)?|"
    r"aufzählung|liste|bezugnahme|verweise?|charakteristik|darlegung|de|du|la|les?|et|une?|"
    r"pour|aux?|à|brève|sommaire|succincte|générale?|description|technique|préférée?s?|"
    r"préférentiels?|particuliers?|technologiques?|inconvénients?|moins|plusieurs|"
    r"divers(?:es)?|quelques|certaine?s|exemplaires?|comparatifs?|meilleure|possibles?|"
    r"détaillés|selon|capacité|manières?|formes?|nähere|variantes?|meilleurs?|inanspruchnahme|"
    r"bekannte[nrs]?|posés?|présente|vorliegende[nrs]?|verzeichnis",
    r"本|发明|發明|発明|考案|(?:実用)?新案|新型|实用新型|实用|発明者|の|な|的|之|を|が|は|に|と|への|へ|及び|および|並びに|和|与|及"
    r"|[简簡][单單要潔明]|簡単|簡潔|好適|好まし[いく]|望ましい|例示的?|典型的|代表的|模範的|具体的?|优选|優選|較佳|较佳"
    r"|示例性?|示范性?|最佳|最良|最適|いくつか|幾つか|複数|若干|各|几个|多个|种种|様々|種々|特定|现在|現在"
    r"|[说說説]明|描述|記[述載]|记载|叙述|[声聲]明|陈述|陳述|主張|要求|宣言|関する|関して|係る|よる|おける|対する|基づく|受けた|行われた"
    r"|するため|ための|ため|する|しよう|とする|解決|解决|所[属屬欲]|属する|利用|上|技[术術]|研究|開発|资助|資金|提供|支援|助成"
    r"|关于|對于|对|用于|可能な|図示|添付|参照|形態|態様|方式|列表|一[览覧]|清单|权益|利益|権利|部分|および"
    r"|産業|その|リスト|要|有益|有利|积极|유리한|유익한|이루고자|기술적|하고자|하려는|속하는|예시적인|바람직한|구체적인?|간단한|간략한|관하여|관한|대한|위한|하기|하는|되는"
    r"|발명|고안|기술|설명|해결|주장|선언|진술|지원|연구|개발|형태|분야|도면|의|이|을|를|은|는|과|와|에|및|그|본",
)
_OPEN_HEADINGS = (
    ("drawings", r"brief descriptions? of .*(?:drawings?|figures?|views).*"),
    (
        "related",
        r"(?:cross[- ]?references?|related (?:patent )?applications?|co-?pending applications?) .*"
        r"|statement (?:regarding|of|as to|concerning) .*(?:federal|government|sponsored).*"
        r"|government (?:interest|support|rights|license).*"
        r"|(?:相关|相關|関連)(?:する|专利|特許)?(?:申请|申請|出願).*|交叉引用.*|優先権.{0,12}",
    ),
    (
        "background",
        r"background (?:of|to|on|and|for|in|art|information|concerning|relating|regarding) .*"
        r"|.* of (?:the )?(?:related|prior) art.*|arrière-plan.*",
    ),
    (
        "embodiments",
        r"(?:detailed|specific) descriptions?.*|(?:descriptions? of (?:the )?)?(?:\w+ ){0,2}"
        r"embodiments?(?: of .*)?|(?:best )?modes? (?:for|of) (?:carrying|practi|working|impl).*"
        r"|(?:detaillierte|ausführliche) beschreibung.*|description détaillée.*"
        r"|(?:exposé détaillé de |description (?:de|d'un|des) )?modes? (?:particuliers? )?"
        r"de réalisation.*",
    ),
    ("related", r"(?:claims? (?:of|to|for) )?(?:foreign |domestic )?priority(?: under .*)?"),
    (
        "summary",
        r"(?:brief )?summary.*|(?:means|solution) (?:for|of|to) (?:solv|the prob).*"
        r"|problems? (?:to be|that the invention is to) solved?.*",
    ),
    ("field", r"technical field.*|field of .{0,40}"),
    ("sequences", r"(?:reference to (?:an? )?)?sequence list.*|序列表.*|配列表.*"),
)
# headings of single examples, which may occur without a common heading
_ONE_EXAMPLE = (
    r"(?:(?:first|second|third|fourth|fifth|comparative|working|preparation|production|synthesis|"
    r"reference|test|experimental|exemplary) )*"
    r"(?:examples?|embodiments?|modifications?|variations?)"
    r"|(?:(?:erste|zweite|dritte|vierte|weitere)[sr]? )?(?:[a-zäöüß]*beispiele?|ausführungsform)"
    r"|(?:(?:premiere?|deuxième|seconde?|troisième|autre) )?"
    r"(?:exemples?(?: de réalisation| comparatif)?|mode de réalisation|variante)",
    r"(?:第\s*[\d一二三四五六七八九十]+\s*の?)?(?:[实實実]施(?:例|の?形態|の?態様|[方形]式)"
    r"|(?:比較|比较|对比|對比|对照|参考|製造|制造|制备|合成|調製|配合|試験|试验|実験|实验|測定|応用|应用|変形|变形)例)"
    r"|(?:제\s*\d+\s*)?(?:실시\s*(?:예|형태|양태)|(?:비교|제조|합성|시험|실험|참고|제제|변형)\s*예)",
)
_EXAMPLE_NUMBER = (
    r"(?:\s*(?:no\.? ?)?(?:\d+(?:[-.]\d+)*[a-z]?|[ivx]{1,4}|[a-h]|[一二三四五六七八九十]+))"
)


def _folded(text: str) -> str:
    """Return a text or pattern without accents, and with articles before a vowel written out."""
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return _ELISION.sub(r"\1e ", unicodedata.normalize("NFC", bare))


def _vocabulary(latin: str, cjk: str) -> str:
    """Return a pattern of one word: whole words in Latin script, any part of CJK text."""
    return rf"\b(?:{_folded(latin)})(?!\w)|(?:{cjk})"


_KEYS = tuple(
    (section, re.compile(_vocabulary(latin, cjk), re.IGNORECASE))
    for section, latin, cjk in _KEY_WORDS
)
_ALL_KNOWN = re.compile(
    "(?:(?>"
    + "|".join(_vocabulary(*words) for _, *words in _KEY_WORDS)
    + f"|{_vocabulary(*_FILLER_WORDS)})[\\s,、・/&()-]*+)++",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    rf"(?:{_folded(_ONE_EXAMPLE[0])}|{_ONE_EXAMPLE[1]})(?:{_EXAMPLE_NUMBER}(?:\s*[:：.、—–-].*)?)?",
    re.IGNORECASE,
)
_OPEN = tuple(
    (section, re.compile(_folded(text), re.IGNORECASE)) for section, text in _OPEN_HEADINGS
)
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
    "inventionsummary technicalproblem technicalsolution contentofinvention bsum "
    "briefsummary",
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
    plain = _plain(text)
    if _ALL_KNOWN.fullmatch(plain):
        return next((section for section, words in _KEYS if words.search(plain)), None)
    return next((section for section, pattern in _OPEN if pattern.fullmatch(plain)), None)


def _plain(text: str) -> str:
    """Return a heading without brackets, numbers and accents, "(s)" as plural."""
    folded = _folded(unicodedata.normalize("NFKC", text).strip())
    return _PLURAL.sub(r"\1", _MARKS.sub("", folded))


def section_from(heading: str) -> str | None:
    """Return the section of the text below a heading; None if it continues the previous one.

    A single example belongs to the embodiments even if no heading opens them.

    >>> section_from("Example 3: Coating"), classify_heading("Example 3: Coating")
    ('embodiments', None)
    """
    section = classify_heading(heading)
    if section is None and len(heading) <= _LONGEST_HEADING and _EXAMPLE.fullmatch(_plain(heading)):
        return "embodiments"
    return section


def plain_heading(text: str) -> str | None:
    """Return the section of a paragraph that may be a heading without markup."""
    if len(text) > _LONGEST_PLAIN_HEADING or text.endswith((",", ";", "，", "；")):
        return None
    ends_sentence = text.endswith((".", "。")) and not text.isupper()
    return None if ends_sentence else section_from(text)


def element_section(name: str) -> str | None:
    """Return the section of an element or processing instruction name."""
    return _BY_ELEMENT.get(name.lower().replace("-", ""))
