// All DAGs whose loss is within a margin of the least, by dynamic programming over subsets of the variables.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "exact/subset_search.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// A DAG as the place of the choice of every variable, and what it loses.
struct NearDag {
    Wide loss;
    std::vector<int> choices;
};

struct NearDags {
    /// Of all DAGs the least sum of losses.
    Wide least = 0;
    /// Every DAG that loses no more than this is listed, and no other: the least and the margin, or less where there are
    /// more DAGs within it than were asked for.
    Wide most = 0;
    /// By growing loss; equal ones by their choices.
    std::vector<NearDag> dags;
};

/// List the DAGs that lose no more than the least loss and `within`; at most `most_dags` of them.
///
/// Where there are more, it is as if the margin were smaller: the largest one that so many DAGs are within. DAGs that
/// lose the same are all listed or none, so that no order of the search has a say. Where no choices make a DAG, the least
/// loss is 2**94.
NearDags near_dags(std::span<const std::vector<Choice>> choices, Wide within, std::size_t most_dags);

}  // namespace stablebn
