// Test whether two categorical variables are independent given continuous ones: a likelihood-ratio test of logistic
// regressions.
//
// If all variables have a conditional Gaussian distribution, the log-odds of categories given continuous variables are
// quadratic functions of these (Lauritzen and Wermuth 1989). So three multinomial logistic regressions on a constant,
// the values, their squares and their products are fitted: of x, of y, and of the pair (x, y). If x and y are
// independent given the continuous variables, the third is the sum of the other two.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/fixed.hpp"
#include "counting/strata.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// The rows of one stratum, with their continuous variables.
class QuadraticLogistic {
public:
    /// A regression with more coefficients is not fitted.
    static constexpr std::size_t MOST_COEFFICIENTS = 1024;

    /// The rows must be in memory. Columns are in the order of the numbers of their variables.
    QuadraticLogistic(const Strata& strata, std::span<const int> columns, std::span<const std::int32_t> rows);

    /// Return how much the log-likelihood of the pairs of classes exceeds that of both single regressions;
    /// NOT_A_CANDIDATE if the pairs have more than MOST_COEFFICIENTS coefficients. Classes of rows are small integers.
    Fixed gain(std::span<const std::int32_t> x, std::span<const std::int32_t> y) const;

private:
    class Fit;

    std::size_t features() const { return 1 + columns_ + columns_ * (columns_ + 1) / 2; }
    Fixed log_likelihood(std::span<const std::int32_t> classes) const;

    std::size_t columns_;
    /// Weights of rows; empty if each stands for itself.
    std::vector<std::int64_t> weights_;
    /// In steps of 2**-36 standard deviations of the whole column, or larger steps for very many rows.
    Matrix<std::int64_t> steps_;
    /// In standard deviations of the stratum, [rows, columns].
    Matrix<double> values_;
};

}  // namespace stablebn
