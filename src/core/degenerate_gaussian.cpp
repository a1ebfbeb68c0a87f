#include "degenerate_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gaussian.hpp"
#include "logarithm.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds of a set of some columns.
constexpr double COST_OF_SET = 2000;

}  // namespace

DegenerateGaussianScores::DegenerateGaussianScores(std::shared_ptr<const Matrix<double>> correlations,
                                                   std::vector<std::vector<int>> columns, std::int64_t total, Fixed unit,
                                                   std::shared_ptr<Pool> pool)
    : SetScores(static_cast<int>(columns.size()), unit),
      correlations_(std::move(correlations)),
      columns_(std::move(columns)),
      total_(total),
      pool_(std::move(pool)) {}

double DegenerateGaussianScores::cost_of_family() const { return COST_OF_SET * variables(); }

double DegenerateGaussianScores::parameters(const VariableSet& set) const {
    double columns = 0;
    for (const int v : set) columns += static_cast<double>(columns_[v].size());
    return columns * (columns + 1) / 2;
}

Fixed DegenerateGaussianScores::in_order(std::span<const int> variables) const {
    std::vector<int> all;
    for (const int v : variables) all.insert(all.end(), columns_[v].begin(), columns_[v].end());
    const std::size_t k = all.size();
    Matrix<double> work(k, k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) work(i, j) = (*correlations_)(all[i], all[j]);
    }
    double mantissa = 1.0;
    std::int64_t exponent = 0;
    for (std::size_t j = 0; j < k; ++j) {
        const double pivot = std::max(work(j, j), SMALLEST_RESIDUAL);
        int shift = 0;
        mantissa = std::frexp(mantissa * pivot, &shift);
        exponent += shift;
        for (std::size_t i = j + 1; i < k; ++i) {
            const double ratio = work(i, j) / pivot;
            for (std::size_t other = j + 1; other <= i; ++other) work(i, other) -= ratio * work(other, j);
        }
    }
    return half_ln(mantissa, exponent).times(-total_);
}

/// Of a pair the larger one of both orders: so it is the same before any order of the variables is known.
Fixed DegenerateGaussianScores::work_out(std::span<const int> variables) const {
    const Fixed forward = in_order(variables);
    if (variables.size() != 2) return forward;
    const int turned[2] = {variables[1], variables[0]};
    const Fixed backward = in_order(turned);
    return std::pair(forward.hi, forward.lo) < std::pair(backward.hi, backward.lo) ? backward : forward;
}

Fixed DegenerateGaussianScores::value(const VariableSet& set) {
    return values_.get(set, [&] { return work_out(set.members()); });
}

std::vector<Fixed> DegenerateGaussianScores::extended(const VariableSet& base) {
    return values_.extensions(base, variables(), *pool_, [&](std::span<const int> unknown, std::span<Fixed> values) {
        const double cost = COST_OF_SET * static_cast<double>(unknown.size());
        pool_->share(unknown.size(), cost, [&](std::size_t place) {
            values[unknown[place]] = work_out(base.with(unknown[place]).members());
        });
    });
}

std::shared_ptr<FamilyScores> DegenerateGaussianScores::reordered(std::span<const int> order) {
    std::vector<std::vector<int>> columns;
    for (const int v : order) columns.push_back(columns_[v]);
    auto scores =
        std::make_shared<DegenerateGaussianScores>(correlations_, std::move(columns), total_, unit(), pool_);
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
