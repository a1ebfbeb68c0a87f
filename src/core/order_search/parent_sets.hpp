// Parent sets of one variable and the change of score for each single change of them, in doubles, for a search that
// proposes graphs. Exact scores decide which of the proposed graphs is best.
#pragma once

#include <limits>
#include <vector>

#include "table/variable_set.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

class FamilyScores;

/// Stands for a change of score: the variable cannot have these parents.
constexpr double IMPOSSIBLE = -std::numeric_limits<double>::infinity();

/// A parent set of one variable.
struct ParentSet {
    VariableSet parents;
    /// Its score, relative to a fixed parent set of the variable; in units of 2**-62 nats.
    Wide value = 0;
    /// By variable: the change of score in nats if it becomes a parent or, if it is one, is removed. Changes that are
    /// not positive may be inexact.
    std::vector<double> changes;
};

/// Computes parent sets. Each is a function of the variable and its parents alone, to the last bit, whatever sets were
/// computed before. One object per thread.
class ParentSets {
public:
    ParentSets() = default;
    virtual ~ParentSets() = default;
    ParentSets(const ParentSets&) = delete;
    ParentSets& operator=(const ParentSets&) = delete;

    /// The smallest parent set that a variable may have.
    virtual ParentSet smallest(int child, const VariableSet& parents) = 0;
    /// The parent set with one parent added or removed.
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
