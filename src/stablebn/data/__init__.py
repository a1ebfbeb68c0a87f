"""From a file or a frame to the encoded table: reading, column kinds, encoding, checks.

The walk is `prepare`: `reading` (and `files`, `csv_text`), `rows` (weights), `kinds`, `encoding`,
`rows` again (missing values), `checks`, `duplicates`.
"""

from stablebn.data.duplicates import name_key
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
    "name_key",
    "prepare",
]
