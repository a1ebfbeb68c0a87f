"""Every graph of the independent oracle, arc for arc, with its order, its number of moves and its score."""

import pytest
from tests.shared import golden, needs_shared, oracle_cases, sample

import stablebn as sb

ALGORITHMS = ("hc", "tabu", "hc-stable", "tabu-stable", "tabu-dec", "tabu-inc")


def _assert_reproduced(name: str, rows: int) -> None:
    right = golden(f"oracle/{name}_{rows}.json")["algorithms"]
    table = sample(name, rows)
    # The oracle's continuous scores are plain double precision (golden/README.md).
    precision = 1e-6 if name.endswith("_c") else 1e-9
    assert set(right) == set(ALGORITHMS)
    for algorithm in ALGORITHMS:
        # The order of the paper, in which variances take part.
        result = sb.learn(table, algorithm, unit_free=False)
        expected = right[algorithm]
        assert sorted(map(list, result.arcs)) == sorted(expected["arcs"]), algorithm
        assert result.score == pytest.approx(expected["score"], rel=precision), algorithm
        assert list(result.order) == expected["order"], algorithm
        assert len(result.trace) == expected["steps"], algorithm


@needs_shared
@pytest.mark.parametrize(("name", "rows"), oracle_cases(0, 10_000))
def test_oracle_is_reproduced(name: str, rows: int) -> None:
    _assert_reproduced(name, rows)


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize(("name", "rows"), oracle_cases(10_001, 100_000))
def test_oracle_is_reproduced_on_large_samples(name: str, rows: int) -> None:
    _assert_reproduced(name, rows)
