from __future__ import annotations

import json
import pickle
from collections.abc import Hashable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stablebn as sb
from stablebn.knowledge import KnownArcs, merged_arcs

STRANGE = ("my age", "weight: kg", 'a "quoted" name', "x->y", "größe\n", "a,b", "\x7f\\", "...x", 1, 2.5, False)


def _everything(a: Hashable, b: Hashable, c: Hashable, d: Hashable) -> sb.Knowledge:
    return sb.Knowledge(
        required=[(a, b)],
        forbidden=[(b, a), (d, a)],
        tiers=[[a], [b, c]],
        within_tiers=[True, False],
        allowed=[(b, a), (c, d), (a, c)],
        roots=[a],
        leaves=[c],
        max_parents={b: 1, ...: 2},
    )


def test_what_is_said_has_one_form_whatever_its_order() -> None:
    said = sb.Knowledge(required=[("c", "d"), ("a", "b"), ("a", "b")], tiers=[["b", "a"], ("d", "c", "d")])
    again = sb.Knowledge(tiers=(["a", "b"], ["c", "d"]), required=(("a", "b"), ("c", "d")))
    assert said == again
    assert hash(said) == hash(again)
    assert said.required == (("a", "b"), ("c", "d"))
    assert said.tiers == (("a", "b"), ("c", "d"))
    assert said != sb.Knowledge(tiers=(["c", "d"], ["a", "b"]))


def test_pairs_that_are_allowed_have_no_direction() -> None:
    assert sb.Knowledge(allowed=[("b", "a")]) == sb.Knowledge(allowed=[("a", "b"), ("b", "a")])


def test_none_allowed_is_not_all_allowed() -> None:
    nothing, everything = sb.Knowledge(allowed=[]), sb.Knowledge()
    assert nothing != everything
    assert nothing.to_dict() == {"allowed": []}
    assert (bool(nothing), bool(everything)) == (True, False)
    assert set(nothing.known_arcs("ab").forbidden) == {("a", "b"), ("b", "a")}
    assert everything.known_arcs("ab") == KnownArcs()


def test_repr_makes_the_same_again() -> None:
    known = _everything("a", "my b", 3, "d")
    assert eval(repr(known), {"Knowledge": sb.Knowledge}) == known
    assert repr(sb.Knowledge(roots=["a"])) == "Knowledge(roots=['a'])"
    assert repr(sb.Knowledge()) == "Knowledge()"


@pytest.mark.parametrize("names", list(permutations(STRANGE, 4))[::97])
def test_toml_brings_back_what_was_said_of_any_names(names: tuple[Hashable, ...]) -> None:
    known = _everything(*names)
    back = sb.Knowledge.from_toml(known.to_toml())
    assert back == known
    assert list(map(type, back.names)) == list(map(type, known.names))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=4, max_size=4, unique=True))
def test_toml_brings_back_any_text(names: list[str]) -> None:
    assert sb.Knowledge.from_toml(_everything(*names).to_toml()) == _everything(*names)


def test_toml_says_which_names_it_cannot_hold() -> None:
    with pytest.raises(sb.KnowledgeError, match=r"cannot hold the name \('a', 1\)"):
        sb.Knowledge(roots=[("a", 1)]).to_toml()


def test_toml_that_is_none_is_a_matter_of_the_file() -> None:
    with pytest.raises(sb.FormatError, match=r"mine\.toml: expected TOML"):
        sb.Knowledge.from_toml("required = [", "mine.toml")


def test_parts_are_plain_and_bring_back_what_was_said() -> None:
    known = _everything("a", "b", "c", "d")
    plain = json.loads(json.dumps(known.to_dict()))
    assert plain == known.to_dict()
    assert sb.Knowledge.from_dict(plain) == known


def test_numbers_of_numpy_are_the_names_they_stand_for() -> None:
    known = sb.Knowledge(required=np.array([[0, 1]]), max_parents={np.int64(1): np.int64(2)})  # type: ignore[arg-type, dict-item]
    assert known == sb.Knowledge(required=[(0, 1)], max_parents={1: 2})
    assert json.dumps(known.to_dict())


def test_knowledge_goes_to_other_processes() -> None:
    known = _everything("a", "b", "c", "d")
    assert pickle.loads(pickle.dumps(known)) == known


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"required": [("a", "b", "c")]}, r"required: \('a', 'b', 'c'\) is not an edge"),
        ({"required": 3}, "required: 3 is not a list of edges"),
        ({"required": ["ab"]}, "required: 'ab' is not an edge"),
        ({"forbidden": [("a", "a")]}, "forbidden: a -> a joins a variable with itself"),
        ({"allowed": [("a", "a")]}, "allowed: a -> a joins"),
        ({"tiers": "ab"}, "tiers='ab' must be a list of lists"),
        ({"tiers": ["ab", "c"]}, r"tier 1: 'ab' is text, not a list of names: write \['ab'\]"),
        ({"tiers": [["a"], 3]}, "tier 2: 3 is not a list of nodes"),
        ({"tiers": {"a": 1}}, "must be a list of lists"),
        ({"roots": "a"}, r"roots: 'a' is text.* write \['a'\]"),
        ({"leaves": [["a"]]}, "leaves: nodes are named by"),
        ({"tiers": [["a"], ["b"]], "within_tiers": [True]}, "one for each of 2 tiers"),
        ({"within_tiers": "no"}, "within_tiers='no' must be True, False"),
        ({"max_parents": -1}, "max_parents=-1 must be an integer of at least 0"),
        ({"max_parents": True}, "max_parents=True must be"),
        ({"max_parents": {"a": 1.5}}, "must be an integer of at least 0, or a dict"),
        ({"max_parents": "x=2"}, "max_parents='x=2' must be"),
        ({"roots": [float("nan")]}, "nan cannot be the name"),
    ],
)
def test_what_has_not_the_form_it_needs_is_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(sb.KnowledgeError, match=message) as caught:
        sb.Knowledge(**parts)
    assert caught.value.conflicts == ()


def test_parts_by_other_words_are_answered_with_ours() -> None:
    with pytest.raises(sb.OptionError, match=r"knowledge has no option 'blacklist'\. Say forbidden=\["):
        sb.Knowledge.from_dict({"blacklist": []})
    with pytest.raises(sb.OptionError, match=r"no option 'forbiden'\. Did you mean 'forbidden'"):
        sb.Knowledge.from_dict({"forbiden": []})


def _forbidden(columns: str = "abcd", **parts: Any) -> set[str]:
    return {f"{a}{b}" for a, b in sb.Knowledge(**parts).known_arcs(columns).forbidden}


def test_tiers_forbid_arcs_from_later_to_earlier_and_leave_others_free() -> None:
    assert _forbidden(tiers=[["a", "b"], ["c"]]) == {"ca", "cb"}
    assert _forbidden(tiers=[["a", "b"], ["c"]], within_tiers=False) == {"ca", "cb", "ab", "ba"}
    assert _forbidden(tiers=[["a", "b"], ["c", "d"]], within_tiers=[True, False]) == {
        "ca",
        "cb",
        "da",
        "db",
        "cd",
        "dc",
    }


def test_roots_have_no_parents_and_leaves_no_children() -> None:
    assert _forbidden(roots=["a"]) == {"ba", "ca", "da"}
    assert _forbidden(leaves=["a"]) == {"ab", "ac", "ad"}


def test_pairs_that_are_not_allowed_are_forbidden_both_ways() -> None:
    assert _forbidden("abc", allowed=[("c", "a")]) == {"ab", "ba", "bc", "cb"}


def test_limits_are_of_each_variable_or_of_all() -> None:
    assert sb.Knowledge(max_parents=2).known_arcs("ab").most_parents == {"a": 2, "b": 2}
    assert sb.Knowledge(max_parents={"a": 3}).known_arcs("ab").most_parents == {"a": 3}
    assert sb.Knowledge(max_parents={"a": 3, ...: 1}).known_arcs("ab").most_parents == {"a": 3, "b": 1}
    # In files there is no other way to write it.
    assert sb.Knowledge(max_parents={"a": 3, "...": 1}) == sb.Knowledge(max_parents={"a": 3, ...: 1})


def test_names_that_are_no_columns_are_all_told_with_those_that_were_meant() -> None:
    known = sb.Knowledge(forbidden=[("hight", "age")], roots=["zzz"], max_parents={"wieght": 1})
    with pytest.raises(sb.KnowledgeError) as caught:
        known.known_arcs(["height", "weight", "age"])
    assert str(caught.value).splitlines() == [
        "3 things to mend in what is known:",
        "  1. there is no column hight. Did you mean height?",
        "  2. there is no column wieght. Did you mean weight?",
        "  3. there is no column zzz. Columns: 'height', 'weight', 'age'.",
    ]
    assert [conflict.columns for conflict in caught.value.conflicts] == [("hight",), ("wieght",), ("zzz",)]


def test_columns_that_take_no_part_may_be_named_but_have_no_arcs() -> None:
    idle: dict[Hashable, str] = {"site": "it has a single value"}
    said = sb.Knowledge(tiers=[["site", "a"], ["b"]], max_parents=1)
    assert said.known_arcs("ab", idle=idle) == KnownArcs((), (("b", "a"),), {"a": 1, "b": 1})
    with pytest.raises(
        sb.KnowledgeError, match=r"site -> a is required, but site takes no part: it has a single value"
    ):
        sb.Knowledge(required=[("site", "a")]).known_arcs("ab", idle=idle)


def test_all_of_two_holds() -> None:
    one = sb.Knowledge(required=[("a", "b")], allowed=[("a", "b"), ("b", "c")], max_parents={"a": 1, ...: 3})
    other = sb.Knowledge(forbidden=[("b", "c")], allowed=[("b", "a"), ("c", "d")], roots=["a"], max_parents=2)
    assert one & other == sb.Knowledge(
        required=[("a", "b")],
        forbidden=[("b", "c")],
        allowed=[("a", "b")],
        roots=["a"],
        max_parents={"a": 1, ...: 2},
    )
    assert one & other == other & one
    assert one & sb.Knowledge() == one


def test_limits_of_two_are_the_smaller_ones() -> None:
    both = sb.Knowledge(max_parents={"a": 5, "b": 1}) & sb.Knowledge(max_parents={"b": 4, ...: 3})
    assert both.max_parents == {"a": 3, "b": 1, ...: 3}


def test_tiers_are_said_once() -> None:
    one, other = sb.Knowledge(tiers=[["a"], ["b"]]), sb.Knowledge(tiers=[["b"], ["c"]])
    assert one & one == one
    assert one & sb.Knowledge(within_tiers=False) == sb.Knowledge(tiers=[["a"], ["b"]], within_tiers=False)
    with pytest.raises(sb.KnowledgeError, match="two different lists of tiers"):
        _ = one & other


def test_new_names_change_nothing_else() -> None:
    new: dict[Hashable, Hashable] = {"a": "z", "b": 1, "c": "c c", "d": "a"}
    assert _everything("a", "b", "c", "d").renamed(new) == _everything("z", 1, "c c", "a")


def test_of_some_variables_what_is_known_of_them_alone_is_left() -> None:
    assert _everything("a", "b", "c", "d").among("abd") == sb.Knowledge(
        required=[("a", "b")],
        forbidden=[("b", "a"), ("d", "a")],
        tiers=[["a"], ["b"]],
        within_tiers=[True, False],
        allowed=[("a", "b")],
        roots=["a"],
        max_parents={"b": 1, ...: 2},
    )


def test_what_is_known_of_merged_columns_is_known_of_the_one_that_stands() -> None:
    known = KnownArcs((("a2", "c"),), (("b", "a2"), ("a1", "a2")), {"a2": 1, "a1": 2})
    assert merged_arcs(known, {"a1": ("a2",)}) == KnownArcs((("a1", "c"),), (("b", "a1"),), {"a1": 1})
    assert merged_arcs(known, {}) is known


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (KnownArcs((("a1", "a2"),)), "a1 -> a2 is required, but they are identical and were merged"),
        (KnownArcs((("a1", "c"),), (("a2", "c"),)), r"a1 -> c is required, but ruled out for .*a1 stands for a2"),
        (KnownArcs((("a1", "c"), ("c", "a2"))), "a1 -> c -> a1 form a cycle"),
        (KnownArcs((("b", "a1"), ("c", "a2")), (), {"a2": 1}), "b, c are required as parents of a1"),
    ],
)
def test_what_merging_makes_contradict_is_told(known: KnownArcs, message: str) -> None:
    with pytest.raises(sb.KnowledgeError, match=message):
        merged_arcs(known, {"a1": ("a2",)})
