"""From a file or a frame to the encoded table: reading, column kinds, encoding, checks.

The walk is `prepare`: `reading` (with `files` and a module for each format), `weights`, `kinds`, `encoding`, `missing`,
`duplicates`, with `checks` on the way.
"""

from stablebn.data.kinds import Kind
from stablebn.data.prepare import Prepared, prepare
from stablebn.data.table import CategoricalTable, Codes, ContinuousTable, Name, Table, Weights
from stablebn.data.wording import Caution

__all__ = [
    "CategoricalTable",
    "Caution",
    "Codes",
    "ContinuousTable",
    "Kind",
    "Name",
    "Prepared",
    "Table",
    "Weights",
    "prepare",
]
