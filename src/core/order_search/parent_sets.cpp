#include "order_search/parent_sets.hpp"

#include <utility>

#include "scores/family_scores.hpp"

namespace stablebn {

ParentSet ExactParentSets::smallest(int child, const VariableSet& parents) { return computed(child, parents, 0); }

ParentSet ExactParentSets::changed(int child, const ParentSet& from, int u) {
    const Fixed change = scores_.family(child, from.parents)->changes[u];
    VariableSet parents = from.parents;
    parents.toggle(u);
    return computed(child, std::move(parents), from.value + change.units);
}

ParentSet ExactParentSets::computed(int child, VariableSet parents, Wide value) {
    const auto family = scores_.family(child, parents);
    ParentSet found{std::move(parents), value, std::vector<double>(family->changes.size())};
    for (std::size_t u = 0; u < found.changes.size(); ++u) {
        const Fixed change = family->changes[u];
        found.changes[u] = is_candidate(change) ? change.to_double() : IMPOSSIBLE;
    }
    return found;
}

}  // namespace stablebn
