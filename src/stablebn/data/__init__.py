"""From a file or a frame to the encoded table: reading, column kinds, encoding, checks.

The walk is `prepare`: `reading` (with `files` and a module for each format), `weights`, `deciding` (with `kinds`,
`usable`, `number_text` and `encoding`), where asked for `discretising` (with `cut_points`), `missing`, `levels`,
`duplicates`, with `checks` on the way; what is wrong is collected in `problems`. `findings` are for `stablebn.check`.
`reading_options` has the options that every function takes that reads a table.

Decisions ask `columns`, which says what they may ask: of rows in memory that is `held`, of rows on disk `stored`. A
table that comes in parts (`batches`) is written as it came (`stock`), and then in `blocks` (`block_files`), which a
`cache` may keep; `growing` is one to which rows are added.
"""

from stablebn.data.cut_points import Binning, Cuts
from stablebn.data.kinds import Asked, Decision, Kind
from stablebn.data.levels import Levels
from stablebn.data.prepare import prepare, prepare_as
from stablebn.data.prepared import Prepared
from stablebn.data.table import CategoricalTable, Codes, ContinuousTable, MixedTable, Name, Table, Weights
from stablebn.data.wording import Caution

__all__ = [
    "Asked",
    "Binning",
    "CategoricalTable",
    "Caution",
    "Codes",
    "ContinuousTable",
    "Cuts",
    "Decision",
    "Kind",
    "Levels",
    "MixedTable",
    "Name",
    "Prepared",
    "Table",
    "Weights",
    "prepare",
    "prepare_as",
]
