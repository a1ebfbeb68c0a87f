#include "order_search/order_search.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <utility>

#include "exact/subset_search.hpp"

namespace stablebn {

namespace {

using Clock = std::chrono::steady_clock;

// Most arcs that are turned at once.
constexpr int MOST_MOVED = 4;
// Number of variables that choose their families again at once.
constexpr int CHOOSING = 10;
// Number of such choices per attempt.
constexpr int TIMES_ANEW = 5;

}  // namespace

OrderSearch::OrderSearch(FamilyBank& bank, OrderEffort effort)
    : bank_(bank), effort_(effort), key_(key_of(bank.scores())) {
    read_choices();
}

void OrderSearch::read_choices() {
    choices_.resize(bank_.variables());
    bank_.scores().pool().run(choices_.size(), [&](std::size_t v) { choices_[v] = bank_.choices(static_cast<int>(v)); });
}

void OrderSearch::add(std::vector<int> order) {
    if (!best_.order.empty()) {
        read_choices();
        for (auto& own : orders_) own = ordered(std::move(own.order));
        best_ = ordered(std::move(best_.order));
        note(best_);
        in_vain_ = 0;
    }
    orders_.push_back(ordered(std::move(order)));
}

void OrderSearch::note(const Ordering& own) {
    // An order in which a variable has no family is not a DAG.
    if (own.value <= Choices::NOTHING / 2) return;
    parents_.clear();
    for (int v = 0; v < bank_.variables(); ++v) {
        const auto parents = choices_[v].parents(own.chosen[v]);
        parents_.emplace_back(std::vector<int>(parents.begin(), parents.end()));
    }
}

Ordering OrderSearch::ordered(std::vector<int> order) const {
    Ordering own;
    own.order = std::move(order);
    own.place.resize(own.order.size());
    own.chosen.resize(own.order.size());
    for (std::size_t p = 0; p < own.order.size(); ++p) own.place[own.order[p]] = static_cast<int>(p);
    for (const int v : own.order) {
        own.chosen[v] = first_that_fits(own, v);
        own.value += choices_[v].score(own.chosen[v]);
    }
    return own;
}

std::span<const int> OrderSearch::parents(const Ordering& own, int v) const {
    const Choices& choices = this->choices(own, v);
    return own.chosen[v] < choices.size() ? choices.parents(own.chosen[v]) : std::span<const int>{};
}

std::size_t OrderSearch::first_that_fits(const Ordering& own, int v) const {
    const Choices& choices = this->choices(own, v);
    const int end = own.place[v];
    for (std::size_t at = 0; at < choices.size(); ++at) {
        if (std::ranges::all_of(choices.parents(at), [&](int u) { return own.place[u] < end; })) return at;
    }
    return choices.size();
}

void OrderSearch::choose(Ordering& own, int v) const {
    own.value -= choices(own, v).score(own.chosen[v]);
    own.chosen[v] = first_that_fits(own, v);
    own.value += choices(own, v).score(own.chosen[v]);
}

void OrderSearch::move(Ordering& own, int x, int to) const {
    const int from = own.place[x];
    const auto begin = own.order.begin();
    if (to < from) {
        std::rotate(begin + to, begin + from, begin + from + 1);
    } else {
        std::rotate(begin + from, begin + from + 1, begin + to + 1);
    }
    const int first = std::min(from, to), last = std::max(from, to);
    for (int p = first; p <= last; ++p) own.place[own.order[p]] = p;
    for (int p = first; p <= last; ++p) {
        const int y = own.order[p];
        // Among the predecessors of the others only x was added or removed.
        const Choices& of_y = choices(own, y);
        const auto with_x = of_y.with(x);
        const bool concerned = y == x || (to < from ? !with_x.empty() && with_x.front() < own.chosen[y]
                                                    : own.chosen[y] < of_y.size() && of_y.contains(own.chosen[y], x));
        if (concerned) choose(own, y);
    }
}

bool OrderSearch::move_to_best_place(Ordering& own, int x) const {
    const Choices& choices = this->choices(own, x);
    const auto& place = own.place;
    const int from = place[x], n = static_cast<int>(own.order.size());
    const Wide now = choices.score(own.chosen[x]);
    Wide best = 0;
    int to = from;

    // To the left: variables that x passes may take it as a parent, and x loses them.
    Wide others = 0;
    std::size_t chosen = own.chosen[x];
    for (int q = from - 1; q >= 0; --q) {
        const int y = own.order[q];
        const Choices& of_y = this->choices(own, y);
        for (const std::size_t at : of_y.with(x)) {
            if (at >= own.chosen[y]) break;
            if (std::ranges::all_of(of_y.parents(at), [&](int u) { return u == x || place[u] < q; })) {
                others += of_y.score(at) - of_y.score(own.chosen[y]);
                break;
            }
        }
        if (chosen < choices.size() && choices.contains(chosen, y)) {
            do {
                ++chosen;
            } while (chosen < choices.size() &&
                     std::ranges::any_of(choices.parents(chosen), [&](int u) { return place[u] >= q; }));
        }
        const Wide gain = others + choices.score(chosen) - now;
        if (gain > best) {
            best = gain;
            to = q;
        }
    }

    // To the right: variables that x passes lose it, and x may take them as parents.
    others = 0;
    chosen = own.chosen[x];
    for (int q = from + 1; q < n; ++q) {
        const int y = own.order[q];
        const Choices& of_y = this->choices(own, y);
        if (own.chosen[y] < of_y.size() && of_y.contains(own.chosen[y], x)) {
            std::size_t at = own.chosen[y] + 1;
            while (at < of_y.size() &&
                   std::ranges::any_of(of_y.parents(at), [&](int u) { return u == x || place[u] >= q; })) {
                ++at;
            }
            others += of_y.score(at) - of_y.score(own.chosen[y]);
        }
        for (const std::size_t at : choices.with(y)) {
            if (at >= chosen) break;
            if (std::ranges::all_of(choices.parents(at), [&](int u) { return place[u] <= q; })) {
                chosen = at;
                break;
            }
        }
        const Wide gain = others + choices.score(chosen) - now;
        if (gain > best) {
            best = gain;
            to = q;
        }
    }
    if (to == from) return false;
    move(own, x, to);
    return true;
}

void OrderSearch::climb(Ordering& own) const {
    // Variables take turns in a fixed order: once n in sequence are at their best positions, no move is left.
    const std::vector<int> turns = own.order;
    for (std::size_t at = 0, still = 0; still < turns.size(); at = (at + 1) % turns.size()) {
        Watch::look_now_and_then();
        still = move_to_best_place(own, turns[at]) ? 1 : still + 1;
    }
}

void OrderSearch::turn(Ordering& own, Draws& draws) const {
    const int x = draws.below(bank_.variables());
    const auto parents = this->parents(own, x);
    if (parents.empty()) {
        move(own, x, draws.below(bank_.variables()));
        return;
    }
    const int u = parents[draws.below(static_cast<int>(parents.size()))];
    if (draws.below(2)) {
        move(own, x, own.place[u]);
    } else {
        move(own, u, own.place[x]);
    }
}

std::vector<int> OrderSearch::made_to_fit(const Ordering& own, int v, std::span<const int> wanted, bool with_ancestors) const {
    const int first = own.place[v];
    int last = first;
    for (const int u : wanted) last = std::max(last, own.place[u]);
    std::vector<bool> descends(own.order.size()), goes_before(own.order.size());
    descends[v] = true;
    for (int p = first + 1; p <= last; ++p) {
        const int y = own.order[p];
        descends[y] = std::ranges::any_of(parents(own, y), [&](int u) { return descends[u]; });
    }
    for (const int u : wanted) goes_before[u] = true;
    for (int p = last; with_ancestors && p > first; --p) {
        if (!goes_before[own.order[p]]) continue;
        for (const int u : parents(own, own.order[p])) goes_before[u] = true;
    }
    const auto begin = own.order.begin();
    std::vector<int> order(begin, begin + first), behind{v};
    for (int p = first + 1; p <= last; ++p) {
        const int y = own.order[p];
        (descends[y] && !goes_before[y] ? behind : order).push_back(y);
    }
    order.insert(order.end(), behind.begin(), behind.end());
    order.insert(order.end(), begin + last + 1, own.order.end());
    return order;
}

void OrderSearch::turn_path(Ordering& own, Draws& draws) const {
    std::vector<int> path{draws.below(bank_.variables())};
    for (auto up = parents(own, path.back()); !up.empty(); up = parents(own, path.back())) {
        path.push_back(up[draws.below(static_cast<int>(up.size()))]);
    }
    // From the variable to the one without parents, at the position of the latter.
    std::vector<int> order;
    std::vector<bool> is_on_path(own.order.size());
    for (const int v : path) is_on_path[v] = true;
    for (const int v : own.order) {
        if (v == path.back()) order.insert(order.end(), path.begin(), path.end());
        if (!is_on_path[v]) order.push_back(v);
    }
    own = ordered(std::move(order));
}

void OrderSearch::force(Ordering& own, Draws& draws) const {
    const std::size_t better = std::accumulate(own.chosen.begin(), own.chosen.end(), std::size_t{0});
    if (better == 0) return;
    auto family = static_cast<std::size_t>(draws.below(static_cast<int>(better)));
    int v = 0;
    while (family >= own.chosen[v]) family -= own.chosen[v++];
    const auto wanted = choices_[v].parents(family);
    const std::pair<Wide, VariableSet> only{choices_[v].score(family), VariableSet({wanted.begin(), wanted.end()})};
    own = ordered(made_to_fit(own, v, wanted, draws.below(2) != 0));
    own.value += only.first - choices_[v].score(own.chosen[v]);
    own.held = v;
    own.only = Choices(bank_.variables(), {&only, 1});
    own.chosen[v] = 0;
    climb(own);
    own = ordered(std::move(own.order));
}

std::vector<int> OrderSearch::related(const Ordering& own, Draws& draws) const {
    const int n = bank_.variables();
    std::vector<int> some{draws.below(n)};
    std::vector<bool> is_in(n);
    is_in[some.front()] = true;
    std::vector<int> near;
    const auto meet = [&](int u) {
        if (!is_in[u] && std::ranges::find(near, u) == near.end()) near.push_back(u);
    };
    for (int tries = 0; tries < 4 * CHOOSING && static_cast<int>(some.size()) < std::min(n, CHOOSING); ++tries) {
        const int v = some[draws.below(static_cast<int>(some.size()))];
        near.clear();
        for (std::size_t at = 0; at <= own.chosen[v] && at < choices_[v].size(); ++at) {
            for (const int u : choices_[v].parents(at)) meet(u);
        }
        for (int u = 0; u < n; ++u) {
            const auto with = choices_[u].with(v);
            if (!with.empty() && with.front() <= own.chosen[u]) meet(u);
        }
        if (near.empty()) continue;
        some.push_back(near[draws.below(static_cast<int>(near.size()))]);
        is_in[some.back()] = true;
    }
    return some;
}

void OrderSearch::choose_anew(Ordering& own, const std::vector<int>& some) const {
    // By variable: its nearest ancestors among the chosen variables; for a chosen variable, itself.
    std::vector<std::uint32_t> above(own.order.size());
    std::vector<bool> chooses(own.order.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
        above[some[i]] = std::uint32_t{1} << i;
        chooses[some[i]] = true;
    }
    for (const int v : own.order) {
        if (chooses[v]) continue;
        for (const int u : parents(own, v)) above[v] |= above[u];
    }
    // Their present loss relative to their best families, and the least possible loss.
    Wide now = 0, least = 0;
    std::vector<std::vector<Choice>> choices(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) {
        const Choices& all = choices_[some[i]];
        std::vector<std::uint8_t> is_met(std::size_t{1} << some.size());
        for (std::size_t at = 0; at < all.size(); ++at) {
            std::uint32_t before = 0;
            for (const int u : all.parents(at)) before |= above[u];
            if (before >> i & 1) continue;
            if (std::exchange(is_met[before], std::uint8_t{1})) continue;
            choices[i].push_back({before, all.score(0) - all.score(at)});
            if (!before) break;
        }
        if (choices[i].empty()) return;
        now += all.score(0) - all.score(own.chosen[some[i]]);
        least += choices[i].front().loss;
    }
    if (least >= now) return;
    const std::vector<int> best = best_order(choices, now);
    if (best.empty()) return;
    // Place every variable as soon as its ancestors are placed.
    std::vector<int> order;
    std::uint32_t placed = 0;
    std::vector<bool> stands(own.order.size());
    const auto place_all = [&] {
        for (const int v : own.order) {
            if (stands[v] || chooses[v] || above[v] & ~placed) continue;
            order.push_back(v);
            stands[v] = true;
        }
    };
    place_all();
    for (const int i : best) {
        order.push_back(some[i]);
        placed |= std::uint32_t{1} << i;
        place_all();
    }
    own = ordered(std::move(order));
}

void OrderSearch::let_choose_anew(Ordering& own, Draws& draws, int times) const {
    for (int i = 0; i < times; ++i) {
        Watch::look_now_and_then();
        const Wide before = own.value;
        choose_anew(own, related(own, draws));
        if (own.value > before) climb(own);
    }
}

void OrderSearch::improve(Ordering& own, Draws& draws) const {
    for (int attempt = 0; attempt < effort_.attempts; ++attempt) {
        Ordering other = own;
        if (effort_.forces_families) {
            if (draws.below(2)) turn_path(other, draws);
            force(other, draws);
            let_choose_anew(other, draws, TIMES_ANEW);
        } else {
            const int moved = 1 + draws.below(MOST_MOVED);
            for (int i = 0; i < moved; ++i) turn(other, draws);
        }
        climb(other);
        if (other.value >= own.value) own = std::move(other);
    }
}

Ordering OrderSearch::mixed(const Ordering& a, const Ordering& b, Draws& draws) const {
    // Some variables keep their positions from one order; the others fill the gaps in the sequence of the other order.
    const std::size_t n = a.order.size();
    std::vector<bool> fixed(n);
    for (const int v : a.order) fixed[v] = draws.next() >> 63;
    std::vector<int> order;
    std::size_t at = 0;
    for (const int v : a.order) {
        if (fixed[v]) {
            order.push_back(v);
            continue;
        }
        while (fixed[b.order[at]]) ++at;
        order.push_back(b.order[at++]);
    }
    return ordered(std::move(order));
}

bool OrderSearch::keep_best() {
    bool improved = false;
    while (true) {
        const auto found = std::ranges::max_element(orders_, {}, &Ordering::value);
        if (!best_.order.empty() && found->value <= best_.value) return improved;
        best_ = *found;
        note(best_);
        improved = true;
        while (grow_around(best_)) climb(best_);
        note(best_);
        for (auto& own : orders_) own = ordered(std::move(own.order));
        *found = best_;
    }
}

bool OrderSearch::grow_around(Ordering& own) {
    grown_.push_back(own.order);
    const bool grown = grow(own.place);
    if (grown) own = ordered(std::move(own.order));
    return grown;
}

bool OrderSearch::grow(const std::vector<int>& place) {
    std::atomic<bool> grown{false};
    bank_.scores().pool().run(choices_.size(), [&](std::size_t v) {
        if (!bank_.grow_within(static_cast<int>(v), place, effort_.width)) return;
        choices_[v] = bank_.choices(static_cast<int>(v));
        grown = true;
    });
    return grown;
}

OrderSearch::State OrderSearch::state() const {
    State state{rounds_, in_vain_, {}, best_.order, grown_};
    for (const auto& own : orders_) state.orders.push_back(own.order);
    return state;
}

void OrderSearch::go_on_from(const State& state) {
    for (std::size_t at = grown_.size(); at < state.grown.size(); ++at) grow(ordered(state.grown[at]).place);
    grown_ = state.grown;
    orders_.clear();
    for (const auto& order : state.orders) orders_.push_back(ordered(order));
    best_ = ordered(state.best);
    note(best_);
    rounds_ = state.rounds;
    in_vain_ = state.in_vain;
}

bool OrderSearch::last_look() {
    Draws draws(mix(key_ ^ mix(~rounds_)) + 1);
    Ordering own = best_;
    let_choose_anew(own, draws, bank_.variables());
    if (own.value <= best_.value) return false;
    *std::ranges::min_element(orders_, {}, &Ordering::value) = std::move(own);
    return keep_best();
}

void OrderSearch::round() {
    bank_.scores().pool().run(orders_.size(), [&](std::size_t place) {
        Draws draws(mix(key_ + mix(rounds_ * 1'000'003 + place)));
        improve(orders_[place], draws);
    });
    in_vain_ = keep_best() ? 0 : in_vain_ + 1;
    if (in_vain_ >= effort_.rounds_in_vain && last_look()) in_vain_ = 0;
    ++rounds_;
    // Replace the worst order by a mixture of two others.
    if (orders_.size() < 3) return;
    Draws draws(mix(key_ ^ mix(~rounds_)));
    const auto worst = static_cast<int>(std::ranges::min_element(orders_, {}, &Ordering::value) - orders_.begin());
    const int count = static_cast<int>(orders_.size());
    const int a = (worst + 1 + draws.below(count - 1)) % count;
    int b = (worst + 1 + draws.below(count - 1)) % count;
    if (b == a) b = (a + 1) % count == worst ? (a + 2) % count : (a + 1) % count;
    orders_[worst] = mixed(orders_[a], orders_[b], draws);
    climb(orders_[worst]);
}

bool OrderSearch::advance(double seconds) {
    const auto end = Clock::now() + std::chrono::duration<double>(seconds);
    if (best_.order.empty()) {
        note(*std::ranges::max_element(orders_, {}, &Ordering::value));
        bank_.scores().pool().run(orders_.size(), [&](std::size_t place) { climb(orders_[place]); });
        keep_best();
        // The best orders; ties go to the first.
        std::ranges::stable_sort(orders_, std::ranges::greater{}, &Ordering::value);
        if (static_cast<int>(orders_.size()) > effort_.orders) orders_.resize(effort_.orders);
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
