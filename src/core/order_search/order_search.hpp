// Search among orders of the variables: each variable has the best listed parents among its predecessors
// (docs/best.md).
//
// A few orders are improved side by side: some arcs are turned, or a variable gets a family that scores more than its
// present one; a climb then moves every variable to its best position, and the order is kept if it is no worse. From
// time to time the worst order is replaced by a mixture of two. A climb moves one variable at a time. If more must move
// at once, some related variables choose their families again, exactly (dynamic programming over their subsets), while
// all others keep their parents. Random numbers come from a generator keyed by the scores, with one stream per order,
// so threads have no effect.
#pragma once

#include <cstdint>
#include <vector>

#include "random/generator.hpp"
#include "order_search/family_bank.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// Amount of work of a search, without a time limit.
struct OrderEffort {
    /// Number of orders that are improved side by side.
    int orders = 4;
    /// Number of attempts to improve each before they are compared.
    int attempts = 50;
    /// The search ends after this many rounds without improvement.
    int rounds_in_vain = 2;
    /// Number of families per variable that are extended among those consistent with the best order.
    std::size_t width = 8;
    /// Whether an attempt starts with a family that scores more than the chosen one, instead of turned arcs, and then
    /// lets some variables choose again: reaches more, and costs more the more families there are.
    bool forces_families = false;
};

/// An order, and the family of each variable in it.
struct Ordering {
    std::vector<int> order;
    /// The position of each variable.
    std::vector<int> place;
    /// The family of each variable, by its index among the choices.
    std::vector<std::size_t> chosen;
    Wide value = 0;
    /// A variable that must keep one family (negative: none), and that family.
    int held = -1;
    Choices only;
};

class OrderSearch {
public:
    OrderSearch(FamilyBank& bank, OrderEffort effort);

    /// Add an order to start or continue with; families that were listed since are then considered too. In an initial
    /// order every variable must follow its required parents.
    void add(std::vector<int> order);
    /// Search for about this many seconds, at least one step: the first step climbs, every other step is a round.
    /// Return whether the search has ended.
    bool advance(double seconds);

    /// The state of the search after a round: the search continues from it as if it had never stopped.
    struct State {
        std::size_t rounds = 0;
        int in_vain = 0;
        std::vector<std::vector<int>> orders;
        std::vector<int> best;
        /// The orders around which families were listed, in sequence: they reproduce the listed families.
        std::vector<std::vector<int>> grown;
    };
    State state() const;
    /// Continue from the state of an earlier run of the same search, with the same orders added.
    void go_on_from(const State& state);

    std::size_t rounds() const { return rounds_; }
    const Ordering& best() const { return best_; }
    /// The parents of each variable in the best order. If an exception of a watch ended `advance`, those that were last
    /// recorded; then nothing else may be queried.
    const std::vector<VariableSet>& parents() const { return parents_; }

private:
    void read_choices();
    /// Record the parents of all variables in an order.
    void note(const Ordering& own);
    Ordering ordered(std::vector<int> order) const;
    const Choices& choices(const Ordering& own, int v) const { return v == own.held ? own.only : choices_[v]; }
    /// The parents of a variable; empty if no family fits.
    std::span<const int> parents(const Ordering& own, int v) const;
    std::size_t first_that_fits(const Ordering& own, int v) const;
    /// Move every variable to its best position, until none moves.
    void climb(Ordering& own) const;
    bool move_to_best_place(Ordering& own, int x) const;
    void move(Ordering& own, int x, int to) const;
    void choose(Ordering& own, int v) const;
    /// Move a variable before one of its parents, or the parent behind it; a variable without parents anywhere.
    void turn(Ordering& own, Draws& draws) const;
    /// The order in which a variable has parents that follow it: the variables between them, except its descendants,
    /// are moved before it, and so are these parents, alone or with all their ancestors.
    std::vector<int> made_to_fit(const Ordering& own, int v, std::span<const int> wanted, bool with_ancestors) const;
    /// Draw a path from a variable up to one without parents, and reverse the order of its variables.
    void turn_path(Ordering& own, Draws& draws) const;
    /// Draw a family that scores more than the chosen one; climb while it is kept, and then without this restriction.
    void force(Ordering& own, Draws& draws) const;
    /// Draw some variables that are related by the families that they have or would prefer.
    std::vector<int> related(const Ordering& own, Draws& draws) const;
    /// Let some variables choose their families again, all at once: the best that form a DAG with the families of the
    /// others. If they cannot improve, the order stays.
    void choose_anew(Ordering& own, const std::vector<int>& some) const;
    /// Let several groups of variables choose again, and climb if that improved the score.
    void let_choose_anew(Ordering& own, Draws& draws, int times) const;
    void improve(Ordering& own, Draws& draws) const;
    Ordering mixed(const Ordering& a, const Ordering& b, Draws& draws) const;
    /// Take over an order that is better than the best; then list more families consistent with it, as long as that
    /// improves it.
    bool keep_best();
    /// Extend the best families consistent with an order; return whether there were new ones.
    bool grow_around(Ordering& own);
    bool grow(const std::vector<int>& place);
    /// Before the search ends, let variables of the best order choose again; return whether that improved it.
    bool last_look();
    void round();

    FamilyBank& bank_;
    OrderEffort effort_;
    std::uint64_t key_;
    std::vector<Choices> choices_;
    std::vector<Ordering> orders_;
    Ordering best_;
    std::vector<VariableSet> parents_;
    std::size_t rounds_ = 0;
    int in_vain_ = 0;
    std::vector<std::vector<int>> grown_;
};

}  // namespace stablebn
