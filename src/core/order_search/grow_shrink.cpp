#include "order_search/grow_shrink.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "random/generator.hpp"

namespace stablebn {

namespace {

using Clock = std::chrono::steady_clock;

// In nats: a smaller gain may be rounding error and does not count. The same in units.
constexpr double LEAST_GAIN = 0x1p-20;
constexpr Wide LEAST_UNITS = Wide{1} << 42;

// Most variables that a perturbation moves.
constexpr int MOST_MOVED = 6;

}  // namespace

KnownParentSets::KnownParentSets(FamilyScores& scores, const FamilyLimits& limits)
    : scores_(scores), limits_(limits), sets_(scores.parent_sets()), known_(scores.variables()) {}

bool KnownParentSets::may_add(int child, const ParentSet& own, int u) const {
    return own.changes[u] > LEAST_GAIN && (limits_.allowed.empty() || limits_.allowed(child, u)) &&
           static_cast<int>(own.parents.size()) < limits_.most_parents[child];
}

const ParentSet& KnownParentSets::note(int child, ParentSet made) {
    const auto [at, is_new] = known_[child].try_emplace(made.parents);
    if (is_new) {
        at->second = std::move(made);
        numbers_ += at->second.changes.size() + at->second.parents.size();
    }
    return at->second;
}

const ParentSet& KnownParentSets::smallest(int child) {
    const VariableSet& parents = limits_.required[child];
    const auto found = known_[child].find(parents);
    return found != known_[child].end() ? found->second : note(child, sets_->smallest(child, parents));
}

const ParentSet& KnownParentSets::changed(int child, const ParentSet& from, int u) {
    VariableSet parents = from.parents;
    parents.toggle(u);
    const auto found = known_[child].find(parents);
    return found != known_[child].end() ? found->second : note(child, sets_->changed(child, from, u));
}

template <class InPrefix>
const ParentSet& KnownParentSets::grow_shrink(int child, const ParentSet& start, const InPrefix& in_prefix) {
    const ParentSet* own = &start;
    const int n = variables();
    const auto most = static_cast<std::size_t>(limits_.most_parents[child]);
    const auto& allowed = limits_.allowed;
    while (true) {
        while (own->parents.size() < most) {
            double gain = LEAST_GAIN;
            int best = -1;
            for (int u = 0; u < n; ++u) {
                if (!(own->changes[u] > gain) || !in_prefix(u) || (!allowed.empty() && !allowed(child, u))) continue;
                if (own->parents.contains(u)) continue;
                gain = own->changes[u];
                best = u;
            }
            if (best < 0) break;
            own = &changed(child, *own, best);
        }
        bool is_smaller = false;
        while (true) {
            double gain = LEAST_GAIN;
            int best = -1;
            for (const int u : own->parents) {
                if (!(own->changes[u] > gain) || is_required(child, u)) continue;
                gain = own->changes[u];
                best = u;
            }
            if (best < 0) break;
            own = &changed(child, *own, best);
            is_smaller = true;
        }
        if (!is_smaller) return *own;
    }
}

void KnownParentSets::keep(std::span<std::vector<const ParentSet*>* const> used) {
    std::vector<Known> before(known_.size());
    known_.swap(before);
    numbers_ = 0;
    for (auto* const chosen : used) {
        for (std::size_t v = 0; v < chosen->size(); ++v) (*chosen)[v] = &note(static_cast<int>(v), *(*chosen)[v]);
    }
}

void GrowShrinkClimber::begin(std::vector<int> order, const std::vector<VariableSet>& wanted) {
    const std::size_t n = order.size();
    own_.order = std::move(order);
    own_.place.resize(n);
    own_.chosen.resize(n);
    for (std::size_t p = 0; p < n; ++p) own_.place[own_.order[p]] = static_cast<int>(p);
    for (std::size_t at = 0; at < n; ++at) {
        Watch::look_now_and_then();
        const int v = static_cast<int>(at);
        const auto stands_before = [&](int u) { return own_.place[u] < own_.place[v]; };
        const ParentSet* own = &sets_.smallest(v);
        while (static_cast<int>(own->parents.size()) < sets_.limits().most_parents[v]) {
            int best = -1;
            for (const int u : wanted[v]) {
                if (!stands_before(u) || own->parents.contains(u) || own->changes[u] == IMPOSSIBLE) continue;
                if (best < 0 || own->changes[u] > own->changes[best]) best = u;
            }
            if (best < 0) break;
            own = &sets_.changed(v, *own, best);
        }
        own_.chosen[at] = &sets_.grow_shrink(v, *own, stands_before);
    }
    own_.value = value();
}

void GrowShrinkClimber::begin_greedily() {
    const int n = sets_.variables();
    own_.order.clear();
    own_.place.assign(n, n);
    own_.chosen.resize(n);
    for (int v = 0; v < n; ++v) own_.chosen[v] = &sets_.smallest(v);
    // The first variable is one that another explains best, or that explains another best.
    while (static_cast<int>(own_.order.size()) < n) {
        Watch::look_now_and_then();
        int best = -1;
        double most = 0;
        for (int v = 0; v < n; ++v) {
            if (own_.place[v] < n) continue;
            const auto& required = sets_.limits().required[v];
            if (!std::ranges::all_of(required, [&](int u) { return own_.place[u] < n; })) continue;
            double worth = static_cast<double>(own_.chosen[v]->value - sets_.smallest(v).value);
            if (own_.order.empty()) worth = *std::ranges::max_element(own_.chosen[v]->changes);
            if (best >= 0 && worth <= most) continue;
            best = v;
            most = worth;
        }
        own_.place[best] = static_cast<int>(own_.order.size());
        own_.order.push_back(best);
        for (int v = 0; v < n; ++v) {
            if (own_.place[v] < n || !sets_.may_add(v, *own_.chosen[v], best)) continue;
            own_.chosen[v] = &sets_.grow_shrink(v, *own_.chosen[v], [&](int u) { return own_.place[u] < n; });
        }
    }
    own_.value = value();
}

std::vector<VariableSet> GrowShrinkClimber::parents() const {
    std::vector<VariableSet> found;
    for (const ParentSet* own : own_.chosen) found.push_back(own->parents);
    return found;
}

Wide GrowShrinkClimber::value() const {
    Wide sum = 0;
    for (const ParentSet* own : own_.chosen) sum += own->value;
    return sum;
}

void GrowShrinkClimber::rotate(int x, int to) {
    const int from = own_.place[x];
    const auto begin = own_.order.begin();
    if (to < from) {
        std::rotate(begin + to, begin + from, begin + from + 1);
    } else {
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    }
    for (int p = std::min(from, to); p <= std::max(from, to); ++p) own_.place[own_.order[p]] = p;
}

bool GrowShrinkClimber::move_to_best_place(int x) {
    const auto& place = own_.place;
    const int from = place[x], n = static_cast<int>(own_.order.size());
    const ParentSet* const now = own_.chosen[x];
    const ParentSet *at_best = now, *mine = now;
    Wide best = 0, others = 0;
    int to = from;
    std::size_t passed = 0;
    std::vector<std::pair<int, const ParentSet*>> of_best;
    passed_.clear();
    const auto look = [&](int q) {
        const Wide gain = others + mine->value - now->value;
        if (gain <= best + LEAST_UNITS) return;
        best = gain;
        to = q;
        at_best = mine;
        passed = passed_.size();
    };

    // To the left: variables that x passes may take it as a parent, and x loses them.
    for (int q = from - 1; q >= 0; --q) {
        const int y = own_.order[q];
        if (mine->parents.contains(y)) {
            if (sets_.is_required(x, y)) break;
            mine = &sets_.grow_shrink(x, sets_.changed(x, *mine, y), [&](int u) { return place[u] < q; });
        }
        const ParentSet& of_y = *own_.chosen[y];
        if (sets_.may_add(y, of_y, x)) {
            const ParentSet& larger = sets_.grow_shrink(y, of_y, [&](int u) { return place[u] < q || u == x; });
            others += larger.value - of_y.value;
            passed_.emplace_back(y, &larger);
        }
        look(q);
    }
    of_best.assign(passed_.begin(), passed_.begin() + static_cast<std::ptrdiff_t>(passed));

    // To the right: variables that x passes lose it, and x may take them as parents.
    passed_.clear();
    mine = now;
    others = 0;
    const int left = to;
    for (int q = from + 1; q < n; ++q) {
        const int y = own_.order[q];
        const ParentSet& of_y = *own_.chosen[y];
        if (of_y.parents.contains(x)) {
            if (sets_.is_required(y, x)) break;
            const ParentSet& without = sets_.changed(y, of_y, x);
            const ParentSet& other = sets_.grow_shrink(y, without, [&](int u) { return place[u] < q && u != x; });
            others += other.value - of_y.value;
            passed_.emplace_back(y, &other);
        }
        if (sets_.may_add(x, *mine, y)) {
            mine = &sets_.grow_shrink(x, *mine, [&](int u) { return place[u] <= q && u != x; });
        }
        look(q);
    }
    if (to == from) return false;
    if (to != left) of_best.assign(passed_.begin(), passed_.begin() + static_cast<std::ptrdiff_t>(passed));
    rotate(x, to);
    for (const auto& [y, chosen] : of_best) own_.chosen[y] = chosen;
    own_.chosen[x] = at_best;
    own_.value += best;
    return true;
}

void GrowShrinkClimber::move(int x, int to) {
    const auto& place = own_.place;
    const int from = place[x];
    int q = from;
    const ParentSet* mine = own_.chosen[x];
    while (q > to) {
        const int y = own_.order[q - 1];
        if (sets_.is_required(x, y)) break;
        --q;
        if (mine->parents.contains(y)) mine = &sets_.changed(x, *mine, y);
        if (sets_.may_add(y, *own_.chosen[y], x)) {
            own_.chosen[y] = &sets_.grow_shrink(y, *own_.chosen[y], [&](int u) { return place[u] < q || u == x; });
        }
    }
    while (q < to) {
        const int y = own_.order[q + 1];
        if (sets_.is_required(y, x)) break;
        ++q;
        if (own_.chosen[y]->parents.contains(x)) {
            const ParentSet& without = sets_.changed(y, *own_.chosen[y], x);
            own_.chosen[y] = &sets_.grow_shrink(y, without, [&](int u) { return place[u] < q && u != x; });
        }
    }
    rotate(x, q);
    own_.chosen[x] = &sets_.grow_shrink(x, *mine, [&](int u) { return place[u] < q; });
}

void GrowShrinkClimber::forget() {
    if (!sets_.is_full()) return;
    std::vector<const ParentSet*>* const used[] = {&own_.chosen, &before_.chosen};
    sets_.keep(used);
}

void GrowShrinkClimber::climb() {
    // Variables take turns in a fixed order: once n in sequence are at their best positions, no move is left.
    const std::vector<int> turns = own_.order;
    for (std::size_t at = 0, still = 0; still < turns.size(); at = (at + 1) % turns.size()) {
        Watch::look_now_and_then();
        still = move_to_best_place(turns[at]) ? 1 : still + 1;
        forget();
    }
    own_.value = value();
}

void GrowShrinkClimber::perturb(Draws& draws) {
    const int n = sets_.variables();
    const int moved = 1 + draws.below(MOST_MOVED);
    for (int i = 0; i < moved; ++i) {
        const int x = draws.below(n);
        move(x, draws.below(n));
    }
}

void GrowShrinkClimber::improve(Draws& draws, int attempts) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
        before_ = own_;
        perturb(draws);
        climb();
        if (own_.value < before_.value) std::swap(own_, before_);
    }
}

GrowShrinkSearch::GrowShrinkSearch(std::shared_ptr<FamilyScores> scores, FamilyLimits limits, GrowShrinkEffort effort)
    : scores_(std::move(scores)), limits_(std::move(limits)), effort_(effort), key_(key_of(*scores_)) {}

void GrowShrinkSearch::add(std::vector<int> order, std::vector<VariableSet> parents) {
    waiting_.push_back({std::move(order), std::move(parents)});
    if (best_.order.empty()) best_ = waiting_.front();
    in_vain_ = 0;
}

void GrowShrinkSearch::climb_waiting() {
    // The first time, add one order that does not depend on any start.
    const bool is_first = orders_.empty();
    const std::size_t count = waiting_.size() + (is_first ? 1 : 0);
    std::vector<std::unique_ptr<GrowShrinkClimber>> found(count);
    scores_->pool().run(count, [&](std::size_t at) {
        found[at] = std::make_unique<GrowShrinkClimber>(*scores_, limits_);
        if (at < waiting_.size()) {
            found[at]->begin(waiting_[at].order, waiting_[at].parents);
        } else {
            found[at]->begin_greedily();
        }
        found[at]->climb();
    });
    waiting_.clear();
    std::ranges::move(found, std::back_inserter(orders_));
    std::ranges::stable_sort(orders_, std::ranges::greater{}, [](const auto& own) { return own->own().value; });
    if (static_cast<int>(orders_.size()) > effort_.orders) orders_.resize(effort_.orders);
    keep_best();
}

bool GrowShrinkSearch::keep_best() {
    const auto value = [](const auto& own) { return own->own().value; };
    const auto& found = **std::ranges::max_element(orders_, {}, value);
    if (has_value_ && found.own().value <= best_value_) return false;
    const bool improved = !has_value_ || found.own().value > best_value_ + LEAST_UNITS;
    has_value_ = true;
    best_value_ = found.own().value;
    best_ = {found.own().order, found.parents()};
    return improved;
}

void GrowShrinkSearch::round() {
    scores_->pool().run(orders_.size(), [&](std::size_t place) {
        Draws draws(mix(key_ + mix(rounds_ * 1'000'003 + place)));
        orders_[place]->improve(draws, effort_.attempts);
    });
    ++rounds_;
    in_vain_ = keep_best() ? 0 : in_vain_ + 1;
}

GrowShrinkSearch::State GrowShrinkSearch::state() const {
    State state{rounds_, in_vain_, {}, best_};
    for (const auto& own : orders_) state.orders.push_back({own->own().order, own->parents()});
    return state;
}

void GrowShrinkSearch::go_on_from(const State& state) {
    waiting_.clear();
    orders_.clear();
    for (const auto& [order, parents] : state.orders) {
        orders_.push_back(std::make_unique<GrowShrinkClimber>(*scores_, limits_));
        orders_.back()->begin(order, parents);
    }
    keep_best();
    best_ = state.best;
    rounds_ = state.rounds;
    in_vain_ = state.in_vain;
}

bool GrowShrinkSearch::advance(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    if (!waiting_.empty()) {
        climb_waiting();
    } else if (in_vain_ < effort_.rounds_in_vain) {
        round();
    }
    while (in_vain_ < effort_.rounds_in_vain) {
        if (Clock::now() >= end) return false;
        round();
    }
    return true;
}

}  // namespace stablebn
