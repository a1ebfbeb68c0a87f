// The additive basis score: a variable regressed on functions of each of its parents (Ramsey, Andrews and Spirtes
// 2025).
//
// A continuous variable has a first column, a monotone function of its values, and further columns, polynomials of
// higher degree; a categorical variable has the indicators of all its levels but one. A continuous child has one of two
// models: its first column regressed on the first columns of all parents, or on all columns of all parents. Its score
// is the higher penalised log-likelihood of the two. Linear relations need no further columns, so these cost nothing
// there. The indicators of a categorical child are regressed on first columns only, because the curvature of a
// probability carries no information about directions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mixed_scores/covariance_blocks.hpp"
#include "scores/family_scores.hpp"

namespace stablebn {

class AdditiveBasisScores final : public FamilyScores {
public:
    /// Variable v has the blocks blocks[v] of the covariances; the first block has its first column, or its indicators.
    AdditiveBasisScores(std::shared_ptr<const CovarianceBlocks> covariances, std::vector<std::vector<int>> blocks,
                        std::int64_t total, Fixed unit, std::shared_ptr<Pool> pool);

    Pool& pool() const override { return *pool_; }
    Fixed term(int child, const VariableSet& parents) override;
    double cost_of_family() const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    std::vector<Fixed> work_out(int child, const VariableSet& parents) override;
    std::vector<Fixed> work_out_additions(int child, const VariableSet& parents, std::span<const int> more) override;
    void work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) override;

private:
    /// The columns of the parents in a model.
    enum class Columns { first, all };

    /// The scores of families with each of some sets of further parents; NOT_A_CANDIDATE if there are too few rows.
    std::vector<Fixed> scores_with(int child, const VariableSet& parents, std::span<const std::vector<int>> joining) const;
    /// Replace scores by those of a model if these are higher.
    void raise(std::vector<Fixed>& scores, Columns model, int child, const VariableSet& parents,
               std::span<const std::vector<int>> joining) const;
    void append(std::vector<int>& blocks, Columns model, int variable) const;
    std::int64_t width(std::span<const int> blocks) const;

    std::shared_ptr<const CovarianceBlocks> covariances_;
    std::vector<std::vector<int>> blocks_;
    std::int64_t total_;
    Fixed unit_;
    std::shared_ptr<Pool> pool_;
};

}  // namespace stablebn
