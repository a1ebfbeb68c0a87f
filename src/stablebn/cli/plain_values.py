"""Values of options that are read without Pydantic.

Typer has it check every value, also of options that nobody gave, and to import it takes longer than to learn from a
small table. Text and paths need no check.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

_PLAIN = (str, Path)


class ReadsPlainly:
    """A command whose parameters take text, paths and nothing at all as they are; Typer reads the rest."""

    def get_params(self, ctx: Any) -> list[Any]:
        """The parameters, that of the help among them."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            # Without a descriptor it is an older Typer, which does not import Pydantic.
            if hasattr(param, "type_descriptor") and "process_value" not in vars(param):
                param.process_value = _reader(param)
        return params


def _reader(param: Any) -> Any:
    annotation = param.type_descriptor.annotation
    is_repeated = param.multiple or param.nargs == -1
    usual = param.process_value

    def process_value(ctx: Any, value: Any) -> Any:
        if value is None and not param.required:
            found = () if is_repeated else None
        elif isinstance(value, str) and annotation in _PLAIN:
            found = annotation(value)
        else:
            return usual(ctx, value)
        return found if param.callback is None else param.callback(ctx, param, found)

    return process_value
