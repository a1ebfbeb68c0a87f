// The degenerate Gaussian score of mixed data: a categorical variable is the indicators of all its levels but one, and
// all columns together are treated as Gaussian (Andrews, Ramsey and Cooper 2019).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixed_scores/covariance_blocks.hpp"
#include "scores/set_scores.hpp"

namespace stablebn {

/// Scores with g(S) = -(N / 2) ln r(S), r the determinant of `CovarianceBlocks`, and e (e + 1) / 2 parameters for e
/// columns. g is a set function: the order of variables and levels has no effect.
class DegenerateGaussianScores final : public SetScores {
public:
    /// Variable v has the blocks blocks[v].
    DegenerateGaussianScores(std::shared_ptr<const CovarianceBlocks> covariances, std::vector<std::vector<int>> blocks,
                             std::int64_t total, Fixed unit, std::shared_ptr<Pool> pool);

    Pool& pool() const override { return *pool_; }
    double cost_of_family() const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    Fixed value(const VariableSet& set) override;
    std::vector<Fixed> extended(const VariableSet& base) override;
    double parameters(const VariableSet& set) const override;

private:
    Fixed work_out(const VariableSet& set) const;

    std::shared_ptr<const CovarianceBlocks> covariances_;
    std::vector<std::vector<int>> blocks_;
    std::int64_t total_;
    std::shared_ptr<Pool> pool_;
    SetValues values_;
};

}  // namespace stablebn
