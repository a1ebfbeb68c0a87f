from __future__ import annotations

import datetime
import itertools
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stablebn as sb
from stablebn.graph import d_separated, markov_blanket, markov_equivalent

HALF = np.array([0.5, 0.5])


def _chain(tables: dict[str, tuple[tuple[str, ...], object]]) -> sb.Network:
    return sb.Network({name: sb.CPT(("n", "y"), parents, np.array(table)) for name, (parents, table) in tables.items()})


def test_asia_has_its_published_numbers() -> None:
    asia = sb.read_network("asia")
    assert (len(asia), len(asia.arcs), asia.free_parameters) == (8, 8, 18)
    own = asia["dysp"]
    assert isinstance(own, sb.CPT)
    assert own.parents == ("bronc", "either")
    assert own.probabilities[:, :, 0].tolist() == [[0.9, 0.8], [0.7, 0.1]]
    assert own.probabilities[1, 1].tolist() == [0.1, 0.9]


@pytest.mark.parametrize(
    ("distributions", "words"),
    [
        ({"a": sb.CPT(("n", "y"), ("b",), HALF)}, "b"),
        ({"a": sb.CPT(("n", "y"), (), np.array([0.5, 0.4]))}, "sum to 1"),
        ({"a": sb.CPT(("n", "y"), (), np.array([1.5, -0.5]))}, "at least 0"),
        ({"a": sb.CPT(("n", "y"), (), np.array([np.nan, 1.0]))}, "at least 0"),
        ({"a": sb.CPT(("n", "n"), (), HALF)}, "differ"),
        ({"a": sb.CPT(("n", "y", "z"), (), HALF)}, "shape"),
        ({"a": sb.LinearGaussian((), (), 0.0, -1.0)}, "standard deviation"),
        ({"a": sb.LinearGaussian((), (1.0,), 0.0, 1.0)}, "coefficient"),
        (
            {
                "a": sb.CPT(("n", "y"), ("b",), np.array([HALF, HALF])),
                "b": sb.CPT(("n", "y"), ("a",), np.array([HALF, HALF])),
            },
            "a",
        ),
    ],
)
def test_impossible_networks_are_refused(distributions: dict[str, object], words: str) -> None:
    with pytest.raises(sb.GraphError, match=words):
        sb.Network(distributions)  # type: ignore[arg-type]


def test_log_likelihood_is_the_sum_over_rows() -> None:
    network = _chain({"a": ((), [0.25, 0.75]), "b": (("a",), [[0.5, 0.5], [0.1, 0.9]])})
    data = {"a": ["n", "y", "y", "y"], "b": ["n", "n", "y", "y"]}
    right = math.log(0.25 * 0.5) + math.log(0.75 * 0.1) + 2 * math.log(0.75 * 0.9)
    assert network.log_likelihood(data) == pytest.approx(right, rel=1e-15)
    weighted = network.log_likelihood({"a": ["n", "y", "y"], "b": ["n", "n", "y"]}, weights=[1, 1, 2])
    assert weighted == network.log_likelihood(data)


def test_impossible_row_has_log_likelihood_minus_infinity() -> None:
    network = _chain({"a": ((), [0.0, 1.0]), "b": ((), [0.5, 0.5])})
    assert network.log_likelihood({"a": ["n", "y"], "b": ["n", "y"]}) == -math.inf


def test_constant_columns_count_too() -> None:
    network = _chain({"a": ((), [0.25, 0.75]), "b": ((), [0.5, 0.5])})
    assert network.log_likelihood({"a": ["y", "y"], "b": ["n", "y"]}) == pytest.approx(2 * math.log(0.375))


def test_levels_match_as_text() -> None:
    network = sb.Network({name: sb.CPT(("1", "2"), (), np.array([0.25, 0.75])) for name in ("a", "b")})
    assert network.log_likelihood({"a": [1, 2], "b": [2, 2]}) == pytest.approx(math.log(0.25 * 0.75**3))


def test_unknown_levels_and_columns_are_named() -> None:
    network = _chain({"a": ((), [0.25, 0.75]), "b": ((), [0.5, 0.5])})
    with pytest.warns(sb.UnseenLevelWarning, match="maybe"):
        assert network.log_likelihood({"a": ["maybe", "y"], "b": ["n", "y"]}) == -math.inf
    with pytest.raises(sb.StableBNError, match="c"):
        network.log_likelihood({"a": ["n", "y"], "b": ["n", "y"], "c": ["p", "q"]})
    with pytest.raises(sb.StableBNError, match="b"):
        network.log_likelihood({"a": ["n", "y"], "c": ["p", "q"]})


def test_gaussian_log_likelihood_is_the_sum_of_densities() -> None:
    network = sb.Network({"x": sb.LinearGaussian((), (), 1.0, 2.0), "y": sb.LinearGaussian(("x",), (0.5,), -1.0, 0.1)})
    x, y = np.array([0.3, 1.2, -2.0, 5.0]), np.array([-1.0, -0.2, -2.1, 1.6])

    def density(value: float, mean: float, sd: float) -> float:
        return -math.log(sd * math.sqrt(2 * math.pi)) - ((value - mean) / sd) ** 2 / 2

    right = sum(density(a, 1, 2) + density(b, 0.5 * a - 1, 0.1) for a, b in zip(x, y, strict=True))
    assert network.log_likelihood({"x": x, "y": y}) == pytest.approx(right, rel=1e-13)


def _probabilities(network: sb.Network) -> dict[tuple[int, ...], float]:
    """Compute the probability of every joint configuration, slowly."""
    nodes = list(network)
    table = {}
    for values in itertools.product(*(range(len(network[node].levels)) for node in nodes)):  # type: ignore[union-attr]
        at = dict(zip(nodes, values, strict=True))
        probability = 1.0
        for node in nodes:
            own = network[node]
            assert isinstance(own, sb.CPT)
            probability *= float(own.probabilities[tuple(at[name] for name in (*own.parents, node))])
        table[values] = probability
    return table


def test_d_separation_is_independence_in_random_networks() -> None:
    for seed in range(4):
        network = sb.random_network(5, density=1.6, levels=2, seed=seed)
        joint = np.array(list(_probabilities(network).values())).reshape([2] * 5)
        nodes = list(network)
        for x, y in itertools.combinations(range(5), 2):
            others = [v for v in range(5) if v not in (x, y)]
            for size in range(4):
                for given in itertools.combinations(others, size):
                    separated = d_separated(network.dag, nodes[x], nodes[y], [nodes[v] for v in given])
                    assert separated == _independent(joint, x, y, given)


def _independent(
    joint: np.ndarray[tuple[int, ...], np.dtype[np.float64]], x: int, y: int, given: tuple[int, ...]
) -> bool:
    rest = tuple(v for v in range(joint.ndim) if v not in (x, y, *given))
    kept = joint.sum(axis=rest, keepdims=True)
    product = kept.sum(axis=x, keepdims=True) * kept.sum(axis=y, keepdims=True)
    return bool(np.allclose(kept * kept.sum(axis=(x, y), keepdims=True), product, atol=1e-12))


def test_blanket_separates_from_all_others() -> None:
    dag = sb.random_network(12, density=2, seed=3).dag
    for node in dag.nodes:
        blanket = markov_blanket(dag, node)
        for other in dag.nodes:
            if other != node and other not in blanket:
                assert d_separated(dag, node, other, blanket)
        for member in blanket:
            assert not d_separated(dag, node, member, [name for name in blanket if name != member])


def test_equivalence_is_that_of_cpdags() -> None:
    chain, fork = sb.DAG("abc", [("a", "b"), ("b", "c")]), sb.DAG("cab", [("b", "a"), ("b", "c")])
    collider = sb.DAG("abc", [("a", "b"), ("c", "b")])
    assert markov_equivalent(chain, fork)
    assert not markov_equivalent(chain, collider)
    with pytest.raises(sb.GraphError, match="d"):
        markov_equivalent(chain, sb.DAG("abd", []))


def test_d_separation_of_sets_is_that_of_all_their_pairs() -> None:
    rng = random.Random(3)
    for seed in range(40):
        dag = sb.random_network(6, density=1.2, seed=seed).dag
        names = rng.sample(dag.nodes, 6)
        x, y, given = names[:2], names[2:4], names[4 : rng.randint(4, 6)]
        assert d_separated(dag, x, y, given) == all(d_separated(dag, a, b, given) for a in x for b in y)


def test_d_separation_takes_names_lists_and_any_graph() -> None:
    asia = sb.read_network("asia")
    assert d_separated(asia, "smoke", ["xray", "dysp"], given={"either", "bronc"})
    assert not d_separated(asia, ("smoke", "asia"), "xray")
    pairs = sb.DAG([("a", 1), ("b", 1), "c"], [(("a", 1), "c"), ("c", ("b", 1))])
    assert d_separated(pairs, ("a", 1), ("b", 1), given="c")


def test_d_separation_refuses_nonsense() -> None:
    dag = sb.DAG("abc", [])
    for x, y, given in (("a", "a", []), ("a", "b", ["a"]), ("a", "z", []), ([], "b", []), (["a", "b"], ["b"], [])):
        with pytest.raises(sb.GraphError):
            d_separated(dag, x, y, given)
    with pytest.raises(sb.GraphError, match=r"extension\(\)"):
        d_separated(sb.PDAG("ab", [], [("a", "b")]), "a", "b")


@pytest.mark.parametrize("ending", [".json", ".json.gz"])
def test_json_gives_back_names_and_levels_that_are_not_text(tmp_path: Path, ending: str) -> None:
    day = datetime.date(2024, 5, 1)
    columns: dict[Any, list[Any]] = {
        "number": [1, 2, 3, 1, 2, 3] * 5,
        "flag": [True, False] * 15,
        7: ["1", "2"] * 15,
        ("pair", 1): [day, datetime.date(2025, 5, 1)] * 15,
        "share": [0.5, 1.5, 2.5] * 10,
        "height": [math.sin(x) for x in range(30)],
    }
    kinds: Any = {"number": "categorical", "share": "categorical", ("pair", 1): "categorical"}
    arcs = [("number", "flag"), (7, ("pair", 1)), ("share", "height"), (7, "height")]
    network = sb.fit(arcs, columns, kinds=kinds)
    network.write(tmp_path / f"network{ending}")
    back = sb.read_network(tmp_path / f"network{ending}")
    assert back == network
    for node, own in network.items():
        levels = getattr(own, "levels", ())
        assert [type(level) for level in getattr(back[node], "levels", ())] == [type(level) for level in levels]
    assert back.log_likelihood(columns) == network.log_likelihood(columns)


def test_json_gives_back_infinite_levels_in_json_that_every_parser_reads(tmp_path: Path) -> None:
    columns = {"limit": [math.inf, 1.0, -math.inf] * 10, "flag": ["yes", "no"] * 15}
    network = sb.fit([("limit", "flag")], columns, kinds={"limit": "categorical"})
    network.write(tmp_path / "network.json")
    assert "Infinity" not in (tmp_path / "network.json").read_text()
    assert sb.read_network(tmp_path / "network.json") == network


@pytest.mark.parametrize(
    "values",
    ['[1, "3"]', "[1]", "1", '[1, {"year": 2}]', '["1", "1"]', '[1, {"number": "2"}]', '[1, {"number": "inf"}]'],
)
def test_json_values_that_do_not_fit_their_texts_are_refused(tmp_path: Path, values: str) -> None:
    path = tmp_path / "network.json"
    sb.fit([], {"a": [1, 2] * 10, "b": ["x", "y"] * 10}).write(path)
    text = path.read_text()
    assert '"values": [1, 2]' in text
    path.write_text(text.replace('"values": [1, 2]', f'"values": {values}'))
    with pytest.raises(sb.FormatError, match=r"expected 'values' whose texts are '1', '2'"):
        sb.read_network(path)
