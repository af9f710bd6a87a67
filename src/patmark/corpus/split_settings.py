"""How pairs are divided into training, development and test data."""

from __future__ import annotations

from dataclasses import dataclass

from patmark.errors import UsageError

SPLITS = ("train", "dev", "test")
SIDES = ("source", "target", "later")


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """What goes where.

    ``dev`` and ``test`` are numbers of pairs. With ``test_from``, patents published in that year
    or later are for dev and test, and ``train_until`` (default: the year before) is the last year
    of training data; without it, all years are for everything. ``side`` says whose publication
    counts: that of the source, of the target, or the later one.

    ``per_patent`` is the largest number of pairs that dev and test take from a patent. Pairs whose
    source or target has the pattern of one that was taken before (numbers and signs apart; Jaccard
    of at least ``pattern``) are left out of dev and test, and training pairs with a side that is
    ``leak`` similar to a side of dev or test are left out of the training data.
    """

    dev: int = 2000
    test: int = 2000
    side: str = "target"
    train_until: int | None = None
    test_from: int | None = None
    per_patent: int | None = 20
    pattern: float = 0.8
    leak: float = 0.8

    def __post_init__(self) -> None:
        if self.side not in SIDES:
            raise UsageError(f"side is one of {', '.join(SIDES)}, not {self.side!r}")
        if self.dev < 0 or self.test < 0:
            raise UsageError("dev and test are numbers of pairs, not negative")
        if self.per_patent is not None and self.per_patent < 1:
            raise UsageError("per_patent is at least 1")
        for name in ("pattern", "leak"):
            if not 0 < getattr(self, name) <= 1:
                raise UsageError(f"{name} is a similarity above 0 and at most 1")
        if self.train_until is not None:
            if self.test_from is None:
                raise UsageError("train_until needs test_from, the first year of dev and test")
            if self.train_until >= self.test_from:
                raise UsageError("train_until is before test_from")

    @property
    def last_training_year(self) -> int | None:
        """The last year of training data; None if years do not matter."""
        if self.test_from is None or self.train_until is not None:
            return self.train_until
        return self.test_from - 1
