"""The tree of claims in plain text."""

from __future__ import annotations

from patmark.claims import parse_claims


def test_tree() -> None:
    claims = parse_claims(
        "1. A pump.\n2. The pump of claim 1.\n3. The pump of claim 2.\n"
        "4. The pump of claim 1 or 2.\n"
        "5. A method of making the pump of claim 1.\nThe pump of claim 9, being red."
    )
    assert claims.tree().splitlines() == [
        "1  A pump.  [apparatus]",
        "├─ 2  The pump of claim 1.",
        "│  └─ 3  The pump of claim 2.",
        "└─ 4  The pump of claim 1 or 2.  [on 1, 2]",
        "5  A method of making the pump of claim 1.  [method; mentions 1]",
        "?  The pump of claim 9, being red.  [on 9 (missing)]",
    ]


def test_long_claims_are_shortened_and_deep_trees_work() -> None:
    text = "\n".join(
        [f"1. A pump comprising {'a shaft, ' * 20}and a lid."]
        + [f"{number}. The pump of claim {number - 1}." for number in range(2, 900)]
    )
    lines = parse_claims(text).tree().splitlines()
    assert len(lines) == 899
    assert lines[0].startswith("1  A pump comprising a shaft, ") and "…" in lines[0]


def test_wrong_dependencies_are_named() -> None:
    claims = parse_claims(
        "1. A pump.\n2. The pump of claim 2.\n3. The pump of claim 9.\n"
        "4. The pump of claim 1 or 5.\n5. The pump of claim 4.\n6. (Canceled)\n"
        "7. The pump of claim 6.\n8. A vehicle comprising the pump of claim 12."
    )
    assert claims.tree().splitlines() == [
        "1  A pump.  [apparatus]",
        "└─ 4  The pump of claim 1 or 5.  [on 1, 5 (later)]",
        "   └─ 5  The pump of claim 4.",
        "2  The pump of claim 2.  [on 2 (itself)]",
        "3  The pump of claim 9.  [on 9 (missing)]",
        "6    [other]",
        "└─ 7  The pump of claim 6.  [on 6 (canceled)]",
        "8  A vehicle comprising the pump of claim 12.  [apparatus; mentions 12 (missing)]",
    ]
