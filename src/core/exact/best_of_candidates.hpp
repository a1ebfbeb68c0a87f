// The best DAG of all candidate parent sets of a search, for few variables or small components.
#pragma once

#include <optional>
#include <vector>

#include "exact/candidates.hpp"
#include "table/variable_set.hpp"

namespace stablebn {

struct BestOfCandidates {
    std::vector<VariableSet> parents;
    /// Of "u is in a candidate set of v": the strongly connected components.
    int components = 0;
    /// Whether no other DAG of candidate sets is as good.
    bool is_only = true;
};

/// By dynamic programming over the subsets of each component. Of equally good DAGs the first: variables in order, smaller sets
/// of parents before larger ones, equally large ones by their bits, as numbers.
/// None where a component has more than `most_places` variables, or best DAGs have too many orders.
std::optional<BestOfCandidates> best_of_candidates(const CandidateSearch& search, int variables, int most_places);

}  // namespace stablebn
