// How far more parents can raise a log-likelihood at most.
#pragma once

#include <algorithm>
#include <vector>

#include "table/variable_set.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// More than sums of m ln m, over counts m that add up to so many rows, are off: each ln m is a sum of at most 40 logarithms
/// of primes, each rounded to 2**-62, so that a row adds less than 2**-56 nats. 2**-20 nats for 2**28 rows.
inline Wide slack_of_sums(std::int64_t rows) { return (Wide{1} << 42) * (1 + (rows >> 28)); }

/// Bounds of log-likelihoods that more parents never lower, in units of 2**-62 nats and rounded outwards.
struct LikelihoodBounds {
    /// By variable: what it gains with all others as parents, over having none.
    std::vector<Wide> most;
    /// (v, u): what v gains with u as its single parent.
    Matrix<Wide> with_one;
    Wide slack = 0;

    /// What one more parent adds to any family of a child that has all of some parents, with which it gains `likelihood`.
    ///
    /// That is the information that the two have of each other given the parents, the same for both: no more than what
    /// is left to know of the child, and no more than what is left to know of the one that joins.
    Wide most_added(int child, const VariableSet& parents, Wide likelihood, int more) const {
        Wide known = 0;
        for (const int x : parents) known = std::max(known, with_one(more, x));
        return std::min(most[child] - likelihood, most[more] - known) + slack;
    }
};

}  // namespace stablebn
