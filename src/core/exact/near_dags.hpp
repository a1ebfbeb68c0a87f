// All DAGs whose loss is within a margin of the least, by dynamic programming over subsets of the variables.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exact/subset_search.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// A DAG as the index of the choice of every variable, and its loss.
struct NearDag {
    Wide loss;
    std::vector<int> choices;
};

struct NearDags {
    /// The least loss of a DAG.
    Wide least = 0;
    /// Every DAG with at most this loss is listed, and no other: the least loss and the margin, or less if more DAGs
    /// than requested are within it.
    Wide most = 0;
    /// By loss, then by choices.
    std::vector<NearDag> dags;
};

/// List the DAGs with a loss of at most the least loss plus `within`; at most `most_dags` of them.
///
/// If there are more, the margin is reduced to the largest one that fits. DAGs of equal loss are all listed or none, so
/// the order of the search has no effect. If no choices form a DAG, the least loss is 2**94.
NearDags near_dags(std::span<const std::vector<Choice>> choices, Wide within, std::size_t most_dags);

}  // namespace stablebn
