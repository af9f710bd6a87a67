"""The common part of all measures of claims: one reference, one candidate, findings with places."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from patmark.claims.alignment import Alignment, align, reference_problem
from patmark.claims.profiles import ClaimProfile, profile_of
from patmark.data import Segment, TestSet
from patmark.errors import InputError, Problem
from patmark.measures import Check, Finding


class ClaimCheck(Check):
    """A measure of a set of claims against one reference; the score of a system is the mean.

    A finding holds the score of one candidate as ``kept`` of ``expected`` 1.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"references"})
    aggregation: ClassVar[str] = "mean"

    @abstractmethod
    def examine(self, alignment: Alignment) -> Finding:
        """The score of a candidate and the places that explain it."""

    def inspect(self, test_set: TestSet, hypotheses: Sequence[str]) -> list[Finding]:
        """One finding per segment: a set of claims."""
        findings: list[Finding] = []
        problems: list[Problem] = []
        for segment, candidate in zip(test_set, hypotheses, strict=True):
            reference = profile_of(segment.references[0])
            problem = self._problem(segment, reference)
            if problem:
                problems.append(Problem(f"segment {segment.id!r} {problem}", test_set.name))
            elif not problems:
                findings.append(self.examine(align(reference, profile_of(candidate))))
        if problems:
            raise InputError(problems)
        return findings

    def _problem(self, segment: Segment, reference: ClaimProfile) -> str:
        """What is wrong with a reference: there are several, or it says nothing."""
        if len(segment.references) > 1:
            return f"has {len(segment.references)} references; {self.label} takes one"
        return reference_problem(reference) and "has a reference without claims"
