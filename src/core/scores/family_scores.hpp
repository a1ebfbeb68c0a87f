// What a search asks of a score: families, and what each single change of their parents would bring.
#pragma once

#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "numeric/fixed.hpp"
#include "order_search/parent_sets.hpp"
#include "runtime/pool.hpp"
#include "table/variable_set.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// A family with a larger penalty, in nats, is not a candidate. A log-likelihood gains at most N ln N, for 2**40 rows less than
/// 2**45 nats: so no such family could be worth it. Up to 2**28 rows the limit is the one that there has always been.
inline double largest_penalty(std::int64_t rows) { return rows <= (std::int64_t{1} << 28) ? 0x1p30 : 0x1p46; }

/// One variable with its parents.
struct Family {
    /// By variable u: the change of score when u becomes a parent or, where it is one, ceases to be; NOT_A_CANDIDATE
    /// where the family may not become that. That of the child itself is 0.
    std::vector<Fixed> changes;
};

/// In place of what a child gains: it cannot have these parents.
constexpr Wide NO_GAIN = -(Wide{1} << 120);
/// More than any gain.
constexpr Wide NO_LIMIT = Wide{1} << 120;

/// What a child gains, over having no parents, with all others of a set and one more variable, for some of these.
struct Growing {
    int child;
    /// What it gains with the others of the set alone.
    Wide own;
    /// IN, ascending.
    std::span<const std::uint16_t> more;
    /// OUT, one for each; NO_GAIN where it cannot have these parents.
    std::span<Wide> gains;
};

/// Works out what children gain, set by set: in less time where each set begins like the one before. One for each thread.
class Gains {
public:
    Gains() = default;
    virtual ~Gains() = default;
    Gains(const Gains&) = delete;
    Gains& operator=(const Gains&) = delete;

    virtual void work_out(const VariableSet& set, std::span<const Growing> growing) = 0;
};

/// Scores of families; those that were worked out are kept, for every search that meets them again.
class FamilyScores {
public:
    FamilyScores(int variables, int most_parents) : variables_(variables), most_parents_(most_parents) {}
    virtual ~FamilyScores() = default;
    FamilyScores(const FamilyScores&) = delete;
    FamilyScores& operator=(const FamilyScores&) = delete;

    int variables() const { return variables_; }
    /// Larger sets of parents are not candidates.
    int most_parents() const { return most_parents_; }
    virtual Pool& pool() const = 0;

    /// Charge every arc the same: the score of a DAG is lowered by this much per arc. For a prior over graphs; call it
    /// before any family is scored. The penalty is the difference of |S| (|S| - 1) / 2, so score equivalence survives.
    void charge_arcs(Fixed cost) { cost_of_arc_ = cost; }
    /// What each arc costs; `term` and `first_terms` alone leave it out.
    Fixed cost_of_arc() const { return cost_of_arc_; }

    /// A family, worked out once.
    std::shared_ptr<const Family> family(int child, const VariableSet& parents);
    /// Whether a family is known or under way.
    bool knows(int child, const VariableSet& parents);
    /// A family that may be asked for soon, worked out unless that is done; null where another thread does it now.
    std::shared_ptr<const Family> prepare(int child, const VariableSet& parents);

    /// The change of score when u becomes a parent, for some u; those of others mean nothing. The family is not kept.
    std::vector<Fixed> additions(int child, const VariableSet& parents, std::span<const int> more);

    /// What works out gains, the cost of arcs included; nothing is kept of them.
    virtual std::unique_ptr<Gains> gains();

    /// Nanoseconds that `know_all_sets` takes, roughly; a function of the counts of variables, levels and rows and of bounds
    /// alone. Infinite where nothing can be worked out beforehand.
    virtual double cost_of_all_sets(int) { return std::numeric_limits<double>::infinity(); }
    /// Nanoseconds that scoring one set of parents among many takes, roughly, if nothing is worked out beforehand.
    virtual double cost_of_set() const { return 0; }
    /// Work out what gains need of all families of at most so many parents that can be worth it; not while gains are worked out.
    virtual void know_all_sets(int) {}
    /// What computes parent sets for a search that proposes graphs, by one thread; it must not outlive these scores.
    virtual std::unique_ptr<ParentSets> parent_sets();

    /// An upper bound of what a child gains, over having no parents, with all of some parents and at least one more; none
    /// where none is known.
    std::optional<Wide> most_with_more(int child, const VariableSet& parents) { return most_with_more(child, parents, NO_LIMIT); }
    /// The same; it need not be tight where it is above a limit anyway.
    std::optional<Wide> most_with_more(int child, const VariableSet& parents, Wide limit);
    /// An upper bound of what one more parent adds to any family that has all of some parents, and perhaps more; `gain` is
    /// what the child gains with these parents alone, over having none. None where no bound is known.
    std::optional<Wide> most_added(int child, const VariableSet& parents, Wide gain, int more);

    /// The score of a family without the cost of its arcs and without what only big integers can hold: the penalty of its
    /// free parameters.
    virtual Fixed term(int child, const VariableSet& parents) = 0;

    /// Terms and changes of every variable without parents.
    std::span<const Fixed> first_terms();
    MatrixView<const Fixed> first_changes();
    /// Whether these are known already.
    bool knows_first() const { return knows_first_; }

    /// Of every variable, the sum of the changes with each single parent that is a candidate; and those that are none, as
    /// child and parent.
    struct FirstSums {
        std::vector<Wide> sums;
        std::vector<std::pair<int, int>> barred;
    };
    FirstSums sums_of_first_changes();

    /// The same score for variables renumbered so that new i is old order[i].
    std::shared_ptr<FamilyScores> reordered(std::span<const int> order);

    /// Nanoseconds that working out a family takes, roughly.
    virtual double cost_of_family() const = 0;

protected:
    // What a kind of score implements knows nothing of the cost of arcs.

    /// The changes of a family.
    virtual std::vector<Fixed> work_out(int child, const VariableSet& parents) = 0;
    /// The changes of a family when u becomes a parent, for some u; those of others mean nothing.
    virtual std::vector<Fixed> work_out_additions(int child, const VariableSet& parents, std::span<const int> more);
    /// Write terms and changes of every variable without parents, into memory in which nothing is written.
    virtual void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes);
    /// What `most_with_more` and `most_added` return where arcs cost nothing.
    virtual std::optional<Wide> bound_with_more(int, const VariableSet&) { return std::nullopt; }
    /// What `bound_with_more` is not below, known without counting; none where that one takes no counting either.
    virtual std::optional<Wide> least_bound_with_more(int, const VariableSet&) { return std::nullopt; }
    virtual std::optional<Wide> bound_added(int, const VariableSet&, Wide, int) { return std::nullopt; }
    /// What `reordered` returns, but for the cost of arcs.
    virtual std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) = 0;
    /// Take over those of another score, where this variable i is its order[i], if they are known there.
    void adopt_first(FamilyScores& other, std::span<const int> order);

private:
    struct Key {
        int child;
        VariableSet parents;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct HashOfKey {
        std::size_t operator()(const Key& key) const {
            return VariableSet::Hash{}(key.parents) * 31 + static_cast<std::size_t>(key.child);
        }
    };

    /// A family, null if it is not yet known; and whether it was not even under way: then it is now, by who asked.
    std::pair<std::shared_ptr<const Family>, bool> claim(const Key& key);
    std::shared_ptr<const Family> work_out_claimed(const Key& key);
    /// Subtract the cost of arcs from the changes of a family.
    void charge(int child, const VariableSet& parents, std::span<Fixed> changes) const;
    /// Nanoseconds that it takes to look at every pair of variables.
    double cost_of_all_pairs() const;

    int variables_;
    int most_parents_;
    Fixed cost_of_arc_;
    std::once_flag first_once_;
    std::atomic<bool> knows_first_ = false;
    std::vector<Fixed> first_terms_;
    Matrix<Fixed> first_changes_;
    std::mutex mutex_;
    /// Null while a family is under way: who wants it waits for it, and helps.
    std::unordered_map<Key, std::shared_ptr<const Family>, HashOfKey> families_;
};

}  // namespace stablebn
