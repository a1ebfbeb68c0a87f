// Partial correlations, from the sums of cross-products alone: no pass over rows.
//
// Variables are eliminated in the order of their numbers, by basic operations in the order written, and no formula
// tells x from y: the same bits on every machine and for both.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "subsets.hpp"
#include "views.hpp"

namespace stablebn {

/// Some variables eliminated: what they leave of the others' cross-products.
class Elimination {
public:
    explicit Elimination(MatrixView<const double> matrix) : matrix_(matrix) {}

    /// Eliminate these variables, which are ascending; a pivot below 2**-40 of its diagonal counts as that.
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
    std::span<const int> given_;
    std::vector<double> factor_, row_x_, row_y_;
};

class PartialCorrelations {
public:
    /// Sums of cross-products, scaled in any way.
    explicit PartialCorrelations(Matrix<double> matrix) : matrix_(std::move(matrix)) {}

    /// The correlation of x and each candidate given some variables, which are ascending.
    std::vector<double> given(int x, std::span<const int> given, std::span<const int> candidates) const;

    MatrixView<const double> matrix() const { return matrix_.view(); }

private:
    Matrix<double> matrix_;
};

/// A walk over subsets of a pool, in search of one given which x and y are not clearly dependent.
class CorrelationWalk {
public:
    /// The variables of `always` are given besides each subset.
    CorrelationWalk(std::shared_ptr<const PartialCorrelations> correlations, int x, int y, std::vector<int> always,
                    SubsetCursor subsets);

    bool ended() const { return subsets_.ended(); }
    /// Number of variables given in the next test.
    int given() const { return subsets_.size() + static_cast<int>(always_.size()); }

    /// What some tests, all with as many variables given, have found.
    struct Steps {
        int tests = 0;
        /// Whether the last correlation is not above the critical one, and it.
        bool unclear = false;
        double correlation = 0.0;
        /// The least absolute one of the others; infinite where there are none.
        double weakest = 0.0;
    };

    /// Test until an absolute correlation is not above the critical one, which holds for one size of subsets: or all of
    /// that size are tested, or as many as there may be.
    Steps advance(double critical, int most);

    /// The subset of the last test that was not clear.
    const std::vector<int>& subset() const { return subset_; }

private:
    double test();

    std::shared_ptr<const PartialCorrelations> correlations_;
    int x_, y_;
    std::vector<int> always_;
    SubsetCursor subsets_;
    std::vector<int> subset_, given_;
    Elimination elimination_;
};

}  // namespace stablebn
