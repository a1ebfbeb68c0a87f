"""The types that Python is told of the core are those it has."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import stablebn
from stablebn import _core

STUB = ast.parse((Path(stablebn.__file__).parent / "_core.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}


def _names(namespace: object) -> set[str]:
    return {name for name in vars(namespace) if not name.startswith("_")}


def _members(node: ast.ClassDef) -> set[str]:
    methods = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
    fields = {str(member.target.id) for member in node.body if isinstance(member, ast.AnnAssign)}  # type: ignore[union-attr]
    return {name for name in methods | fields if not name.startswith("_")}


def test_the_stub_names_all_that_there_is() -> None:
    constants = {node.target.id for node in STUB.body if isinstance(node, ast.AnnAssign)} - {"Codes"}  # type: ignore[union-attr]
    assert _names(_core) == {*FUNCTIONS, *CLASSES, *constants}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_the_stub_names_all_members_of_a_class(name: str) -> None:
    assert _members(CLASSES[name]) == _names(getattr(_core, name))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_stub_names_the_parameters_of_a_function(name: str) -> None:
    signature = getattr(_core, name).__doc__.partition("->")[0]
    for parameter in FUNCTIONS[name].args.args:
        assert f"{parameter.arg}: " in signature
