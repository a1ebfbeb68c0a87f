"""Learn one table with some of our learners, warm, in this process and with the installation that runs it; print JSON.

Usage: python bench/warm.py TABLE.parquet LEARNER [LEARNER ...]

The first run of each learner is reported apart. After it come as many warm runs as fit into ENOUGH seconds, but at
least one.
"""

from __future__ import annotations

import json
import sys
import time

import pyarrow.parquet as pq

import stablebn as sb

ENOUGH = 0.5
MOST = 50


def main() -> None:
    """Learn with one learner after the other."""
    path, *learners = sys.argv[1:]
    table = pq.read_table(path)
    answer = {}
    for algorithm in learners:
        times: list[float] = []
        while len(times) < 2 or (sum(times[1:]) < ENOUGH and len(times) <= MOST):
            began = time.perf_counter()
            # An earlier installation may keep units by default: so both are asked for the same.
            result = sb.learn(table, algorithm, unit_free=False)
            times.append(time.perf_counter() - began)
        first, *warm = times
        answer[algorithm] = {"first": first, "warm": warm, "fingerprint": result.fingerprint}
    sys.stdout.write(json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
