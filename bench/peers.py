"""Ours and the peers that are installed, on the same rows, in turn, each in a process of its own."""

from __future__ import annotations

import logging
import math
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cases import OURS, PLAIN, TOOLS, Case, Tool, write_table
from processes import learn

import stablebn as sb

LONG = 10
"""Seconds of a process beyond which it is not repeated."""
PATIENCE = 60
"""A tool that is expected to need more seconds is not asked."""

logger = logging.getLogger(__name__)


class Expectation:
    """Seconds that a tool will need, from the last table of the same series that it learned.

    A hill climb grows at least with the rows and the square of the variables.
    """

    def __init__(self) -> None:
        self._pace: dict[tuple[str, str], float] = {}

    def seconds(self, tool: Tool, case: Case, network: sb.Network) -> float:
        """0 where nothing is known."""
        return self._pace.get((tool.name, case.series), 0.0) * case.rows * len(network) ** 2

    def learn(self, tool: Tool, case: Case, network: sb.Network, seconds: float) -> None:
        """Remember what a case took; infinity where it was not finished."""
        self._pace[tool.name, case.series] = seconds / (case.rows * len(network) ** 2)


def measure(cases: Sequence[Case], directories: Sequence[str], repeats: int) -> Iterator[dict[str, Any]]:
    """One row of the table a case, as soon as it is measured."""
    tools = [tool for tool in TOOLS if tool.is_installed]
    expectation = Expectation()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        for case in cases:
            try:
                network = case.network(directories)
            except sb.OptionError as error:
                logger.warning("left out: %s", error)
                continue
            asked = [
                tool
                for tool in tools
                if tool.takes(network, case.rows) and expectation.seconds(tool, case, network) <= PATIENCE
            ]
            write_table(network, case.rows, path, csv=any(tool.name.startswith("bnlearn") for tool in asked))
            answers = _in_turn(asked, path, repeats)
            for tool in asked:
                took = answers[tool.name][0]["cold"] if answers[tool.name] else math.inf
                expectation.learn(tool, case, network, took)
            if answers.get(OURS) and answers.get(PLAIN):
                yield _row(case, network, path, answers)
            else:
                logger.warning("left out: %s, which %s or %s did not finish", case, OURS, PLAIN)


def _in_turn(tools: Sequence[Tool], path: Path, repeats: int) -> dict[str, list[dict[str, Any]]]:
    """Answers of the processes of each tool; none of a tool that failed or was stopped."""
    answers: dict[str, list[dict[str, Any]]] = {tool.name: [] for tool in tools}
    waiting = list(tools)
    for _ in range(repeats):
        for tool in tuple(waiting):
            answer = learn(tool.name, path)
            if answer is not None:
                answers[tool.name].append(answer)
            if answer is None or answer["whole"] > LONG:
                waiting.remove(tool)
    return answers


def _row(case: Case, network: sb.Network, path: Path, answers: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    tools = {tool: _summary(found, path, case.rows) for tool, found in answers.items() if found}
    ours = tools[OURS]["seconds"]
    peers = {tool: found["seconds"] for tool, found in tools.items() if not tool.startswith("stablebn")}
    fastest = min(peers, key=peers.__getitem__) if peers else None
    return {
        "network": case.series,
        "rows": case.rows,
        "variables": len(network),
        "continuous": network.is_continuous,
        "fastest peer": fastest,
        "ratio": None if fastest is None else peers[fastest] / ours,
        "stable : tabu": ours / tools[PLAIN]["seconds"],
        "tools": tools,
    }


def _summary(answers: Sequence[dict[str, Any]], path: Path, rows: int) -> dict[str, Any]:
    warm = [seconds for answer in answers for seconds in answer["warm"]]
    arcs = answers[0]["arcs"]
    return {
        "seconds": statistics.median(warm or [answer["cold"] for answer in answers]),
        "whole": statistics.median(answer["whole"] for answer in answers),
        "processes": len(answers),
        "peak": max(answer["peak"] for answer in answers),
        "bic": None if arcs is None else sb.score([tuple(arc) for arc in arcs], path).total / rows,
        "version": answers[0]["version"],
    }
