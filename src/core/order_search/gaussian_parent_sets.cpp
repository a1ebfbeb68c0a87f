#include "order_search/gaussian_parent_sets.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "scores/gaussian.hpp"

namespace stablebn {

namespace {

constexpr double LN_2 = 0.6931471805599453;
constexpr double SQRT_HALF = 0.7071067811865476;

Wide to_units(double nats) { return static_cast<Wide>(std::floor(nats * 0x1p30)) * (Wide{1} << 32); }

}  // namespace

/// x = 2**e * m with m in [sqrt(1/2), sqrt(2)); ln m = 2 (s + s**3/3 + s**5/5 + ...) with s = (m - 1) / (m + 1), |s| < 0.172.
double quick_ln(double x) {
    int e = 0;
    double m = std::frexp(x, &e);
    if (m < SQRT_HALF) {
        m *= 2;
        --e;
    }
    const double s = (m - 1) / (m + 1), q = s * s;
    double tail = 1.0 / 19;
    for (const double c : {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3}) tail = tail * q + c;
    return e * LN_2 + 2 * (s + s * q * tail);
}

GaussianParentSets::GaussianParentSets(GaussianTerms terms) : terms_(std::move(terms)) {
    const std::size_t n = terms_.matrix.entries.rows();
    covariances_.resize(n);
    variances_.resize(n);
}

ParentSet GaussianParentSets::changed(int child, const ParentSet& from, int u) {
    VariableSet parents = from.parents;
    parents.toggle(u);
    return computed(child, std::move(parents));
}

double GaussianParentSets::eliminate(const VariableSet& parents) {
    const auto& m = terms_.matrix.entries;
    const std::size_t n = m.rows();
    if (rows_.rows() < parents.size()) rows_ = Matrix<double>(2 * parents.size(), n);
    double ln_determinant = 0;
    for (std::size_t u = 0; u < n; ++u) variances_[u] = m(u, u);
    for (std::size_t j = 0; j < parents.size(); ++j) {
        const int p = parents[j];
        double* const row = rows_[j].data();
        std::copy_n(m[p].data(), n, row);
        for (std::size_t i = 0; i < j; ++i) {
            const double* const before = rows_[i].data();
            const double factor = before[p];
            for (std::size_t u = 0; u < n; ++u) row[u] -= factor * before[u];
        }
        const double pivot = std::max(row[p], SMALLEST_RESIDUAL * m(p, p));
        ln_determinant += quick_ln(pivot) + 2 * LN_2 * static_cast<double>(terms_.matrix.exponents[p]);
        const double over = 1 / std::sqrt(pivot);
        for (std::size_t u = 0; u < n; ++u) {
            row[u] *= over;
            variances_[u] -= row[u] * row[u];
        }
        row[p] = std::sqrt(pivot);
    }
    return ln_determinant;
}

void GaussianParentSets::invert_factor(std::size_t size) {
    // `computed` has written the factor to where the inverse will be: L(i, j), j <= i. Column by column, by
    // substitution.
    for (std::size_t j = 0; j < size; ++j) {
        inverse_(j, j) = 1 / inverse_(j, j);
        for (std::size_t i = j + 1; i < size; ++i) {
            double sum = 0;
            for (std::size_t k = j; k < i; ++k) sum -= inverse_(i, k) * inverse_(k, j);
            inverse_(i, j) = sum / inverse_(i, i);
        }
    }
}

/// The score of v given P is m(P + v) ln det M[P + v] / 2 - m(P) ln det M[P] / 2 less the penalties, and ln det M[P +
/// v] = ln det M[P] + ln r, r the variance of v given P. With u as another parent r becomes r - c**2 / d, c the
/// covariance of u and v and d the variance of u given P; without a parent it becomes r + b**2 / i, b the parent's
/// coefficient and i its entry on the diagonal of the inverse of M[P].
ParentSet GaussianParentSets::computed(int child, VariableSet parents) {
    const auto& m = terms_.matrix.entries;
    const std::size_t n = m.rows(), size = parents.size(), v = child;
    const double ln_determinant = eliminate(parents);
    std::copy_n(m[v].data(), n, covariances_.data());
    for (std::size_t j = 0; j < size; ++j) {
        const double* const row = rows_[j].data();
        const double factor = row[v];
        for (std::size_t u = 0; u < n; ++u) covariances_[u] -= factor * row[u];
    }
    const double own = m(v, v), least = SMALLEST_RESIDUAL * own;
    const double rest = std::max(covariances_[v], least);
    const double exponent = 2 * LN_2 * static_cast<double>(terms_.matrix.exponents[v]);
    const double half_family = terms_.factors[size + 1] / 2, half_parents = terms_.factors[size] / 2;
    const double ln_rest = quick_ln(rest);

    ParentSet found{std::move(parents), 0, std::vector<double>(n, IMPOSSIBLE)};
    double penalty = 0;
    for (std::size_t p = 0; p < size; ++p) penalty += terms_.penalties[p];
    const double without = terms_.factors[1] / 2 * (quick_ln(own) + exponent);
    found.value = to_units((half_family - half_parents) * ln_determinant + half_family * (ln_rest + exponent) - without + penalty);

    if (size < terms_.penalties.size()) {
        const double half_larger = terms_.factors[size + 2] / 2, next = terms_.penalties[size];
        const bool is_likelihood = half_larger == half_family && half_family == half_parents;
        // The part of the determinant of the larger parent set that all share.
        const double same = (half_larger - 2 * half_family + half_parents) * ln_determinant;
        for (std::size_t u = 0; u < n; ++u) {
            const double variance = std::max(variances_[u], SMALLEST_RESIDUAL * m(u, u));
            variances_[u] = variance;
            covariances_[u] = covariances_[u] * covariances_[u] / (variance * rest);
        }
        for (std::size_t u = 0; u < n; ++u) {
            // A variable that explains a share of the variance adds at least this share to the logarithm.
            const double share = covariances_[u];
            if (is_likelihood && next - half_family * share < 0 && share < 0.1 &&
                next - half_family * share * (1 + share) < 0) {
                found.changes[u] = next - half_family * share;
                continue;
            }
            const double ln_left = quick_ln(std::max(1 - share, least / rest));
            double change = next + half_larger * ln_left;
            if (!is_likelihood) {
                const double ln_variance =
                    quick_ln(variances_[u]) + 2 * LN_2 * static_cast<double>(terms_.matrix.exponents[u]);
                change += same + (half_larger - half_family) * (ln_variance + ln_rest + exponent);
            }
            found.changes[u] = change;
        }
        found.changes[v] = 0;
    }
    for (const int p : found.parents) found.changes[p] = IMPOSSIBLE;
    if (!size) return found;

    if (inverse_.rows() < size) inverse_ = Matrix<double>(2 * size, 2 * size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) inverse_(i, j) = rows_(j, found.parents[i]);
    }
    invert_factor(size);
    const double half_smaller = terms_.factors[size - 1] / 2;
    const double same = (half_parents - half_smaller - half_family + half_parents) * ln_determinant;
    for (std::size_t j = 0; j < size; ++j) {
        double coefficient = 0, diagonal = 0;
        for (std::size_t i = j; i < size; ++i) {
            coefficient += inverse_(i, j) * rows_(i, v);
            diagonal += inverse_(i, j) * inverse_(i, j);
        }
        const double share = coefficient * coefficient / (diagonal * rest);
        double change = half_parents * quick_ln(1 + share) - terms_.penalties[size - 1];
        if (half_smaller != half_parents || half_parents != half_family) {
            const double exponent_of_parent = 2 * LN_2 * static_cast<double>(terms_.matrix.exponents[found.parents[j]]);
            change += same + (half_parents - half_smaller) * (quick_ln(diagonal) - exponent_of_parent) +
                      (half_parents - half_family) * (ln_rest + exponent);
        }
        found.changes[found.parents[j]] = change;
    }
    return found;
}

}  // namespace stablebn
