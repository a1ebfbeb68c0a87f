"""missing="available" at every door: what is learned, said, fitted, tested and refused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from tests.preparing import prepare
from tests.tables import categorical_columns, continuous_columns, mixed_columns

import stablebn as sb
from stablebn.cli.main import app
from stablebn.networks.model import CPT, ConditionalGaussian, LinearGaussian
from stablebn.table.table import CategoricalTable, ContinuousTable

CLIMBING = ["tabu-stable", "hc-stable", "tabu", "hc"]
OTHERS = ["pc-stable", "gs", "inter-iamb", "mmhc", "h2pc"]


def _table(kind: str, seed: int = 1, rows: int = 200, share: float = 0.1) -> pd.DataFrame:
    """A table with values missing by chance."""
    rng = np.random.default_rng(seed)
    make = {"categorical": categorical_columns, "continuous": continuous_columns, "mixed": mixed_columns}[kind]
    frame = pd.DataFrame(make(rng, 6, rows))
    return frame.mask(rng.random(frame.shape) < share)


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
@pytest.mark.parametrize("algorithm", [*CLIMBING, *OTHERS, "fges"])
def test_without_missing_values_the_option_says_nothing(kind: str, algorithm: str) -> None:
    frame = _table(kind, share=0.0)
    plain, asked = sb.learn(frame, algorithm), sb.learn(frame, algorithm, missing="available")
    assert (plain.arcs, plain.score, plain.fingerprint, plain.order) == (
        asked.arcs,
        asked.score,
        asked.fingerprint,
        asked.order,
    )
    assert asked.fewest_rows == asked.rows == 200
    assert not asked.warnings


@pytest.mark.parametrize("score", ["bde", "bds", "k2"])
def test_without_missing_values_every_score_is_there(score: str) -> None:
    frame = _table("categorical", share=0.0)
    assert sb.learn(frame, score=score, missing="available").score == sb.learn(frame, score=score).score


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
@pytest.mark.parametrize("algorithm", [*CLIMBING, *OTHERS])
def test_the_score_of_a_learned_graph_is_that_of_score(kind: str, algorithm: str) -> None:
    frame = _table(kind)
    learned = sb.learn(frame, algorithm, missing="available")
    assert sb.score(learned, frame, missing="available").total == learned.score


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_the_result_says_on_how_many_rows_the_smallest_family_rests(kind: str) -> None:
    frame = _table(kind)
    learned = sb.learn(frame, missing="available")
    assert learned.dag is not None
    rows = {name: int(frame[[name, *learned.dag.parents(name)]].notna().all(axis=1).sum()) for name in learned.nodes}
    assert learned.rows == 200
    assert learned.fewest_rows == min(rows.values()) < 200
    assert learned.to_dict()["fewest_rows"] == learned.fewest_rows
    [caution] = [own for own in learned.warnings if own.code == "fewest-rows"]
    child, *parents = caution.columns
    assert set(parents) == set(learned.dag.parents(child))
    assert rows[child] == learned.fewest_rows
    assert f"{learned.fewest_rows} of 200" in str(caution)
    assert str(caution) in learned.summary()


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_holes_join_no_columns_that_have_nothing_to_do_with_each_other(kind: str) -> None:
    rng = np.random.default_rng(1)
    cells = rng.normal(size=(1000, 12))
    frame = pd.DataFrame(
        cells if kind == "continuous" else np.where(cells > 0.5, "yes", "no"), columns=list("abcdefghijkl")
    )
    holed = frame.mask(rng.random(frame.shape) < 0.2)
    assert len(sb.learn(frame).arcs) <= 1
    assert len(sb.learn(holed, missing="available").arcs) <= 1


@pytest.mark.parametrize("algorithm", ["hc", "tabu-stable"])
def test_a_cause_that_is_known_in_part_still_explains_its_effects(algorithm: str) -> None:
    """Where b, half unknown, leads from a to c, a tells c nothing more: though a is known in more rows."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=4000)
    b = a + rng.normal(size=4000)
    c = b + rng.normal(size=4000)
    frame = pd.DataFrame({"a": a, "b": np.where(rng.random(4000) < 0.5, np.nan, b), "c": c})
    learned = sb.learn(frame, algorithm, missing="available")
    assert {frozenset(arc) for arc in learned.arcs} == {frozenset("ab"), frozenset("bc")}


def test_a_categorical_graph_by_hand() -> None:
    # b is a in the rows in which both are known, c is noise: a hole in c costs a and b nothing.
    a = ["x", "y"] * 20
    frame = {"a": [*a, None], "b": [*a[:30], *[None] * 10, "x"], "c": ["p", "p", "q", "q"] * 10 + ["p"]}
    learned = sb.learn(frame, "tabu-stable", missing="available")
    assert {frozenset(arc) for arc in learned.arcs} == {frozenset(("a", "b"))}
    n = 41
    # Known in 40 and 31 rows, and together in 30, in which one tells the other; the penalty is that of 41.
    a_alone = n * math.log(1 / 2) - math.log(n) / 2
    b_alone = n / 31 * (16 * math.log(16 / 31) + 15 * math.log(15 / 31)) - math.log(n) / 2
    gain = n / 30 * (30 * math.log(2) - math.log(n) / 2)
    for arc, alone in ((("a", "b"), (a_alone, b_alone + gain)), (("b", "a"), (a_alone + gain, b_alone))):
        scored = sb.score([arc], frame, missing="available").by_node
        assert (scored["a"], scored["b"]) == pytest.approx(alone, rel=1e-14)
    assert learned.score == sb.score([("b", "a")], frame, missing="available").total
    assert learned.fewest_rows == 30


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_rows_without_any_value_say_nothing(kind: str) -> None:
    frame = _table(kind)
    empty = pd.DataFrame({name: [None] * 7 for name in frame.columns}, dtype=object)
    longer = pd.concat([empty, frame.astype(object), empty]).astype(frame.dtypes)
    assert longer.isna().all(axis=1).sum() == 14
    first, second = (sb.learn(own, missing="available") for own in (frame, longer))
    assert (first.arcs, first.score, first.fingerprint, first.rows) == (
        second.arcs,
        second.score,
        second.fingerprint,
        second.rows,
    )


@pytest.mark.parametrize("empty", [[None] * 200, [math.nan] * 200, pd.array([None] * 200, dtype="string")])
def test_columns_without_any_value_are_set_aside(empty: Any) -> None:
    frame = _table("categorical").assign(nothing=empty)
    result, without = sb.learn(frame, missing="available"), sb.learn(frame, missing="available", drop=["nothing"])
    assert str(result.decisions["nothing"]) == "set aside: no values"
    assert (result.arcs, result.score, result.rows) == (without.arcs, without.score, 200)
    assert "nothing" in result.pdag.nodes


@pytest.mark.parametrize(("kind", "value"), [("categorical", "only"), ("continuous", 2.5)])
@pytest.mark.parametrize("first", [0, 5])
def test_a_single_value_among_holes_is_a_constant(kind: str, value: object, first: int) -> None:
    frame = _table(kind)
    constant = [None if row < first or row % 3 == 0 else value for row in range(200)]
    learned = sb.learn(frame.assign(site=constant), missing="available")
    assert learned.constants == ("site",)
    assert learned.prepared is not None
    assert learned.prepared.constants == {"site": value}
    assert learned.arcs == sb.learn(frame, missing="available").arcs


def test_a_column_that_is_constant_among_the_rows_of_a_family_is_no_parent() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 60))
    flag = np.where(np.arange(60) < 30, 1.0, rng.normal(size=60))
    y[30:] = np.nan
    learned = sb.learn({"x": x, "y": y, "flag": flag}, missing="available", score="loglik")
    assert not {("flag", "y"), ("y", "flag")} & set(learned.arcs)
    with pytest.raises(sb.GraphError, match=r"too few rows.*'y'"):
        sb.score([("flag", "y")], {"x": x, "y": y, "flag": flag}, missing="available")


def test_columns_with_too_few_values_are_named() -> None:
    frame = _table("continuous").assign(rare=[1.0, 2.0, 4.0, *[math.nan] * 197])
    with pytest.raises(sb.DataError, match=r"at least 4 values.*'rare' \(3\)"):
        sb.learn(frame, missing="available")
    # By weight there may be enough.
    learned = sb.learn(frame, missing="available", weights=[2] * 200)
    assert learned.rows == 400


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_identical_columns_with_the_same_holes_are_found(kind: str) -> None:
    frame = _table(kind)
    twice = frame.assign(copy=frame[frame.columns[0]])
    learned = sb.learn(twice, missing="available", duplicates="merge")
    assert learned.merged in ({"copy": (frame.columns[0],)}, {frame.columns[0]: ("copy",)})
    other = twice.copy()
    other.loc[other["copy"].notna().idxmax(), "copy"] = None
    assert not sb.learn(other, missing="available", duplicates="merge").merged


@pytest.mark.parametrize("factor", [3.28, -3.28, -1.0])
def test_a_copy_in_another_unit_with_the_same_holes_is_found(factor: float) -> None:
    frame = _table("continuous")
    frame = frame.assign(feet=frame["x0"] * factor + 1)
    assert prepare(frame, missing="available").copies == (("feet", "x0"),)
    frame.loc[frame["feet"].notna().idxmax(), "feet"] = math.nan
    assert prepare(frame, missing="available").copies == ()


@pytest.mark.parametrize("kind", ["continuous", "mixed"])
def test_units_of_a_copy_with_holes_cannot_change_the_graph(kind: str) -> None:
    frame = _table(kind)
    own = next(name for name in frame.columns if frame[name].dtype == float)
    graphs = []
    for factor in (1.0, -1.0, 2.5, -40.0):
        learned = sb.learn(frame.assign(copy=frame[own] * factor), missing="available", duplicates="merge")
        stands = "copy" if "copy" in learned.merged else own
        named = {stands: own}
        graphs.append({(named.get(u, u), named.get(v, v)) for u, v in learned.arcs})
        assert {stands, *learned.merged[stands]} == {own, "copy"}
    assert all(graph == graphs[0] for graph in graphs)


def test_the_error_for_missing_values_offers_it() -> None:
    with pytest.raises(sb.DataError, match='missing="available"'):
        sb.learn(_table("categorical"))


def test_fges_names_learners_that_can() -> None:
    with pytest.raises(sb.OptionError, match="for instance best") as caught:
        sb.learn(_table("categorical"), "fges", missing="available")
    sb.learn(_table("categorical"), "best", missing="available")
    assert "drop" in str(caught.value)


@pytest.mark.parametrize(("kind", "score"), [("categorical", "bde"), ("categorical", "k2"), ("continuous", "bge")])
def test_bayesian_scores_are_refused(kind: str, score: str) -> None:
    with pytest.raises(sb.OptionError, match="bic, aic, loglik"):
        sb.learn(_table(kind), score=score, missing="available")


def test_a_start_without_complete_rows_is_refused() -> None:
    frame = _table("categorical")
    a, b, c, *_ = frame.columns
    frame.loc[:99, a] = None
    frame.loc[100:, b] = None
    with pytest.raises(sb.GraphError, match=f"too few rows.*{b!r}"):
        sb.learn(frame, "tabu-stable", missing="available", start=[(a, b)])
    learned = sb.learn(frame, "tabu-stable", missing="available", start=[(c, b)], score="loglik")
    assert not {(a, b), (b, a)} & set(learned.arcs)


def test_a_graph_with_a_family_that_is_never_known_has_no_score() -> None:
    # x depends on a and on b, of which never both are known: to a test they are independent, and x is their collider.
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, 400)
    a, b = (np.where(rng.random(400) < 0.1, 1 - x, x).astype(object) for _ in range(2))
    a[200:] = None
    b[:200] = None
    tested = sb.learn({"x": x, "a": a, "b": b}, "pc-stable", missing="available", max_condition=0)
    assert tested.arcs == (("a", "x"), ("b", "x"))
    assert tested.score is None
    assert tested.fewest_rows == 0
    climbed = sb.learn({"x": x, "a": a, "b": b}, missing="available")
    assert climbed.score is not None
    assert climbed.fewest_rows == 200


def _cpt(network: sb.Network, name: str) -> NDArray[np.float64]:
    own = network[name]
    assert isinstance(own, CPT)
    return own.probabilities


def test_categorical_parameters_come_from_the_rows_of_their_family() -> None:
    frame = {"a": ["x", "x", "y", "y", None, "x"], "b": ["p", "q", "p", None, "p", "p"]}
    network = sb.fit([("a", "b")], frame, missing="available")
    assert _cpt(network, "a").tolist() == [3 / 5, 2 / 5]
    assert _cpt(network, "b").tolist() == [[2 / 3, 1 / 3], [1.0, 0.0]]


def test_gaussian_parameters_come_from_the_rows_of_their_family() -> None:
    frame = _table("continuous")
    network = sb.fit([("x0", "x2"), ("x1", "x2")], frame, missing="available")
    known = frame[["x0", "x1", "x2"]].dropna()
    alone = sb.fit([("x0", "x2"), ("x1", "x2")], known)
    assert network["x2"] == alone["x2"]
    root = network["x0"]
    assert isinstance(root, LinearGaussian)
    assert root.intercept == pytest.approx(frame["x0"].mean(), rel=1e-12)


@pytest.mark.parametrize("kind", ["continuous", "mixed"])
def test_complete_families_are_fitted_beside_incomplete_columns(kind: str) -> None:
    rng = np.random.default_rng(3)
    a, b, c = rng.normal(size=(3, 60)).tolist()
    table: dict[str, Any] = {"a": a, "b": b, "c": [math.nan if i % 5 == 0 else value for i, value in enumerate(c)]}
    if kind == "mixed":
        table["g"] = ["x" if i % 2 else "y" for i in range(60)]
    arcs = [("a", "b"), ("b", "c"), *([("g", "b")] if kind == "mixed" else [])]
    network = sb.fit(arcs, table, missing="available")
    frame = pd.DataFrame(table)
    less = 0 if kind == "mixed" else 1
    _check_regression(network["a"], frame, "a", [], (), less)
    _check_regression(network["c"], frame, "c", ["b"], (), less)
    if kind == "continuous":
        _check_regression(network["b"], frame, "b", ["a"], (), less)
    else:
        for place, level in enumerate("xy"):
            _check_regression(network["b"], frame[frame["g"] == level], "b", ["a"], (place,), less)


def _check_regression(
    found: object, frame: pd.DataFrame, node: str, parents: list[str], place: tuple[int, ...], less: int
) -> None:
    """Compare a Gaussian with the least squares of NumPy over the complete rows of its family."""
    assert isinstance(found, LinearGaussian | ConditionalGaussian)
    own, rows = found.conditional(), frame[[node, *parents]].dropna()
    design = np.column_stack([np.ones(len(rows)), rows[parents]])
    solution, squares, *_ = np.linalg.lstsq(design, rows[node])
    assert [own.intercepts[place], *own.coefficients[place]] == pytest.approx(solution.tolist())
    assert own.sds[place] == pytest.approx(math.sqrt(squares[0] / (len(rows) - less)))


def test_parameters_of_too_few_rows_are_refused() -> None:
    frame = _table("continuous").assign(rare=[1.0, 2.0, 4.0, 3.0, *[math.nan] * 196])
    frame.loc[:2, "x0"] = math.nan
    with pytest.raises(sb.GraphError, match=r"only 1 rows.*'rare'"):
        sb.fit([("x0", "rare")], frame, missing="available")


def test_marginal_of_a_family_without_rows_is_that_of_the_node() -> None:
    frame = {"a": ["x", "y", None, None, None], "b": [None, None, "p", "p", "q"]}
    network = sb.fit([("a", "b")], frame, missing="available", unseen="marginal")
    assert _cpt(network, "b").tolist() == [[2 / 3, 1 / 3]] * 2


def test_a_result_is_fitted_from_its_own_table() -> None:
    frame = _table("categorical")
    learned = sb.learn(frame, missing="available")
    assert learned.fit() == sb.fit(learned, frame, missing="available")


def test_the_likelihood_of_a_network_needs_whole_rows() -> None:
    network = sb.read_network("asia")
    frame = pd.DataFrame(network.sample(50, seed=1).to_pydict()).mask(np.eye(50, 8, dtype=bool))
    with pytest.raises(sb.OptionError, match="available"):
        network.log_likelihood(frame, missing="available")
    assert network.log_likelihood(frame, missing="drop") < 0


def test_ci_test_has_the_rows_that_are_known() -> None:
    frame = _table("categorical")
    known = frame[["c0", "c1", "c2"]].dropna()
    found = sb.ci_test(frame, "c0", "c1", ["c2"], missing="available")
    assert found == sb.ci_test(known, "c0", "c1", ["c2"])


def test_the_estimator_takes_it() -> None:
    frame = _table("categorical")
    fitted = sb.TabuStable(missing="available").fit(frame)
    assert fitted.result_.arcs == sb.learn(frame, missing="available").arcs


def test_the_audit_takes_it() -> None:
    vary = ("columns", "rows", "names", "levels")
    found = sb.stability(_table("categorical"), "tabu-stable", missing="available", repeats=4, vary=vary)
    assert found.stable


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_the_command_line_says_it(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    _table(kind).to_csv(path, index=False)
    refused = CliRunner().invoke(app, ["learn", str(path)])
    assert refused.exit_code != 0
    said = CliRunner().invoke(app, ["learn", str(path), "--missing", "available"])
    assert said.exit_code == 0
    assert "fewest complete rows" in said.output
    scored = CliRunner().invoke(app, ["learn", str(path), "--missing", "available", "-o", str(tmp_path / "graph.json")])
    assert scored.exit_code == 0
    assert '"fewest_rows": ' in (tmp_path / "graph.json").read_text()


@pytest.mark.parametrize("kind", ["categorical", "continuous"])
def test_the_kinds_of_tables_have_holes(kind: str) -> None:
    frame = _table(kind).assign(whole=_table(kind, share=0.0).iloc[:, 0])
    table = prepare(frame, missing="available").table
    assert isinstance(table, CategoricalTable | ContinuousTable)
    assert [table.names[v] for v in sorted(table.holes)] == list(frame.columns[:-1])
    assert table.select([6, 0]).holes == {1}


def test_discretised_columns_keep_their_holes() -> None:
    frame = _table("continuous")
    learned = sb.learn(frame, missing="available", discretise="quantile")
    assert learned.prepared is not None
    table = learned.prepared.table
    assert isinstance(table, CategoricalTable)
    assert table.holes == frozenset(range(6))
    assert learned.fewest_rows is not None
    assert learned.fewest_rows < 200


@pytest.mark.parametrize("algorithm", [*CLIMBING, *OTHERS])
def test_mixed_tables_have_holes_too(algorithm: str) -> None:
    numbers, letters = _table("continuous"), _table("categorical", seed=2)
    frame = pd.concat([numbers.iloc[:, :3], letters.iloc[:, :3]], axis=1)
    learned = (
        sb.learn(frame, algorithm, missing="available", max_condition=2)
        if algorithm in OTHERS
        else sb.learn(frame, algorithm, missing="available")
    )
    assert learned.rows == 200
    assert learned.fewest_rows is not None
    assert learned.fewest_rows < 200
    if learned.score is not None:
        assert sb.score(learned, frame, missing="available").total == learned.score
    whole = frame.dropna()
    without = sb.learn(whole, algorithm, missing="available")
    plain = sb.learn(whole, algorithm)
    assert (without.arcs, without.score, without.fingerprint) == (plain.arcs, plain.score, plain.fingerprint)


@pytest.mark.parametrize("score", ["dg"])
def test_degenerate_gaussians_are_refused(score: str) -> None:
    frame = pd.concat([_table("continuous").iloc[:, :2], _table("categorical").iloc[:, :2]], axis=1)
    with pytest.raises(sb.OptionError, match="bic, aic, loglik"):
        sb.learn(frame, score=score, missing="available")
