#include "search/equivalence_search.hpp"

#include <algorithm>
#include <queue>

namespace stablebn {

namespace {

using Kind = EdgeOperator::Kind;

constexpr std::array<Kind, EdgeOperator::KINDS> ALL_KINDS{EdgeOperator::deletion, EdgeOperator::turn, EdgeOperator::insertion};

/// Units of work between two checks of the time: a check takes longer than rejecting an operator.
constexpr int BETWEEN_LOOKS = 64;

/// Thrown when a search is to stop.
struct Late {};

/// Whether no path inside a set leads from `some` of its members to `others`.
bool are_separate(const EquivalenceClass& graph, const BitSet& inside, const BitSet& some, const BitSet& others) {
    BitSet reached = some, fresh = some;
    while (!fresh.empty()) {
        BitSet step(graph.variables());
        fresh.each([&](int v) { step |= graph.adjacent[v]; });
        fresh = (step & inside) - reached;
        reached |= fresh;
    }
    return !reached.meets(others);
}

}  // namespace

EquivalenceSearch::EquivalenceSearch(std::shared_ptr<FamilyScores> scores, std::vector<int> order,
                                     const std::vector<VariableSet>& start, int most_parents,
                                     std::optional<ClassConstraints> constraints)
    : scores_(std::move(scores)),
      n_(scores_->variables()),
      order_(std::move(order)),
      place_(n_),
      most_parents_(std::min(most_parents, scores_->most_parents())),
      constraints_(std::move(constraints)) {
    BitSet all(n_);
    for (int at = 0; at < n_; ++at) {
        place_[order_[at]] = at;
        all.add(at);
    }
    joined_.assign(n_, BitSet(n_));
    if (constraints_) {
        joinable_ = constraints_->allowed;
        for (int v = 0; v < n_; ++v) {
            joined_[v] |= constraints_->required[v];
            constraints_->allowed[v].each([&](int u) { joinable_[u].add(v); });
            constraints_->required[v].each([&](int u) { joined_[u].add(v); });
        }
    } else {
        joinable_.assign(n_, all);
    }
    partners_ = joinable_;
    PartiallyDirected dag{std::vector<BitSet>(n_, BitSet(n_)), std::vector<BitSet>(n_, BitSet(n_))};
    for (int v = 0; v < n_; ++v) {
        for (const int u : start[v]) dag.parents[v].add(u);
    }
    now_.graph = std::make_shared<EquivalenceClass>(EquivalenceClass::of(dag).value());
    now_.stale.fill(all);
    for (auto& own : now_.operators) own.assign(n_, std::make_shared<Operators>());
}

void EquivalenceSearch::set_partners(std::vector<BitSet> partners) {
    partners_ = std::move(partners);
    for (int v = 0; v < n_; ++v) {
        partners_[v] &= joinable_[v];
        now_.stale[EdgeOperator::insertion].add(v);
    }
}

std::vector<BitSet> EquivalenceSearch::dependent() const {
    std::vector<BitSet> found(n_, BitSet(n_));
    const auto changes = scores_->first_changes();
    for (int v = 0; v < n_; ++v) {
        for (int u = 0; u < n_; ++u) {
            if (u != v && is_candidate(changes(v, u)) && changes(v, u).units > 0) found[v].add(u);
        }
    }
    return found;
}

std::optional<EdgeOperator> EquivalenceSearch::step(std::span<const Kind> kinds, const std::function<bool()>& is_late) {
    is_late_ = &is_late;
    looks_ = 0;
    try {
        return step(now_, kinds, std::nullopt);
    } catch (const Late&) {
        return std::nullopt;
    }
}

void EquivalenceSearch::list_deletions(std::size_t tried) {
    looks_ = 0;
    is_late_ = nullptr;
    forced_.clear();
    for (int y = 0; y < n_; ++y) {
        for (auto& own : deletions(*now_.graph, y, false)) forced_.push_back(std::move(own));
    }
    std::sort(forced_.begin(), forced_.end(), [&](const auto& a, const auto& b) { return precedes(a, b); });
    tried_ = tried;
}

std::vector<EdgeOperator> EquivalenceSearch::delete_and_search(const std::function<bool()>& is_late) {
    is_late_ = &is_late;
    looks_ = 0;
    try {
        for (; tried_ < forced_.size(); ++tried_) {
            const auto forced = deletion_now(forced_[tried_]);
            auto after = forced ? applied(*now_.graph, *forced) : nullptr;
            if (!after) continue;
            State state = now_;
            move_to(state, std::move(after));
            Wide gained = forced->gain;
            std::vector<EdgeOperator> made{*forced};
            while (const auto next = step(state, ALL_KINDS, Pair{forced->x, forced->y})) {
                gained += next->gain;
                made.push_back(*next);
            }
            if (gained > 0) {
                now_ = std::move(state);
                ++tried_;
                return made;
            }
        }
    } catch (const Late&) {
    }
    return {};
}

void EquivalenceSearch::repeat(Kind kind, int x, int y, const std::vector<int>& others) {
    BitSet set(n_);
    for (const int v : others) set.add(v);
    move_to(now_, std::make_shared<EquivalenceClass>(EquivalenceClass::of(changed(*now_.graph, kind, x, y, set)).value()));
}

std::optional<EdgeOperator> EquivalenceSearch::step(State& state, std::span<const Kind> kinds, std::optional<Pair> barred) {
    // The next operator of every target, the preferred one on top.
    struct Next {
        const Operators* operators;
        std::size_t at;
        const EdgeOperator& own() const { return (*operators)[at]; }
    };
    const auto comes_later = [&](const Next& a, const Next& b) { return precedes(b.own(), a.own()); };
    for (const Kind kind : kinds) {
        refresh(state, kind);
        std::vector<Next> heads;
        for (const auto& own : state.operators[kind]) {
            if (!own->empty()) heads.push_back({own.get(), 0});
        }
        std::priority_queue<Next, std::vector<Next>, decltype(comes_later)> open(comes_later, std::move(heads));
        while (!open.empty()) {
            look_at_time();
            Next next = open.top();
            const EdgeOperator& own = next.own();
            if (kind != EdgeOperator::insertion || barred != Pair{own.x, own.y}) {
                if (auto after = applied(*state.graph, own)) {
                    const EdgeOperator made = own;
                    move_to(state, std::move(after));
                    return made;
                }
            }
            open.pop();
            if (++next.at < next.operators->size()) open.push(next);
        }
    }
    return std::nullopt;
}

void EquivalenceSearch::refresh(State& state, Kind kind) {
    for (const int y : state.stale[kind].members()) {
        Operators found = kind == EdgeOperator::deletion ? deletions(*state.graph, y, true)
                          : kind == EdgeOperator::turn   ? turns(*state.graph, y)
                                                         : insertions(*state.graph, y);
        std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) { return precedes(a, b); });
        state.operators[kind][y] = std::make_shared<Operators>(std::move(found));
        state.stale[kind].remove(y);
    }
}

/// Valid by Chickering's Theorem 17 (2002): C is a clique of neighbours of y that are adjacent to x.
EquivalenceSearch::Operators EquivalenceSearch::deletions(const EquivalenceClass& graph, int y, bool improving) {
    Operators found;
    const BitSet& parents = graph.parents[y];
    const BitSet& neighbours = graph.neighbours[y];
    ((parents | neighbours) - joined_[y]).each([&](int x) {
        const BitSet common = neighbours & graph.adjacent[x];
        graph.each_clique(common, n_, [&](const BitSet& clique) {
            look_at_time();
            const Fixed change = family(y, (clique | parents).with(x))->changes[x];
            if (is_candidate(change) && (change.units > 0 || !improving)) {
                found.push_back(make(EdgeOperator::deletion, x, y, common - clique, change.units, BitSet(n_)));
            }
            return true;
        });
    });
    return found;
}

std::optional<EdgeOperator> EquivalenceSearch::deletion_now(const EdgeOperator& before) {
    const EquivalenceClass& graph = *now_.graph;
    const int x = before.x, y = before.y;
    if (!graph.parents[y].has(x) && !graph.neighbours[y].has(x)) return std::nullopt;
    BitSet others(n_);
    for (const int place : before.others) others.add(order_[place]);
    const BitSet common = graph.neighbours[y] & graph.adjacent[x];
    const BitSet clique = common - others;
    const auto is_joined = [&](int v) { return clique.is_subset_of(graph.adjacent[v].with(v)); };
    if (!others.is_subset_of(common) || !clique.all(is_joined)) return std::nullopt;
    const Fixed change = family(y, (clique | graph.parents[y]).with(x))->changes[x];
    if (!is_candidate(change)) return std::nullopt;
    return make(EdgeOperator::deletion, x, y, others, change.units, BitSet(n_));
}

/// Turns y -> x to x -> y, and y - x (Hauser and Buehlmann 2012, section 4.3).
EquivalenceSearch::Operators EquivalenceSearch::turns(const EquivalenceClass& graph, int y) {
    Operators found;
    const BitSet& parents = graph.parents[y];
    const BitSet& neighbours = graph.neighbours[y];
    const BitSet children = graph.ahead[y] - neighbours;
    const int room = most_parents_ - 1 - parents.size();
    if (room < 0 || (children.empty() && neighbours.empty())) return found;
    graph.each_clique(neighbours, room, [&](const BitSet& clique) {
        look_at_time();
        std::shared_ptr<const Family> own;
        const auto gain_at_y = [&](int x) {
            if (!own) own = family(y, clique | parents);
            return own->changes[x];
        };
        const auto add = [&](int x, Fixed at_y, Fixed at_x) {
            if (is_candidate(at_y) && is_candidate(at_x) && at_y.units + at_x.units > 0) {
                found.push_back(make(EdgeOperator::turn, x, y, clique, at_y.units + at_x.units, clique));
            }
        };
        children.each([&](int x) {
            // Neighbours of y that are adjacent to x become its parents: they must be in C, else there is a cycle.
            if (!(neighbours & graph.adjacent[x]).is_subset_of(clique)) return;
            const Fixed at_y = gain_at_y(x);
            if (is_candidate(at_y)) add(x, at_y, family(x, graph.parents[x])->changes[y]);
        });
        (neighbours - clique).each([&](int x) {
            const BitSet common = neighbours & graph.adjacent[x];
            const BitSet shared = clique & common;
            const BitSet apart = clique - common;
            // Without a parent of y that is not adjacent to x, the arc can be turned inside the class.
            if (apart.empty() || !are_separate(graph, neighbours - shared, apart, common - clique)) return;
            const Fixed at_y = gain_at_y(x);
            if (is_candidate(at_y)) add(x, at_y, family(x, (graph.parents[x] | shared).with(y))->changes[y]);
        });
        return true;
    });
    return found;
}

/// Valid by Chickering's Theorem 15 (2002), except for paths: C is a clique with all neighbours of y that are adjacent
/// to x.
EquivalenceSearch::Operators EquivalenceSearch::insertions(const EquivalenceClass& graph, int y) {
    Operators found;
    const BitSet& parents = graph.parents[y];
    const BitSet& neighbours = graph.neighbours[y];
    const BitSet outside = (partners_[y] - graph.adjacent[y]).without(y);
    const int room = most_parents_ - 1 - parents.size();
    if (room < 0) return found;
    graph.each_clique(neighbours, room, [&](const BitSet& clique) {
        look_at_time();
        BitSet allowed = outside;
        (neighbours - clique).each([&](int v) { allowed -= graph.adjacent[v]; });
        if (allowed.empty()) return true;
        const auto own = family(y, clique | parents);
        allowed.each([&](int x) {
            const Fixed change = own->changes[x];
            if (is_candidate(change) && change.units > 0) {
                found.push_back(make(EdgeOperator::insertion, x, y, clique - graph.adjacent[x], change.units, clique));
            }
        });
        return true;
    });
    return found;
}

std::shared_ptr<const EquivalenceClass> EquivalenceSearch::applied(const EquivalenceClass& graph,
                                                                   const EdgeOperator& own) const {
    const int x = own.x, y = own.y;
    if (own.kind == EdgeOperator::insertion && graph.has_path(y, x, own.clique)) return nullptr;
    if (own.kind == EdgeOperator::turn && !graph.neighbours[y].has(x) &&
        graph.has_path(y, x, own.clique | graph.neighbours[x])) {
        return nullptr;
    }
    BitSet others(n_);
    for (const int place : own.others) others.add(order_[place]);
    if (constraints_ && own.kind == EdgeOperator::insertion) {
        // Most violations of constraints show at y. Parents that are not adjacent to x form a v-structure with it; if x
        // -> y for this reason, or because the other direction is forbidden, neighbours that are not parents of y
        // become its children.
        const BitSet apart = others | (graph.parents[y] - graph.adjacent[x]);
        if (!apart.empty() || !constraints_->allowed[x].has(y)) {
            if (!apart.with(x).is_subset_of(constraints_->allowed[y])) return nullptr;
            const BitSet below = graph.neighbours[y] - own.clique;
            if (!below.all([&](int v) { return constraints_->allowed[v].has(y); })) return nullptr;
        }
    }
    auto after = std::make_shared<EquivalenceClass>(EquivalenceClass::of(changed(graph, own.kind, x, y, others)).value());
    if (constraints_ && !after->has_dag_that_obeys(*constraints_)) return nullptr;
    return after;
}

PartiallyDirected EquivalenceSearch::changed(const EquivalenceClass& graph, Kind kind, int x, int y,
                                             const BitSet& others) const {
    PartiallyDirected after = graph;
    const auto part = [&] {
        after.parents[y].remove(x);
        after.parents[x].remove(y);
        after.neighbours[x].remove(y);
        after.neighbours[y].remove(x);
    };
    switch (kind) {
        case EdgeOperator::insertion:
            after.parents[y].add(x);
            after.direct(others, y);
            break;
        case EdgeOperator::deletion: {
            part();
            BitSet ends(n_);
            ends.add(x);
            ends.add(y);
            others.each([&](int h) { after.direct(after.neighbours[h] & ends, h); });
            break;
        }
        case EdgeOperator::turn: {
            // The other parents of x in the DAG that changes: if x - y, those of y that are adjacent to x; else none.
            const BitSet above = graph.neighbours[y].has(x) ? others & graph.adjacent[x] : BitSet(n_);
            part();
            after.parents[y].add(x);
            after.direct(others, y);
            BitSet tail(n_);
            tail.add(y);
            BitSet(after.neighbours[y]).each([&](int v) { after.direct(tail, v); });
            after.direct(above, x);
            tail.remove(y);
            tail.add(x);
            BitSet(after.neighbours[x]).each([&](int v) { after.direct(tail, v); });
            break;
        }
    }
    return after;
}

void EquivalenceSearch::move_to(State& state, std::shared_ptr<const EquivalenceClass> graph) const {
    // The operators of a target depend on its own edges and on the adjacencies of its neighbours; turns also on the
    // edges of its children.
    const EquivalenceClass& before = *state.graph;
    BitSet differs(n_), joined_otherwise(n_);
    for (int v = 0; v < n_; ++v) {
        if (graph->adjacent[v] != before.adjacent[v]) joined_otherwise.add(v);
        if (graph->parents[v] != before.parents[v] || graph->neighbours[v] != before.neighbours[v]) differs.add(v);
    }
    differs |= joined_otherwise;
    for (int v = 0; v < n_; ++v) {
        const bool is_stale = differs.has(v) || graph->neighbours[v].meets(joined_otherwise);
        if (is_stale || graph->ahead[v].meets(differs)) state.stale[EdgeOperator::turn].add(v);
        if (is_stale) {
            state.stale[EdgeOperator::deletion].add(v);
            state.stale[EdgeOperator::insertion].add(v);
        }
    }
    state.graph = std::move(graph);
}

EdgeOperator EquivalenceSearch::make(Kind kind, int x, int y, const BitSet& others, Wide gain, BitSet clique) const {
    EdgeOperator made{kind, x, y, {}, gain, std::move(clique)};
    others.each([&](int v) { made.others.push_back(place_[v]); });
    std::sort(made.others.begin(), made.others.end());
    return made;
}

bool EquivalenceSearch::precedes(const EdgeOperator& a, const EdgeOperator& b) const {
    if (a.gain != b.gain) return a.gain > b.gain;
    if (a.x != b.x) return place_[a.x] < place_[b.x];
    if (a.y != b.y) return place_[a.y] < place_[b.y];
    return a.others < b.others;
}

std::shared_ptr<const Family> EquivalenceSearch::family(int child, const BitSet& parents) {
    return scores_->family(child, VariableSet(parents.members()));
}

void EquivalenceSearch::look_at_time() {
    if (is_late_ && looks_++ % BETWEEN_LOOKS == 0 && (*is_late_)()) throw Late{};
}

}  // namespace stablebn
