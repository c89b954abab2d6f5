"""The argument of every loss here: one linear form aᵀw - b a record, the margin or residual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Forms:
    """The linear forms ⟨aᵢ, w⟩ - bᵢ of n records."""

    # (n, d): aᵢ
    rows: Array
    # (n,): bᵢ; `None` where all are 0, which spares a pass over the values
    offsets: Array | None = None

    def __len__(self) -> int:
        """The number of records, n."""
        return len(self.rows)

    def __getitem__(self, part: Any) -> Forms:
        """The forms of some records, indexed like NumPy rows."""
        return Forms(self.rows[part], None if self.offsets is None else self.offsets[part])

    def at(self, weights: Array) -> Array:
        """AW - b, shape (n,) for one vector of weights and (n, k) for k as columns of W."""
        values: Array = self.rows @ weights
        return values if self.offsets is None else self.less_offsets(values)

    def less_offsets(self, values: Array) -> Array:
        """`values` (n,) or (n, k) with each record's offset taken off, in place."""
        if self.offsets is not None:
            values -= self.offsets if values.ndim == 1 else self.offsets[:, None]
        return values

    def blocks(self, size: int) -> list[Forms]:
        """Views of `size` successive records each; the last may hold fewer."""
        return [self[start : start + size] for start in range(0, len(self), size)]

    def contiguous(self, dtype: type[np.floating]) -> Forms:
        """The forms as contiguous arrays of the given precision."""
        offsets = None if self.offsets is None else self.offsets.astype(dtype)
        return Forms(np.ascontiguousarray(self.rows, dtype=dtype), offsets)
