from stablebn.networks import ASIA_ARCS, sample_asia


def test_sample_never_changes() -> None:
    table = sample_asia(6, seed=1)
    assert {name: "".join(value[0] for value in own) for name, own in table.items()} == EXPECTED


def test_sample_of_fewer_rows_is_the_beginning() -> None:
    short, long = sample_asia(50, seed=4), sample_asia(100, seed=4)
    assert all(long[name][:50] == short[name] for name in short)


def test_sample_follows_the_published_probabilities() -> None:
    table = sample_asia(200_000, seed=2)
    # Marginals of Lauritzen and Spiegelhalter's network, worked out by hand.
    right = {"asia": 0.01, "smoke": 0.5, "tub": 0.0104, "lung": 0.055, "bronc": 0.45, "either": 0.064828}
    for name, probability in right.items():
        share = table[name].count("yes") / 200_000
        # Five standard errors.
        assert abs(share - probability) < 5 * (probability * (1 - probability) / 200_000) ** 0.5
    assert len(ASIA_ARCS) == 8


EXPECTED = {
    "asia": "nnnnnn",
    "smoke": "nyyyny",
    "tub": "nnnnnn",
    "lung": "nnynnn",
    "bronc": "nnyyny",
    "either": "nnynnn",
    "xray": "nnynnn",
    "dysp": "nnyyny",
}
