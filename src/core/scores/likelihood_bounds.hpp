// Upper bounds of how much further parents can raise a log-likelihood.
#pragma once

#include <algorithm>
#include <vector>

#include "table/variable_set.hpp"
#include "runtime/views.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// Upper bound of the error of sums of m ln m over counts m that sum to `rows`: each ln m is a sum of at most 40
/// logarithms of primes, each rounded to 2**-62, so a row adds less than 2**-56 nats. 2**-20 nats for 2**28 rows.
inline Wide slack_of_sums(std::int64_t rows) { return (Wide{1} << 42) * (1 + (rows >> 28)); }

/// Bounds of log-likelihoods that more parents never lower, in units of 2**-62 nats, rounded outwards.
struct LikelihoodBounds {
    /// By variable: its gain with all other variables as parents, over having none.
    std::vector<Wide> most;
    /// (v, u): the gain of v with u as its only parent.
    Matrix<Wide> with_one;
    Wide slack = 0;

    /// Bound of what one more parent adds to any family of a child that includes some parents, with which it gains
    /// `likelihood`.
    ///
    /// This is the conditional mutual information of child and new parent, which is symmetric: at most the remaining
    /// information about the child, and at most the remaining information about the new parent.
    Wide most_added(int child, const VariableSet& parents, Wide likelihood, int more) const {
        Wide known = 0;
        for (const int x : parents) known = std::max(known, with_one(more, x));
        return std::min(most[child] - likelihood, most[more] - known) + slack;
    }
};

}  // namespace stablebn
