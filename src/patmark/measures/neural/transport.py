"""The least cost of moving one heap of weights into the shape of another."""

from __future__ import annotations

import numpy as np

from patmark.data import FloatArray
from patmark.errors import PatmarkError


def transport_cost(supply: FloatArray, demand: FloatArray, costs: FloatArray) -> float:
    """The exact optimum of the transport problem, by the dual simplex of HiGHS.

    Supply and demand are positive and are scaled to sum to 1; ``costs`` has a row per supply.
    """
    from scipy.optimize import linprog
    from scipy.sparse import eye_array, kron, vstack

    rows, columns = costs.shape
    leaves = kron(eye_array(rows), np.ones((1, columns)))
    arrives = kron(np.ones((1, rows)), eye_array(columns))
    totals = np.concatenate([supply / supply.sum(), demand / demand.sum()])
    # One equation follows from the others; rounding could make it contradict them.
    solved = linprog(
        costs.ravel(),
        A_eq=vstack([leaves, arrives]).tocsr()[:-1],
        b_eq=totals[:-1],
        method="highs-ds",
    )
    if not solved.success:
        raise PatmarkError(f"the transport problem was not solved: {solved.message}")
    return float(solved.fun)
