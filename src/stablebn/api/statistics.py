"""`stablebn.statistics`: a table to which rows can be added."""

from __future__ import annotations

import os
from typing import Any

from stablebn.api.arguments import StatisticsArguments, describe
from stablebn.errors import OptionError
from stablebn.options import checked_arguments, file_path, takes
from stablebn.prepare.incremental import GrowingTable
from stablebn.prepare.read_options import Storage, given_reading
from stablebn.threads import cores


@takes(StatisticsArguments, describe)
def statistics(*arguments: Any, **options: Any) -> GrowingTable:
    """Read a table to which rows can be added later, for `learn`.

    The result of learning from it is bit for bit the result of learning from all rows at once. The options are the
    fields of `stablebn.api.arguments.StatisticsArguments`; `help(stablebn.statistics)` describes them.

    Returns
    -------
    GrowingTable
        With `update(more)`, which adds rows, and `save(path)`.

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> found = sb.statistics(table.slice(0, 400))
    >>> found.update(table.slice(400))
    >>> sb.learn(found) == sb.learn(table)
    True
    """
    parsed = StatisticsArguments.from_call("statistics", arguments, options)
    storage = parsed.part(Storage)
    if parsed.discretise is not None or parsed.bins is not None:
        raise OptionError("statistics cannot be made with discretise=: where the bins are depends on rows to come.")
    return GrowingTable(
        parsed.data, given_reading(parsed), storage.row_memory, storage.folder, parsed.threads or cores()
    )


@checked_arguments(path=file_path)
def load_statistics(
    path: str | os.PathLike[str], *, memory: str | int | None = None, cache: str | os.PathLike[str] | None = None
) -> GrowingTable:
    """Read statistics that were saved to a file.

    Parameters
    ----------
    path : path
        A file written by `GrowingTable.save`.
    memory, cache
        As in `stablebn.learn`.

    Returns
    -------
    GrowingTable
    """
    storage = Storage(memory=memory, cache=cache)
    return GrowingTable.load(path, storage.row_memory, storage.folder, cores())
