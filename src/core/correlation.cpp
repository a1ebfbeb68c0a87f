#include "correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stablebn {

namespace {

// Relative residual variance below which columns count as collinear: the factor is noise there (SPEC 2).
constexpr double SMALLEST_RESIDUAL = 0x1p-40;

}  // namespace

void Elimination::begin(std::span<const int> given) {
    given_ = given;
    const std::size_t k = given.size();
    if (factor_.size() < k * k) factor_.resize(k * k);
    if (row_x_.size() < k) row_x_.resize(k), row_y_.resize(k);
    for (std::size_t i = 0; i < k; ++i) {
        const int v = given[i];
        double* own = row(i);
        solve(v, i, own);
        double rest = matrix_(v, v);
        for (std::size_t j = 0; j < i; ++j) rest -= own[j] * own[j];
        own[i] = std::sqrt(std::max(rest, SMALLEST_RESIDUAL * matrix_(v, v)));
    }
}

void Elimination::solve(int v, std::size_t k, double* out) {
    for (std::size_t i = 0; i < k; ++i) {
        double value = matrix_(v, given_[i]);
        const double* own = row(i);
        for (std::size_t j = 0; j < i; ++j) value -= out[j] * own[j];
        out[i] = value / own[i];
    }
}

double Elimination::residual(int u, int v, const std::vector<double>& row_u, const std::vector<double>& row_v) const {
    double value = matrix_(u, v);
    for (std::size_t j = 0; j < given_.size(); ++j) value -= row_u[j] * row_v[j];
    return value;
}

double Elimination::correlation_of_fixed(int x, int y) {
    solve(y, given_.size(), row_y_.data());
    const double in_x = std::max(residual(x, x, row_x_, row_x_), SMALLEST_RESIDUAL * matrix_(x, x));
    const double in_y = std::max(residual(y, y, row_y_, row_y_), SMALLEST_RESIDUAL * matrix_(y, y));
    return std::clamp(residual(x, y, row_x_, row_y_) / std::sqrt(in_x * in_y), -1.0, 1.0);
}

double Elimination::correlation(int x, int y) {
    fix(x);
    return correlation_of_fixed(x, y);
}

std::vector<double> PartialCorrelations::given(int x, std::span<const int> given, std::span<const int> candidates) const {
    Elimination elimination(matrix());
    elimination.begin(given);
    elimination.fix(x);
    std::vector<double> found;
    found.reserve(candidates.size());
    for (const int y : candidates) found.push_back(elimination.correlation_of_fixed(x, y));
    return found;
}

CorrelationWalk::CorrelationWalk(std::shared_ptr<const PartialCorrelations> correlations, int x, int y,
                                 std::vector<int> always, SubsetCursor subsets)
    : correlations_(std::move(correlations)),
      x_(x),
      y_(y),
      always_(std::move(always)),
      subsets_(std::move(subsets)),
      elimination_(correlations_->matrix()) {}

double CorrelationWalk::test() {
    given_ = always_;
    for (int at = 0; at < subsets_.size(); ++at) given_.push_back(subsets_[at]);
    std::sort(given_.begin(), given_.end());
    elimination_.begin(given_);
    return elimination_.correlation(x_, y_);
}

CorrelationWalk::Steps CorrelationWalk::advance(double critical, int most) {
    Steps steps{.weakest = std::numeric_limits<double>::infinity()};
    const int size = subsets_.size();
    while (!steps.unclear && steps.tests < most && !subsets_.ended() && subsets_.size() == size) {
        steps.correlation = test();
        ++steps.tests;
        steps.unclear = std::abs(steps.correlation) <= critical;
        if (steps.unclear) {
            subset_ = subsets_.members();
        } else {
            steps.weakest = std::min(steps.weakest, std::abs(steps.correlation));
        }
        subsets_.next();
    }
    return steps;
}

}  // namespace stablebn
