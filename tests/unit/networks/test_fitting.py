from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.tables import continuous_columns

import stablebn as sb

ASIA = sb.read_network("asia")
TABLE = ASIA.sample(2000, seed=2)


def test_maximum_likelihood_is_the_shares() -> None:
    data = {"a": ["n", "n", "n", "y"], "b": ["p", "p", "q", "q"]}
    network = sb.fit([("a", "b")], data)
    own = network["b"]
    assert isinstance(own, sb.CPT)
    assert own.levels == ("p", "q")
    assert own.probabilities.tolist() == [[2 / 3, 1 / 3], [0.0, 1.0]]


def test_smoothed_parameters_have_the_prior_of_bdeu() -> None:
    data = {"a": ["n", "n", "n", "y"], "b": ["p", "p", "q", "q"]}
    own = sb.fit([("a", "b")], data, method="bde", iss=2)["b"]
    assert isinstance(own, sb.CPT)
    assert own.probabilities.tolist() == [[2.5 / 4, 1.5 / 4], [0.5 / 2, 1.5 / 2]]


def test_fitted_likelihood_is_the_score() -> None:
    result = sb.learn(TABLE)
    assert result.fit().log_likelihood(TABLE) == pytest.approx(sb.score(result, TABLE, "loglik").total, rel=1e-12)
    columns = continuous_columns(np.random.default_rng(1), 6, 80)
    learned = sb.learn(columns)
    right = sb.score(learned, columns, "loglik").total
    assert learned.fit().log_likelihood(columns) == pytest.approx(right, rel=1e-12)


def test_fitted_network_finds_the_true_parameters() -> None:
    network = sb.random_network(6, density=1.5, continuous=True, seed=4)
    fitted = sb.fit(network, network.sample(50_000, seed=1))
    for node, own in network.items():
        found = fitted[node]
        assert isinstance(own, sb.LinearGaussian)
        assert isinstance(found, sb.LinearGaussian)
        right = dict(zip(own.parents, own.coefficients, strict=True))
        for parent, slope in zip(found.parents, found.coefficients, strict=True):
            assert slope == pytest.approx(right[parent], abs=0.03)
        assert found.sd == pytest.approx(own.sd, rel=0.02)


def test_least_squares_is_that_of_numpy() -> None:
    columns = continuous_columns(np.random.default_rng(5), 4, 40)
    arcs = [("x0", "x3"), ("x1", "x3"), ("x2", "x3")]
    own = sb.fit(arcs, columns)["x3"]
    assert isinstance(own, sb.LinearGaussian)
    design = np.column_stack([np.ones(40), *(columns[name] for name in own.parents)])
    slopes, rest, *_ = np.linalg.lstsq(design, np.array(columns["x3"]), rcond=None)
    assert [own.intercept, *own.coefficients] == pytest.approx(slopes.tolist(), rel=1e-8)
    assert own.sd == pytest.approx(np.sqrt(rest[0] / 39), rel=1e-9)


def test_units_of_any_size_are_fitted_or_named() -> None:
    columns = continuous_columns(np.random.default_rng(7), 2, 20)
    own = sb.fit([("x0", "x1")], columns)["x1"]
    assert isinstance(own, sb.LinearGaussian)
    for exponent in (900, -1000):
        # A power of two as unit changes no digit, although the variance is outside the range of floats.
        scaled = {name: np.ldexp(column, exponent).tolist() for name, column in columns.items()}
        right = sb.LinearGaussian(
            ("x0",), own.coefficients, math.ldexp(own.intercept, exponent), math.ldexp(own.sd, exponent)
        )
        assert sb.fit([("x0", "x1")], scaled)["x1"] == right
    apart = {"x0": np.ldexp(columns["x0"], -900).tolist(), "x1": np.ldexp(columns["x1"], 900).tolist()}
    with pytest.raises(sb.DataError, match=r"the regression of 'x1' on 'x0' has numbers that are too large\. Choose"):
        sb.fit([("x0", "x1")], apart)


def test_collinear_parents_do_not_break_the_fit() -> None:
    columns = continuous_columns(np.random.default_rng(6), 3, 30)
    columns["twin"] = list(columns["x0"])
    own = sb.fit([("x0", "x2"), ("twin", "x2")], columns)["x2"]
    assert isinstance(own, sb.LinearGaussian)
    alone = sb.fit([("x0", "x2")], columns)["x2"]
    assert isinstance(alone, sb.LinearGaussian)
    assert sum(own.coefficients) == alone.coefficients[0]
    assert own.sd == alone.sd


@pytest.mark.parametrize(("unseen", "right"), [("uniform", [1 / 3] * 3), ("marginal", [0.5, 0.25, 0.25])])
def test_unseen_configurations_are_handled_as_asked_and_reported(unseen: str, right: list[float]) -> None:
    data = {"a": ["n", "n", "y", "y"], "b": ["p", "p", "q", "q"], "c": ["i", "j", "i", "k"]}
    network = sb.fit([("a", "c"), ("b", "c")], data, unseen=unseen)
    own = network["c"]
    assert isinstance(own, sb.CPT)
    assert own.probabilities[0, 1].tolist() == right
    assert own.probabilities[0, 0].tolist() == [0.5, 0.5, 0.0]
    assert [caution.code for caution in network.warnings] == ["unseen"]
    assert "2 parent configurations of 'c'" in str(network.warnings[0])


def test_unseen_configurations_can_be_refused_and_smoothing_has_none() -> None:
    data = {"a": ["n", "n", "y", "y"], "b": ["p", "p", "q", "q"], "c": ["i", "j", "i", "k"]}
    with pytest.raises(sb.GraphError, match="'c'"):
        sb.fit([("a", "c"), ("b", "c")], data, unseen="error")
    assert sb.fit([("a", "c"), ("b", "c")], data, method="bde").warnings == ()


def test_constants_and_merged_columns_are_fitted() -> None:
    data = {"a": ["n", "n", "y", "y"], "b": ["n", "n", "y", "y"], "k": ["only"] * 4}
    network = sb.learn(data, duplicates="merge").fit()
    own = network["k"]
    assert isinstance(own, sb.CPT)
    assert (own.levels, own.probabilities.tolist()) == (("only",), [1.0])
    assert network.nodes == ("a", "k")
    still = {**continuous_columns(np.random.default_rng(1), 2, 10), "still": [2.5] * 10}
    fixed = sb.learn(still).fit()["still"]
    assert fixed == sb.LinearGaussian((), (), 2.5, 0.0)


def test_held_out_rows_have_a_likelihood() -> None:
    train, test = TABLE.slice(0, 1000), TABLE.slice(1000)
    fitted = sb.learn(train).fit(method="bde")
    held_out = fitted.log_likelihood(test) / 1000
    assert -2.4 < held_out < ASIA.log_likelihood(test) / 1000 + 0.01


def test_monstrous_tables_are_refused_by_name() -> None:
    rng = np.random.default_rng(1)
    data = {f"v{v}": rng.integers(0, 24, 200).tolist() for v in range(8)}
    with pytest.raises(sb.GraphError, match="'v7'"):
        sb.fit([(f"v{v}", "v7") for v in range(7)], data, kinds="categorical")


def test_weights_are_repeated_rows() -> None:
    weights = np.random.default_rng(2).integers(1, 4, 100)
    table = TABLE.slice(0, 100)
    repeated = table.take(pa.array(np.repeat(np.arange(100), weights)))
    assert sb.fit(ASIA, table, weights=weights) == sb.fit(ASIA, repeated)


@pytest.mark.parametrize("options", [{"method": "magic"}, {"unseen": "magic"}, {"iss": 0}])
def test_impossible_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(sb.OptionError):
        sb.fit(ASIA, TABLE, **options)  # type: ignore[arg-type]


def test_names_and_levels_that_are_not_text_are_written_as_text(tmp_path: Path) -> None:
    network = sb.fit([(1, 2)], {1: [1, 2, 1, 2], 2: [True, False, False, False]})
    network.write(tmp_path / "x.bif")
    again = sb.read_network(tmp_path / "x.bif")
    assert again.nodes == ("1", "2")
    own = again["2"]
    assert isinstance(own, sb.CPT)
    assert own.levels == ("False", "True")
    assert dict(again) == dict(network.as_text())


@pytest.mark.parametrize("ending", ["bif", "xdsl", "net", "xml", "bif.gz"])
def test_fitted_network_is_written_and_read_to_the_last_digit(tmp_path: Path, ending: str) -> None:
    network = sb.learn(TABLE).fit(method="bde")
    path = tmp_path / f"fitted.{ending}"
    network.write(path)
    again = sb.read_network(path)
    assert dict(again) == dict(network)
    with pytest.raises(sb.OptionError, match="exists"):
        network.write(path)
