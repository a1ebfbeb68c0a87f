"""All public functions take weights as counts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import stablebn as sb

ASIA = sb.read_network("asia").sample(200, seed=1)
SURVEY = np.random.default_rng(1).uniform(0.2, 4, size=200)
COUNTS = np.random.default_rng(1).integers(0, 4, size=200)
NETWORK = sb.fit(sb.learn(ASIA), ASIA)

DOORS: dict[str, Callable[..., object]] = {
    "learn": sb.learn,
    "score": lambda data, **weights: sb.score(NETWORK.dag, data, **weights),
    "fit": lambda data, **weights: sb.fit(NETWORK.dag, data, unseen="marginal", **weights),
    "ci_test": lambda data, **weights: sb.ci_test(data, "lung", "smoke", **weights),
    "log_likelihood": lambda data, **weights: NETWORK.log_likelihood(data, **weights),
    "estimator": lambda data, **weights: sb.TabuStable().fit(data, **weights),
    "stability": lambda data, **weights: sb.stability(data, "tabu-stable", repeats=2, **weights),
    "discretise": lambda data, **weights: sb.discretise(data.append_column("x", pa.array(np.arange(200.0))), **weights),
}


@pytest.mark.parametrize("door", DOORS)
def test_every_door_takes_counts_and_refuses_survey_weights(door: str) -> None:
    DOORS[door](ASIA, weights=COUNTS.astype(float))
    DOORS[door](ASIA.append_column("w", pa.array(COUNTS)), weights="w")
    for data, weights in ((ASIA, SURVEY), (ASIA.append_column("w", pa.array(SURVEY)), "w")):
        with pytest.raises(sb.DataError, match=r"200 not whole \(the first in row 1: 2\.14.*replicate weights"):
            DOORS[door](data, weights=weights)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_the_command_takes_counts_and_refuses_survey_weights(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"asia{suffix}"
    write: Callable[[Any, Path], None] = pa.csv.write_csv if suffix == ".csv" else pa.parquet.write_table
    command = [sys.executable, "-c", "from stablebn.cli.main import main; main()", "learn", str(path), "--weights", "w"]
    write(ASIA.append_column("w", pa.array(COUNTS.astype(float))), path)
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert sb.learn(ASIA, weights=COUNTS).fingerprint in done.stdout
    write(ASIA.append_column("w", pa.array(SURVEY)), path)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    told = " ".join(done.stderr.split())
    assert "column 'w', the weights, must be whole numbers" in told
    assert "draw rows in proportion to them" in told


def test_weights_are_equal_rows_to_the_last_bit() -> None:
    repeated = ASIA.take(pa.array(np.repeat(np.arange(200), COUNTS)))
    weighted = sb.learn(ASIA, weights=COUNTS)
    assert weighted == sb.learn(repeated)
    assert weighted.score == sb.learn(repeated).score
