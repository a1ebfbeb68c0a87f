// Search among orders of the variables: the parents of each variable are grown and shrunk among its predecessors
// (Andrews et al. 2023, BOSS; Wienoebst, Henckel and Weichwald 2025, FLOP).
//
// An order is climbed by moving one variable at a time to its best position. On the way the variable is swapped with
// one neighbour after the other, and only the parents of these two may change. A parent set that no single change
// within the prefix improves stays so until a variable enters the prefix that would improve it, or one of its parents
// leaves; so most swaps cost one comparison. Orders are then perturbed and climbed again, and kept if they are no
// worse.
//
// The search proposes graphs by scores in doubles, which are computed in the same way on every machine. Random numbers
// come from a generator keyed by the data, with one stream per order, so threads have no effect.
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

/// Amount of work of a search.
struct GrowShrinkEffort {
    /// Number of orders that are improved side by side.
    int orders = 2;
    /// Number of perturbations of each order between two comparisons.
    int attempts = 10;
    /// The search ends after this many rounds without improvement.
    int rounds_in_vain = 2;
};

/// A cache of parent sets of all variables, of limited size.
class KnownParentSets {
public:
    KnownParentSets(FamilyScores& scores, const FamilyLimits& limits);

    int variables() const { return scores_.variables(); }
    const FamilyLimits& limits() const { return limits_; }
    bool is_required(int child, int u) const { return limits_.required[child].contains(u); }
    bool may_add(int child, const ParentSet& own, int u) const;
    const ParentSet& smallest(int child);
    const ParentSet& changed(int child, const ParentSet& from, int u);

    /// Grow and shrink a parent set, by the greatest gain, until no single change within the prefix improves it.
    template <class InPrefix>
    const ParentSet& grow_shrink(int child, const ParentSet& start, const InPrefix& in_prefix);

    bool is_full() const { return numbers_ > MOST_NUMBERS; }
    /// Remove all parent sets except these.
    void keep(std::span<std::vector<const ParentSet*>* const> used);

private:
    /// Most doubles that are kept: 64 MiB.
    static constexpr std::size_t MOST_NUMBERS = std::size_t{1} << 23;
    using Known = std::unordered_map<VariableSet, ParentSet, VariableSet::Hash>;

    const ParentSet& note(int child, ParentSet made);

    FamilyScores& scores_;
    const FamilyLimits& limits_;
    std::unique_ptr<ParentSets> sets_;
    std::vector<Known> known_;
    std::size_t numbers_ = 0;
};

/// An order, and the parents of each variable in it.
struct GrownOrder {
    std::vector<int> order;
    /// The position of each variable.
    std::vector<int> place;
    std::vector<const ParentSet*> chosen;
    Wide value = 0;
};

/// One order that is being improved, by one thread at a time.
class GrowShrinkClimber {
public:
    GrowShrinkClimber(FamilyScores& scores, const FamilyLimits& limits) : sets_(scores, limits) {}

    /// Set the parents of each variable of an order, starting from those of `wanted` that precede it.
    void begin(std::vector<int> order, const std::vector<VariableSet>& wanted);
    /// Start with the order in which each next variable is the one that its predecessors explain best.
    void begin_greedily();
    /// Move every variable to its best position, until none moves.
    void climb();
    /// Perturb the order and climb, `attempts` times; keep results that are no worse.
    void improve(Draws& draws, int attempts);

    const GrownOrder& own() const { return own_; }
    std::vector<VariableSet> parents() const;

private:
    bool move_to_best_place(int x);
    /// Move a variable to a position, or as far as required arcs allow, and adapt parents on the way.
    void move(int x, int to);
    /// Put a variable at a position if the parents are already known.
    void rotate(int x, int to);
    void perturb(Draws& draws);
    void forget();
    Wide value() const;

    KnownParentSets sets_;
    GrownOrder own_;
    /// The order that was last perturbed, to return to.
    GrownOrder before_;
    /// In `move_to_best_place`: the parents of variables after x has passed them.
    std::vector<std::pair<int, const ParentSet*>> passed_;
};

class GrowShrinkSearch {
public:
    GrowShrinkSearch(std::shared_ptr<FamilyScores> scores, FamilyLimits limits, GrowShrinkEffort effort);
    GrowShrinkSearch(const GrowShrinkSearch&) = delete;
    GrowShrinkSearch& operator=(const GrowShrinkSearch&) = delete;

    /// Add an order to start or continue with, and parents to start from. Every variable must follow its required
    /// parents.
    void add(std::vector<int> order, std::vector<VariableSet> parents);
    /// Search for about this many seconds, at least one step: the first step climbs, every other step is a round.
    /// Return whether the search has ended.
    bool advance(double seconds);

    /// The state of the search after a round: the search continues from it as if it had never stopped.
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
    /// The parents of each variable in the best order. If an exception of a watch ended `advance`, those that were last
    /// recorded; then nothing else may be queried.
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
