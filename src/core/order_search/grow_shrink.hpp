// Search among orders of the variables: the parents of each variable are grown and shrunk among those before it (Andrews et al.
// 2023, BOSS; Wienoebst, Henckel and Weichwald 2025, FLOP).
//
// Each order is climbed by moving one variable at a time to its best place. On its way a variable changes places with one
// neighbour after the other, and only the parents of these two may change. As a parent set from which no single change within
// the prefix leads up stays one until a variable enters the prefix that it would take in, or one of its parents leaves, most
// of these steps are a look at one number. Orders are then perturbed and climbed again, and kept if they are no worse.
//
// The search proposes graphs by scores in doubles. These are computed in the same way on every machine, and what is drawn comes
// from a generator keyed by the data, with a stream for each order: threads decide nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "scores/family_scores.hpp"
#include "order_search/family_bank.hpp"
#include "order_search/parent_sets.hpp"

namespace stablebn {

class Draws;

/// How much work a search does.
struct GrowShrinkEffort {
    /// Orders side by side.
    int orders = 2;
    /// Perturbations of each order between two comparisons.
    int attempts = 10;
    /// The search ends when so many rounds have brought nothing better.
    int rounds_in_vain = 2;
};

/// Parent sets of all variables, computed once as long as there is room for them.
class KnownParentSets {
public:
    KnownParentSets(FamilyScores& scores, const FamilyLimits& limits);

    int variables() const { return scores_.variables(); }
    const FamilyLimits& limits() const { return limits_; }
    bool is_required(int child, int u) const { return limits_.required[child].contains(u); }
    bool may_add(int child, const ParentSet& own, int u) const;
    const ParentSet& smallest(int child);
    const ParentSet& changed(int child, const ParentSet& from, int u);

    /// Grow and shrink a parent set, by the greatest gain, until no single change within the prefix leads up.
    template <class InPrefix>
    const ParentSet& grow_shrink(int child, const ParentSet& start, const InPrefix& in_prefix);

    bool is_full() const { return numbers_ > MOST_NUMBERS; }
    /// Forget all parent sets but these.
    void keep(std::span<std::vector<const ParentSet*>* const> used);

private:
    /// Doubles that are kept: 64 MiB.
    static constexpr std::size_t MOST_NUMBERS = std::size_t{1} << 23;
    using Known = std::unordered_map<VariableSet, ParentSet, VariableSet::Hash>;

    const ParentSet& note(int child, ParentSet made);

    FamilyScores& scores_;
    const FamilyLimits& limits_;
    std::unique_ptr<ParentSets> sets_;
    std::vector<Known> known_;
    std::size_t numbers_ = 0;
};

/// An order, and the parents that each variable has in it.
struct GrownOrder {
    std::vector<int> order;
    /// Where each variable stands.
    std::vector<int> place;
    std::vector<const ParentSet*> chosen;
    Wide value = 0;
};

/// One order that is improved, by one thread at a time.
class GrowShrinkClimber {
public:
    GrowShrinkClimber(FamilyScores& scores, const FamilyLimits& limits) : sets_(scores, limits) {}

    /// Give each variable of an order parents, beginning with those of `wanted` that stand before it.
    void begin(std::vector<int> order, const std::vector<VariableSet>& wanted);
    /// Begin with the order in which each variable is the one that those before it explain best.
    void begin_greedily();
    /// Put every variable where it is best, until none moves.
    void climb();
    /// Perturb the order and climb, so many times; keep what is no worse.
    void improve(Draws& draws, int attempts);

    const GrownOrder& own() const { return own_; }
    std::vector<VariableSet> parents() const;

private:
    bool move_to_best_place(int x);
    /// Move a variable to a place, or as far as required arcs allow; parents adapt on the way.
    void move(int x, int to);
    /// Put a variable at a place when the parents are known.
    void rotate(int x, int to);
    void perturb(Draws& draws);
    void forget();
    Wide value() const;

    KnownParentSets sets_;
    GrownOrder own_;
    /// The order that was last perturbed, to return to.
    GrownOrder before_;
    /// In `move_to_best_place`: the parents that variables have once x has passed them.
    std::vector<std::pair<int, const ParentSet*>> passed_;
};

class GrowShrinkSearch {
public:
    GrowShrinkSearch(std::shared_ptr<FamilyScores> scores, FamilyLimits limits, GrowShrinkEffort effort);
    GrowShrinkSearch(const GrowShrinkSearch&) = delete;
    GrowShrinkSearch& operator=(const GrowShrinkSearch&) = delete;

    /// An order to begin with, or to go on with, and parents to begin with. Every variable must stand behind its required parents.
    void add(std::vector<int> order, std::vector<VariableSet> parents);
    /// Search on for about so many seconds, by a step at least: the first climbs, every other is a round. Whether the search
    /// has ended.
    bool advance(double seconds);

    /// Where the search stands after so many rounds: with it the same search goes on as if it had never ended.
    struct Standing {
        std::vector<int> order;
        std::vector<VariableSet> parents;
    };
    struct State {
        std::size_t rounds = 0;
        int in_vain = 0;
        std::vector<Standing> orders;
        Standing best;
    };
    State state() const;
    void go_on_from(const State& state);

    std::size_t rounds() const { return rounds_; }
    /// The parents of each variable in the best order, of the last that was noted where `advance` was left by what a watch
    /// has thrown; then nothing else may be asked.
    const std::vector<VariableSet>& parents() const { return best_.parents; }
    const std::vector<int>& order() const { return best_.order; }

private:
    void climb_waiting();
    void round();
    bool keep_best();

    std::shared_ptr<FamilyScores> scores_;
    FamilyLimits limits_;
    GrowShrinkEffort effort_;
    std::uint64_t key_;
    std::vector<Standing> waiting_;
    std::vector<std::unique_ptr<GrowShrinkClimber>> orders_;
    Standing best_;
    bool has_value_ = false;
    Wide best_value_ = 0;
    std::size_t rounds_ = 0;
    int in_vain_ = 0;
};

}  // namespace stablebn
