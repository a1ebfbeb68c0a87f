"""Fitted conditional linear Gaussian networks agree with those of PyBNesian."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from tests.naive.conditional_gaussian import rows_of
from tests.unit.networks.test_mixed import ARCS, table

import stablebn as sb

pb: Any = pytest.importorskip("pybnesian", reason="PyBNesian is not installed: pip install 'stablebn[bench]'")


@pytest.mark.parametrize("seed", range(4))
def test_likelihood_is_that_of_pybnesian_but_for_the_divisor(seed: int) -> None:
    data = table(200, seed=seed)
    batch = pa.table(
        {
            name: pa.array(column, pa.string()).dictionary_encode() if isinstance(column[0], str) else pa.array(column)
            for name, column in data.items()
        }
    ).to_batches()[0]
    peer = pb.CLGNetwork(list(data), ARCS)
    peer.fit(batch)

    # PyBNesian divides the squares of n rows by n - c - 1, where c counts the continuous parents, and we by n: a node's
    # log-likelihood is -(n / 2) ln(2 pi RSS / divisor) - divisor / 2 in each configuration of its categorical parents.
    explained = 0.0
    for categorical, continuous in ((["g"], 0), (["g", "h"], 1), ([], 1)):
        for n in Counter(tuple(row[parent] for parent in categorical) for row in rows_of(data)).values():
            explained += n / 2 * math.log(n / (n - continuous - 1)) - (continuous + 1) / 2
    ours = sb.fit(ARCS, data).log_likelihood(data)
    assert ours > peer.slogl(batch)
    assert ours - peer.slogl(batch) == pytest.approx(explained, abs=1e-9)
