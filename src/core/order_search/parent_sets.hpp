// Parent sets of one variable and the change of score that each single change of them brings, in doubles: what a search that
// proposes graphs looks at. Which of the proposed graphs is best is decided by exact scores.
#pragma once

#include <limits>
#include <vector>

#include "table/variable_set.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

class FamilyScores;

/// In place of a change of score: the variable cannot have these parents.
constexpr double IMPOSSIBLE = -std::numeric_limits<double>::infinity();

/// A parent set of one variable.
struct ParentSet {
    VariableSet parents;
    /// Its score, less that of a parent set that stays the same for each variable; in units of 2**-62 nats.
    Wide value = 0;
    /// By variable: the change of score in nats when it becomes a parent or, if it is one, ceases to be one. Changes that are
    /// not positive may be rough.
    std::vector<double> changes;
};

/// Computes parent sets. Each is a function of the variable and its parents alone, to the last bit: it does not matter which
/// sets were computed before. One object per thread.
class ParentSets {
public:
    ParentSets() = default;
    virtual ~ParentSets() = default;
    ParentSets(const ParentSets&) = delete;
    ParentSets& operator=(const ParentSets&) = delete;

    /// The smallest parent set that a variable may have.
    virtual ParentSet smallest(int child, const VariableSet& parents) = 0;
    /// The parent set with one parent more or one less.
    virtual ParentSet changed(int child, const ParentSet& from, int u) = 0;
};

/// Parent sets of any score, by its exact changes.
class ExactParentSets final : public ParentSets {
public:
    explicit ExactParentSets(FamilyScores& scores) : scores_(scores) {}

    ParentSet smallest(int child, const VariableSet& parents) override;
    ParentSet changed(int child, const ParentSet& from, int u) override;

private:
    ParentSet computed(int child, VariableSet parents, Wide value);

    FamilyScores& scores_;
};

}  // namespace stablebn
