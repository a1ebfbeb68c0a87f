"""The networks of a study: found, read, and known again by their parameters."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stablebn.errors import OptionError, listed
from stablebn.networks import CPT, LinearGaussian, Network, known_networks, read_network
from stablebn.networks.catalogue import VARIABLE
from stablebn.options import is_path


@dataclass(frozen=True)
class NamedNetwork:
    """A network to draw samples from; two are equal if their names and their parameters are.

    Attributes
    ----------
    name : str
    fingerprint : str
        Of the parameters.
    model : Network
    """

    name: str
    fingerprint: str
    model: Network = field(compare=False, repr=False)


def read_networks(
    networks: Mapping[str, Path | None], directories: Sequence[str | os.PathLike[str]]
) -> dict[str, NamedNetwork]:
    """Read networks; if some are missing, the error names them all.

    Parameters
    ----------
    networks : mapping of name to path or None
        None: by its name in the catalogue.
    directories : sequence of paths
        Folders to look in before all others.

    Returns
    -------
    dict of name to NamedNetwork
    """
    known = {entry.name for entry in known_networks(directories)}
    missing = [
        name
        for name, path in networks.items()
        if (name not in known if path is None else not (is_path(path) and path.is_file()))
    ]
    if missing:
        raise OptionError(
            f"the study needs networks that are not there: {listed(missing, most=99)}. Name a folder that has them "
            f"(--networks, or {VARIABLE}); `stablebn networks` lists those that are there."
        )
    return {
        name: _named(name, read_network(name if path is None else path, directories=directories))
        for name, path in networks.items()
    }


def _named(name: str, network: Network) -> NamedNetwork:
    return NamedNetwork(name, fingerprint(network), network)


def fingerprint(network: Network) -> str:
    """A hash of nodes, levels, arcs and parameters, in the order of the network: columns are drawn in that order."""
    digest = hashlib.sha256()
    for node, own in network.items():
        if isinstance(own, CPT):
            digest.update(repr((node, own.levels, own.parents)).encode())
            digest.update(own.probabilities.astype("<f8").tobytes())
        elif isinstance(own, LinearGaussian):
            # The repr of a float has all its digits.
            digest.update(repr((node, own.parents, own.coefficients, own.intercept, own.sd)).encode())
        else:
            digest.update(repr((node, own.categorical_parents, own.continuous_parents)).encode())
            for part in (own.intercepts, own.coefficients, own.sds):
                digest.update(part.astype("<f8").tobytes())
    return digest.hexdigest()
