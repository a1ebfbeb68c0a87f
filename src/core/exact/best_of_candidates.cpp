#include "exact/best_of_candidates.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "exact/subset_lattice.hpp"

namespace stablebn {

namespace {

using Reach = std::vector<std::vector<std::uint8_t>>;

/// The variables that each variable reaches along arcs to its possible parents.
Reach reach_of(const CandidateSearch& search, int n) {
    Reach above(static_cast<std::size_t>(n), std::vector<std::uint8_t>(static_cast<std::size_t>(n), 0));
    for (int v = 0; v < n; ++v) {
        above[v][v] = 1;
        for (const Candidate& own : search.candidates(v)) {
            for (const int u : own.parents) above[v][u] = 1;
        }
    }
    for (int middle = 0; middle < n; ++middle) {
        for (int v = 0; v < n; ++v) {
            if (!above[v][middle]) continue;
            for (int u = 0; u < n; ++u) above[v][u] |= above[middle][u];
        }
    }
    return above;
}

/// Smaller sets first; sets of equal size by their bits: the set with the lower highest member of the difference first.
bool comes_before(const VariableSet& a, const VariableSet& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return std::ranges::lexicographical_compare(a.members().rbegin(), a.members().rend(), b.members().rbegin(),
                                                b.members().rend());
}

/// Find the best DAG of one component; false if it is not found.
bool solve(const CandidateSearch& search, std::span<const int> variables, BestOfCandidates& best) {
    const std::size_t n = variables.size();
    std::vector<std::vector<Choice>> choices(n);
    std::vector<std::vector<std::int32_t>> ranks(n);
    std::vector<std::vector<const Candidate*>> sorted(n);
    for (std::size_t place = 0; place < n; ++place) {
        auto& own = sorted[place];
        for (const Candidate& candidate : search.candidates(variables[place])) own.push_back(&candidate);
        std::ranges::sort(own, [](const Candidate* a, const Candidate* b) { return comes_before(a->parents, b->parents); });
        std::vector<std::int32_t> by_gain(own.size());
        std::iota(by_gain.begin(), by_gain.end(), 0);
        std::ranges::stable_sort(by_gain, [&](std::int32_t a, std::int32_t b) {
            return own[static_cast<std::size_t>(a)]->gain > own[static_cast<std::size_t>(b)]->gain;
        });
        const Wide most = own[static_cast<std::size_t>(by_gain.front())]->gain;
        for (const std::int32_t rank : by_gain) {
            const Candidate& candidate = *own[static_cast<std::size_t>(rank)];
            std::uint32_t inside = 0;
            for (const int u : candidate.parents) {
                const auto at = std::ranges::lower_bound(variables, u);
                if (at != variables.end() && *at == u) inside |= std::uint32_t{1} << (at - variables.begin());
            }
            choices[place].push_back({inside, most - candidate.gain});
            ranks[place].push_back(rank);
        }
    }
    SubsetLattice lattice(choices);
    const auto first = lattice.first(ranks);
    if (!first) return false;
    best.is_only = best.is_only && first->is_only;
    for (std::size_t place = 0; place < n; ++place) {
        const auto rank = static_cast<std::size_t>(ranks[place][static_cast<std::size_t>(first->choices[place])]);
        best.parents[static_cast<std::size_t>(variables[place])] = sorted[place][rank]->parents;
    }
    return true;
}

}  // namespace

std::optional<BestOfCandidates> best_of_candidates(const CandidateSearch& search, int variables, int most_places) {
    const Reach above = reach_of(search, variables);
    std::vector<std::vector<int>> parts;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(variables), 0);
    for (int v = 0; v < variables; ++v) {
        if (seen[v]) continue;
        std::vector<int> own;
        for (int u = v; u < variables; ++u) {
            if (above[v][u] && above[u][v]) own.push_back(u), seen[u] = 1;
        }
        if (own.size() > static_cast<std::size_t>(most_places)) return std::nullopt;
        parts.push_back(std::move(own));
    }
    BestOfCandidates best;
    best.parents.resize(static_cast<std::size_t>(variables));
    best.components = static_cast<int>(parts.size());
    for (const auto& own : parts) {
        if (!solve(search, own, best)) return std::nullopt;
    }
    return best;
}

}  // namespace stablebn
