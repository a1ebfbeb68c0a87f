#include "search/dag.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace stablebn {

namespace {

constexpr double NEVER = -std::numeric_limits<double>::infinity();
// Number of best additions per variable that are known. With more, some that close no cycle are more often among them;
// with fewer, they are found faster.
constexpr std::size_t CANDIDATES = 16;
// Gains that are compared at once.
constexpr int AT_ONCE = 16;
// Measured, in nanoseconds.
constexpr double COST_OF_GAIN = 5;

}  // namespace

TabuList::TabuList(int length, int variables)
    : variables_(variables), differences_(length), known_(length, false) {
    if (length) known_[0] = true;
}

bool TabuList::contains(Move move) const {
    const int there = arc(move.from, move.to), back = arc(move.to, move.from);
    for (std::size_t slot = 0; slot < differences_.size(); ++slot) {
        if (!known_[slot]) continue;
        const auto& arcs = differences_[slot];
        if (move.kind == Move::reverse) {
            if (arcs.size() == 2 && ((arcs[0] == there && arcs[1] == back) || (arcs[0] == back && arcs[1] == there))) {
                return true;
            }
        } else if (arcs.size() == 1 && arcs[0] == there) {
            return true;
        }
    }
    return false;
}

void TabuList::toggle(int from, int to) {
    const int changed = arc(from, to);
    for (std::size_t slot = 0; slot < differences_.size(); ++slot) {
        if (!known_[slot]) continue;
        auto& arcs = differences_[slot];
        const auto found = std::find(arcs.begin(), arcs.end(), changed);
        if (found == arcs.end()) {
            arcs.push_back(changed);
        } else {
            *found = arcs.back();
            arcs.pop_back();
        }
    }
}

void TabuList::remember() {
    if (differences_.empty()) return;
    newest_ = (newest_ + 1) % differences_.size();
    differences_[newest_].clear();
    known_[newest_] = true;
}

Dag::Dag(std::vector<int> order, int tabu, Constraints constraints)
    : variables_(static_cast<int>(order.size())),
      order_(std::move(order)),
      constraints_(std::move(constraints)),
      is_parent_(variables_, variables_),
      arcs_(variables_),
      children_(variables_),
      paths_(variables_, (variables_ + 63) / 64),
      gains_(variables_),
      deltas_(Matrix<double>::unwritten(variables_, variables_)),
      arc_bounds_(variables_, NEVER),
      candidates_(variables_, CANDIDATES),
      candidate_counts_(variables_, 0),
      bounds_(variables_, NEVER),
      marks_(variables_, 0),
      tabu_(tabu, variables_) {}

void Dag::bring(int from, int to) {
    is_parent_(to, from) = 1;
    arcs_[to].push_back({from, NEVER, NEVER});
    children_[from].push_back(to);
}

Dag::Arc& Dag::arc(int from, int to) {
    return *std::find_if(arcs_[to].begin(), arcs_[to].end(), [from](const Arc& own) { return own.from == from; });
}

void Dag::weigh(int to, Arc& arc) const {
    if (is_required(arc.from, to)) return;
    arc.removal = deltas_(to, arc.from);
    // Both halves are added as integers: a covered arc reverses by exactly 0.
    arc.reversal = deltas_(arc.from, to) == NEVER ? NEVER : change({Move::reverse, arc.from, to}).to_double();
}

void Dag::start(std::span<const std::span<const Fixed>> gains, Pool& pool) {
    pool.share_evenly(gains.size(), COST_OF_GAIN * variables_ * variables_, [&](std::size_t v) {
        read_gains(static_cast<int>(v), gains[v]);
        set_candidates(static_cast<int>(v));
    });
    for (int v = 0; v < variables_; ++v) weigh_arcs(v);
    find_all_paths();
}

void Dag::set_gains(int v, std::span<const Fixed> gains) {
    read_gains(v, gains);
    weigh_arcs(v);
}

void Dag::read_gains(int v, std::span<const Fixed> gains) {
    gains_[v] = gains;
    const auto deltas = deltas_[v];
    for (int u = 0; u < variables_; ++u) {
        const Fixed gain = gains[order_[u]];
        deltas[u] = stablebn::is_candidate(gain) ? gain.to_double() : NEVER;
    }
    if (!constraints_.arcs.empty()) {
        for (int u = 0; u < variables_; ++u) {
            if (!is_allowed(u, v)) deltas[u] = NEVER;
        }
    }
    // A parent may always be removed, unless the arc is required.
    for (const Arc& own : arcs_[v]) deltas[own.from] = gains[order_[own.from]].to_double();
}

void Dag::weigh_arcs(int v) {
    for (Arc& own : arcs_[v]) weigh(v, own);
    set_arc_bound(v);
    for (const int child : children_[v]) {
        weigh(child, arc(v, child));
        set_arc_bound(child);
    }
}

void Dag::set_arc_bound(int v) {
    arc_bounds_[v] = NEVER;
    for (const Arc& own : arcs_[v]) arc_bounds_[v] = std::max({arc_bounds_[v], own.removal, own.reversal});
}

void Dag::set_candidates(int v) {
    const auto best = candidates_[v];
    std::size_t count = 0;
    if (has_room(v)) {
        const auto deltas = std::as_const(deltas_)[v];
        double least = NEVER;
        const auto look_at = [&](int u) {
            const double delta = deltas[u];
            // Few variables reach this point. A lookup by child would touch the rows of all variables.
            if (delta <= least || u == v || is_parent_(v, u) || std::ranges::find(children_[v], u) != children_[v].end()) return;
            std::size_t place = count < CANDIDATES ? count++ : CANDIDATES - 1;
            for (; place && best[place - 1].delta < delta; --place) best[place] = best[place - 1];
            best[place] = {delta, u};
            if (count == CANDIDATES) least = best[CANDIDATES - 1].delta;
        };
        int u = 0;
        // Several at once, because mostly none is among the best.
        for (; u + AT_ONCE <= variables_; u += AT_ONCE) {
            bool some = false;
            for (int next = u; next < u + AT_ONCE; ++next) some |= deltas[next] > least;
            if (!some) continue;
            for (int next = u; next < u + AT_ONCE; ++next) look_at(next);
        }
        for (; u < variables_; ++u) look_at(u);
    }
    candidate_counts_[v] = count;
    bounds_[v] = count ? best[0].delta : NEVER;
}

Fixed Dag::change(Move move) const {
    Fixed change = gains_[move.to][order_[move.from]];
    if (move.kind == Move::reverse) change += gains_[move.from][order_[move.to]];
    return change;
}

/// Greater delta first, then add, remove, reverse, then (from, to).
bool Dag::comes_before(double delta, Move move, double other_delta, Move other) const {
    if (delta != other_delta) return delta > other_delta;
    if (move.kind != other.kind) return move.kind < other.kind;
    return move.from < other.from || (move.from == other.from && move.to < other.to);
}

/// Whether u could become a parent of v without a cycle.
bool Dag::is_candidate(int v, int u) const {
    return u != v && !is_parent_(v, u) && deltas_(v, u) != NEVER && !reaches(v, u);
}

bool Dag::may_add(int u, int v) const {
    return is_candidate(v, u) && has_room(v) && !tabu_.contains({Move::add, u, v});
}

/// Whether a path leads from u to v besides the arc u -> v.
bool Dag::other_path(int u, int v) const {
    return std::any_of(arcs_[v].begin(), arcs_[v].end(), [&](const Arc& own) { return own.from != u && reaches(u, own.from); });
}

BestMoves Dag::best_moves() {
    BestMoves best{{}, {}, NEVER, NEVER};
    const auto beats_second = [&](double delta, Move move) {
        return comes_before(delta, move, best.next_delta, best.second);
    };
    const auto insert = [&](double delta, Move move) {
        if (comes_before(delta, move, best.delta, best.first)) {
            best.second = best.first;
            best.next_delta = best.delta;
            best.first = move;
            best.delta = delta;
        } else {
            best.second = move;
            best.next_delta = delta;
        }
    };
    const auto look_at_additions = [&](int v) {
        // Arcs added since may have closed a cycle for the candidate of the bound.
        double bound = NEVER;
        const auto look_at = [&](int u, double delta) {
            bound = std::max(bound, delta);
            const Move addition{Move::add, u, v};
            if (delta >= best.next_delta && beats_second(delta, addition) && may_add(u, v)) insert(delta, addition);
        };
        const auto known = candidates(v);
        for (const auto& [delta, u] : known) {
            if (bound != NEVER && delta < best.next_delta) break;
            if (!reaches(v, u)) look_at(u, delta);
        }
        if (known.size() == CANDIDATES && (bound == NEVER || known.back().delta >= best.next_delta)) {
            // Most known candidates close a cycle: scan the others too.
            for (const auto& candidate : known) marks_[candidate.from] = 1;
            const auto deltas = std::as_const(deltas_)[v];
            for (int u = 0; u < variables_; ++u) {
                const double delta = deltas[u];
                if (delta <= bound && delta < best.next_delta) continue;
                if (!marks_[u] && is_candidate(v, u)) look_at(u, delta);
            }
            for (const auto& candidate : known) marks_[candidate.from] = 0;
        }
        bounds_[v] = bound;
    };
    // The two greatest bounds first, which mostly give the best two moves; the rest is skipped once no bound reaches
    // them.
    std::pair<double, int> greatest{NEVER, -1}, second = greatest;
    for (int v = 0; v < variables_; ++v) {
        if (bounds_[v] <= second.first) continue;
        second = {bounds_[v], v};
        if (second.first > greatest.first) std::swap(greatest, second);
    }
    for (const auto& [bound, v] : {greatest, second}) {
        if (bound != NEVER) look_at_additions(v);
    }
    waiting_.clear();
    for (int v = 0; v < variables_; ++v) {
        if (bounds_[v] < best.next_delta || v == greatest.second || v == second.second || bounds_[v] == NEVER) continue;
        waiting_.emplace_back(bounds_[v], v);
    }
    std::make_heap(waiting_.begin(), waiting_.end());
    while (!waiting_.empty() && waiting_.front().first >= best.next_delta) {
        const int v = waiting_.front().second;
        std::pop_heap(waiting_.begin(), waiting_.end());
        waiting_.pop_back();
        look_at_additions(v);
    }
    for (int v = 0; v < variables_; ++v) {
        if (arc_bounds_[v] < best.next_delta) continue;
        for (const auto& [u, less, reversed] : arcs_[v]) {
            const Move removal{Move::remove, u, v}, reversal{Move::reverse, u, v};
            if (less != NEVER && beats_second(less, removal) && !tabu_.contains(removal)) insert(less, removal);
            if (reversed == NEVER || !beats_second(reversed, reversal)) continue;
            if (has_room(u) && !tabu_.contains(reversal) && !other_path(u, v)) insert(reversed, reversal);
        }
    }
    const auto [kind, u, v] = best.first;
    best.arbitrary = kind == Move::add && best.delta == deltas_(u, v) && may_add(v, u);
    return best;
}

std::span<const int> Dag::likely_children(std::size_t count) {
    waiting_.clear();
    for (int v = 0; v < variables_; ++v) {
        if (bounds_[v] > 0) waiting_.emplace_back(bounds_[v], v);
    }
    if (count < waiting_.size()) {
        std::ranges::nth_element(waiting_, waiting_.begin() + static_cast<std::ptrdiff_t>(count), std::greater<>());
        waiting_.resize(count);
    }
    found_.clear();
    for (const auto& [bound, v] : waiting_) found_.push_back(v);
    return found_;
}

std::optional<Dag::Candidate> Dag::likely_parent(int v) const {
    for (const Candidate& candidate : candidates(v)) {
        if (candidate.delta <= 0) break;
        if (!reaches(v, candidate.from)) return candidate;
    }
    return std::nullopt;
}

void Dag::make(Move move) {
    toggle(move.from, move.to);
    if (move.kind == Move::add) {
        add_paths(move.from, move.to);
    } else {
        remove_paths(move.from, move.to);
    }
    if (move.kind == Move::reverse) {
        toggle(move.to, move.from);
        add_paths(move.to, move.from);
    }
    tabu_.remember();
}

void Dag::add_paths(int from, int to) {
    const auto below = std::as_const(paths_)[to];
    found_.assign(1, from);
    while (!found_.empty()) {
        const int v = found_.back();
        found_.pop_back();
        // A variable that already reached `to` reaches everything below it, and so do its ancestors.
        if (reaches(v, to)) continue;
        const auto own = paths_[v];
        for (std::size_t w = 0; w < own.size(); ++w) own[w] |= below[w];
        for (const Arc& arc : arcs_[v]) found_.push_back(arc.from);
    }
}

void Dag::remove_paths(int from, int to) {
    if (std::ranges::any_of(children_[from], [&](int child) { return reaches(child, to); })) return;
    for (const int v : with_ancestors(from)) {
        const auto own = paths_[v];
        std::ranges::fill(own, 0);
        own[v / 64] |= std::uint64_t{1} << (v % 64);
        for (const int child : children_[v]) {
            const auto below = std::as_const(paths_)[child];
            for (std::size_t w = 0; w < own.size(); ++w) own[w] |= below[w];
        }
        // Variables that it no longer reaches may become its parents.
        if (candidate_counts_[v]) bounds_[v] = candidates_(v, 0).delta;
    }
}

std::span<const int> Dag::with_ancestors(int v) {
    // Depth first, towards the parents: a variable is finished after all its ancestors, so it comes before them.
    found_.clear();
    open_.assign(1, {v, 0});
    marks_[v] = 1;
    while (!open_.empty()) {
        auto& [own, next] = open_.back();
        if (next == arcs_[own].size()) {
            found_.push_back(own);
            open_.pop_back();
            continue;
        }
        const int parent = arcs_[own][next++].from;
        if (!std::exchange(marks_[parent], 1)) open_.emplace_back(parent, 0);
    }
    for (const int found : found_) marks_[found] = 0;
    std::ranges::reverse(found_);
    return found_;
}

void Dag::toggle(int from, int to) {
    auto& present = is_parent_(to, from);
    present = !present;
    auto& children = children_[from];
    if (present) {
        arcs_[to].push_back({from, NEVER, NEVER});
        children.push_back(to);
    } else {
        arc(from, to) = arcs_[to].back();
        arcs_[to].pop_back();
        *std::find(children.begin(), children.end(), to) = children.back();
        children.pop_back();
    }
    tabu_.toggle(from, to);
}

/// Sinks first: a variable reaches what its children reach.
void Dag::find_all_paths() {
    std::fill_n(paths_.data(), paths_.rows() * paths_.columns(), 0);
    std::vector<std::size_t> children(variables_);
    std::vector<int> sinks;
    for (int v = 0; v < variables_; ++v) {
        paths_(v, v / 64) |= std::uint64_t{1} << (v % 64);
        children[v] = children_[v].size();
        if (!children[v]) sinks.push_back(v);
    }
    for (std::size_t done = 0; done < sinks.size(); ++done) {
        const int v = sinks[done];
        const auto below = std::as_const(paths_)[v];
        for (const auto& [u, removal, reversal] : arcs_[v]) {
            const auto own = paths_[u];
            for (std::size_t w = 0; w < own.size(); ++w) own[w] |= below[w];
            if (--children[u] == 0) sinks.push_back(u);
        }
    }
}

}  // namespace stablebn
