// The best DAG of all candidate parent sets of a search, for few variables or small components.
#pragma once

#include <optional>
#include <vector>

#include "exact/candidates.hpp"
#include "table/variable_set.hpp"

namespace stablebn {

struct BestOfCandidates {
    std::vector<VariableSet> parents;
    /// Number of strongly connected components of "u is in a candidate set of v".
    int components = 0;
    /// Whether no other DAG of candidate sets is as good.
    bool is_only = true;
};

/// Find the best DAG by dynamic programming over the subsets of each component. Of equally good DAGs the first is
/// returned: variables in order, smaller parent sets first, sets of equal size by their bits. Nothing if a component
/// has more than `most_places` variables, or the best DAGs have too many orders.
std::optional<BestOfCandidates> best_of_candidates(const CandidateSearch& search, int variables, int most_places);

}  // namespace stablebn
