// Partial correlations and tests of them, from the sums of cross-products alone: no pass over rows.
//
// Variables are eliminated in the order of their numbers, by basic operations in the order written, and no formula
// tells x from y: the same bits on every machine and for both.
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

/// Some variables eliminated: what they leave of the others' cross-products.
class Elimination {
public:
    explicit Elimination(MatrixView<const double> matrix) : matrix_(matrix) {}

    /// Eliminate these variables, which are ascending; a pivot below 2**-40 of its diagonal counts as that. Where as many
    /// were eliminated before and the first of them are the same, these are not eliminated again.
    void begin(std::span<const int> given);

    /// The correlation of x and y in what is left.
    double correlation(int x, int y);

    /// The same of one x with many y.
    void fix(int x) { solve(x, given_.size(), row_x_.data()); }
    double correlation_of_fixed(int x, int y);

private:
    double* row(std::size_t i) { return factor_.data() + i * given_.size(); }
    /// The row of a variable below the factor of the first k given ones.
    void solve(int v, std::size_t k, double* out);
    double residual(int u, int v, const std::vector<double>& row_u, const std::vector<double>& row_v) const;

    MatrixView<const double> matrix_;
    std::vector<int> given_;
    std::vector<double> factor_, row_x_, row_y_;
};

/// What is made of a partial correlation.
enum class CorrelationStatistic {
    /// The correlation itself, judged by Student's t test.
    student,
    /// Fisher's z transform, with a normal distribution.
    fisher,
    /// Gaussian mutual information, with a chi-square distribution.
    information,
};

/// What a correlation of so many rows says given so many variables.
Outcome judge_correlation(CorrelationStatistic statistic, std::int64_t rows, double correlation, std::size_t size);

/// A test of the partial correlation.
class CorrelationTest {
public:
    /// Sums of cross-products over so many rows, scaled in any way.
    CorrelationTest(Matrix<double> matrix, CorrelationStatistic statistic, std::int64_t total)
        : matrix_(std::move(matrix)), statistic_(statistic), total_(total) {}

    /// x and each candidate given some variables, which are ascending.
    std::vector<Outcome> outcomes(int x, std::span<const int> given, std::span<const int> candidates) const;

    /// P-values of the same; one that is above alpha is given as 1 where that is clear.
    std::vector<double> p_values(int x, std::span<const int> given, std::span<const int> candidates, double alpha) const;

    /// What a correlation says given so many variables.
    Outcome judge(double correlation, std::size_t size) const {
        return judge_correlation(statistic_, total_, correlation, size);
    }

    /// The absolute correlations between which p-values cease to be above alpha, given so many variables.
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

/// A walk over subsets of a pool, in search of one that separates x and y; it keeps its place.
class CorrelationWalk {
public:
    /// Independent means a p-value above alpha. The variables of `always` are given besides each subset. Unless all are
    /// to be known, a p-value that is clearly not above alpha counts as 0.
    CorrelationWalk(std::shared_ptr<const CorrelationTest> test, int x, int y, std::vector<int> always,
                    SubsetCursor subsets, double alpha, bool know_all);

    /// Make at most so many tests; whether there are more to make.
    bool advance(int most);

    /// Whether the last subset separates x and y: then the walk is at its end.
    bool found() const { return found_; }
    /// Tests so far. A subset that is not worth one counts as one.
    std::int64_t tests() const { return tests_; }
    /// The greatest p-value so far; of the one found, if one is.
    double p_value() const { return greatest_; }
    /// The subset that separates them, if one was found.
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
    /// Of tests given so many variables.
    std::size_t size_ = std::numeric_limits<std::size_t>::max();
    Critical critical_;
    /// The weakest correlation of these tests whose p-value is known.
    double weakest_ = 0.0;
    bool found_ = false;
    std::int64_t tests_ = 0;
    double greatest_ = 0.0;
};

}  // namespace stablebn
