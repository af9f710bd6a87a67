"""Tokens, prices, budgets."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from patmark.errors import UsageError
from patmark.llm import Budget, ChatAnswer, ChatRequest, Message, Prices, Usage, estimate_tokens
from patmark.llm.usage import Ledger

_ASKED = ChatRequest("m", (Message("user", "x" * 30),), max_tokens=6)


def test_counts_of_the_server_are_taken_else_estimates() -> None:
    assert Usage.of(_ASKED, ChatAnswer("abc", prompt_tokens=9, completion_tokens=2)) == Usage(
        1, 9, 2, 0
    )
    assert Usage.of(_ASKED, ChatAnswer("abc")) == Usage(1, 14, 1, 1)


def test_estimates_count_bytes() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abc", "abcd")] == [0, 1, 1, 2]
    assert estimate_tokens("一种螺栓") == 4


def test_cost_is_per_million() -> None:
    usage = Usage(3, 2_000_000, 500_000)
    assert Prices(2.5, 10.0).cost(usage) == 10.0
    assert usage.to_json(Prices(2.5, 10.0))["cost"] == 10.0
    assert "cost" not in usage.to_json()


@pytest.mark.parametrize("price", [-1.0, float("nan"), float("inf")])
def test_bad_prices(price: float) -> None:
    with pytest.raises(UsageError, match="prices"):
        Prices(price, 1.0)


@pytest.mark.parametrize("budget", [{"tokens": -1}, {"cost": -0.1}, {"cost": float("nan")}])
def test_bad_budgets(budget: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="must not be negative"):
        Budget(**budget)  # type: ignore[arg-type]


@given(st.lists(st.integers(0, 10), max_size=60), st.integers(0, 400))
def test_a_ledger_never_lets_more_out_than_the_budget(answers: list[int], limit: int) -> None:
    ledger = Ledger(Budget(tokens=limit), None)
    waiting: list[int] = []
    for size in answers:
        if ledger.reserve(_ASKED) is None:
            waiting.append(size)
        if len(waiting) > 3:
            ledger.release(_ASKED)
            answer = ChatAnswer("", prompt_tokens=14, completion_tokens=min(waiting.pop(0), 6))
            ledger.pay(_ASKED, answer)
    assert ledger.spent.tokens + 20 * len(waiting) <= max(limit, 0)


def test_budgets_in_money() -> None:
    budget, prices = Budget(cost=1.0), Prices(1.0, 1.0)
    assert budget.excess(Usage(1, 600_000, 400_000), prices) is None
    assert budget.excess(Usage(1, 600_001, 400_000), prices) == "the budget of 1 would be exceeded"
