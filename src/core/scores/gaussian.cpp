#include "scores/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "order_search/gaussian_parent_sets.hpp"
#include "numeric/logarithm.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds of a family with few parents, per other variable.
constexpr double COST_OF_CANDIDATE = 150;

// In nats: bounds with a larger possible error are useless.
constexpr double MOST_SLACK = 1.0;

constexpr double LN_2 = 0.6931471805599453;

}  // namespace

GaussianScores::GaussianScores(ScaledMatrix matrix, std::vector<std::int64_t> factors, std::vector<Fixed> offsets,
                               std::shared_ptr<Pool> pool)
    : FamilyScores(static_cast<int>(matrix.entries.rows()), static_cast<int>(offsets.size()) - 1),
      matrix_(std::move(matrix)),
      factors_(std::move(factors)),
      offsets_(std::move(offsets)),
      pool_(std::move(pool)) {}

double GaussianScores::cost_of_family() const { return COST_OF_CANDIDATE * variables(); }

std::unique_ptr<ParentSets> GaussianScores::parent_sets() {
    GaussianTerms terms{matrix_, {factors_.begin(), factors_.end()}, {}};
    for (std::size_t p = 0; p + 1 < offsets_.size(); ++p) {
        terms.penalties.push_back((offsets_[p + 1] - offsets_[p] - cost_of_arc()).to_double());
    }
    return std::make_unique<GaussianParentSets>(std::move(terms));
}

Fixed GaussianScores::half_ln_of(double mantissa, std::int64_t exponent, std::size_t size) const {
    return half_ln(mantissa, exponent).times(factors_[size]);
}

/// A pivot below 2**-40 of its variable's own diagonal is replaced by that. A pair has a formula of its own, symmetric
/// to the last bit, so that it can be used before the variables are ordered.
Fixed GaussianScores::half_ln_determinant(std::span<const int> members) const {
    const auto& m = matrix_.entries;
    const std::size_t k = members.size();
    std::int64_t exponent = 0;
    for (const int v : members) exponent += 2 * matrix_.exponents[v];
    if (k == 2) {
        const double a = m(members[0], members[0]), b = m(members[1], members[1]), c = m(members[0], members[1]);
        return half_ln_of(std::max(a * b - c * c, SMALLEST_RESIDUAL * (a * b)), exponent, k);
    }
    Matrix<double> work(k, k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) work(i, j) = m(members[i], members[j]);
    }
    double mantissa = 1.0;
    for (std::size_t j = 0; j < k; ++j) {
        const double pivot = std::max(work(j, j), SMALLEST_RESIDUAL * m(members[j], members[j]));
        int shift = 0;
        mantissa = std::frexp(mantissa * pivot, &shift);
        exponent += shift;
        for (std::size_t i = j + 1; i < k; ++i) {
            const double ratio = work(i, j) / pivot;
            for (std::size_t other = j + 1; other <= i; ++other) work(i, other) -= ratio * work(other, j);
        }
    }
    return half_ln_of(mantissa, exponent, k);
}

/// All u inserted at the same position p share the elimination of the members before it. `work` is the matrix of the
/// members from p on; columns before p are as they were when they were eliminated, `ratios` their multipliers.
std::vector<Fixed> GaussianScores::half_ln_determinants_extended(std::span<const int> members) const {
    const auto& m = matrix_.entries;
    const std::size_t k = members.size();
    std::vector<Fixed> out(variables());
    if (k <= 1) {
        for (int u = 0; u < variables(); ++u) {
            if (k && u == members[0]) continue;
            const int pair[2] = {k ? members[0] : u, u};
            out[u] = half_ln_determinant(std::span(pair).last(k + 1));
        }
        return out;
    }
    Matrix<double> work(k, k), ratios(k, k), rest(k, k);
    std::vector<double> pivots(k), row(k), column(k);
    std::int64_t base = 0;
    for (std::size_t i = 0; i < k; ++i) {
        base += 2 * matrix_.exponents[members[i]];
        for (std::size_t j = 0; j <= i; ++j) work(i, j) = m(members[i], members[j]);
    }
    double mantissa = 1.0;
    int shift = 0;
    std::size_t p = 0;
    for (int u = 0; u < variables(); ++u) {
        if (p < k && u == members[p]) {
            pivots[p] = std::max(work(p, p), SMALLEST_RESIDUAL * m(u, u));
            mantissa = std::frexp(mantissa * pivots[p], &shift);
            base += shift;
            for (std::size_t i = p + 1; i < k; ++i) {
                ratios(i, p) = work(i, p) / pivots[p];
                for (std::size_t other = p + 1; other <= i; ++other) work(i, other) -= ratios(i, p) * work(other, p);
            }
            ++p;
            continue;
        }
        double own = m(u, u);
        for (std::size_t j = 0; j < p; ++j) row[j] = m(u, members[j]);
        for (std::size_t i = p; i < k; ++i) column[i] = m(members[i], u);
        for (std::size_t j = 0; j < p; ++j) {
            const double ratio = row[j] / pivots[j];
            for (std::size_t other = j + 1; other < p; ++other) row[other] -= ratio * work(other, j);
            own -= ratio * row[j];
            for (std::size_t i = p; i < k; ++i) column[i] -= ratios(i, j) * row[j];
        }
        double pivot = std::max(own, SMALLEST_RESIDUAL * m(u, u));
        double product = std::frexp(mantissa * pivot, &shift);
        std::int64_t exponent = shift + base + 2 * matrix_.exponents[u];
        for (std::size_t i = p; i < k; ++i) {
            const double ratio = column[i] / pivot;
            for (std::size_t other = p; other <= i; ++other) rest(i, other) = work(i, other) - ratio * column[other];
        }
        for (std::size_t j = p; j < k; ++j) {
            pivot = std::max(rest(j, j), SMALLEST_RESIDUAL * m(members[j], members[j]));
            product = std::frexp(product * pivot, &shift);
            exponent += shift;
            for (std::size_t i = j + 1; i < k; ++i) {
                const double ratio = rest(i, j) / pivot;
                for (std::size_t other = j + 1; other <= i; ++other) rest(i, other) -= ratio * rest(other, j);
            }
        }
        out[u] = half_ln_of(product, exponent, k + 1);
    }
    return out;
}

Fixed GaussianScores::difference(std::span<const int> family, std::span<const int> parents) const {
    return half_ln_determinant(family) - half_ln_determinant(parents) + offsets_[parents.size()];
}

Fixed GaussianScores::term(int child, const VariableSet& parents) {
    return difference(parents.with(child).members(), parents.members());
}

const std::optional<LikelihoodBounds>& GaussianScores::bounds() {
    std::call_once(bound_once_, [this] { find_bounds(); });
    return bounds_;
}

void GaussianScores::find_bounds() {
    const int n = variables();
    const bool is_likelihood = std::equal(factors_.begin() + 1, factors_.end(), factors_.begin());
    if (!is_likelihood || n < 2 || most_parents() < n - 1) return;
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    const VariableSet everything(all);
    const Fixed whole = half_ln_determinant(all);
    const auto changes = first_changes();
    LikelihoodBounds found;
    found.most.resize(n);
    found.with_one = Matrix<Wide>(n, n);
    double smallest = 1;
    for (int v = 0; v < n; ++v) {
        const Fixed most = whole - half_ln_determinant(everything.without(v).members()) - half_ln_determinant(std::span(&v, 1));
        found.most[v] = most.units;
        // A power of two at most the residual variance, by basic operations alone.
        const double bits = 2 * most.to_double() / (LN_2 * static_cast<double>(factors_[0]));
        smallest = std::min(smallest, std::ldexp(1.0, static_cast<int>(std::floor(bits))));
        for (int u = 0; u < n; ++u) {
            if (u != v) found.with_one(v, u) = (changes(v, u) + cost_of_arc()).units + unit();
        }
    }
    // A pivot has an error of about 2**-53 of its own diagonal per elimination, and each logarithm that error divided
    // by the pivot.
    const double slack = -static_cast<double>(factors_[0]) * n * n * 0x1p-50 / smallest;
    if (!(slack < MOST_SLACK)) return;
    found.slack = slack_of_sums(std::abs(factors_[0])) + static_cast<Wide>(slack * 0x1p30) * (Wide{1} << 32);
    bounds_ = std::move(found);
}

std::optional<Wide> GaussianScores::bound_with_more(int child, const VariableSet& parents) {
    if (!bounds()) return std::nullopt;
    return bounds()->most[child] - static_cast<Wide>(parents.size() + 1) * unit() + bounds()->slack;
}

std::optional<Wide> GaussianScores::bound_added(int child, const VariableSet& parents, Wide gain, int more) {
    if (!bounds()) return std::nullopt;
    const Wide likelihood = gain + static_cast<Wide>(parents.size()) * unit();
    return bounds()->most_added(child, parents, likelihood, more) - unit();
}

std::vector<Fixed> GaussianScores::work_out(int child, const VariableSet& parents) {
    const VariableSet family = parents.with(child);
    const Fixed own = difference(family.members(), parents.members());
    std::vector<Fixed> changes(variables());
    if (static_cast<int>(parents.size()) < most_parents()) {
        const auto larger = half_ln_determinants_extended(family.members());
        const auto smaller = half_ln_determinants_extended(parents.members());
        for (int u = 0; u < variables(); ++u) changes[u] = larger[u] - smaller[u] + offsets_[parents.size() + 1] - own;
        changes[child] = {};
    }
    for (const int u : parents) {
        changes[u] = difference(family.without(u).members(), parents.without(u).members()) - own;
    }
    return changes;
}

void GaussianScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    const double cost = cost_of_family() * variables();
    pool_->share(variables(), cost, [&](std::size_t place) {
        const int v = static_cast<int>(place);
        terms[v] = term(v, {});
        const auto own = work_out(v, {});
        std::copy(own.begin(), own.end(), changes[v].begin());
    });
}

std::shared_ptr<FamilyScores> GaussianScores::renumbered(std::span<const int> order) {
    ScaledMatrix matrix{Matrix<double>(order.size(), order.size()), {}};
    for (std::size_t i = 0; i < order.size(); ++i) {
        matrix.exponents.push_back(matrix_.exponents[order[i]]);
        for (std::size_t j = 0; j < order.size(); ++j) matrix.entries(i, j) = matrix_.entries(order[i], order[j]);
    }
    auto scores = std::make_shared<GaussianScores>(std::move(matrix), factors_, offsets_, pool_);
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
