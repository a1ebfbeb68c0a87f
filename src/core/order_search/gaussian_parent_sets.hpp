// Parent sets of Gaussian scores, by a Cholesky factor in doubles. Only basic operations in the order written: the same
// bits on every machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "order_search/parent_sets.hpp"
#include "runtime/views.hpp"

namespace stablebn {

struct ScaledMatrix;

/// The terms of a Gaussian score in doubles, see `GaussianScores`.
struct GaussianTerms {
    const ScaledMatrix& matrix;
    /// m, by the size of the set.
    std::vector<double> factors;
    /// The change of score if a variable with 0, 1, ... parents gets one more that explains nothing.
    std::vector<double> penalties;
};

class GaussianParentSets final : public ParentSets {
public:
    explicit GaussianParentSets(GaussianTerms terms);

    ParentSet smallest(int child, const VariableSet& parents) override { return computed(child, parents); }
    ParentSet changed(int child, const ParentSet& from, int u) override;

private:
    ParentSet computed(int child, VariableSet parents);
    /// Eliminate the parents from the rows of all variables; return the logarithm of their determinant.
    double eliminate(const VariableSet& parents);
    void invert_factor(std::size_t size);

    GaussianTerms terms_;
    /// Row j: the covariance of the j-th parent with every variable given the parents before it, divided by that
    /// parent's standard deviation.
    Matrix<double> rows_;
    /// The inverse of the factor, which is formed by the columns of `rows_` that belong to parents.
    Matrix<double> inverse_;
    std::vector<double> covariances_, variances_;
};

/// ln x of a normal number x > 0, with a relative error of about 2**-51.
double quick_ln(double x);

}  // namespace stablebn
