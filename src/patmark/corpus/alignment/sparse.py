"""Help with sparse matrices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from patmark.data import FloatArray, IntArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def entries(matrix: csr_array, rows: IntArray, columns: IntArray) -> FloatArray:
    """Chosen entries as a plain array; scipy gives another sparse array for some choices."""
    chosen = matrix[rows, columns] if len(rows) else np.zeros(0)
    return np.asarray(getattr(chosen, "toarray", lambda: chosen)(), dtype=np.float64).ravel()
