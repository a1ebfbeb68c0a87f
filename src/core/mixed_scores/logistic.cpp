#include "mixed_scores/logistic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

#include "numeric/logarithm.hpp"
#include "runtime/pool.hpp"
#include "numeric/softmax.hpp"

namespace stablebn {

namespace {

/// Binary digits of values and of coefficients.
constexpr int BITS_OF_VALUES = 16;
constexpr double STEPS_OF_COEFFICIENTS = 0x1p16;

/// Newton's method stops when the log-likelihood would grow by less than this many nats, or after this many steps.
constexpr double ENOUGH = 0.125;
constexpr int MOST_STEPS = 8;
/// Number of times that a step that lowers the log-likelihood is halved.
constexpr int MOST_HALVINGS = 3;

/// Ridges of the variances in the discriminant analysis, and of the second derivatives, so that collinear columns have
/// a solution.
constexpr double RIDGE_OF_START = 0x1p-10, RIDGE = 0x1p-20;

/// Rows that are processed together.
constexpr std::size_t ROWS = 256;

/// For second derivatives, which only guide the search, values are multiples of 2**-7 below 8 and products with row
/// weights multiples of 2**-11, so that sums over ROWS rows fit 32 bits.
constexpr double STEPS_OF_SHORT = 0x1p7, STEPS_OF_SHORT_PRODUCTS = 0x1p11, MOST_SHORT = 8;

// Measured: nanoseconds per row of a fit of some coefficients.
constexpr double COST_OF_ROW = 150;

constexpr int BITS_OF_LOSSES = 32, BITS_OF_GRADIENT = 30, BITS_OF_EXPONENTIALS = 44;
constexpr double MOST_LOSS = 0x1p18;

/// The sum of terms rounded to multiples of 2**-bits, in these units.
class RoundedSum {
public:
    explicit RoundedSum(int bits) : rounder_(rounder(bits)), unit_(std::ldexp(1.0, -bits)) {}

    template <class Term>
    void add(std::span<const std::int64_t> weights, std::size_t count, const Term& term) {
        const auto zero = std::bit_cast<std::int64_t>(rounder_);
        if (weights.empty()) {
            // Unsigned, because the final subtraction may wrap around.
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < count; ++i) sum += std::bit_cast<std::uint64_t>(term(i) + rounder_);
            units_ += static_cast<std::int64_t>(sum - count * static_cast<std::uint64_t>(zero));
        } else {
            for (std::size_t i = 0; i < count; ++i) {
                units_ += static_cast<Wide>(std::bit_cast<std::int64_t>(term(i) + rounder_) - zero) * weights[i];
            }
        }
    }

    Wide units() const { return units_; }
    double value() const { return to_double_double(units_).hi * unit_; }

private:
    double rounder_, unit_;
    Wide units_ = 0;
};

std::int64_t sum_of_products(const std::int16_t* x, const std::int16_t* y, std::size_t count,
                             std::span<const std::int64_t> weights) {
    if (weights.empty()) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += std::int32_t{x[i]} * y[i];
        return sum;
    }
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += std::int32_t{x[i]} * y[i] * weights[i];
    return sum;
}

double rounded_coefficient(double x) { return std::nearbyint(x * STEPS_OF_COEFFICIENTS) / STEPS_OF_COEFFICIENTS; }

}  // namespace

LogisticRegression::LogisticRegression(std::shared_ptr<const Strata> strata,
                                       std::shared_ptr<const CovarianceBlocks> covariances)
    : strata_(std::move(strata)), covariances_(std::move(covariances)) {
    const Rows& rows = strata_->counts().rows();
    for (int v = 0; v < rows.variables(); ++v) {
        std::vector<std::int64_t> sizes(rows.levels[v]);
        with_codes(rows.columns[v], [&](const auto* codes) {
            for (std::size_t i = 0; i < rows.count; ++i) sizes[codes[i]] += rows.weighted() ? rows.weights[i] : 1;
        });
        Levels& own = levels_.emplace_back();
        for (int code = 0; code < rows.levels[v]; ++code) {
            if (!sizes[code]) continue;
            own.codes.push_back(code);
            own.sizes.push_back(sizes[code]);
        }
    }
    const int shift = strata_->bits() - BITS_OF_VALUES;
    values_ = Matrix<double>::unwritten(strata_->columns(), rows.count);
    short_values_ = Matrix<std::int16_t>::unwritten(strata_->columns(), rows.count);
    for (std::size_t column = 0; column < strata_->columns(); ++column) {
        const auto steps = strata_->values(static_cast<int>(column));
        for (std::size_t i = 0; i < rows.count; ++i) {
            // Away from zero, so that the result for -x is that for x with the other sign.
            const std::int64_t size = (std::abs(steps[i]) + (std::int64_t{1} << (shift - 1))) >> shift;
            const double value = static_cast<double>(steps[i] < 0 ? -size : size) * 0x1p-16;
            values_(column, i) = value;
            short_values_(column, i) =
                static_cast<std::int16_t>(std::nearbyint(std::clamp(value, -MOST_SHORT, MOST_SHORT) * STEPS_OF_SHORT));
        }
    }
}

double LogisticRegression::cost() const { return COST_OF_ROW * static_cast<double>(strata_->counts().rows().count); }

/// Indicators of all levels sum to 1; the first one that occurs has no column.
Wide LogisticRegression::product(const Regressor& u, std::size_t level, const Regressor& v, std::size_t other) const {
    const auto own = covariances_->columns_of(u.block), others = covariances_->columns_of(v.block);
    const auto& products = covariances_->products();
    const auto of_row = [&](int row) {
        if (!v.is_categorical) return products(row, others[0]);
        if (other > 0) return products(row, others[other - 1]);
        Wide sum = 0;
        for (const int column : others) sum -= products(row, column);
        return sum;
    };
    if (!u.is_categorical) return of_row(own[0]);
    if (level > 0) return of_row(own[level - 1]);
    Wide sum = 0;
    for (const int row : own) sum -= of_row(row);
    return sum;
}

std::vector<std::size_t> LogisticRegression::sorted_levels(const Regressor& own, std::span<const Regressor> family) const {
    const auto& sizes = levels_[own.column].sizes;
    std::vector<std::size_t> sorted(sizes.size());
    std::iota(sorted.begin(), sorted.end(), std::size_t{0});
    const auto covariances = [&](std::size_t level) {
        std::vector<Wide> found;
        for (const auto& other : family) {
            if (other.is_categorical) continue;
            // The sign of a column has no effect.
            const Wide covariance = product(own, level, other, 0);
            found.push_back(covariance < 0 ? -covariance : covariance);
        }
        for (const auto& other : family) {
            if (!other.is_categorical || other.column == own.column) continue;
            const auto begin = static_cast<std::ptrdiff_t>(found.size());
            for (std::size_t i = 0; i < width(other); ++i) found.push_back(product(own, level, other, i));
            std::sort(found.begin() + begin, found.end());
        }
        return found;
    };
    std::ranges::stable_sort(sorted, [&](std::size_t a, std::size_t b) {
        return sizes[a] != sizes[b] ? sizes[a] > sizes[b] : covariances(a) < covariances(b);
    });
    return sorted;
}

/// One regression: classes 1, 2, ... of the child against its most frequent level, on a constant and columns.
class LogisticRegression::Fit {
public:
    Fit(const LogisticRegression& regression, const Regressor& child, std::span<const Regressor> parents)
        : regression_(regression), rows_(regression.strata_->counts().rows()), child_(child) {
        std::vector<Regressor> family{child};
        family.insert(family.end(), parents.begin(), parents.end());
        classes_ = regression.sorted_levels(child, family);
        for (const auto& parent : parents) {
            if (!parent.is_categorical) {
                columns_.push_back({parent, 0});
                continue;
            }
            const auto levels = regression.sorted_levels(parent, family);
            for (std::size_t at = 1; at < levels.size(); ++at) columns_.push_back({parent, levels[at]});
        }
        own_.resize(static_cast<std::size_t>(rows_.levels[child.column]));
        for (std::size_t place = 0; place < classes_.size(); ++place) {
            own_[static_cast<std::size_t>(levels_of(child).codes[classes_[place]])] = static_cast<std::int32_t>(place);
        }
    }

    std::size_t coefficients() const { return (classes_.size() - 1) * size(); }

    /// The greatest log-likelihood found.
    Fixed log_likelihood() {
        std::vector<double> at = discriminants();
        State best = evaluate(at);
        for (int step = 0; step < MOST_STEPS; ++step) {
            std::vector<double> change = best.gradient;
            if (!solve(best.information, change)) break;
            double growth = 0;
            for (std::size_t i = 0; i < change.size(); ++i) growth += 0.5 * best.gradient[i] * change[i];
            if (!(growth >= ENOUGH)) {
                if (growth > 0) best.value += Fixed{static_cast<Wide>(std::nearbyint(growth * 0x1p20)) << (FIXED_BITS - 20)};
                break;
            }
            bool is_better = false;
            for (int halving = 0; halving <= MOST_HALVINGS && !is_better; ++halving) {
                std::vector<double> other = at;
                const double share = std::ldexp(1.0, -halving);
                for (std::size_t i = 0; i < at.size(); ++i) other[i] = rounded_coefficient(at[i] + share * change[i]);
                State found = evaluate(other);
                if (found.value.units <= best.value.units) continue;
                is_better = true;
                at = std::move(other);
                best = std::move(found);
            }
            if (!is_better) break;
        }
        return best.value;
    }

private:
    struct Column {
        Regressor variable;
        std::size_t level;
    };
    struct State {
        Fixed value;
        std::vector<double> gradient;
        /// Minus the second derivatives; the lower triangle.
        Matrix<double> information;
    };

    const Levels& levels_of(const Regressor& u) const { return regression_.levels_[u.column]; }
    /// Per class: a constant, and one coefficient per column.
    std::size_t size() const { return columns_.size() + 1; }
    double share(const Column& column) const {
        return static_cast<double>(levels_of(column.variable).sizes[column.level]) / static_cast<double>(rows_.total);
    }
    /// How many units of the products one standard deviation, or one indicator, is; times the number of rows.
    double unit(const Column& column) const {
        if (column.variable.is_categorical) return static_cast<double>(rows_.total);
        return std::sqrt(to_double_double(regression_.product(column.variable, 0, column.variable, 0)).hi);
    }
    double covariance(const Column& a, const Column& b) const {
        return to_double_double(regression_.product(a.variable, a.level, b.variable, b.level)).hi / (unit(a) * unit(b));
    }

    /// The coefficients if the columns were Gaussian with one covariance in all classes.
    std::vector<double> discriminants() const {
        const std::size_t k = columns_.size(), classes = classes_.size();
        Matrix<double> within(k, k);
        // The mean of each column in each class, less that of all rows.
        Matrix<double> means(classes, k);
        std::vector<double> shares;
        for (std::size_t c = 0; c < classes; ++c) {
            const Column own{child_, classes_[c]};
            shares.push_back(share(own));
            for (std::size_t j = 0; j < k; ++j) means(c, j) = covariance(own, columns_[j]) / shares[c];
        }
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j <= i; ++j) {
                within(i, j) = covariance(columns_[i], columns_[j]) * (i == j ? 1 + RIDGE_OF_START : 1.0);
                for (std::size_t c = 0; c < classes; ++c) within(i, j) -= shares[c] * means(c, i) * means(c, j);
            }
        }
        std::vector<double> found;
        std::vector<double> first;
        double constant_of_first = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            std::vector<double> slopes(means[c].begin(), means[c].end());
            Matrix<double> work = within;
            if (!solve(work, slopes)) std::ranges::fill(slopes, 0.0);
            double constant = ln(to_double_double(levels_of(child_).sizes[classes_[c]])).hi;
            for (std::size_t j = 0; j < k; ++j) {
                const double mean = columns_[j].variable.is_categorical ? share(columns_[j]) : 0.0;
                constant -= slopes[j] * (0.5 * means(c, j) + mean);
            }
            if (c == 0) {
                first = slopes;
                constant_of_first = constant;
                continue;
            }
            found.push_back(rounded_coefficient(constant - constant_of_first));
            for (std::size_t j = 0; j < k; ++j) found.push_back(rounded_coefficient(slopes[j] - first[j]));
        }
        return found;
    }

    /// The log-likelihood and its derivatives for given coefficients.
    State evaluate(std::span<const double> at) const {
        const std::size_t others = classes_.size() - 1, d = size(), all = others * d;
        RoundedSum losses(BITS_OF_LOSSES);
        std::vector<RoundedSum> gradient(all, RoundedSum(BITS_OF_GRADIENT));
        std::vector<std::int64_t> information(others * (others + 1) / 2 * d * (d + 1) / 2);
        Matrix<double> indicators(d, ROWS, 1.0), etas(others, ROWS), shares(others, ROWS);
        Matrix<std::int16_t> short_indicators(d, ROWS, static_cast<std::int16_t>(STEPS_OF_SHORT));
        std::vector<const double*> x(d);
        std::vector<const std::int16_t*> shorts(d);
        std::vector<double> top(ROWS), sum(ROWS), scaled(ROWS), products(ROWS), weights_of_pair(ROWS);
        std::vector<std::int16_t> short_products(ROWS);
        std::vector<std::int32_t> own(ROWS);
        for (std::size_t begin = 0; begin < rows_.count; begin += ROWS) {
            Watch::look_now_and_then();
            const std::size_t count = std::min(ROWS, rows_.count - begin);
            const auto weights = rows_.weighted() ? rows_.weights.subspan(begin, count) : std::span<const std::int64_t>();
            with_codes(rows_.columns[child_.column], [&](const auto* codes) {
                for (std::size_t i = 0; i < count; ++i) own[i] = own_[codes[begin + i]];
            });
            x[0] = indicators[0].data();
            shorts[0] = short_indicators[0].data();
            for (std::size_t j = 1; j < d; ++j) {
                const auto& [variable, level] = columns_[j - 1];
                if (!variable.is_categorical) {
                    x[j] = regression_.values_[variable.column].data() + begin;
                    shorts[j] = regression_.short_values_[variable.column].data() + begin;
                    continue;
                }
                double* out = indicators[j].data();
                std::int16_t* short_out = short_indicators[j].data();
                const int code = levels_of(variable).codes[level];
                with_codes(rows_.columns[variable.column], [&](const auto* codes) {
                    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<int>(codes[begin + i]) == code ? 1.0 : 0.0;
                });
                for (std::size_t i = 0; i < count; ++i) short_out[i] = static_cast<std::int16_t>(out[i] * STEPS_OF_SHORT);
                x[j] = out;
                shorts[j] = short_out;
            }
            std::fill_n(top.begin(), count, 0.0);
            for (std::size_t a = 0; a < others; ++a) {
                double* eta = etas[a].data();
                std::fill_n(eta, count, at[a * d]);
                for (std::size_t j = 1; j < d; ++j) {
                    const double slope = at[a * d + j];
                    for (std::size_t i = 0; i < count; ++i) eta[i] += slope * x[j][i];
                }
                for (std::size_t i = 0; i < count; ++i) top[i] = eta[i] > top[i] ? eta[i] : top[i];
            }
            constexpr double grid = rounder(BITS_OF_EXPONENTIALS);
            for (std::size_t i = 0; i < count; ++i) sum[i] = (exponential(-top[i]) + grid) - grid;
            for (std::size_t a = 0; a < others; ++a) {
                const double* eta = etas[a].data();
                double* share = shares[a].data();
                for (std::size_t i = 0; i < count; ++i) {
                    share[i] = (exponential(eta[i] - top[i]) + grid) - grid;
                    sum[i] += share[i];
                }
            }
            for (std::size_t i = 0; i < count; ++i) scaled[i] = top[i] + logarithm(sum[i]);
            for (std::size_t a = 0; a < others; ++a) {
                const auto place = static_cast<std::int32_t>(a + 1);
                const double* eta = etas[a].data();
                double* share = shares[a].data();
                for (std::size_t i = 0; i < count; ++i) {
                    scaled[i] -= own[i] == place ? eta[i] : 0.0;
                    share[i] /= sum[i];
                }
            }
            losses.add(weights, count, [&](std::size_t i) { return scaled[i] < MOST_LOSS ? scaled[i] : MOST_LOSS; });
            std::size_t at_pair = 0;
            for (std::size_t a = 0; a < others; ++a) {
                const auto place = static_cast<std::int32_t>(a + 1);
                const double* share = shares[a].data();
                for (std::size_t i = 0; i < count; ++i) products[i] = (own[i] == place ? 1.0 : 0.0) - share[i];
                for (std::size_t j = 0; j < d; ++j) {
                    gradient[a * d + j].add(weights, count, [&](std::size_t i) { return products[i] * x[j][i]; });
                }
                for (std::size_t b = 0; b <= a; ++b) {
                    const double same = a == b ? 1.0 : 0.0;
                    const double* other = shares[b].data();
                    constexpr double steps = STEPS_OF_SHORT_PRODUCTS / STEPS_OF_SHORT;
                    for (std::size_t i = 0; i < count; ++i) weights_of_pair[i] = share[i] * (same - other[i]) * steps;
                    for (std::size_t j = 0; j < d; ++j) {
                        for (std::size_t i = 0; i < count; ++i) {
                            const auto product = static_cast<std::int32_t>(weights_of_pair[i] * shorts[j][i]);
                            short_products[i] = static_cast<std::int16_t>(product);
                        }
                        for (std::size_t l = 0; l <= j; ++l) {
                            information[at_pair++] += sum_of_products(short_products.data(), shorts[l], count, weights);
                        }
                    }
                }
            }
        }
        State state{Fixed{-(losses.units() << (FIXED_BITS - BITS_OF_LOSSES))}, {}, Matrix<double>(all, all)};
        for (const auto& own_sum : gradient) state.gradient.push_back(own_sum.value());
        std::size_t at_pair = 0;
        for (std::size_t a = 0; a < others; ++a) {
            for (std::size_t b = 0; b <= a; ++b) {
                for (std::size_t j = 0; j < d; ++j) {
                    for (std::size_t l = 0; l <= j; ++l) {
                        const double value =
                            static_cast<double>(information[at_pair++]) / (STEPS_OF_SHORT * STEPS_OF_SHORT_PRODUCTS);
                        state.information(a * d + j, b * d + l) = value;
                        state.information(a * d + l, b * d + j) = value;
                    }
                }
            }
        }
        for (std::size_t i = 0; i < all; ++i) state.information(i, i) = state.information(i, i) * (1 + RIDGE) + RIDGE;
        return state;
    }

    const LogisticRegression& regression_;
    const Rows& rows_;
    Regressor child_;
    /// The levels of the child that occur, the most frequent first; and the index of each code among them.
    std::vector<std::size_t> classes_;
    std::vector<std::int32_t> own_;
    std::vector<Column> columns_;
};

Fixed LogisticRegression::gain(const Regressor& child, std::span<const Regressor> parents) const {
    Fit fit(*this, child, parents);
    if (fit.coefficients() > MOST_COEFFICIENTS) return {};
    const Counts& counts = strata_->counts();
    const Fixed without = counts.m_ln_m().sum(std::span<const std::int64_t>(levels_[child.column].sizes)) -
                          ln_of_integer(counts.total()).times(counts.total());
    const Fixed gained = fit.log_likelihood() - without;
    return {std::clamp<Wide>(gained.units, 0, -without.units)};
}

}  // namespace stablebn
