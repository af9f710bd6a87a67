"""One-to-one matching of words, for many groups of sentences at once."""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray, IntArray


def matched_weight(
    group: IntArray, left: IntArray, right: IntArray, weight: FloatArray, groups: int
) -> FloatArray:
    """The weight of a matching in each group: no word of a group is in two of its chosen pairs.

    Pairs are chosen by weight; among equals those first whose words have the fewest other
    partners, then in the order of the words. So the matching is nearly the largest, and it is the
    same in every run. A pair is taken when it is the best that is left for both of its words.
    """
    total = np.zeros(groups)
    lefts, rights = _nodes(group, left), _nodes(group, right)
    while len(group):
        partners = np.bincount(lefts)[lefts], np.bincount(rights)[rights]
        order = np.lexsort((right, left, np.maximum(*partners), np.minimum(*partners), -weight))
        worst_first = order[::-1]
        best_left = np.empty(lefts.max() + 1, dtype=np.int64)
        best_right = np.empty(rights.max() + 1, dtype=np.int64)
        best_left[lefts[worst_first]] = worst_first
        best_right[rights[worst_first]] = worst_first
        taken = best_left[lefts]
        taken = taken[(taken == np.arange(len(group))) & (best_right[rights] == taken)]
        total += np.bincount(group[taken], weights=weight[taken], minlength=groups)
        used_left = np.zeros(len(best_left), dtype=bool)
        used_right = np.zeros(len(best_right), dtype=bool)
        used_left[lefts[taken]] = True
        used_right[rights[taken]] = True
        left_over = ~(used_left[lefts] | used_right[rights])
        group, left, right = group[left_over], left[left_over], right[left_over]
        weight = weight[left_over]
        lefts, rights = lefts[left_over], rights[left_over]
    return total


def _nodes(group: IntArray, word: IntArray) -> IntArray:
    """A number for each word of each group."""
    keys = group * (word.max(initial=0) + 1) + word
    return np.unique(keys, return_inverse=True)[1]
