from __future__ import annotations

from patmark.retrieval.gaps import metric_gaps

_MAP = {"a": 0.5, "b": 0.4, "c": 0.3}
_BLEU = {"BLEU": {"a": 30.0, "b": 27.0, "c": 20.0}}


def _found(level_of_ac: float | None) -> str:
    pairs = {frozenset("ab"): None, frozenset("bc"): 0.05, frozenset("ac"): level_of_ac}
    (finding,) = metric_gaps("AP(rel=2)", _MAP, pairs, _BLEU).findings()
    return finding


def test_the_gaps_are_said_in_words() -> None:
    assert _found(0.01) == (
        "BLEU: pairs that differ at 1 % in AP(rel=2) have a gap of at least 10.00; "
        "every pair with a gap above 7.00 differs."
    )
    assert _found(None) == "BLEU: no pair differs at 1 % in AP(rel=2), whatever its gap."
