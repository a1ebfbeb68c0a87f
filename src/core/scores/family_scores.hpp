// The interface between searches and scores: families, and the change of score for each single change of their parents.
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

/// A family with a larger penalty, in nats, is not a candidate. A log-likelihood gains at most N ln N, less than 2**45
/// nats for 2**40 rows, so no such family can improve the score. Up to 2**28 rows the limit is 2**30.
inline double largest_penalty(std::int64_t rows) { return rows <= (std::int64_t{1} << 28) ? 0x1p30 : 0x1p46; }

/// One variable with its parents.
struct Family {
    /// By variable u: the change of score if u becomes a parent or, if it is one, is removed; NOT_A_CANDIDATE if the
    /// resulting family is not allowed. 0 for the child itself.
    std::vector<Fixed> changes;
};

/// Stands for the gain of a child that cannot have these parents.
constexpr Wide NO_GAIN = -(Wide{1} << 120);
/// More than any gain.
constexpr Wide NO_LIMIT = Wide{1} << 120;

/// Gains of a child, over having no parents, with all other members of a set and one more variable, for some such
/// variables.
struct Growing {
    int child;
    /// Its gain with the other members of the set alone.
    Wide own;
    /// Input: the further variables, ascending.
    std::span<const std::uint16_t> more;
    /// Output: one gain per further variable; NO_GAIN if it cannot have these parents.
    std::span<Wide> gains;
};

/// Computes gains of children, set by set; faster if each set shares a prefix with the one before. One object per
/// thread.
class Gains {
public:
    Gains() = default;
    virtual ~Gains() = default;
    Gains(const Gains&) = delete;
    Gains& operator=(const Gains&) = delete;

    virtual void work_out(const VariableSet& set, std::span<const Growing> growing) = 0;
};

/// Scores of families. Computed families are cached for all searches.
class FamilyScores {
public:
    FamilyScores(int variables, int most_parents) : variables_(variables), most_parents_(most_parents) {}
    virtual ~FamilyScores() = default;
    FamilyScores(const FamilyScores&) = delete;
    FamilyScores& operator=(const FamilyScores&) = delete;

    int variables() const { return variables_; }
    /// Larger parent sets are not candidates.
    int most_parents() const { return most_parents_; }
    virtual Pool& pool() const = 0;

    /// Charge every arc the same cost, for a prior over graphs: the score of a DAG decreases by it per arc. Call before
    /// any family is scored. The penalty is a difference of |S| (|S| - 1) / 2, so score equivalence is preserved.
    void charge_arcs(Fixed cost) { cost_of_arc_ = cost; }
    /// The cost of each arc; only `term` and `first_terms` do not include it.
    Fixed cost_of_arc() const { return cost_of_arc_; }

    /// A family, computed once.
    std::shared_ptr<const Family> family(int child, const VariableSet& parents);
    /// Whether a family is computed or being computed.
    bool knows(int child, const VariableSet& parents);
    /// Compute a family that may be needed soon, unless it is known; null if another thread is computing it.
    std::shared_ptr<const Family> prepare(int child, const VariableSet& parents);

    /// The change of score if u becomes a parent, for each u in `more`; undefined for other u. The family is not
    /// cached.
    std::vector<Fixed> additions(int child, const VariableSet& parents, std::span<const int> more);

    /// An object that computes gains, including the cost of arcs; gains are not cached.
    virtual std::unique_ptr<Gains> gains();

    /// Estimated nanoseconds of `know_all_sets`, from the numbers of variables, levels and rows and from bounds alone.
    /// Infinite if nothing can be computed in advance.
    virtual double cost_of_all_sets(int) { return std::numeric_limits<double>::infinity(); }
    /// Estimated nanoseconds to score one parent set of many, if nothing was computed in advance.
    virtual double cost_of_set() const { return 0; }
    /// Compute in advance what gains need for all families of at most this many parents that can improve the score; not
    /// while gains are being computed.
    virtual void know_all_sets(int) {}
    /// An object that computes parent sets for a search that proposes graphs, for one thread; it must not outlive these
    /// scores.
    virtual std::unique_ptr<ParentSets> parent_sets();

    /// An upper bound of the gain of a child, over having no parents, with all of some parents and at least one more;
    /// nothing if no bound is known.
    std::optional<Wide> most_with_more(int child, const VariableSet& parents) { return most_with_more(child, parents, NO_LIMIT); }
    /// Same; above `limit` the bound need not be tight.
    std::optional<Wide> most_with_more(int child, const VariableSet& parents, Wide limit);
    /// An upper bound of what one more parent adds to any family that includes some parents; `gain` is the gain of the
    /// child with these parents alone. Nothing if no bound is known.
    std::optional<Wide> most_added(int child, const VariableSet& parents, Wide gain, int more);

    /// The score of a family without the cost of its arcs and without the penalty of free parameters that only big
    /// integers can represent.
    virtual Fixed term(int child, const VariableSet& parents) = 0;

    /// Terms and changes of every variable without parents.
    std::span<const Fixed> first_terms();
    MatrixView<const Fixed> first_changes();
    /// Whether these have been computed.
    bool knows_first() const { return knows_first_; }

    /// For every variable, the sum of the changes with each single candidate parent; and the pairs (child, parent) that
    /// are not candidates.
    struct FirstSums {
        std::vector<Wide> sums;
        std::vector<std::pair<int, int>> barred;
    };
    FirstSums sums_of_first_changes();

    /// The same score for renumbered variables: new i is old order[i].
    std::shared_ptr<FamilyScores> reordered(std::span<const int> order);

    /// Estimated nanoseconds to compute a family.
    virtual double cost_of_family() const = 0;

protected:
    // Implemented by each kind of score, without the cost of arcs.

    /// The changes of a family.
    virtual std::vector<Fixed> work_out(int child, const VariableSet& parents) = 0;
    /// The changes of a family if u becomes a parent, for each u in `more`; undefined for other u.
    virtual std::vector<Fixed> work_out_additions(int child, const VariableSet& parents, std::span<const int> more);
    /// Write terms and changes of every variable without parents into uninitialised memory.
    virtual void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes);
    /// The results of `most_with_more` and `most_added` without the cost of arcs.
    virtual std::optional<Wide> bound_with_more(int, const VariableSet&) { return std::nullopt; }
    /// A lower bound of `bound_with_more`, known without counting; nothing if that needs no counting either.
    virtual std::optional<Wide> least_bound_with_more(int, const VariableSet&) { return std::nullopt; }
    virtual std::optional<Wide> bound_added(int, const VariableSet&, Wide, int) { return std::nullopt; }
    /// The result of `reordered`, without the cost of arcs.
    virtual std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) = 0;
    /// Take over first terms and changes of another score, whose variable order[i] is variable i here, if they are
    /// known there.
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

    /// Return a family (null if it is not yet computed), and whether the caller must compute it because no thread does.
    std::pair<std::shared_ptr<const Family>, bool> claim(const Key& key);
    std::shared_ptr<const Family> work_out_claimed(const Key& key);
    /// Subtract the cost of arcs from the changes of a family.
    void charge(int child, const VariableSet& parents, std::span<Fixed> changes) const;
    /// Nanoseconds of a pass over all pairs of variables.
    double cost_of_all_pairs() const;

    int variables_;
    int most_parents_;
    Fixed cost_of_arc_;
    std::once_flag first_once_;
    std::atomic<bool> knows_first_ = false;
    std::vector<Fixed> first_terms_;
    Matrix<Fixed> first_changes_;
    std::mutex mutex_;
    /// Null while a family is being computed: other threads that need it wait and help.
    std::unordered_map<Key, std::shared_ptr<const Family>, HashOfKey> families_;
};

}  // namespace stablebn
