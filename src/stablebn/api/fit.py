"""`stablebn.fit`: estimate the parameters of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stablebn.api.arguments import FitArguments, describe
from stablebn.api.read_table import read_table, schema_of
from stablebn.options import takes
from stablebn.prepare.read_options import with_own_reading
from stablebn.result.constraints_from_names import as_dag

if TYPE_CHECKING:
    from stablebn.networks.model import Network


@takes(FitArguments, describe)
def fit(*arguments: Any, **options: Any) -> Network:
    """Estimate the parameters of a graph.

    If a result was learned with `discretise` or `levels`, its cut points and levels are used for the table, unless
    others are given; also for rows whose likelihood under the network is computed. With "ml", a declared level that no
    row has gets probability 0.

    Returns
    -------
    Network

    Examples
    --------
    >>> import stablebn as sb
    >>> table = sb.read_network("asia").sample(1000, seed=1)
    >>> sb.fit([("smoke", "lung"), ("smoke", "bronc")], table, columns=["smoke", "lung", "bronc"])
    <Network '': 3 categorical nodes, 2 arcs>
    """
    from stablebn.networks.fit import fit as fit_parameters

    parsed = with_own_reading(FitArguments.from_call("fit", arguments, options))
    table = read_table(parsed, schema_of(parsed.graph))
    dag = as_dag(parsed.graph, table.names)
    return fit_parameters(dag, table, method=parsed.method, iss=parsed.iss, unseen=parsed.unseen)
