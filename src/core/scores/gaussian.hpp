// Scores of continuous data: differences of log-determinants of matrices of cross-products (specification, section 2).
//
// Only basic operations in the order written: the same bits on every machine. Elimination follows the numbering of the
// variables, and each entry receives the same updates whatever other variables are eliminated. So sets of up to two
// variables have the same bits in every column order, and larger sets once the variables are numbered canonically.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scores/family_scores.hpp"
#include "scores/likelihood_bounds.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// Relative residual variance below which columns count as collinear, because the factor is noise (specification,
/// section 2).
constexpr double SMALLEST_RESIDUAL = 1.0 / (std::int64_t{1} << 40);

/// A symmetric positive matrix with entry (u, v) = entries(u, v) * 2**(exponents[u] + exponents[v]); diagonal entries
/// are in [1, 4).
struct ScaledMatrix {
    Matrix<double> entries;
    std::vector<std::int64_t> exponents;
};

/// Scores m(S + v) ln det M[S + v] / 2 - m(S) ln det M[S] / 2, plus an offset by the number of parents.
class GaussianScores final : public FamilyScores {
public:
    /// `factors` is m by the size of the set, `offsets` the offset by the number of parents.
    GaussianScores(ScaledMatrix matrix, std::vector<std::int64_t> factors, std::vector<Fixed> offsets,
                   std::shared_ptr<Pool> pool);

    Pool& pool() const override { return *pool_; }
    Fixed term(int child, const VariableSet& parents) override;
    std::unique_ptr<ParentSets> parent_sets() override;
    double cost_of_family() const override;

    /// m ln det M / 2 of a set.
    Fixed half_ln_determinant(std::span<const int> members) const;

protected:
    std::optional<Wide> bound_with_more(int child, const VariableSet& parents) override;
    std::optional<Wide> bound_added(int child, const VariableSet& parents, Wide gain, int more) override;
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;
    void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) override;

private:
    /// Same for the members and u, for each other variable u, which is inserted in its order.
    std::vector<Fixed> half_ln_determinants_extended(std::span<const int> members) const;
    Fixed half_ln_of(double mantissa, std::int64_t exponent, std::size_t size) const;
    Fixed difference(std::span<const int> family, std::span<const int> parents) const;
    /// Nothing if determinants of many columns are noise, or the score is not a penalised likelihood.
    const std::optional<LikelihoodBounds>& bounds();
    void find_bounds();
    /// The penalty of one parent.
    Wide unit() const { return (offsets_[0] - offsets_[1]).units; }

    ScaledMatrix matrix_;
    std::vector<std::int64_t> factors_;
    std::vector<Fixed> offsets_;
    std::shared_ptr<Pool> pool_;
    std::once_flag bound_once_;
    std::optional<LikelihoodBounds> bounds_;
};

}  // namespace stablebn
