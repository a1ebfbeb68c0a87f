"""`stablebn.learn` in five steps.

Parse the request, prepare the table, build the problem, run the algorithm, build the result.
"""

from __future__ import annotations

import signal
from typing import Any

from stablebn.api.arguments import LearnArguments, describe
from stablebn.api.build_problem import build_problem
from stablebn.api.build_result import build_result
from stablebn.api.read_table import prepare_table
from stablebn.api.request import LearnRequest
from stablebn.api.run_learner import run_learner
from stablebn.learners.shared.interruption import Interruption
from stablebn.options import takes
from stablebn.result.result import Result


@takes(LearnArguments, describe)
def learn(*arguments: Any, **options: Any) -> Result:
    """Learn the structure of a Bayesian network from a table.

    The options are the fields of `stablebn.api.arguments.LearnArguments`; `help(stablebn.learn)` describes them.

    Returns
    -------
    Result

    Examples
    --------
    >>> import stablebn as sb
    >>> result = sb.learn(sb.read_network("asia").sample(1000, seed=1))
    >>> ("smoke", "lung") in result.arcs or ("lung", "smoke") in result.arcs
    True
    """
    request = LearnRequest.parse(arguments, options, interruption=Interruption([signal.Signals.SIGINT]))
    return learn_from_request(request)


def learn_without_signals(*arguments: Any, **options: Any) -> Result:
    """Learn as `learn` does, but let Ctrl-C raise `KeyboardInterrupt`, which also ends a loop of many calls."""
    return learn_from_request(LearnRequest.parse(arguments, options))


def learn_from_request(request: LearnRequest) -> Result:
    """Learn from a request that has been parsed.

    Raises
    ------
    OptionError
        The knowledge cannot be respected: a required arc is impossible, or the algorithm cannot limit parents.
    """
    table = prepare_table(request)
    task = build_problem(table, request)
    found = run_learner(task, request)
    return build_result(found, task, table, request)
