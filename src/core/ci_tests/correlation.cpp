#include "ci_tests/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stablebn {

namespace {

// Relative residual variance below which columns count as collinear, because the factor is noise (specification,
// section 2).
constexpr double SMALLEST_RESIDUAL = 0x1p-40;
// Correlations this near to 1 are replaced by this value, so that every statistic is finite.
constexpr double LARGEST = 1 - 0x1p-52;

}  // namespace

void Elimination::begin(std::span<const int> given) {
    const std::size_t k = given.size();
    // A row depends on the variables up to its own, and is stored elsewhere if their number differs.
    const auto differs = std::ranges::mismatch(given, given_).in1;
    const auto same = k == given_.size() ? static_cast<std::size_t>(differs - given.begin()) : 0;
    given_.assign(given.begin(), given.end());
    if (factor_.size() < k * k) factor_.resize(k * k);
    if (row_x_.size() < k) row_x_.resize(k), row_y_.resize(k);
    for (std::size_t i = same; i < k; ++i) {
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

Outcome judge_correlation(CorrelationStatistic statistic, std::int64_t rows, double correlation, std::size_t size) {
    const auto left = static_cast<double>(rows - static_cast<std::int64_t>(size));
    const double df = statistic == CorrelationStatistic::student  ? left - 2
                      : statistic == CorrelationStatistic::fisher ? left - 3
                                                                  : 1;
    // Too few rows for a test reject nothing.
    if (df < 1) return {0.0, df, 1.0};
    const double r = std::clamp(correlation, -LARGEST, LARGEST);
    if (statistic == CorrelationStatistic::student) return {r, df, student_tail(r, df)};
    if (statistic == CorrelationStatistic::fisher) {
        const double z = fisher_statistic(r, df);
        return {z, df, normal_tail(z)};
    }
    const double information = information_statistic(r, static_cast<double>(rows));
    return {information, df, chi_square_tail(information, df)};
}

Critical CorrelationTest::critical_correlation(std::size_t size, double alpha) const {
    const std::pair key{size, alpha};
    {
        const std::lock_guard lock(mutex_);
        const auto known = critical_.find(key);
        if (known != critical_.end()) return known->second;
    }
    const auto found = critical([&](double r) { return judge(r, size).p_value; }, alpha, 1.0);
    const std::lock_guard lock(mutex_);
    return critical_.emplace(key, found).first->second;
}

std::vector<double> CorrelationTest::correlations(int x, std::span<const int> given,
                                                  std::span<const int> candidates) const {
    Elimination elimination(matrix());
    elimination.begin(given);
    elimination.fix(x);
    std::vector<double> found;
    found.reserve(candidates.size());
    for (const int y : candidates) found.push_back(elimination.correlation_of_fixed(x, y));
    return found;
}

std::vector<Outcome> CorrelationTest::outcomes(int x, std::span<const int> given,
                                               std::span<const int> candidates) const {
    std::vector<Outcome> found;
    for (const double r : correlations(x, given, candidates)) found.push_back(judge(r, given.size()));
    return found;
}

std::vector<double> CorrelationTest::p_values(int x, std::span<const int> given, std::span<const int> candidates,
                                              double alpha) const {
    const double above = alpha < 1 ? critical_correlation(given.size(), alpha).above : -1.0;
    std::vector<double> found;
    for (const double r : correlations(x, given, candidates)) {
        found.push_back(std::abs(r) <= above ? 1.0 : judge(r, given.size()).p_value);
    }
    return found;
}

CorrelationWalk::CorrelationWalk(std::shared_ptr<const CorrelationTest> test, int x, int y, std::vector<int> always,
                                 SubsetCursor subsets, double alpha, bool know_all)
    : test_(std::move(test)),
      x_(x),
      y_(y),
      always_(std::move(always)),
      subsets_(std::move(subsets)),
      alpha_(alpha),
      know_all_(know_all),
      elimination_(test_->matrix()) {}

double CorrelationWalk::test_subset() {
    given_ = always_;
    for (int at = 0; at < subsets_.size(); ++at) given_.push_back(subsets_[at]);
    std::sort(given_.begin(), given_.end());
    if (given_.size() != size_) {
        size_ = given_.size();
        critical_ = test_->critical_correlation(size_, alpha_);
        weakest_ = std::numeric_limits<double>::infinity();
    }
    elimination_.begin(given_);
    const double r = std::abs(elimination_.correlation(x_, y_));
    // Given equally many variables, a stronger correlation has no greater p-value.
    if (know_all_ ? r >= weakest_ : r >= critical_.not_above) return 0.0;
    weakest_ = r;
    return test_->judge(r, size_).p_value;
}

bool CorrelationWalk::advance(int most) {
    for (int made = 0; made < most && !found_ && !subsets_.ended(); ++made) {
        if (subsets_.is_new()) {
            greatest_ = std::max(greatest_, test_subset());
            found_ = greatest_ > alpha_;
        }
        ++tests_;
        if (!found_) subsets_.next();
    }
    return !found_ && !subsets_.ended();
}

}  // namespace stablebn
