#include "ci_tests/quadratic_logistic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "numeric/logarithm.hpp"
#include "runtime/pool.hpp"
#include "numeric/softmax.hpp"

namespace stablebn {

namespace {

// Binary digits of values after the point; fewer if there are so many rows that the squares of their sums do not fit
// 126 bits.
constexpr int BITS_OF_VALUES = 36, BITS_OF_VALUES_AND_ROWS = 62;
constexpr int BITS_OF_LOSSES = 32, BITS_OF_GRADIENT = 24, BITS_OF_INFORMATION = 20, BITS_OF_RESULT = 24;

/// Newton's method stops when the penalised log-likelihood would grow by less than this many nats, or after this many
/// steps.
constexpr double ENOUGH = 0x1p-20;
constexpr int MOST_STEPS = 60;
/// Number of times that a step that does not increase it is halved.
constexpr int MOST_HALVINGS = 20;
/// The penalty is half of this times the squares of slopes, less their mean over the classes: so slopes stay finite if
/// a class can be separated without error. It changes the log-likelihood only by the square of this.
constexpr double PENALTY = 0x1p-8;

/// Round to a multiple of 2**-bits, in these units; numbers that are too large count as the largest that can be
/// rounded.
std::int64_t units(double x, int bits) {
    const double most = std::ldexp(1.0, 50 - bits), grid = rounder(bits);
    return std::bit_cast<std::int64_t>(std::clamp(x, -most, most) + grid) - std::bit_cast<std::int64_t>(grid);
}

double from_units(Wide sum, int bits) { return std::ldexp(to_double_double(sum).hi, -bits); }

Wide absolute(Wide x) { return x < 0 ? -x : x; }

}  // namespace

QuadraticLogistic::QuadraticLogistic(const Strata& strata, std::span<const int> columns, std::span<const std::int32_t> rows)
    : columns_(columns.size()), steps_(rows.size(), columns.size()), values_(rows.size(), columns.size()) {
    const Rows& all = strata.counts().rows();
    if (all.weighted()) {
        for (const std::int32_t row : rows) weights_.push_back(all.weights[row]);
    }
    const auto bits_of_total = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(strata.counts().total())));
    const int shift = strata.bits() - std::min(BITS_OF_VALUES, BITS_OF_VALUES_AND_ROWS - bits_of_total);
    for (std::size_t j = 0; j < columns_; ++j) {
        const auto values = strata.values(columns[j]);
        Wide count = 0, sum = 0, squares = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            // Away from zero, so that the result for -x is that for x with the other sign.
            const std::int64_t exact = values[rows[i]];
            const std::int64_t size = (std::abs(exact) + (std::int64_t{1} << (shift - 1))) >> shift;
            const std::int64_t step = exact < 0 ? -size : size;
            const std::int64_t weight = weights_.empty() ? 1 : weights_[i];
            steps_(i, j) = step;
            count += weight;
            sum += Wide{step} * weight;
            squares += Wide{step} * step * weight;
        }
        const double n = to_double_double(count).hi, mean = to_double_double(sum).hi / n;
        const double deviation = std::sqrt(to_double_double(count * squares - sum * sum).hi) / n;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            values_(i, j) = deviation > 0 ? (static_cast<double>(steps_(i, j)) - mean) / deviation : 0.0;
        }
    }
}

/// One regression: every class but the first against the first.
class QuadraticLogistic::Fit {
public:
    Fit(const QuadraticLogistic& stratum, std::span<const std::int32_t> classes)
        : stratum_(stratum), d_(stratum.features()), own_(classes.size()) {
        const auto sorted = sorted_classes(classes);
        for (std::size_t place = 0; place < sorted.size(); ++place) sizes_.push_back(sorted[place].second);
        std::map<std::int32_t, std::size_t> places;
        for (std::size_t place = 0; place < sorted.size(); ++place) places[sorted[place].first] = place;
        for (std::size_t i = 0; i < classes.size(); ++i) own_[i] = places[classes[i]];
    }

    Fixed log_likelihood() const {
        if (sizes_.size() < 2) return {};
        std::vector<double> at((sizes_.size() - 1) * d_);
        const double ln_first = ln(to_double_double(sizes_[0])).hi;
        for (std::size_t a = 1; a < sizes_.size(); ++a) at[(a - 1) * d_] = ln(to_double_double(sizes_[a])).hi - ln_first;
        State best = evaluate(at);
        for (int step = 0; step < MOST_STEPS; ++step) {
            std::vector<double> change = best.gradient;
            if (!solve(best.information, change)) break;
            double growth = 0;
            for (std::size_t i = 0; i < change.size(); ++i) growth += 0.5 * best.gradient[i] * change[i];
            if (!(growth >= ENOUGH)) {
                for (std::size_t i = 0; i < at.size(); ++i) at[i] += change[i];
                best = evaluate(at);
                break;
            }
            if (!climb(at, change, best)) break;
        }
        const double nats = from_units(best.value, BITS_OF_LOSSES);
        return {static_cast<Wide>(std::nearbyint(std::ldexp(nats, BITS_OF_RESULT))) << (FIXED_BITS - BITS_OF_RESULT)};
    }

private:
    struct State {
        /// The log-likelihood, in units of 2**-BITS_OF_LOSSES, and the same less the penalty.
        Wide value = 0, penalised = 0;
        /// First derivatives of the latter, and minus its second derivatives, whose lower triangle is used.
        std::vector<double> gradient;
        Matrix<double> information;
    };

    /// The classes and their rows, the most frequent first; ties by the sums of their values and products. If classes
    /// agree in these too, the regression has the same coefficients.
    std::vector<std::pair<std::int32_t, Wide>> sorted_classes(std::span<const std::int32_t> classes) const {
        const std::size_t columns = stratum_.columns_;
        std::map<std::int32_t, std::vector<Wide>> sums;
        for (std::size_t i = 0; i < classes.size(); ++i) {
            auto& own = sums[classes[i]];
            own.resize(d_);
            const Wide weight = weight_of(i);
            own[0] += weight;
            std::size_t place = 1;
            for (std::size_t j = 0; j < columns; ++j) own[place++] += weight * stratum_.steps_(i, j);
            for (std::size_t j = 0; j < columns; ++j) {
                for (std::size_t l = 0; l <= j; ++l) {
                    own[place++] += weight * stratum_.steps_(i, j) * stratum_.steps_(i, l);
                }
            }
        }
        std::vector<std::pair<std::vector<Wide>, std::int32_t>> keys;
        for (auto& [code, own] : sums) {
            // The sign of a column has no effect, and the largest class comes first.
            std::ranges::transform(own, own.begin(), absolute);
            own[0] = -own[0];
            keys.emplace_back(std::move(own), code);
        }
        std::ranges::stable_sort(keys, {}, &std::pair<std::vector<Wide>, std::int32_t>::first);
        std::vector<std::pair<std::int32_t, Wide>> found;
        for (const auto& [key, code] : keys) found.emplace_back(code, -key[0]);
        return found;
    }

    std::int64_t weight_of(std::size_t i) const { return stratum_.weights_.empty() ? 1 : stratum_.weights_[i]; }

    /// Take the step, or the part of it that increases the penalised log-likelihood; false if none does.
    bool climb(std::vector<double>& at, std::span<const double> change, State& best) const {
        for (int halving = 0; halving <= MOST_HALVINGS; ++halving) {
            std::vector<double> other = at;
            const double share = std::ldexp(1.0, -halving);
            for (std::size_t i = 0; i < at.size(); ++i) other[i] = at[i] + share * change[i];
            State found = evaluate(other);
            if (found.penalised <= best.penalised) continue;
            at = std::move(other);
            best = std::move(found);
            return true;
        }
        return false;
    }

    void write_features(std::size_t row, std::span<double> out) const {
        const auto values = stratum_.values_[row];
        out[0] = 1.0;
        std::ranges::copy(values, out.begin() + 1);
        std::size_t place = 1 + values.size();
        for (std::size_t j = 0; j < values.size(); ++j) {
            for (std::size_t l = 0; l <= j; ++l) out[place++] = values[j] * values[l];
        }
    }

    /// Write the probabilities of all classes but the first for a row, and return its loss of log-likelihood.
    double shares_of(std::span<const double> at, std::span<const double> features, std::size_t own,
                     std::span<double> shares) const {
        double top = 0.0, of_own = 0.0;
        for (std::size_t a = 0; a < shares.size(); ++a) {
            double eta = 0.0;
            for (std::size_t j = 0; j < d_; ++j) eta += at[a * d_ + j] * features[j];
            shares[a] = eta;
            top = std::max(top, eta);
            if (own == a + 1) of_own = eta;
        }
        double sum = exponential(-top);
        for (double& share : shares) {
            share = exponential(share - top);
            sum += share;
        }
        for (double& share : shares) share /= sum;
        return (top - of_own) + logarithm(sum);
    }

    /// The log-likelihood and its derivatives for given coefficients.
    State evaluate(std::span<const double> at) const {
        const std::size_t others = sizes_.size() - 1, all = others * d_, pairs = d_ * (d_ + 1) / 2;
        std::vector<Wide> gradient(all), information(others * (others + 1) / 2 * pairs);
        std::vector<double> features(d_), shares(others), products(pairs);
        State state;
        for (std::size_t i = 0; i < own_.size(); ++i) {
            Watch::look_now_and_then();
            const std::int64_t weight = weight_of(i);
            write_features(i, features);
            state.value -= Wide{units(shares_of(at, features, own_[i], shares), BITS_OF_LOSSES)} * weight;
            std::size_t pair = 0;
            for (std::size_t j = 0; j < d_; ++j) {
                for (std::size_t l = 0; l <= j; ++l) products[pair++] = features[j] * features[l];
            }
            std::size_t place = 0;
            for (std::size_t a = 0; a < others; ++a) {
                const double rest = (own_[i] == a + 1 ? 1.0 : 0.0) - shares[a];
                for (std::size_t j = 0; j < d_; ++j) {
                    gradient[a * d_ + j] += Wide{units(rest * features[j], BITS_OF_GRADIENT)} * weight;
                }
                for (std::size_t b = 0; b <= a; ++b) {
                    const double spread = shares[a] * ((a == b ? 1.0 : 0.0) - shares[b]);
                    for (const double product : products) {
                        information[place++] += Wide{units(spread * product, BITS_OF_INFORMATION)} * weight;
                    }
                }
            }
        }
        for (const Wide sum : gradient) state.gradient.push_back(from_units(sum, BITS_OF_GRADIENT));
        state.information = triangle(information, all);
        penalise(at, state);
        return state;
    }

    Matrix<double> triangle(std::span<const Wide> sums, std::size_t all) const {
        Matrix<double> found(all, all);
        std::size_t place = 0;
        for (std::size_t a = 0; a * d_ < all; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                for (std::size_t j = 0; j < d_; ++j) {
                    for (std::size_t l = 0; l <= j; ++l) {
                        const double value = from_units(sums[place++], BITS_OF_INFORMATION);
                        found(a * d_ + j, b * d_ + l) = value;
                        found(a * d_ + l, b * d_ + j) = value;
                    }
                }
            }
        }
        return found;
    }

    /// Subtract the penalty of all slopes; that of the first class is 0.
    void penalise(std::span<const double> at, State& state) const {
        const std::size_t others = sizes_.size() - 1;
        const double share = 1.0 / static_cast<double>(sizes_.size());
        double penalty = 0.0;
        for (std::size_t j = 1; j < d_; ++j) {
            double mean = 0.0;
            for (std::size_t a = 0; a < others; ++a) mean += at[a * d_ + j] * share;
            for (std::size_t a = 0; a < others; ++a) {
                const std::size_t i = a * d_ + j;
                penalty += 0.5 * PENALTY * at[i] * (at[i] - mean);
                state.gradient[i] -= PENALTY * (at[i] - mean);
                for (std::size_t b = 0; b <= a; ++b) {
                    state.information(i, b * d_ + j) += PENALTY * ((a == b ? 1.0 : 0.0) - share);
                }
            }
        }
        state.penalised = state.value - Wide{units(penalty, BITS_OF_LOSSES)};
    }

    const QuadraticLogistic& stratum_;
    std::size_t d_;
    /// Number of rows of each class; and the index of the class of each row.
    std::vector<Wide> sizes_;
    std::vector<std::size_t> own_;
};

Fixed QuadraticLogistic::log_likelihood(std::span<const std::int32_t> classes) const {
    return Fit(*this, classes).log_likelihood();
}

Fixed QuadraticLogistic::gain(std::span<const std::int32_t> x, std::span<const std::int32_t> y) const {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
    std::vector<std::int32_t> pairs;
    for (std::size_t i = 0; i < x.size(); ++i) {
        pairs.push_back(numbers.try_emplace({x[i], y[i]}, static_cast<std::int32_t>(numbers.size())).first->second);
    }
    if ((numbers.size() - 1) * features() > MOST_COEFFICIENTS) return NOT_A_CANDIDATE;
    return log_likelihood(pairs) - (log_likelihood(x) + log_likelihood(y));
}

}  // namespace stablebn
