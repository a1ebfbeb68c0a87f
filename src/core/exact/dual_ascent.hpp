// Lower bounds of the loss of all DAGs, by raising cluster multipliers one after the other: in integers, without a
// solver.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "numeric/int128.hpp"

namespace stablebn {

/// Most variables.
constexpr int MOST_IN_ASCENT = 64;

/// One choice of a variable in a large part: parents as bits, and its loss.
struct LargeChoice {
    std::uint64_t parents;
    Wide loss;
};

/// Clusters and their nonnegative multipliers.
using ClusterNumbers = std::vector<std::pair<std::uint64_t, Wide>>;

/// In a DAG every cluster of variables has a member without a parent in it. So any multiplier l(C) >= 0 may be
/// subtracted from the losses of the choices without a parent in C of the members of C if it is added to the sum once:
/// the least losses of all variables then sum to a lower bound.
///
/// First multipliers are raised one at a time, starting from `start`: that of a cluster in which all choices of least
/// reduced loss have a parent inside, as far as these losses stay the least. This ends if the choices of least reduced
/// loss form a DAG, if the bound exceeds `most`, or after `most_steps` clusters. Then all multipliers are changed
/// together by subgradients until `most_work` choices were scanned. The multipliers of the best bound are returned.
///
/// References: Troesser, de Givry and Katsirelos, "Improved acyclicity reasoning for Bayesian network structure
/// learning with constraint programming", 2021. Held, Wolfe and Crowder, "Validation of subgradient optimization",
/// 1974.
ClusterNumbers ascend(std::span<const std::vector<LargeChoice>> choices, const ClusterNumbers& start, Wide most, int most_steps,
                      std::int64_t most_work);

}  // namespace stablebn
