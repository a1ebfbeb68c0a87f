"""Find and read the networks of a study, and identify them by their parameters."""

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
    """A network to draw samples from; two are equal if their names and their parameters are equal.

    Attributes
    ----------
    name : str
    fingerprint : str
        A hash of the structure and the parameters.
    model : Network
    """

    name: str
    fingerprint: str
    model: Network = field(compare=False, repr=False)


def read_networks(
    networks: Mapping[str, Path | None], directories: Sequence[str | os.PathLike[str]]
) -> dict[str, NamedNetwork]:
    """Read networks; if some are missing, the error names all of them.

    Parameters
    ----------
    networks : mapping of name to path or None
        None: the network of that name in the catalogue.
    directories : sequence of paths
        Folders that are searched before all others.

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
            f"the study needs networks that are missing: {listed(missing, most=99)}. Name a folder that has them "
            f"(--networks, or {VARIABLE}); `stablebn networks` lists the available ones."
        )
    return {
        name: _named(name, read_network(name if path is None else path, directories=directories))
        for name, path in networks.items()
    }


def _named(name: str, network: Network) -> NamedNetwork:
    return NamedNetwork(name, fingerprint(network), network)


def fingerprint(network: Network) -> str:
    """Hash the nodes, levels, arcs and parameters in the order of the network, in which columns are sampled."""
    digest = hashlib.sha256()
    for node, distribution in network.items():
        if isinstance(distribution, CPT):
            digest.update(repr((node, distribution.levels, distribution.parents)).encode())
            digest.update(distribution.probabilities.astype("<f8").tobytes())
        elif isinstance(distribution, LinearGaussian):
            # The repr of a float has all its digits.
            parameters = (distribution.coefficients, distribution.intercept, distribution.sd)
            digest.update(repr((node, distribution.parents, *parameters)).encode())
        else:
            digest.update(repr((node, distribution.categorical_parents, distribution.continuous_parents)).encode())
            for part in (distribution.intercepts, distribution.coefficients, distribution.sds):
                digest.update(part.astype("<f8").tobytes())
    return digest.hexdigest()
