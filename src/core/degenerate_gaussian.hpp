// The degenerate Gaussian score of mixed data: a categorical variable is the indicators of all its levels but one, and the
// columns of all variables together count as Gaussian (Andrews, Ramsey and Cooper 2019).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "set_scores.hpp"
#include "views.hpp"

namespace stablebn {

/// Variables that are blocks of columns: g(S) = -(N / 2) ln det R[S], R the correlations, with e (e + 1) / 2 parameters of e
/// columns.
class DegenerateGaussianScores final : public SetScores {
public:
    /// `columns` are those of each variable, in the order in which they are eliminated.
    DegenerateGaussianScores(std::shared_ptr<const Matrix<double>> correlations, std::vector<std::vector<int>> columns,
                             std::int64_t total, Fixed unit, std::shared_ptr<Pool> pool);

    Pool& pool() const override { return *pool_; }
    std::shared_ptr<FamilyScores> reordered(std::span<const int> order) override;
    double cost_of_family() const override;

protected:
    Fixed value(const VariableSet& set) override;
    std::vector<Fixed> extended(const VariableSet& base) override;
    double parameters(const VariableSet& set) const override;

private:
    Fixed work_out(std::span<const int> variables) const;
    /// Minus N ln det / 2, the blocks eliminated in this order.
    Fixed in_order(std::span<const int> variables) const;

    std::shared_ptr<const Matrix<double>> correlations_;
    std::vector<std::vector<int>> columns_;
    std::int64_t total_;
    std::shared_ptr<Pool> pool_;
    SetValues values_;
};

}  // namespace stablebn
