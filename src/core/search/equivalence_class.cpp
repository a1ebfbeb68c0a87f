#include "search/equivalence_class.hpp"

#include <utility>

namespace stablebn {

namespace {

std::vector<BitSet> children_of(const std::vector<BitSet>& parents) {
    std::vector<BitSet> children(parents.size(), BitSet(static_cast<int>(parents.size())));
    for (std::size_t v = 0; v < parents.size(); ++v) {
        parents[v].each([&](int u) { children[u].add(static_cast<int>(v)); });
    }
    return children;
}

struct Extension {
    std::vector<BitSet> dag;
    /// Children before their parents.
    std::vector<int> sinks;
};

/// A DAG with the same edges and no new v-structure (Dor and Tarsi 1992); nothing if there is none. With limits, a sink
/// is taken only if it may have all its remaining neighbours as parents. This misses no DAG, because removing it gives
/// no other variable more parents.
std::optional<Extension> consistent_extension(const PartiallyDirected& graph, const std::vector<int>* limits) {
    const int n = static_cast<int>(graph.parents.size());
    auto children = children_of(graph.parents);
    auto open = graph.neighbours;
    std::vector<BitSet> adjacent;
    for (int v = 0; v < n; ++v) adjacent.push_back(graph.parents[v] | open[v] | children[v]);
    const auto is_sink = [&](int v) {
        if (!children[v].empty()) return false;
        if (limits && adjacent[v].size() > (*limits)[v]) return false;
        return open[v].all([&](int u) { return adjacent[v].is_subset_of(adjacent[u].with(u)); });
    };
    Extension found{graph.parents, {}};
    // Removing other variables keeps a sink a sink, so each is queued once.
    std::vector<char> queued(n);
    const auto queue = [&](int v) {
        if (queued[v] || !is_sink(v)) return;
        queued[v] = 1;
        found.sinks.push_back(v);
    };
    for (int v = 0; v < n; ++v) queue(v);
    for (std::size_t at = 0; at < found.sinks.size(); ++at) {
        const int sink = found.sinks[at];
        found.dag[sink] |= open[sink];
        const BitSet around = adjacent[sink];
        around.each([&](int v) {
            adjacent[v].remove(sink);
            open[v].remove(sink);
            children[v].remove(sink);
        });
        around.each(queue);
    }
    if (found.sinks.size() < static_cast<std::size_t>(n)) return std::nullopt;
    return found;
}

/// The parents that each variable has in every DAG of the class: Chickering's labelling (1995), one child at a time. If
/// x is the last of y's parents in a topological order, all parents of y are compelled, or the compelled ones are those
/// of x.
std::vector<BitSet> compelled_parents(const Extension& extension) {
    const auto& [dag, sinks] = extension;
    const int n = static_cast<int>(dag.size());
    std::vector<int> place(n);
    for (int at = 0; at < n; ++at) place[sinks[at]] = n - at;
    std::vector<BitSet> compelled(n, BitSet(n));
    for (auto y = sinks.rbegin(); y != sinks.rend(); ++y) {
        const BitSet& own = dag[*y];
        if (own.empty()) continue;
        int last = -1;
        own.each([&](int u) {
            if (last < 0 || place[u] > place[last]) last = u;
        });
        const bool collides = !compelled[last].is_subset_of(own) || !own.is_subset_of(dag[last].with(last));
        compelled[*y] = collides ? own : compelled[last];
    }
    return compelled;
}

}  // namespace

void PartiallyDirected::direct(const BitSet& tails, int head) {
    parents[head] |= tails;
    neighbours[head] -= tails;
    tails.each([&](int tail) { neighbours[tail].remove(head); });
}

std::optional<EquivalenceClass> EquivalenceClass::of(const PartiallyDirected& graph) {
    const auto extension = consistent_extension(graph, nullptr);
    if (!extension) return std::nullopt;
    const std::size_t n = graph.parents.size();
    EquivalenceClass found;
    found.parents = compelled_parents(*extension);
    found.adjacent = children_of(extension->dag);
    found.neighbours.assign(n, BitSet(static_cast<int>(n)));
    for (std::size_t v = 0; v < n; ++v) {
        found.adjacent[v] |= extension->dag[v];
        const BitSet reversible = extension->dag[v] - found.parents[v];
        found.neighbours[v] |= reversible;
        reversible.each([&](int u) { found.neighbours[u].add(static_cast<int>(v)); });
    }
    for (std::size_t v = 0; v < n; ++v) found.ahead.push_back(found.adjacent[v] - found.parents[v]);
    return found;
}

bool EquivalenceClass::has_dag_that_obeys(const ClassConstraints& constraints) const {
    const int n = variables();
    for (int v = 0; v < n; ++v) {
        if (!constraints.required[v].is_subset_of(adjacent[v])) return false;
    }
    PartiallyDirected graph = *this;
    for (int v = 0; v < n; ++v) {
        BitSet tails(n);
        neighbours[v].each([&](int u) {
            if (!constraints.allowed[u].has(v)) tails.add(u);
        });
        graph.direct(tails, v);
    }
    for (int v = 0; v < n; ++v) {
        const BitSet& own = graph.parents[v];
        if (!own.is_subset_of(constraints.allowed[v])) return false;
        // The edges just directed must not form a v-structure.
        if (!(own - parents[v]).all([&](int u) { return own.is_subset_of(adjacent[u].with(u)); })) return false;
    }
    return consistent_extension(graph, &constraints.most_parents).has_value();
}

bool EquivalenceClass::has_path(int from, int to, const BitSet& avoiding) const {
    BitSet reached = avoiding.with(from);
    BitSet fresh = (ahead[from] - reached).without(to);
    while (!fresh.empty()) {
        BitSet step(variables());
        fresh.each([&](int v) { step |= ahead[v]; });
        if (step.has(to)) return true;
        reached |= fresh;
        fresh = step - reached;
    }
    return false;
}

}  // namespace stablebn
