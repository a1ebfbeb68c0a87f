// Multinomial logistic regression of a categorical variable on continuous variables and indicators of categorical ones;
// the result does not depend on the order of rows.
//
// Newton's method starts from the coefficients of a linear discriminant analysis. Coefficients are multiples of 2**-16,
// and the contribution of each row to the log-likelihood and its derivatives is rounded to a fixed step before it is
// added, so sums are integer sums. The exponential and the logarithm use basic operations alone.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixed_scores/covariance_blocks.hpp"
#include "numeric/fixed.hpp"
#include "counting/strata.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// A variable: its column in the counts or among the continuous columns, and its block of the covariances.
struct Regressor {
    bool is_categorical;
    int column;
    int block;
};

class LogisticRegression {
public:
    /// Regressions with more coefficients are not fitted.
    static constexpr std::size_t MOST_COEFFICIENTS = 64;

    /// The rows must be in memory.
    LogisticRegression(std::shared_ptr<const Strata> strata, std::shared_ptr<const CovarianceBlocks> covariances);

    /// Return how much the greatest log-likelihood of a categorical child with these parents exceeds that without
    /// parents; 0 with more than MOST_COEFFICIENTS. Parents are in the order of their numbers.
    Fixed gain(const Regressor& child, std::span<const Regressor> parents) const;

    /// Estimated nanoseconds per fit.
    double cost() const;

private:
    class Fit;

    /// The levels of a categorical variable that occur, by code.
    struct Levels {
        std::vector<int> codes;
        std::vector<std::int64_t> sizes;
    };

    /// N sum(x y) - sum(x) sum(y) of one column of each variable; 0 <= level < number of levels that occur.
    Wide product(const Regressor& u, std::size_t level, const Regressor& v, std::size_t other) const;
    std::size_t width(const Regressor& u) const { return u.is_categorical ? levels_[u.column].codes.size() : 1; }
    /// The levels of a variable of a family, the most frequent first; ties by the covariances with the other variables.
    std::vector<std::size_t> sorted_levels(const Regressor& own, std::span<const Regressor> family) const;

    std::shared_ptr<const Strata> strata_;
    std::shared_ptr<const CovarianceBlocks> covariances_;
    std::vector<Levels> levels_;
    /// In standard deviations, as multiples of 2**-16.
    Matrix<double> values_;
    /// Same in larger steps, limited to some standard deviations.
    Matrix<std::int16_t> short_values_;
};

}  // namespace stablebn
