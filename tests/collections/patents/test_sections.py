"""Headings to sections."""

from __future__ import annotations

import pytest

from patmark.collections.patents.sections import (
    SECTIONS,
    bounded,
    classify_heading,
    element_section,
    folded,
    plain_heading,
    section_from,
)
from patmark.languages import Language, Row, packs

HEADINGS = {
    "embodiments": """
        図示の実施形態の詳細な説明
        Beschreibung exemplarischer Ausführungsformen
        Detailbeschreibung
        Experimenteller Teil
        Description d'au moins un mode de réalisation
        Partie expérimentale
        Experimental Section
        示范性实施例的具体说明
        本実用新案の実施形態
        実施例及び比較例
        Nähere Beschreibung der Erfindung
        Description de variantes de réalisation
        Meilleur mode de réalisation de l'invention
        WAYS OF CARRYING OUT THE INVENTION
        Vergleichsbeispiele
        Herstellungsbeispiele
        Beschreibung der Ausführungsarten
        Modes de mise en œuvre de l'invention
        Description d'un exemple de réalisation
        Exemples comparatifs
        Allgemeine Beschreibung der Erfindung
        Description générale de l'invention
        好適な実施形態の説明
        好適な実施形態の詳細な説明
        実施例の説明
        Beschreibung der bevorzugten Ausführungsformen
        Weg(e) zur Ausführung
        Weg zur Ausführung der Erfindung
        Wege zur Ausführung der Erfindung
        発明の詳細な説明
        本発明の好ましい実施形態の詳細な説明
        例示的な実施形態の詳細な説明
        好ましい実施態様の説明
        発明を実施するための最良の形態
        発明を実施するための形態
        本発明を実施するための具体的な態様
        优选实施方式的详细描述
        示例性实施例的详细说明
        本发明的详细描述
        具体实施方式
        优选实施例的说明
        实施本发明的最佳方式
        Ausführliche Beschreibung der Erfindung
        Detaillierte Beschreibung
        Ausführungsbeispiele
        Beschreibung von Ausführungsbeispielen
        Beschreibung eines bevorzugten Ausführungsbeispiels
        Bester Weg zur Ausführung der Erfindung
        Beispiele
        Description détaillée de l'invention
        Description détaillée d'un mode de réalisation
        Exposé détaillé de modes de réalisation particuliers
        Description d'un mode de réalisation préféré
        Modes de réalisation de l'invention
        Manière(s) de réaliser l'invention
        Meilleure manière de réaliser l'invention
        Exemples
        발명을 실시하기 위한 구체적인 내용
        실시예
        발명의 상세한 설명
        DETAILED DESCRIPTION OF THE DRAWINGS
        DESCRIPTION OF THE PREFERRED EMBODIMENT
        DESCRIPTION OF THE INVENTION
        MODES FOR CARRYING OUT THE INVENTION
        BEST MODE
        발명을 실시하기 위한 형태
        발명을 실시하기 위한 최선의 형태
        발명의 구성 및 작용
        발명의 구성
        실시 형태에 대한 설명
        바람직한 실시예의 상세한 설명
    """,
    "related": """
        Prioritätsanspruch
        Priorität
        Revendication de priorité
        Demandes associées
        Inanspruchnahme der Priorität
        CLAIM OF PRIORITY UNDER 35 U.S.C. §119
        PRIORITY
        Copending and commonly assigned applications
        REFERENCE TO EARLIER FILED APPLICATIONS
        Applications incorporated by reference
        Bezugnahme auf verwandte Anmeldungen
        Ältere Anmeldungen
        同時係属出願
        同時係属出願の相互参照
        CO-PENDING APPLICATIONS
        CROSS REFERENCE TO CO-PENDING APPLICATIONS
        関連出願への相互参照
        関連出願の相互参照
        連邦政府による資金提供を受けた研究に関する記載
        連邦支援の研究開発に関する声明
        優先権の主張
        相关申请的交叉引用
        关于联邦资助研究的声明
        优先权声明
        Querverweis auf verwandte Anmeldungen
        Références croisées à des demandes apparentées
        관련 출원에 대한 상호 참조
        CLAIM OF PRIORITY
        RELATED U.S. APPLICATION DATA
        INCORPORATION BY REFERENCE
        GOVERNMENT LICENSE RIGHTS
        우선권 주장
        연방정부 지원 연구에 관한 진술
    """,
    "summary": """
        Kurzbeschreibung der Erfindung
        Der Erfindung zugrundeliegende Aufgabe
        Description succincte de l'invention
        Résumé de la présente invention
        BRIEF DESCRIPTION OF THE INVENTION
        Wesen der Erfindung
        Ziel der Erfindung
        要解决的技术问题
        有益效果
        유리한 효과
        기술적 해결방법
        発明の簡単な要旨
        発明の開示
        発明の概要
        発明の簡単な概要
        発明の要約
        簡単な概要
        開示の概要
        本発明の目的
        发明简述
        发明概述
        公开内容
        Kurzdarstellung der Erfindung
        Zusammenfassung der Erfindung
        Technische Aufgabe
        Aufgabe und Lösung
        Offenbarung der Erfindung
        Vorteilhafte Wirkungen der Erfindung
        Exposé de l'invention
        Résumé de l'invention
        Présentation de l'invention
        But de l'invention
        Problème technique
        Divulgation de l'invention
        발명의 내용
        해결하려는 과제
        과제의 해결 수단
        발명의 효과
        BRIEF SUMMARY
        OBJECTS AND ADVANTAGES
        SUMMARY OF EMBODIMENTS
        해결하고자 하는 과제
        과제를 해결하기 위한 수단
        발명이 이루고자 하는 기술적 과제
        발명의 개요
    """,
    "drawings": """
        Auflistung der Figuren
        Figurenliste
        도면의 간략한 설명
        Figurenbeschreibung
        図面の簡単な説明
        図面のいくつかの図の簡単な説明
        図の簡単な説明
        添付図面の簡単な説明
        附图简述
        若干附图的简要说明
        附图的若干视图的简要说明
        Kurze Beschreibung der Zeichnungen
        Kurzbeschreibung der Figuren
        Beschreibung der Zeichnung
        Brève description des dessins
        Brève description des figures
        Présentation des figures
        Liste des figures
        도면의 간단한 설명
        DESCRIPTION OF THE DRAWINGS
        DESCRIPTION OF FIGURES
        BRIEF DESCRIPTION OF THE VIEWS
        도면의 설명
    """,
    "background": """
        Technologischer Hintergrund
        Beschreibung des Standes der Technik
        Stand der Technik und Nachteile
        État antérieur de la technique
        Contexte technologique
        PRIOR ART DOCUMENTS
        Technische Grundlagen
        Bekannter Stand der Technik
        Technique antérieure et problème posé
        Art connu
        Patent Document 1
        特許文献１
        Related Background Art
        Charakteristik der bekannten technischen Lösungen
        Contexte de l'invention
        従来の技術とその課題
        État de la technique
        État de la technique antérieure
        発明の背景
        関連技術の説明
        従来技術の説明
        先行技術の説明
        背景
        先行技術文献
        特許文献
        背景技术
        现有技术
        相关技术描述
        Hintergrund der Erfindung
        Allgemeiner Stand der Technik
        Arrière-plan technologique
        Art antérieur
        Technique antérieure
        Etat de la technique
        ETAT DE LA TECHNIQUE ANTERIEURE
        배경기술
        발명의 배경이 되는 기술
        선행기술문헌
        특허문헌
        BACKGROUND AND SUMMARY
        발명이 속하는 기술분야 및 그 분야의 종래기술
        비특허문헌
    """,
    "field": """
        Erfindungsgebiet
        Gebiet der vorliegenden Erfindung
        産業上の利用分野
        Einsatzgebiet der Erfindung
        Champ de l'invention
        Secteur technique
        発明の分野
        開示の分野
        本発明の属する技術分野
        发明领域
        本公开的领域
        Technisches Gebiet
        Gebiet der Erfindung
        Domaine technique
        Domaine technique de l'invention
        Domaine de l'invention
        DOMAINE TECHNIQUE DE L’INVENTION
        기술분야
        발명의 분야
    """,
    "industrial": """
        Capability of exploitation in industry
        Gewerbliche Verwertbarkeit
        Applicabilité industrielle
        産業上の利用可能性
        Gewerbliche Anwendbarkeit
        Possibilités d'application industrielle
        산업상 이용가능성
        산업상의 이용가능성
    """,
    "signs": """
        Bezugszeichenaufstellung
        Verzeichnis der Bezugszeichen
        Explanation of Letters or Numerals
        Description of Symbols
        Nomenclature des références
        Liste des repères
        参照符号リスト
        符号の説明
        参照符号の説明
        参照番号の説明
        図面符号の説明
        附图标记列表
        附图标记说明
        Bezugszeichenliste
        Liste der Bezugszeichen
        Liste des signes de référence
        부호의 설명
        LIST OF REFERENCE NUMERALS
        도면의 주요 부분에 대한 부호의 설명
        <도면의 주요부분에 대한 부호의 설명>
    """,
    "sequences": """
        Sequenzprotokoll
        서열목록 자유텍스트
    """,
}
"""Headings that offices and translators write; lines of several languages."""

INSIDE = """
    Background image generation
    Background noise suppression
    Priority queue
    Experimental vehicle
    Prioritätsschaltung
    Partie mobile
    図示省略
    Nachteile
    The present invention
    Preparation of the catalyst
    第1の実施形態に係る半導体装置の製造方法
    用語の定義
    電池の構成
    作用電極
    Field effect transistor
    Solution preparation
    Figure 3
    图3
    図１
    描述
    说明
    本发明
    발명
    Claims
    What is claimed is
    请求项
    Effects of temperature on yield
    Ergebnisse
    Résultats
    Measurement examples of strength
    Example of a known device
    Conventional Example
    Examples of such solvents are water, ethanol and
    Symbols of the display
    Schriftzeichen
    実施例1の評価
    Beispielhafte Werte
"""


@pytest.mark.parametrize("section", HEADINGS)
def test_headings_are_told_by_their_words_and_not_by_a_list(section: str) -> None:
    lines = [line.strip() for line in HEADINGS[section].strip().splitlines()]
    assert {line: classify_heading(line) for line in lines} == dict.fromkeys(lines, section)


def test_headings_inside_a_section_open_no_other() -> None:
    lines = [line.strip() for line in INSIDE.strip().splitlines()]
    assert {line: classify_heading(line) for line in lines} == dict.fromkeys(lines)


EXAMPLES = """
    Example 1
    EXAMPLE 12A
    Comparative Example 2
    Example 3: Preparation of the catalyst
    Second Embodiment
    Modification 1
    Beispiel 3
    Vergleichsbeispiel 2: Beschichtung
    Erstes Ausführungsbeispiel
    Exemple 1
    Exemple comparatif 2
    Premier mode de réalisation
    【実施例１】
    実施例２：触媒の製造
    第１の実施形態
    比較例２
    変形例
    实施例1
    实施例一
    对比例2
    制备例3：
    실시예 1
    제1 실시형태
    비교예 2
"""
"""Headings of single examples."""


def test_single_examples_belong_to_the_embodiments_and_open_no_section() -> None:
    lines = [line.strip() for line in EXAMPLES.strip().splitlines()]
    assert {line: section_from(line) for line in lines} == dict.fromkeys(lines, "embodiments")


def test_other_headings_inside_a_section_go_on_with_it() -> None:
    lines = [line.strip() for line in INSIDE.strip().splitlines()]
    assert {line: section_from(line) for line in lines} == dict.fromkeys(lines)


def test_a_long_heading_of_known_words_takes_linear_time() -> None:
    assert classify_heading("発明の" * 39 + "x") is None


@pytest.mark.parametrize(
    ("heading", "section"),
    [
        ("BACKGROUND OF THE INVENTION", "background"),
        ("BRIEF DESCRIPTION OF THE PRIOR ART", "background"),
        ("2. Description of Related Art", "background"),
        ("1. Field of the Invention", "field"),
        ("TECHNICAL FIELD", "field"),
        ("CROSS-REFERENCE TO RELATED APPLICATION(S) ", "related"),
        ("STATEMENT REGARDING FEDERALLY SPONSORED RESEARCH", "related"),
        ("SUMMARY OF THE INVENTION", "summary"),
        ("Technical Problem", "summary"),
        ("Advantageous Effects of Invention", "summary"),
        ("BRIEF DESCRIPTION OF THE DRAWINGS", "drawings"),
        ("BRIEF DESCRIPTION OF THE SEVERAL VIEWS OF THE DRAWINGS", "drawings"),
        ("DETAILED DESCRIPTION OF THE PREFERRED EMBODIMENTS", "embodiments"),
        ("Description of Embodiments", "embodiments"),
        ("BEST MODE FOR CARRYING OUT THE INVENTION", "embodiments"),
        ("Industrial Applicability", "industrial"),
        ("Reference Signs List", "signs"),
        ("Sequence Listing", "sequences"),
        ("技术领域", "field"),
        ("背景技术", "background"),
        ("发明内容", "summary"),
        ("实用新型内容", "summary"),
        ("附图说明", "drawings"),
        ("具体实施方式", "embodiments"),
        ("【技術分野】", "field"),
        ("【背景技術】", "background"),
        ("【従来の技術】", "background"),
        ("【発明が解決しようとする課題】", "summary"),
        ("【課題を解決するための手段】", "summary"),
        ("【図面の簡単な説明】", "drawings"),
        ("【発明を実施するための形態】", "embodiments"),
        ("【実施例】", "embodiments"),
        ("【産業上の利用可能性】", "industrial"),
        ("【符号の説明】", "signs"),
        ("【発明の分野】", "field"),
        ("発明の技術分野", "field"),
        ("背景", "background"),
        ("【発明の背景】", "background"),
        ("関連技術の説明", "background"),
        ("発明の要旨", "summary"),
        ("【発明の詳細な説明】", "embodiments"),
        ("发明背景", "background"),
        ("发明领域", "field"),
        ("附图简述", "drawings"),
        ("附图的简要描述", "drawings"),
        ("发明概要", "summary"),
        ("发明详述", "embodiments"),
        ("优选实施方式的详细描述", "embodiments"),
        ("工业上的可利用性", "industrial"),
        ("【發明所屬之技術領域】", "field"),
        ("【先前技術】", "background"),
        ("【發明內容】", "summary"),
        ("【圖式簡單說明】", "drawings"),
        ("【實施方式】", "embodiments"),
        ("【主要元件符號說明】", "signs"),
        ("Stand der Technik", "background"),
        ("Description des dessins", "drawings"),
    ],
)
def test_headings(heading: str, section: str) -> None:
    assert classify_heading(heading) == section
    assert section in SECTIONS


@pytest.mark.parametrize(
    "heading",
    [
        "Braking System for a Fork Lift Truck",
        "A. Preparation of the polymer",
        "",
        "描述",
        "x" * 500,
    ],
)
def test_headings_inside_a_section(heading: str) -> None:
    assert classify_heading(heading) is None


def test_a_sentence_is_no_heading() -> None:
    assert plain_heading("Examples of such polymers are given in the field of optics.") is None
    assert plain_heading("背景技术") == "background"


@pytest.mark.parametrize(
    ("name", "section"),
    [("BackgroundArt", "background"), ("background-art", "background"), ("BRFSUM", "summary"),
     ("description-of-drawings", "drawings"), ("DETD", "embodiments"), ("p", None)],
)  # fmt: skip
def test_elements(name: str, section: str | None) -> None:
    assert element_section(name) == section


def _is_in(row: Row, text: str) -> bool:
    pattern = bounded([row])
    whole = row.group in ("whole", "example", "part")
    return (pattern.fullmatch(text) if whole else pattern.search(text)) is not None


@pytest.mark.parametrize("pack", packs(), ids=lambda pack: pack.code)
def test_the_forms_of_a_row_match_its_example_and_not_the_other(pack: Language) -> None:
    rows = pack.table("headings").rows
    wrong = [
        (row.group, row.id, text)
        for row in rows
        for text, expected in ((row.example, True), (row.no_example, False))
        if _is_in(row, folded(text)) is not expected
    ]
    assert not wrong
    assert {row.id for row in rows if row.group == "section"} >= {"summary", "drawings", "field"}
