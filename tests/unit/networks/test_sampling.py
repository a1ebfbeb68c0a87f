from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import stablebn as sb
from stablebn.networks.random_streams import Stream

ASIA = sb.read_network("asia")


def test_sample_never_changes() -> None:
    table = ASIA.sample(12, seed=1)
    found = {name: "".join(value[0] for value in table[name].to_pylist()) for name in table.column_names}
    assert found == ASIA_ROWS
    network = sb.Network({"x": sb.LinearGaussian((), (), 1.0, 2.0), "y": sb.LinearGaussian(("x",), (0.5,), 0.0, 1.0)})
    assert [x.hex() for x in network.sample(3, seed=7)["y"].to_pylist()] == GAUSSIAN_ROWS


def test_fewer_rows_are_the_first_of_more() -> None:
    random = sb.random_network(6, continuous=True, seed=1)
    for network in (ASIA, random):
        assert network.sample(30_000, seed=4).slice(0, 50) == network.sample(50, seed=4)


def test_order_of_nodes_in_the_file_cannot_matter() -> None:
    for network in (ASIA, sb.random_network(10, density=2.5, continuous=True, seed=2)):
        backwards = sb.Network(dict(reversed(list(network.items()))))
        table, other = network.sample(200, seed=3), backwards.sample(200, seed=3)
        assert all(table[name] == other[name] for name in network)


def test_seeds_give_other_rows() -> None:
    assert ASIA.sample(100, seed=1) != ASIA.sample(100, seed=2)
    with pytest.raises(sb.OptionError, match="seed"):
        ASIA.sample(10, seed=-1)
    with pytest.raises(sb.OptionError, match="n="):
        ASIA.sample(0, seed=1)
    with pytest.raises(sb.OptionError, match=r"n=100000000000000000000 .* at most"):
        ASIA.sample(10**20, seed=1)


def test_levels_keep_the_order_of_the_network() -> None:
    frame = ASIA.sample(50, seed=1).to_pandas()
    assert frame["asia"].cat.categories.tolist() == ["yes", "no"]


@pytest.mark.parametrize("seed", [1, 2])
def test_categorical_samples_follow_the_network(seed: int) -> None:
    network = sb.random_network(8, density=1.5, levels=(2, 4), seed=seed)
    _assert_follows(network, network.sample(200_000, seed=seed))


@pytest.mark.parametrize("name", ["alarm", "child", "survey"])
def test_samples_of_real_networks_follow_them(name: str) -> None:
    network = sb.read_network(name)
    _assert_follows(network, network.sample(100_000, seed=5))


def _assert_follows(network: sb.Network, table: object) -> None:
    """Test every row of every table by chi-square; by chance, some test fails with probability 1e-6."""
    frame = table.to_pandas()  # type: ignore[attr-defined]
    worst = 1.0
    tests = 0
    for node, own in network.items():
        assert isinstance(own, sb.CPT)
        codes = [frame[name].cat.codes.to_numpy() for name in (*own.parents, node)]
        counts = np.zeros(own.probabilities.shape)
        np.add.at(counts, tuple(codes), 1)
        for observed, expected in zip(
            counts.reshape(-1, len(own.levels)), own.probabilities.reshape(-1, len(own.levels)), strict=True
        ):
            assert (observed[expected == 0] == 0).all()
            possible = expected * observed.sum() > 5
            if possible.sum() > 1:
                pooled = np.append(observed[possible], observed[~possible].sum())
                right = np.append(expected[possible], expected[~possible].sum()) / expected.sum() * observed.sum()
                keep = right > 5
                if keep.sum() > 1 and keep[:-1].all():
                    scaled = right[keep] * pooled[keep].sum() / right[keep].sum()
                    worst = min(worst, float(stats.chisquare(pooled[keep], scaled).pvalue))
                    tests += 1
    assert tests > 10
    assert worst > 1e-6 / tests


def test_gaussian_samples_follow_the_network() -> None:
    network = sb.random_network(6, density=2, continuous=True, seed=3)
    frame = network.sample(100_000, seed=1).to_pandas()
    for node, own in network.items():
        assert isinstance(own, sb.LinearGaussian)
        mean = own.intercept + sum(c * frame[p] for p, c in zip(own.parents, own.coefficients, strict=True))
        noise = (frame[node] - mean) / own.sd
        assert stats.kstest(noise, "norm").pvalue > 1e-6
        for parent in own.parents:
            assert abs(np.corrcoef(noise, frame[parent])[0, 1]) < 5 / np.sqrt(100_000)


def test_deviates_have_their_distributions() -> None:
    assert stats.kstest(Stream(1, "a").uniform(100_000), "uniform").pvalue > 1e-6
    assert stats.kstest(Stream(1, "a").normal(100_000), "norm").pvalue > 1e-6
    assert stats.kstest(Stream(1, "a").exponential(100_000), "expon").pvalue > 1e-6


def test_streams_of_nodes_are_independent() -> None:
    drawn = np.array([Stream(1, f"X{v}").normal(20_000) for v in range(10)])
    correlations = np.corrcoef(drawn)[np.triu_indices(10, 1)]
    assert np.abs(correlations).max() < 6 / np.sqrt(20_000)


def test_level_without_probability_is_never_drawn() -> None:
    own = sb.CPT(("a", "b", "c", "d"), (), np.array([0.0, 0.5, 0.5, 0.0]))
    drawn = sb.Network({"x": own, "y": own}).sample(10_000, seed=1)["x"].to_pylist()
    assert set(drawn) == {"b", "c"}


def test_random_networks_are_as_asked() -> None:
    network = sb.random_network(300, density=2.0, levels=(3, 5), max_parents=3, seed=9)
    assert {len(own.levels) for own in network.values()} == {3, 4, 5}  # type: ignore[union-attr]
    assert max(len(own.parents) for own in network.values()) == 3
    assert 1.5 < len(network.arcs) / 300 < 2.2
    assert sb.random_network(300, density=2.0, levels=(3, 5), max_parents=3, seed=9).arcs == network.arcs
    assert sb.random_network(300, density=2.0, levels=(3, 5), max_parents=3, seed=8).arcs != network.arcs
    with pytest.raises(sb.OptionError):
        sb.random_network(0, seed=1)


ASIA_ROWS = {
    "asia": "nnnnnnnnnnnn",
    "tub": "nnnnnnnnnnnn",
    "smoke": "yynyyyynynyy",
    "lung": "nnnnnnnnynnn",
    "bronc": "ynnnyyynnnny",
    "either": "nnnnnnnnynnn",
    "xray": "nnnnnnnnynny",
    "dysp": "nnnnynynynny",
}
GAUSSIAN_ROWS = ["0x1.e58969161cb50p-2", "0x1.36635ee98d233p+0", "0x1.9e49bfd202ce8p-2"]
