"""Conditional linear Gaussian networks: fitting, sampling and log-likelihood."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats
from tests.naive.conditional_gaussian import configurations, graph_log_likelihood, regressions, rows_of

import stablebn as sb

HALF = np.array([0.5, 0.5])
SEX = sb.CPT(("f", "m"), (), HALF)
HEIGHT = sb.ConditionalGaussian(("sex",), (), np.array([165.0, 178.0]), np.empty((2, 0)), np.array([6.0, 7.0]))
WEIGHT = sb.ConditionalGaussian(
    ("sex",), ("height",), np.array([-60.0, -80.0]), np.array([[0.75], [0.9]]), np.array([5.0, 8.0])
)
PEOPLE = sb.Network({"sex": SEX, "height": HEIGHT, "weight": WEIGHT}, "people")
NETWORK = sb.random_network(9, density=2.0, kinds="mixed", seed=5)
ARCS = [("g", "h"), ("g", "x"), ("h", "y"), ("x", "y"), ("g", "y"), ("y", "z")]


def table(rows: int = 60, seed: int = 0) -> dict[str, list[Any]]:
    """Draw two categorical columns, and three continuous ones that depend on them."""
    rng = np.random.default_rng(seed)
    g = rng.integers(0, 3, rows)
    h = (rng.random(rows) < 0.3 + 0.2 * g).astype(int)
    x = rng.normal(size=rows) + 2 * g
    y = np.where(h == 1, 1.5, -0.5) * x + rng.normal(size=rows) * (1 + g)
    z = 0.3 * y + rng.normal(size=rows)
    return {
        "g": [f"g{level}" for level in g],
        "h": [("low", "high")[level] for level in h],
        "x": x.tolist(),
        "y": y.tolist(),
        "z": z.tolist(),
    }


# The model.


def test_a_network_knows_its_kinds() -> None:
    assert PEOPLE.kinds == {"sex": "categorical", "height": "continuous", "weight": "continuous"}
    assert (PEOPLE.kind, PEOPLE.is_continuous) == ("mixed", False)
    assert PEOPLE.free_parameters == 1 + 2 * 2 + 2 * 3
    assert PEOPLE.arcs == (("height", "weight"), ("sex", "height"), ("sex", "weight"))
    assert repr(PEOPLE) == "<Network 'people': 3 mixed nodes, 3 arcs>"


@pytest.mark.parametrize(
    ("distributions", "words"),
    [
        (
            {"x": sb.LinearGaussian((), (), 0.0, 1.0), "a": sb.CPT(("n", "y"), ("x",), HALF)},
            "'a' is categorical and has continuous parents: 'x'. Conditional linear Gaussian networks have no",
        ),
        ({"sex": SEX, "x": sb.LinearGaussian(("sex",), (1.0,), 0.0, 1.0)}, "parents of the other kind: 'sex'"),
        (
            {
                "x": sb.LinearGaussian((), (), 0.0, 1.0),
                "y": sb.ConditionalGaussian(("x",), (), HALF, np.empty((2, 0)), HALF),
            },
            "parents of the other kind: 'x'",
        ),
        (
            {"x": sb.ConditionalGaussian((), (), np.array(0.0), np.empty(0), np.array(1.0))},
            "no categorical parents: it is a LinearGaussian",
        ),
        (
            {"sex": SEX, "x": sb.ConditionalGaussian(("sex",), (), HALF, np.empty((2, 0)), np.array([1.0, -1.0]))},
            "standard deviation of at least 0 for each configuration",
        ),
        (
            {"sex": SEX, "x": sb.ConditionalGaussian(("sex",), (), HALF, np.empty((2, 0)), np.array([1.0, np.nan]))},
            "finite standard",
        ),
        (
            {"sex": SEX, "x": sb.ConditionalGaussian(("sex",), (), np.zeros(3), np.empty((3, 0)), np.ones(3))},
            "for each configuration",
        ),
        (
            {"sex": SEX, "x": sb.ConditionalGaussian(("sex",), (), HALF, np.empty((2, 1)), HALF)},
            "coefficient per continuous parent",
        ),
    ],
)
def test_impossible_networks_are_refused(distributions: dict[str, object], words: str) -> None:
    with pytest.raises(sb.GraphError, match=words):
        sb.Network(distributions)  # type: ignore[arg-type]


def test_distributions_are_equal_by_value() -> None:
    twin = sb.ConditionalGaussian(
        ("sex",), ("height",), WEIGHT.intercepts.copy(), WEIGHT.coefficients.copy(), WEIGHT.sds.copy()
    )
    assert twin == WEIGHT
    assert sb.ConditionalGaussian(("sex",), ("height",), WEIGHT.sds, WEIGHT.coefficients, WEIGHT.sds) != WEIGHT
    assert sb.LinearGaussian((), (), 0.0, 1.0) != WEIGHT


def test_names_become_text_in_every_role() -> None:
    network = sb.Network({0: SEX, 1: sb.ConditionalGaussian((0,), (2,), HALF, np.ones((2, 1)), HALF), 2: GAUSS})
    assert dict(network.as_text()) == {
        "0": SEX,
        "1": sb.ConditionalGaussian(("0",), ("2",), HALF, np.ones((2, 1)), HALF),
        "2": GAUSS,
    }


GAUSS = sb.LinearGaussian((), (), 0.0, 1.0)


# Fitting.


def test_every_configuration_has_its_own_regression() -> None:
    data = table()
    network = sb.fit(ARCS, data)
    found = configurations(network, "y")
    own = network["y"]
    assert isinstance(own, sb.ConditionalGaussian)
    assert (own.categorical_parents, own.continuous_parents) == (("g", "h"), ("x",))
    right = regressions(data, "y", ["g", "h"], ["x"])
    assert right.keys() == found.keys()
    for configuration, numbers in right.items():
        assert found[configuration] == pytest.approx(numbers, rel=1e-9)
    linear = network["z"]
    assert isinstance(linear, sb.LinearGaussian)
    assert [linear.intercept, *linear.coefficients, linear.sd] == pytest.approx(
        regressions(data, "z", [], ["y"])[()], rel=1e-9
    )
    of_g = network["h"]
    assert isinstance(of_g, sb.CPT)
    assert of_g == sb.fit([("g", "h")], {"g": data["g"], "h": data["h"]})["h"]


@pytest.mark.parametrize("arcs", [ARCS, [], [("x", "y"), ("y", "z"), ("x", "z")], [("h", "g"), ("g", "z")]])
def test_fitted_likelihood_is_that_of_the_set_function(arcs: list[tuple[str, str]]) -> None:
    data = table(80)
    right = graph_log_likelihood(data, arcs)
    assert sb.fit(sb.DAG(list(data), arcs), data).log_likelihood(data) == pytest.approx(right, rel=1e-12)


def test_a_fit_finds_the_true_parameters() -> None:
    network = sb.random_network(8, density=1.5, kinds="mixed", levels=2, max_parents=3, seed=5)
    rows = network.sample(50_000, seed=1)
    fitted = sb.fit(network, rows)
    seen = 0
    for node, own in network.items():
        found = fitted[node]
        if isinstance(own, sb.ConditionalGaussian):
            assert isinstance(found, sb.ConditionalGaussian)
            of = [own.categorical_parents.index(parent) for parent in found.categorical_parents]
            order = [own.continuous_parents.index(parent) for parent in found.continuous_parents]
            for mine, right in ((found.intercepts, own.intercepts), (found.sds, own.sds)):
                assert np.allclose(mine, np.transpose(right, of), atol=0.08)
            right = np.transpose(own.coefficients, [*of, own.intercepts.ndim])[..., order]
            assert np.allclose(found.coefficients, right, atol=0.08)
            seen += 1
    assert seen >= 2


@pytest.mark.parametrize("unseen", ["uniform", "marginal"])
def test_configurations_without_rows_have_the_regression_of_all(unseen: str) -> None:
    data = table(12)
    # One configuration has no rows, another has two, which fit a line exactly and leave no variance; three are enough.
    few = {
        "a": ["p"] * 7 + ["q"] * 5,
        "b": ["u"] * 7 + ["u"] * 2 + ["v"] * 3,
        "x": data["x"],
        "y": data["y"],
    }
    network = sb.fit([("a", "y"), ("b", "y"), ("x", "y")], few, unseen=unseen)
    of_all = regressions(few, "y", [], ["x"])[()]
    found = configurations(network, "y")
    assert found["p", "v"] == pytest.approx(of_all, rel=1e-9)
    assert found["q", "u"] == found["p", "v"]
    own = regressions(few, "y", ["a", "b"], ["x"])
    assert own.keys() == {("p", "u"), ("q", "v")}
    for configuration, numbers in own.items():
        assert found[configuration] == pytest.approx(numbers, rel=1e-6)
    (caution,) = network.warnings
    assert (caution.code, caution.columns) == ("unseen", ("y",))
    assert "2 configurations of the categorical parents of 'y' have too few rows" in str(caution)
    with pytest.raises(sb.GraphError, match=r"too few rows for a regression: 'y'.*unseen=\"marginal\""):
        sb.fit([("a", "y"), ("b", "y"), ("x", "y")], few, unseen="error")


def test_a_continuous_parent_of_a_categorical_node_is_refused() -> None:
    with pytest.raises(sb.GraphError, match=r"'g' is categorical and has continuous parents: 'x'\. .*reverse the arcs"):
        sb.fit([("x", "g")], table())


def test_smoothing_is_for_the_tables_of_a_mixed_network() -> None:
    data = table()
    smoothed, plain = sb.fit(ARCS, data, method="bde", iss=5), sb.fit(ARCS, data)
    assert smoothed["y"] == plain["y"]
    assert smoothed["h"] == sb.fit([("g", "h")], {"g": data["g"], "h": data["h"]}, method="bde", iss=5)["h"]


def test_constants_of_both_kinds_are_fitted() -> None:
    data = {**table(), "site": ["only"] * 60, "still": [2.5] * 60}
    network = sb.fit([("g", "still"), ("site", "x"), ("still", "y"), ("g", "x")], data)
    assert network["site"] == sb.CPT(("only",), (), np.array([1.0]))
    still = network["still"]
    assert isinstance(still, sb.ConditionalGaussian)
    assert (still.intercepts.tolist(), still.sds.tolist()) == ([2.5] * 3, [0.0] * 3)
    x, y = network["x"], network["y"]
    assert isinstance(x, sb.ConditionalGaussian)
    assert isinstance(y, sb.LinearGaussian)
    assert x.intercepts.shape == (3, 1)
    assert y.coefficients == (0.0,)
    with pytest.raises(sb.GraphError, match=r"'still' has no spread \(sd = 0\) for g='g0'"):
        network.log_likelihood(data)


def test_a_constant_category_beside_numbers_leaves_the_divisor() -> None:
    data = table()
    numbers = {name: data[name] for name in "xyz"}
    beside = sb.fit([("x", "y")], {**numbers, "site": ["only"] * 60})
    assert beside["y"] == sb.fit([("x", "y")], numbers)["y"]
    assert beside["site"] == sb.CPT(("only",), (), np.array([1.0]))


def test_a_column_that_is_constant_in_a_configuration_has_no_spread_there() -> None:
    data: dict[str, list[Any]] = {
        "smokes": ["no"] * 5 + ["yes"] * 5,
        "packs": [0.0] * 5 + [1.0, 2.0, 1.5, 0.5, 1.0],
        "x": table(10)["x"],
    }
    network = sb.fit([("smokes", "packs")], data)
    own = network["packs"]
    assert isinstance(own, sb.ConditionalGaussian)
    assert (own.intercepts[0], own.sds[0]) == (0.0, 0.0)
    assert own.sds[1] > 0
    assert set(network.sample(50, seed=1).to_pandas().query("smokes == 'no'")["packs"]) == {0.0}
    with pytest.raises(sb.GraphError, match=r"'packs' has no spread .* for smokes='no'"):
        network.log_likelihood(data)
    smokers = {name: column[5:] for name, column in data.items()}
    assert math.isfinite(network.log_likelihood(smokers))


def test_weights_are_repeated_rows() -> None:
    data = table(40)
    weights = np.random.default_rng(2).integers(1, 4, 40)
    repeated = {name: np.repeat(np.array(column), weights).tolist() for name, column in data.items()}
    assert sb.fit(ARCS, data, weights=weights) == sb.fit(ARCS, repeated)
    network = sb.fit(ARCS, data)
    assert network.log_likelihood(data, weights=weights) == pytest.approx(network.log_likelihood(repeated), rel=1e-13)


def test_missing_values_are_dropped_where_that_is_said() -> None:
    data = table()
    holes = {name: [*column, None] for name, column in data.items()} | {"g": [*data["g"], "g0"]}
    with pytest.raises(sb.DataError, match="missing"):
        sb.fit(ARCS, holes)
    assert sb.fit(ARCS, holes, missing="drop") == sb.fit(ARCS, data)


@pytest.mark.parametrize("seed", range(6))
def test_layout_cannot_change_a_bit(seed: int) -> None:
    data = table(70)
    rng = np.random.default_rng(seed)
    columns, rows = rng.permutation(list(data)), rng.permutation(70)
    shuffled = {str(name): [data[name][row] for row in rows] for name in columns}
    network = sb.fit(sb.DAG(list(data), ARCS), data)
    other = sb.fit(sb.DAG(list(shuffled), ARCS), shuffled)
    assert dict(other) == dict(network)
    assert other.log_likelihood(data) == network.log_likelihood(shuffled) == network.log_likelihood(data)


# Likelihood.


def test_log_likelihood_is_that_of_scipy() -> None:
    frame = NETWORK.sample(200, seed=4).to_pydict()
    right = 0.0
    for row in rows_of(frame):
        for node, own in NETWORK.items():
            if isinstance(own, sb.CPT):
                at = tuple(_place(NETWORK, name, row) for name in (*own.parents, node))
                right += math.log(own.probabilities[at])
                continue
            gaussian = own.conditional()
            at = tuple(_place(NETWORK, name, row) for name in gaussian.categorical_parents)
            mean = gaussian.intercepts[at] + sum(
                slope * row[parent]
                for slope, parent in zip(gaussian.coefficients[at], gaussian.continuous_parents, strict=True)
            )
            right += stats.norm.logpdf(row[node], mean, gaussian.sds[at])
    assert NETWORK.log_likelihood(frame) == pytest.approx(right, rel=1e-12)


def _place(network: sb.Network, name: Any, row: dict[Any, Any]) -> int:
    own = network[name]
    assert isinstance(own, sb.CPT)
    return own.levels.index(row[name])


def test_held_out_rows_have_a_likelihood() -> None:
    rows = NETWORK.sample(4000, seed=1)
    train, test = rows.slice(0, 3000), rows.slice(3000)
    fitted = sb.fit(NETWORK, train, method="bde")
    truth = NETWORK.log_likelihood(test) / 1000
    assert truth - 0.2 < fitted.log_likelihood(test) / 1000 < truth + 0.05
    nothing = sb.fit(sb.DAG(NETWORK.nodes, []), train)
    assert nothing.log_likelihood(test) / 1000 < truth - 0.5


def test_columns_are_matched_by_name_and_levels_by_value() -> None:
    rows: dict[str, list[Any]] = {
        "weight": [61.0, 80.5, 70.25, 66.0],
        "height": [168.0, 181.0, 170.0, 160.0],
        "sex": ["f", "m", "m", "f"],
    }
    right = sum(
        math.log(0.5)
        + stats.norm.logpdf(height, *((165, 6) if sex == "f" else (178, 7)))
        + stats.norm.logpdf(weight, *((0.75 * height - 60, 5) if sex == "f" else (0.9 * height - 80, 8)))
        for weight, height, sex in zip(*rows.values(), strict=True)
    )
    assert PEOPLE.log_likelihood(rows) == pytest.approx(right, rel=1e-13)
    alone = {name: column[:1] for name, column in rows.items()}
    others = {name: column[1:] for name, column in rows.items()}
    assert PEOPLE.log_likelihood(alone) + PEOPLE.log_likelihood(others) == pytest.approx(right, rel=1e-13)
    only_women = {name: [column[0], column[3]] * 2 for name, column in rows.items()}
    assert math.isfinite(PEOPLE.log_likelihood(only_women))
    # Integers that would be categorical are continuous if the node is continuous.
    assert math.isfinite(PEOPLE.log_likelihood({**rows, "height": [168, 181, 170, 160]}))
    with pytest.warns(sb.UnseenLevelWarning, match="'sex' has levels that the network does not know.*: 'x'"):
        assert PEOPLE.log_likelihood({**rows, "sex": ["f", "m", "x", "f"]}) == -math.inf
    with pytest.raises(sb.StableBNError, match="height"):
        PEOPLE.log_likelihood({"sex": rows["sex"], "weight": rows["weight"]})
    with pytest.raises(sb.DataError, match="not in the network: 'age'"):
        PEOPLE.log_likelihood({**rows, "age": ["a", "b", "a", "b"]})
    with pytest.raises(sb.StableBNError, match="height"):
        PEOPLE.log_likelihood({**rows, "height": ["tall", "short", "tall", "short"]})


def test_an_impossible_row_has_log_likelihood_minus_infinity() -> None:
    sure = sb.Network({"sex": sb.CPT(("f", "m"), (), np.array([1.0, 0.0])), "height": HEIGHT})
    assert sure.log_likelihood({"sex": ["f", "m"] * 3, "height": [160.0, 170.0, 165.5] * 2}) == -math.inf


# Sampling.


def test_sample_never_changes() -> None:
    rows = PEOPLE.sample(3, seed=7)
    assert rows["sex"].to_pylist() == PEOPLE_ROWS["sex"]
    assert [x.hex() for x in rows["weight"].to_pylist()] == PEOPLE_ROWS["weight"]


def test_columns_have_their_kinds() -> None:
    rows = PEOPLE.sample(20, seed=1)
    assert pa.types.is_dictionary(rows["sex"].type)
    assert rows["sex"].chunk(0).dictionary.to_pylist() == ["f", "m"]
    assert rows["height"].type == pa.float64()
    frame = rows.to_pandas()
    assert frame["sex"].cat.categories.tolist() == ["f", "m"]


def test_order_of_nodes_and_parents_cannot_matter() -> None:
    backwards: dict[Any, Any] = {}
    for node, own in reversed(list(NETWORK.items())):
        if isinstance(own, sb.ConditionalGaussian):
            turned = tuple(reversed(range(own.sds.ndim)))
            backwards[node] = sb.ConditionalGaussian(
                own.categorical_parents[::-1],
                own.continuous_parents[::-1],
                own.intercepts.transpose(turned),
                own.coefficients.transpose(*turned, own.sds.ndim)[..., ::-1],
                own.sds.transpose(turned),
            )
        else:
            backwards[node] = own
    rows, other = NETWORK.sample(300, seed=3), sb.Network(backwards).sample(300, seed=3)
    assert all(rows[name] == other[name] for name in NETWORK)
    assert NETWORK.log_likelihood(rows) == sb.Network(backwards).log_likelihood(rows)
    assert NETWORK.sample(20_000, seed=3).slice(0, 300) == rows


def test_samples_follow_the_network() -> None:
    frame = NETWORK.sample(100_000, seed=1).to_pandas()
    tested = 0
    for node, own in NETWORK.items():
        if isinstance(own, sb.CPT):
            continue
        gaussian = own.conditional()
        for at in itertools.product(*map(range, gaussian.sds.shape)):
            chosen = frame
            for parent, place in zip(gaussian.categorical_parents, at, strict=True):
                chosen = chosen[chosen[parent].cat.codes == place]
            if len(chosen) < 100:
                continue
            parents = chosen[list(gaussian.continuous_parents)].to_numpy()
            mean = gaussian.intercepts[at] + parents @ gaussian.coefficients[at]
            noise = (chosen[node] - mean) / gaussian.sds[at]
            assert stats.kstest(noise, "norm").pvalue > 1e-7
            for parent in gaussian.continuous_parents:
                assert abs(np.corrcoef(noise, chosen[parent])[0, 1]) < 6 / np.sqrt(len(chosen))
            tested += 1
    assert tested > 10


# Random networks.


def test_random_mixed_networks_are_as_asked() -> None:
    network = sb.random_network(200, density=2.0, levels=(2, 3), max_parents=3, kinds="mixed", seed=9)
    kinds = network.kinds
    assert sum(kind == "categorical" for kind in kinds.values()) == 100
    assert not [(a, b) for a, b in network.arcs if (kinds[a], kinds[b]) == ("continuous", "categorical")]
    assert max(len(own.parents) for own in network.values()) == 3
    assert 1.5 < len(network.arcs) / 200 < 2.2
    again = sb.random_network(200, density=2.0, levels=(2, 3), max_parents=3, kinds="mixed", seed=9)
    assert dict(again) == dict(network)
    assert sb.random_network(200, kinds="mixed", seed=8).arcs != network.arcs
    few = sb.random_network(50, kinds="mixed", categorical_share=0.1, seed=1)
    assert sum(kind == "categorical" for kind in few.kinds.values()) == 5
    assert set(sb.random_network(2, kinds="mixed", categorical_share=0.01, seed=1).kinds.values()) == {
        "categorical",
        "continuous",
    }


def test_random_mixed_networks_have_variances_of_about_one() -> None:
    network = sb.random_network(60, density=2.0, kinds="mixed", seed=2)
    variances = network.sample(20_000, seed=1).to_pandas().select_dtypes("float").var()
    assert 0.4 < variances.min() < variances.max() < 1.8


def test_kinds_of_pure_random_networks_are_the_old_ones() -> None:
    assert dict(sb.random_network(9, kinds="continuous", seed=3)) == dict(sb.random_network(9, continuous=True, seed=3))
    assert dict(sb.random_network(9, kinds="categorical", seed=3)) == dict(sb.random_network(9, seed=3))


@pytest.mark.parametrize(
    "options",
    [
        {"kinds": "both"},
        {"kinds": "mixed", "continuous": True},
        {"kinds": "mixed", "categorical_share": 0.0},
        {"kinds": "mixed", "categorical_share": 1.0},
        {"kinds": "mixed", "n": 1},
    ],
)
def test_impossible_random_networks_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(sb.OptionError):
        sb.random_network(**{"n": 5, "seed": 1, **options})


# Cut points.


def test_a_network_puts_numbers_into_the_bins_it_was_learned_with() -> None:
    data = {name: column for name, column in table(200).items() if name in "gxy"}
    result = sb.learn(data, discretise="quantile", bins=3)
    network = result.fit()
    assert network.cuts == result.cuts
    new = {name: column for name, column in table(50, seed=1).items() if name in "gxy"}
    binned = sb.discretise(new, cuts=result.cuts).data
    assert network.log_likelihood(new) == network.log_likelihood(binned)
    assert sb.fit(network, new).cuts == network.cuts
    assert network.as_text().cuts == network.cuts


def test_impossible_cut_points_are_refused() -> None:
    impossible: list[dict[Any, tuple[float, ...]]] = [
        {"height": (1.0,)},
        {"sex": (2.0, 1.0)},
        {"sex": (math.nan,)},
        {"age": (1.0,)},
    ]
    for cuts in impossible:
        with pytest.raises(sb.GraphError, match=f"not those of {next(iter(cuts))!r}"):
            sb.Network(dict(PEOPLE), cuts=cuts)


PEOPLE_ROWS = {
    "sex": ["f", "f", "m"],
    "weight": ["0x1.d25fe48b80392p+5", "0x1.02217b83dc5cep+6", "0x1.3416999e2293ep+6"],
}
