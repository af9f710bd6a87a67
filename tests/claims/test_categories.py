"""The category of a claim."""

from __future__ import annotations

import pytest

from patmark.claims import parse_claims


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("A pump comprising a shaft.", "apparatus"),
        ("Method for operating a system, comprising pumping.", "method"),
        ("A computer-implemented method comprising pumping.", "method"),
        ("A process for the production of steel, comprising melting.", "method"),
        ("The improved process of claim 1, wherein heat is used.", "method"),
        ("A heat transfer system comprising a pump.", "system"),
        ("One or more non-transitory computer-readable media storing instructions.", "medium"),
        ("A computer program product comprising code.", "medium"),
        ("A computer-readable storage device having instructions.", "medium"),
        ("A storage array controller for a storage device, comprising a port.", "apparatus"),
        ("A pharmaceutical composition comprising X.", "composition"),
        ("A compound of formula (I).", "composition"),
        ("A lipopolysaccharide obtained by the method of claim 1.", "composition"),
        ("4-Chloro-N-(2-hydroxyethyl)benzamide.", "composition"),
        ("2-Butanone or a salt thereof.", "composition"),
        ("3-way valve comprising a body.", "apparatus"),
        ("2-in-1 printer having a tray.", "apparatus"),
        ("4-wheel-drive vehicle having a motor.", "apparatus"),
        ("Use of a compound according to claim 1 in cooking.", "use"),
        ("The use of a pump for moving water.", "use"),
        ("A kit comprising a pump.", "kit"),
        ("...", "other"),
        ("一种泵，包括轴。", "apparatus"),
        ("一种制造泵的方法，包括铸造。", "method"),
        ("一种控制系统，包括泵。", "system"),
        ("一种计算机可读存储介质，其上存储有程序。", "medium"),
        ("一种药物组合物，包含X。", "composition"),
        ("权利要求1的化合物在制备药物中的应用。", "use"),
        ("軸を備えるポンプ。", "apparatus"),
        ("加熱工程を含む製造方法。", "method"),
        ("ポンプを備える制御システム。", "system"),
        ("コンピュータに処理を実行させるプログラム。", "medium"),
        ("成分Xを含む医薬組成物。", "composition"),
    ],
)
def test_category(text: str, category: str) -> None:
    assert parse_claims(text).claims[0].category == category


@pytest.mark.parametrize(
    "text",
    [
        "1. Manufacturing procedure of a panel, comprising sanding a sheet.",
        "1. Manufacturing procedure panels comprising sanding a sheet.",
        "1. The manufacturing procedure carried out twice, wherein a sheet is sanded.",
    ],
)
def test_a_procedure_is_a_method_wherever_it_stands(text: str) -> None:
    assert parse_claims(text).claims[0].category == "method"
