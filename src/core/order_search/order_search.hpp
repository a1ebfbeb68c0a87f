// Search among orders of the variables: each variable has the best parents among those before it (docs/best.md).
//
// A few orders are improved side by side: some arcs are turned, or a variable is given a family that is worth more than its
// own; a climb finds the best place of every variable, and the order is kept if it is no worse. Now and then the worst gives
// way to a mixture of two. A climb moves one variable at a time; where more must move at once, some that have to do with each
// other choose anew, exactly (dynamic programming over their subsets), while all others keep their parents. Whatever is
// drawn comes from a generator keyed by the scores themselves, each order having a stream of its own: threads decide nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "random/generator.hpp"
#include "order_search/family_bank.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// How much work a search does; no limit of time.
struct OrderEffort {
    /// Orders side by side.
    int orders = 4;
    /// Attempts to improve each before they are compared.
    int attempts = 50;
    /// The search ends when so many rounds have brought nothing better.
    int rounds_in_vain = 2;
    /// How many families of each variable are extended, of those that fit the best order.
    std::size_t width = 8;
    /// Whether an attempt begins with a family that is worth more than the one chosen, in place of arcs that are turned, and
    /// then lets some variables choose anew: it goes further, and costs more the more families there are.
    bool forces_families = false;
};

/// An order, and the family that each variable has in it.
struct Ordering {
    std::vector<int> order;
    /// Where each variable stands.
    std::vector<int> place;
    /// The family of each variable, by its place among the choices.
    std::vector<std::size_t> chosen;
    Wide value = 0;
    /// A variable that has no choice for now, none if negative, and its only family.
    int held = -1;
    Choices only;
};

class OrderSearch {
public:
    OrderSearch(FamilyBank& bank, OrderEffort effort);

    /// An order to begin with, or to go on with: then the families that the bank has taken in meanwhile are seen too. In one
    /// of those to begin with every variable must stand behind its required parents.
    void add(std::vector<int> order);
    /// Search on for about so many seconds, by a step at least: the first climbs, every other is a round. Whether the search
    /// has ended.
    bool advance(double seconds);

    /// Where the search stands after so many rounds: with it the same search goes on as if it had never ended.
    struct State {
        std::size_t rounds = 0;
        int in_vain = 0;
        std::vector<std::vector<int>> orders;
        std::vector<int> best;
        /// The orders around which families were looked for, one after another: by them the bank comes to be the same.
        std::vector<std::vector<int>> grown;
    };
    State state() const;
    /// Go on from where the same search, with the same orders added, stood another time.
    void go_on_from(const State& state);

    std::size_t rounds() const { return rounds_; }
    const Ordering& best() const { return best_; }
    /// The parents of each variable in the best order, of the last that was noted where `advance` was left by what a watch
    /// has thrown; then nothing else may be asked.
    const std::vector<VariableSet>& parents() const { return parents_; }

private:
    void read_choices();
    /// Keep the parents that variables have in an order.
    void note(const Ordering& own);
    Ordering ordered(std::vector<int> order) const;
    const Choices& choices(const Ordering& own, int v) const { return v == own.held ? own.only : choices_[v]; }
    /// The parents that a variable has; none where no family fits.
    std::span<const int> parents(const Ordering& own, int v) const;
    std::size_t first_that_fits(const Ordering& own, int v) const;
    /// Put every variable where it is best, until none moves.
    void climb(Ordering& own) const;
    bool move_to_best_place(Ordering& own, int x) const;
    void move(Ordering& own, int x, int to) const;
    void choose(Ordering& own, int v) const;
    /// Put a variable before one of its parents, or the parent behind it; one without parents anywhere.
    void turn(Ordering& own, Draws& draws) const;
    /// The order in which a variable has parents that stand behind it: what stands between them comes before it unless it
    /// descends from it, and so do these parents, alone or with all that they descend from.
    std::vector<int> made_to_fit(const Ordering& own, int v, std::span<const int> wanted, bool with_ancestors) const;
    /// Draw a way from a variable up to one that has no parents, and let its variables follow each other the other way round.
    void turn_path(Ordering& own, Draws& draws) const;
    /// Draw one of the families that are worth more than those chosen; climb while it is kept, and then freely.
    void force(Ordering& own, Draws& draws) const;
    /// Draw some variables that have to do with each other, by families that they have or would rather have.
    std::vector<int> related(const Ordering& own, Draws& draws) const;
    /// Let some variables choose their families anew, all at once: the best that make a DAG with what the others have. Where
    /// they cannot do better, the order stays as it is.
    void choose_anew(Ordering& own, const std::vector<int>& some) const;
    /// Let some and then others choose anew, and climb where that has helped.
    void let_choose_anew(Ordering& own, Draws& draws, int times) const;
    void improve(Ordering& own, Draws& draws) const;
    Ordering mixed(const Ordering& a, const Ordering& b, Draws& draws) const;
    /// Take over what is better than the best; then look closer at the families that fit it, as long as that helps.
    bool keep_best();
    /// Extend the best families that fit an order; whether there were new ones.
    bool grow_around(Ordering& own);
    bool grow(const std::vector<int>& place);
    /// Before the search ends, let variables of the best order choose anew; whether that has helped.
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
