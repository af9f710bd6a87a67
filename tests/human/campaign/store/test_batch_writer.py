"""Writes share transactions, and what goes wrong with one does not hold up the others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from patmark.errors import UsageError
from patmark.human.campaign.store.batch_writer import BatchWriter


class _Transactions:
    """Counts transactions; the first waits for a sign, and chosen ones fail at their end."""

    def __init__(self, failing: tuple[int, ...] = ()) -> None:
        self.count = 0
        self.failing = failing
        self.go = threading.Event()

    @contextmanager
    def begin(self) -> Iterator[Any]:
        self.count += 1
        if self.count == 1:
            self.go.wait()
        yield self
        if self.count in self.failing:
            raise OSError("disk full")


def _run_all(writer: BatchWriter, transactions: _Transactions, jobs: list[Any]) -> list[Any]:
    """The outcomes of jobs that all wait while the first transaction runs."""
    told = [writer.submit(jobs[0])]
    while transactions.count == 0:
        pass
    told += [writer.submit(job) for job in jobs[1:]]
    transactions.go.set()
    return [one.exception() or one.result() for one in told]


@pytest.fixture
def transactions() -> _Transactions:
    return _Transactions()


@pytest.fixture
def writer(transactions: _Transactions) -> Iterator[BatchWriter]:
    made = BatchWriter(transactions.begin)
    yield made
    made.close()


def test_waiting_writes_share_a_transaction(
    writer: BatchWriter, transactions: _Transactions
) -> None:
    jobs = [lambda _, number=number: number for number in range(20)]
    assert _run_all(writer, transactions, jobs) == list(range(20))
    assert transactions.count == 2


def test_a_refusal_concerns_one_write_only(
    writer: BatchWriter, transactions: _Transactions
) -> None:
    def refuse(_: Any) -> int:
        raise UsageError("no")

    outcomes = _run_all(writer, transactions, [lambda _: 0, refuse, lambda _: 2])
    assert outcomes[0] == 0 and outcomes[2] == 2
    assert isinstance(outcomes[1], UsageError)


def test_a_write_that_fails_does_not_fail_the_others(
    writer: BatchWriter, transactions: _Transactions
) -> None:
    done = []

    def fail(_: Any) -> int:
        raise OSError("lost")

    jobs = [lambda _: 0, lambda _: done.append(1) or 1, fail, lambda _: 3]
    outcomes = _run_all(writer, transactions, jobs)
    assert outcomes[:2] == [0, 1] and outcomes[3] == 3
    assert str(outcomes[2]) == "lost"
    # What was done beside it was undone, and done again.
    assert len(done) == 2 and transactions.count == 3


def test_a_failed_commit_is_told_to_all_who_shared_it(
    writer: BatchWriter, transactions: _Transactions
) -> None:
    transactions.failing = (2,)
    outcomes = _run_all(writer, transactions, [lambda _, n=n: n for n in range(5)])
    assert outcomes[0] == 0
    assert [str(one) for one in outcomes[1:]] == ["disk full"] * 4
    assert writer.submit(lambda _: 7).result() == 7


def test_a_write_that_nobody_waits_for_any_more_is_not_begun(
    writer: BatchWriter, transactions: _Transactions
) -> None:
    first = writer.submit(lambda _: 0)
    while transactions.count == 0:
        pass
    given_up, last = writer.submit(lambda _: 1), writer.submit(lambda _: 2)
    assert given_up.cancel()
    transactions.go.set()
    assert (first.result(), last.result()) == (0, 2)


def test_an_interrupt_is_not_taken_for_saved(
    writer: BatchWriter, transactions: _Transactions
) -> None:
    def interrupt(_: Any) -> int:
        raise KeyboardInterrupt

    transactions.go.set()
    with pytest.raises(KeyboardInterrupt):
        writer.submit(interrupt).result()
    assert writer.submit(lambda _: 1).result() == 1


def test_closing_does_what_still_waits(writer: BatchWriter, transactions: _Transactions) -> None:
    told = [writer.submit(lambda _: 1) for _ in range(3)]
    transactions.go.set()
    writer.close()
    assert [one.result(0) for one in told] == [1, 1, 1]
