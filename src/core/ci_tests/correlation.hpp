// Partial correlations and their tests, from the sums of cross-products alone, without a pass over rows.
//
// Variables are eliminated in the order of their numbers, by basic operations in the order written, and all formulas
// are symmetric in x and y: the same bits on every machine and for both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "ci_tests/subsets.hpp"
#include "numeric/p_values.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// Residual cross-products after the elimination of some variables.
class Elimination {
public:
    explicit Elimination(MatrixView<const double> matrix) : matrix_(matrix) {}

    /// Eliminate these variables, in ascending order; a pivot below 2**-40 of its diagonal is replaced by that. A
    /// prefix shared with the previous call is not eliminated again.
    void begin(std::span<const int> given);

    /// The partial correlation of x and y.
    double correlation(int x, int y);

    /// Same for one x with many y: fix x first.
    void fix(int x) { solve(x, given_.size(), row_x_.data()); }
    double correlation_of_fixed(int x, int y);

private:
    double* row(std::size_t i) { return factor_.data() + i * given_.size(); }
    /// The row of a variable below the factor of the first k given variables.
    void solve(int v, std::size_t k, double* out);
    double residual(int u, int v, const std::vector<double>& row_u, const std::vector<double>& row_v) const;

    MatrixView<const double> matrix_;
    std::vector<int> given_;
    std::vector<double> factor_, row_x_, row_y_;
};

/// The test statistic of a partial correlation.
enum class CorrelationStatistic {
    /// The correlation itself, with Student's t distribution.
    student,
    /// Fisher's z transform, with a normal distribution.
    fisher,
    /// Gaussian mutual information, with a chi-square distribution.
    information,
};

/// The outcome for a correlation over this many rows, given `size` variables.
Outcome judge_correlation(CorrelationStatistic statistic, std::int64_t rows, double correlation, std::size_t size);

/// A test of the partial correlation.
class CorrelationTest {
public:
    /// `matrix`: sums of cross-products over `total` rows, with any scale.
    CorrelationTest(Matrix<double> matrix, CorrelationStatistic statistic, std::int64_t total)
        : matrix_(std::move(matrix)), statistic_(statistic), total_(total) {}

    /// Test x and each candidate given some variables, which are ascending.
    std::vector<Outcome> outcomes(int x, std::span<const int> given, std::span<const int> candidates) const;

    /// P-values of the same tests; a value that is clearly above alpha is given as 1.
    std::vector<double> p_values(int x, std::span<const int> given, std::span<const int> candidates, double alpha) const;

    /// The outcome for a correlation given `size` variables.
    Outcome judge(double correlation, std::size_t size) const {
        return judge_correlation(statistic_, total_, correlation, size);
    }

    /// The absolute correlations at which p-values cross alpha, given `size` variables.
    Critical critical_correlation(std::size_t size, double alpha) const;

    MatrixView<const double> matrix() const { return matrix_.view(); }

private:
    std::vector<double> correlations(int x, std::span<const int> given, std::span<const int> candidates) const;

    Matrix<double> matrix_;
    CorrelationStatistic statistic_;
    std::int64_t total_;
    mutable std::mutex mutex_;
    mutable std::map<std::pair<std::size_t, double>, Critical> critical_;
};

/// An enumeration of the subsets of a pool, to find one that separates x and y; it keeps its position.
class CorrelationWalk {
public:
    /// Independent means a p-value above alpha. The variables of `always` are given with each subset. Unless all
    /// p-values are needed, one that is clearly not above alpha counts as 0.
    CorrelationWalk(std::shared_ptr<const CorrelationTest> test, int x, int y, std::vector<int> always,
                    SubsetCursor subsets, double alpha, bool know_all);

    /// Make at most this many tests; return whether there are more to make.
    bool advance(int most);

    /// Whether the last subset separates x and y, which ends the enumeration.
    bool found() const { return found_; }
    /// Number of tests so far. A subset that need not be tested counts as one.
    std::int64_t tests() const { return tests_; }
    /// The greatest p-value so far; that of the separating subset if one was found.
    double p_value() const { return greatest_; }
    /// The separating subset, if one was found.
    std::vector<int> subset() const { return found_ ? subsets_.members() : std::vector<int>{}; }

private:
    double test_subset();

    std::shared_ptr<const CorrelationTest> test_;
    int x_, y_;
    std::vector<int> always_;
    SubsetCursor subsets_;
    double alpha_;
    bool know_all_;
    std::vector<int> given_;
    Elimination elimination_;
    /// Number of given variables of the cached critical value.
    std::size_t size_ = std::numeric_limits<std::size_t>::max();
    Critical critical_;
    /// The weakest correlation of these tests whose p-value is known.
    double weakest_ = 0.0;
    bool found_ = false;
    std::int64_t tests_ = 0;
    double greatest_ = 0.0;
};

}  // namespace stablebn
