from __future__ import annotations

import copy
import pickle

import pytest

import stablebn as sb
from stablebn.search.trace import Trace
from stablebn.threads import run_at_once


def _trace() -> Trace:
    return Trace(move=["add"], source=["a"], target=["b"], delta=[2.0], score=[-1.0], arbitrary=[True], best=1)


def test_a_trace_is_made_once_when_it_is_first_used() -> None:
    made: list[Trace] = []

    def make() -> Trace:
        made.append(_trace())
        return made[-1]

    trace = Trace.made_by(make)
    assert not made
    assert (trace.best, len(trace), trace.move) == (1, 1, ["add"])
    assert trace == _trace()
    assert repr(trace) == repr(_trace())
    assert len(made) == 1


@pytest.mark.parametrize("copied", [lambda trace: pickle.loads(pickle.dumps(trace)), copy.copy, copy.deepcopy])
def test_an_unused_trace_can_be_copied(copied: object) -> None:
    assert callable(copied)
    assert copied(Trace.made_by(_trace)) == _trace()
    assert vars(copied(Trace.made_by(_trace))).keys() == vars(_trace()).keys()


def test_an_attribute_that_no_trace_has_is_refused_before_and_after_it_is_made() -> None:
    trace = Trace.made_by(_trace)
    for _ in range(2):
        with pytest.raises(AttributeError, match="'Trace' object has no attribute 'moves'"):
            trace.moves  # noqa: B018
        assert trace.move


def test_threads_that_look_at_once_see_one_trace() -> None:
    for _ in range(50):
        trace = Trace.made_by(_trace)
        seen = run_at_once([lambda: trace.score, lambda: trace.score], 2, lambda: None)  # noqa: B023
        assert seen[0] is seen[1] is trace.score


def test_results_are_equal_whether_or_not_their_traces_were_used() -> None:
    table = sb.read_network("asia").sample(500, seed=1)
    looked, fresh = sb.learn(table, "tabu-stable"), sb.learn(table, "tabu-stable")
    assert looked.trace.score
    assert pickle.loads(pickle.dumps(fresh)) == looked == fresh
    assert sb.learn(table, "tabu-stable").to_json() == looked.to_json()
