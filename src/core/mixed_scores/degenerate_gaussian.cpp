#include "mixed_scores/degenerate_gaussian.hpp"

#include <utility>

#include "numeric/logarithm.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds of a set of some columns.
constexpr double COST_OF_SET = 2000;

}  // namespace

DegenerateGaussianScores::DegenerateGaussianScores(std::shared_ptr<const CovarianceBlocks> covariances,
                                                   std::vector<std::vector<int>> blocks, std::int64_t total, Fixed unit,
                                                   std::shared_ptr<Pool> pool)
    : SetScores(static_cast<int>(blocks.size()), unit, total),
      covariances_(std::move(covariances)),
      blocks_(std::move(blocks)),
      total_(total),
      pool_(std::move(pool)) {}

double DegenerateGaussianScores::cost_of_family() const { return COST_OF_SET * variables(); }

double DegenerateGaussianScores::parameters(const VariableSet& set) const {
    double columns = 0;
    for (const int v : set) {
        for (const int block : blocks_[v]) columns += static_cast<double>(covariances_->columns(block));
    }
    return columns * (columns + 1) / 2;
}

Fixed DegenerateGaussianScores::work_out(const VariableSet& set) const {
    std::vector<int> blocks;
    for (const int v : set) blocks.insert(blocks.end(), blocks_[v].begin(), blocks_[v].end());
    const auto [mantissa, exponent] = covariances_->determinant(blocks);
    return half_ln(mantissa, exponent).times(-total_);
}

Fixed DegenerateGaussianScores::value(const VariableSet& set) {
    return values_.get(set, [&] { return work_out(set); });
}

std::vector<Fixed> DegenerateGaussianScores::extended(const VariableSet& base) {
    return values_.extensions(base, variables(), *pool_, [&](std::span<const int> unknown, std::span<Fixed> values) {
        const double cost = COST_OF_SET * static_cast<double>(unknown.size());
        pool_->share(unknown.size(), cost, [&](std::size_t place) {
            values[unknown[place]] = work_out(base.with(unknown[place]));
        });
    });
}

std::shared_ptr<FamilyScores> DegenerateGaussianScores::renumbered(std::span<const int> order) {
    std::vector<std::vector<int>> blocks;
    for (const int v : order) blocks.push_back(blocks_[v]);
    auto scores = std::make_shared<DegenerateGaussianScores>(covariances_, std::move(blocks), total_, unit(), pool_);
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
