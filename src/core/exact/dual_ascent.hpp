// Lower bounds of the loss of all DAGs, by raising numbers of clusters one after the other: in integers, without a solver.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "numeric/int128.hpp"

namespace stablebn {

/// Up to so many variables.
constexpr int MOST_IN_ASCENT = 64;

/// One variable's choice in a large part: parents as bits, and what it loses.
struct LargeChoice {
    std::uint64_t parents;
    Wide loss;
};

/// Clusters and their numbers, none negative.
using ClusterNumbers = std::vector<std::pair<std::uint64_t, Wide>>;

/// In a DAG every cluster of variables has a member without a parent in it. So any number l(C) >= 0 may be taken from the
/// losses of the choices without a parent in C of the members of C, if it is added to the sum once: the least losses of all
/// variables then add up to a lower bound.
///
/// First numbers are raised one at a time, from `start` on: that of a cluster in which each variable has a parent inside with
/// all its choices of the least reduced loss, by as much as keeps these losses the least. It ends when the choices of least
/// reduced loss make a DAG, when the bound exceeds `most`, or after `most_steps` clusters. Then all are changed at once by
/// subgradients, as long as `most_work` choices are looked at; the numbers of the best bound are returned.
///
/// References: Troesser, de Givry and Katsirelos, "Improved acyclicity reasoning for Bayesian network structure learning with
/// constraint programming", 2021. Held, Wolfe and Crowder, "Validation of subgradient optimization", 1974.
ClusterNumbers ascend(std::span<const std::vector<LargeChoice>> choices, const ClusterNumbers& start, Wide most, int most_steps,
                      std::int64_t most_work);

}  // namespace stablebn
