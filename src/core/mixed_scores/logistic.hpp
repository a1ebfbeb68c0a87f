// Multinomial logistic regression of a categorical variable on the values of continuous variables and the indicators of
// other categorical ones, with results that no order of rows can change.
//
// Newton's method starts from the coefficients of a linear discriminant analysis. Every coefficient is a multiple of 2**-16,
// and what each row adds to the log-likelihood and its derivatives is rounded to a fixed step before it is added: so the sums
// are sums of integers. The exponential and the logarithm are made of basic operations alone.
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

/// A variable by its column in the counts or among the continuous columns, and by its block of the covariances.
struct Regressor {
    bool is_categorical;
    int column;
    int block;
};

class LogisticRegression {
public:
    /// More coefficients than these are not fitted.
    static constexpr std::size_t MOST_COEFFICIENTS = 64;

    /// The rows must be in memory.
    LogisticRegression(std::shared_ptr<const Strata> strata, std::shared_ptr<const CovarianceBlocks> covariances);

    /// Return by how much the greatest log-likelihood of a categorical child with these parents, which come in the order of
    /// their numbers, exceeds that without parents. With more than MOST_COEFFICIENTS it is 0.
    Fixed gain(const Regressor& child, std::span<const Regressor> parents) const;

    /// Nanoseconds, roughly, of one fit.
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
    /// The levels of a variable of a family, the most frequent first; the covariances with the others decide between equals.
    std::vector<std::size_t> sorted_levels(const Regressor& own, std::span<const Regressor> family) const;

    std::shared_ptr<const Strata> strata_;
    std::shared_ptr<const CovarianceBlocks> covariances_;
    std::vector<Levels> levels_;
    /// In standard deviations, multiples of 2**-16.
    Matrix<double> values_;
    /// The same in larger steps, and not beyond some deviations.
    Matrix<std::int16_t> short_values_;
};

}  // namespace stablebn
