#include "incomplete_scores/available_columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "scores/gaussian.hpp"
#include "numeric/logarithm.hpp"
#include "scores/set_scores.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds per product of 64-bit numbers added to a sum of 128 bits.
constexpr double COST_OF_PRODUCT = 1.0;
// Estimated nanoseconds of the determinant of a small matrix.
constexpr double COST_OF_DETERMINANT = 500.0;

// Correlations of pairs are shrunk until no pivot is smaller.
constexpr double SMALLEST_PIVOT = 0x1p-10;
// If the last one is needed, variables count as independent.
constexpr double SHRINKAGES[] = {0.0, 0x1p-10, 0x1p-9, 0x1p-8, 0x1p-7, 0x1p-6, 0x1p-5, 0x1p-4, 0x1p-3, 0x1p-2, 0x1p-1, 1.0};

/// Whether a matrix, given by its lower triangle, can be eliminated with pivots that are large enough.
bool has_large_pivots(Matrix<double> work) {
    const std::size_t n = work.rows();
    for (std::size_t k = 0; k < n; ++k) {
        if (!(work(k, k) >= SMALLEST_PIVOT)) return false;
        Watch::look_now_and_then();
        for (std::size_t i = k + 1; i < n; ++i) {
            const double ratio = work(i, k) / work(k, k);
            for (std::size_t j = k + 1; j <= i; ++j) work(i, j) -= ratio * work(j, k);
        }
    }
    return true;
}
// A change of unit rounds every value differently, and changes a correlation by about 2**-53, far less than these
// steps.
constexpr int BITS = 34;

Wide inner_product(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    Wide sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += Wide{a[i]} * b[i];
    return sum;
}

Wide sum_of(std::span<const std::int64_t> values) {
    Wide sum = 0;
    for (const std::int64_t value : values) sum += value;
    return sum;
}

/// A positive number rounded to its first 34 bits.
double with_few_bits(double value) {
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(mantissa, BITS)), exponent - BITS);
}

/// Half the logarithm of the determinant of a matrix with ones on its diagonal, for some of its rows in an elimination
/// order. A pivot below 2**-40 is replaced by that. A pair has a symmetric formula, so that it can be used before there
/// is an order.
Fixed half_ln_determinant(const Matrix<double>& matrix, std::span<const std::size_t> order) {
    const std::size_t k = order.size();
    if (k == 2) {
        const double c = matrix(order[0], order[1]);
        return half_ln(std::max(1.0 - c * c, SMALLEST_RESIDUAL), 0);
    }
    Matrix<double> work(k, k);
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j <= i; ++j) work(i, j) = matrix(order[i], order[j]);
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
    return half_ln(mantissa, exponent);
}

}  // namespace

AvailableColumns::AvailableColumns(Matrix<std::int64_t> values, std::vector<std::int64_t> weights, int places, Pool& pool) {
    const std::size_t n = values.rows(), rows = values.columns();
    Data data;
    data.values = std::move(values);
    data.weights = std::move(weights);
    data.places = places;
    data.total = data.weights.empty() ? static_cast<std::int64_t>(rows)
                                      : std::accumulate(data.weights.begin(), data.weights.end(), std::int64_t{0});
    data.missing.resize(n);
    data.single.resize(n);
    data.products = Matrix<Wide>(n, n);
    for (std::size_t c = 0; c < n; ++c) {
        for (std::size_t row = 0; row < rows; ++row) {
            if (data.values(c, row) != HOLE) continue;
            data.values(c, row) = 0;
            data.missing[c].push_back(static_cast<std::int32_t>(row));
        }
    }
    pool.share_evenly(n, COST_OF_PRODUCT * static_cast<double>(n * (n + 1) / 2 * rows), [&](std::size_t c) {
        std::vector<std::int64_t> weighed(data.values[c].begin(), data.values[c].end());
        for (std::size_t row = 0; row < data.weights.size(); ++row) weighed[row] *= data.weights[row];
        data.single[c] = sum_of(weighed);
        for (std::size_t other = 0; other <= c; ++other) {
            Watch::look_now_and_then();
            data.products(c, other) = inner_product(weighed, data.values[other]);
        }
    });
    column_.resize(n);
    std::iota(column_.begin(), column_.end(), 0);
    data_ = std::make_shared<const Data>(std::move(data));
}

std::shared_ptr<AvailableColumns> AvailableColumns::reordered(std::span<const int> order) const {
    auto columns = std::shared_ptr<AvailableColumns>(new AvailableColumns);
    columns->data_ = data_;
    for (const int v : order) columns->column_.push_back(column_[v]);
    columns->rounds_ = rounds_;
    return columns;
}

std::shared_ptr<AvailableColumns> AvailableColumns::rounded() const {
    auto columns = std::shared_ptr<AvailableColumns>(new AvailableColumns(*this));
    columns->rounds_ = true;
    return columns;
}

std::int64_t AvailableColumns::weight_of(std::span<const std::int32_t> rows) const {
    if (data_->weights.empty()) return static_cast<std::int64_t>(rows.size());
    std::int64_t sum = 0;
    for (const std::int32_t row : rows) sum += data_->weights[row];
    return sum;
}

std::vector<std::int32_t> AvailableColumns::lost(std::span<const int> variables) const {
    std::vector<std::int32_t> rows, joint;
    for (const int v : variables) {
        const auto& own = data_->missing[column_[v]];
        if (own.empty()) continue;
        joint.clear();
        std::ranges::set_union(rows, own, std::back_inserter(joint));
        rows.swap(joint);
    }
    return rows;
}

std::int64_t AvailableColumns::complete_rows(std::span<const int> variables) const {
    return total() - weight_of(lost(variables));
}

AvailableColumns::Gathered AvailableColumns::gather(std::span<const int> variables) const {
    Gathered found;
    found.lost = lost(variables);
    found.are_lost = 2 * found.lost.size() <= stored_rows();
    if (found.are_lost) {
        found.rows = found.lost;
    } else {
        std::vector<std::int32_t> all(stored_rows());
        std::iota(all.begin(), all.end(), 0);
        std::ranges::set_difference(all, found.lost, std::back_inserter(found.rows));
    }
    const std::size_t k = variables.size(), count = found.rows.size();
    found.values = Matrix<std::int64_t>::unwritten(k, count);
    for (std::size_t at = 0; at < k; ++at) {
        const auto values = column(variables[at]);
        std::ranges::transform(found.rows, found.values[at].begin(), [=](std::int32_t row) { return values[row]; });
    }
    if (!data_->weights.empty()) {
        found.weighed = Matrix<std::int64_t>::unwritten(k, count);
        for (std::size_t at = 0; at < k; ++at) {
            for (std::size_t i = 0; i < count; ++i) found.weighed(at, i) = found.values(at, i) * weight(found.rows[i]);
        }
    }
    return found;
}

/// Missing values count as 0; if the other rows are visited, their sums are subtracted from those over all rows.
AvailableColumns::Sums AvailableColumns::sums(std::span<const int> variables, const Gathered& gathered) const {
    const std::size_t k = variables.size();
    Sums found{total() - weight_of(gathered.lost), {}, Matrix<Wide>(k, k)};
    for (std::size_t a = 0; a < k; ++a) {
        const Wide single_sum = sum_of(gathered.times_weight(a));
        found.single.push_back(gathered.are_lost ? single(variables[a]) - single_sum : single_sum);
        for (std::size_t b = 0; b <= a; ++b) {
            const Wide sum = inner_product(gathered.times_weight(a), gathered.values[b]);
            found.products(a, b) = gathered.are_lost ? product(variables[a], variables[b]) - sum : sum;
        }
    }
    return found;
}

/// Only sums that involve u are added, and those over its missing values subtracted.
AvailableColumns::Sums AvailableColumns::extended(std::span<const int> variables, const Gathered& gathered,
                                                  const Sums& known, int u) const {
    const std::size_t k = variables.size(), count = gathered.rows.size();
    const auto values = column(u);
    std::vector<std::int64_t> own(count);
    for (std::size_t i = 0; i < count; ++i) own[i] = values[gathered.rows[i]];
    std::vector<std::int64_t> weighed(own);
    for (std::size_t i = 0; i < count && !data_->weights.empty(); ++i) weighed[i] *= weight(gathered.rows[i]);
    std::vector<std::int32_t> more_lost;
    std::ranges::set_difference(data_->missing[column_[u]], gathered.lost, std::back_inserter(more_lost));
    Sums found{known.rows - weight_of(more_lost), known.single, Matrix<Wide>(k + 1, k + 1)};
    const auto over_known = [&](Wide over_all, Wide over_rows) { return gathered.are_lost ? over_all - over_rows : over_rows; };
    for (std::size_t a = 0; a < k; ++a) {
        const auto first = column(variables[a]);
        for (const std::int32_t row : more_lost) found.single[a] -= Wide{first[row]} * weight(row);
        for (std::size_t b = 0; b <= a; ++b) {
            const auto second = column(variables[b]);
            Wide sum = known.products(a, b);
            for (const std::int32_t row : more_lost) sum -= Wide{first[row]} * second[row] * weight(row);
            found.products(a, b) = sum;
        }
        found.products(k, a) = over_known(product(u, variables[a]), inner_product(weighed, gathered.values[a]));
    }
    found.single.push_back(over_known(single(u), sum_of(weighed)));
    found.products(k, k) = over_known(product(u, u), inner_product(weighed, own));
    return found;
}

Correlations AvailableColumns::from(const Sums& sums) const {
    const std::size_t k = sums.single.size();
    const auto rows = static_cast<double>(sums.rows);
    Correlations found{sums.rows, Matrix<double>(k, k), std::vector<double>(k)};
    // Values are below 2**62 / rows in units, so that both products fit 128 bits.
    const auto centred = [&](std::size_t a, std::size_t b) {
        return static_cast<double>(sums.products(a, b) * sums.rows - sums.single[a] * sums.single[b]);
    };
    std::vector<double> squares(k);
    for (std::size_t a = 0; a < k; ++a) {
        squares[a] = centred(a, a);
        found.entries(a, a) = 1.0;
        for (std::size_t b = 0; b < a; ++b) {
            double r = 0.0;
            if (squares[a] > 0 && squares[b] > 0) r = centred(a, b) / std::sqrt(squares[a] * squares[b]);
            if (rounds_) r = std::ldexp(std::nearbyint(std::ldexp(r, BITS)), -BITS);
            found.entries(a, b) = found.entries(b, a) = r;
        }
        if (squares[a] <= 0) continue;
        const double variance = std::ldexp(squares[a] / (rows * (rows - 1)), -2 * data_->places);
        found.variances[a] = rounds_ ? with_few_bits(variance) : variance;
    }
    return found;
}

Correlations AvailableColumns::correlations(std::span<const int> variables) const {
    return from(sums(variables, gather(variables)));
}

Matrix<double> AvailableColumns::correlations_of_pairs(Pool& pool) const {
    const auto n = static_cast<std::size_t>(variables());
    std::vector<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    Matrix<double> found(n, n);
    for (std::size_t v = 1; v < n; ++v) {
        extensions(std::span(all).subspan(v, 1), std::span(all).first(v), pool,
                   [&](std::size_t u, const Correlations& own) { found(v, u) = own.entries(0, 1); });
    }
    for (const double shrinkage : SHRINKAGES) {
        Matrix<double> shrunk(n, n);
        for (std::size_t v = 0; v < n; ++v) {
            shrunk(v, v) = 1.0;
            for (std::size_t u = 0; u < v; ++u) shrunk(u, v) = shrunk(v, u) = found(v, u) * (1.0 - shrinkage);
        }
        if (has_large_pivots(shrunk)) return shrunk;
    }
    throw std::logic_error("the identity matrix has large pivots");
}

void AvailableColumns::extensions(std::span<const int> variables, std::span<const int> candidates, Pool& pool,
                                  const std::function<void(std::size_t, const Correlations&)>& use) const {
    const Gathered gathered = gather(variables);
    const Sums known = sums(variables, gathered);
    const double products = static_cast<double>((gathered.rows.size() + 1) * (variables.size() + 2) * candidates.size());
    pool.share_evenly(candidates.size(), COST_OF_PRODUCT * products, [&](std::size_t place) {
        use(place, from(extended(variables, gathered, known, candidates[place])));
    });
}

namespace {

/// The Gaussian log-likelihood of columns without missing values, of variance 1 each.
class CompleteGaussian final : public SetScores {
public:
    CompleteGaussian(std::shared_ptr<AvailableColumns> columns, std::vector<int> variables, Fixed unit,
                     std::shared_ptr<Pool> pool)
        : SetScores(static_cast<int>(variables.size()), unit, columns->total()),
          columns_(std::move(columns)),
          variables_(std::move(variables)),
          pool_(std::move(pool)) {}

    Pool& pool() const override { return *pool_; }
    double cost_of_family() const override { return COST_OF_DETERMINANT * static_cast<double>(variables_.size()); }

protected:
    Fixed value(const VariableSet& set) override {
        // The specification (section 2) requires N > parents + 2.
        if (!set.empty() && columns_->total() <= static_cast<std::int64_t>(set.size()) + 1) return NOT_A_CANDIDATE;
        return values_.get(set, [&] { return work_out_value(set); });
    }
    std::vector<Fixed> extended(const VariableSet& base) override {
        std::vector<Fixed> found(variables_.size());
        for (int u = 0; u < variables(); ++u) {
            if (!base.contains(u)) found[u] = value(base.with(u));
        }
        return found;
    }
    double parameters(const VariableSet& set) const override {
        // One more variable adds as many parameters as it has parents, plus two.
        const auto size = static_cast<double>(set.size());
        return size * (size + 3) / 2;
    }
    /// Variables are numbered once, by the scores that these are part of.
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override {
        std::vector<int> variables;
        for (const int v : order) variables.push_back(variables_[v]);
        return std::make_shared<CompleteGaussian>(columns_, std::move(variables), unit(), pool_);
    }

private:
    Fixed work_out_value(const VariableSet& set) const {
        std::vector<int> members;
        for (const int v : set) members.push_back(variables_[v]);
        const Correlations found = columns_->correlations(members);
        std::vector<std::size_t> order(members.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        return (-half_ln_determinant(found.entries, order)).times(columns_->total());
    }

    std::shared_ptr<AvailableColumns> columns_;
    std::vector<int> variables_;
    std::shared_ptr<Pool> pool_;
    SetValues values_;
};

}  // namespace

NodeAverageScores::CompleteScores NodeAverageGaussian::make_complete_scores() {
    std::vector<int> complete, number;
    for (int v = 0; v < variables(); ++v) {
        number.push_back(columns_->is_complete(v) ? static_cast<int>(complete.size()) : -1);
        if (columns_->is_complete(v)) complete.push_back(v);
    }
    return {std::make_shared<CompleteGaussian>(columns_, std::move(complete), unit(), pool_), std::move(number)};
}

NodeAverageGaussian::NodeAverageGaussian(std::shared_ptr<AvailableColumns> columns, Fixed constant, Fixed unit,
                                         std::shared_ptr<Pool> pool)
    : NodeAverageScores(columns->variables(),
                        static_cast<int>(std::clamp<std::int64_t>(columns->total() - 3, 0, columns->variables() - 1)),
                        columns->total(), unit),
      columns_(std::move(columns)),
      constant_(constant),
      pool_(std::move(pool)) {}

double NodeAverageGaussian::cost_of_family() const {
    // For two parents.
    return COST_OF_PRODUCT * 5.0 * static_cast<double>(columns_->stored_rows()) * variables();
}

/// -(N/2) ln(2 pi S / (rows - 1)) - N (rows - 1) / (2 rows), S the sum of squares.
Fixed NodeAverageGaussian::alone(int child) {
    const Correlations found = columns_->correlations({&child, 1});
    if (found.rows <= 2 || found.variances[0] <= 0) return NOT_A_CANDIDATE;
    // Half of N (rows - 1) / rows, rounded down, because the product might need more than 128 bits.
    const Wide half = Wide{total()} << (FIXED_BITS - 1);
    const Fixed squares{half - (half + found.rows - 1) / found.rows};
    return constant_ - half_ln(found.variances[0], 0).times(total()) - squares;
}

/// -(N/2) times the logarithm of the residual of the child given a candidate relative to that without it: a ratio of
/// determinants.
std::vector<NodeAverageScores::Step> NodeAverageGaussian::gains(int child, const VariableSet& given,
                                                                std::span<const int> candidates) {
    std::vector<Step> found(candidates.size());
    const VariableSet family = given.with(child);
    columns_->extensions(family.members(), candidates, *pool_, [&](std::size_t place, const Correlations& own) {
        const int u = candidates[place];
        found[place].parent = u;
        if (own.rows <= static_cast<std::int64_t>(family.size()) + 2) return;
        if (std::ranges::any_of(own.variances, [](double variance) { return variance <= 0; })) return;
        // Elimination follows the numbers of the variables; the candidate is the last one among the correlations.
        const VariableSet all = family.with(u);
        const auto half_ln_of = [&](bool with_child, bool with_candidate) {
            std::vector<std::size_t> order;
            for (const int v : all) {
                if ((v == child && !with_child) || (v == u && !with_candidate)) continue;
                order.push_back(v == u ? family.size() : family.place_of(v));
            }
            return half_ln_determinant(own.entries, order);
        };
        const Fixed left = half_ln_of(true, true) + half_ln_of(false, false) - half_ln_of(true, false) - half_ln_of(false, true);
        found[place].rows = own.rows;
        found[place].gain = (-left).times(total());
    });
    return found;
}

std::int64_t NodeAverageGaussian::complete_rows(const VariableSet& family) const {
    return columns_->complete_rows(family.members());
}

std::shared_ptr<FamilyScores> NodeAverageGaussian::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<NodeAverageGaussian>(columns_->reordered(order), constant_, unit(), pool_);
    scores->adopt_first(*this, order);
    return scores;
}

std::vector<Outcome> AvailableCorrelationTest::outcomes(int x, std::span<const int> given,
                                                        std::span<const int> candidates) const {
    std::vector<int> variables(given.begin(), given.end());
    variables.push_back(x);
    const std::size_t k = given.size();
    std::vector<int> places(k);
    std::iota(places.begin(), places.end(), 0);
    std::vector<Outcome> found(candidates.size());
    columns_->extensions(variables, candidates, *pool_, [&](std::size_t place, const Correlations& correlations) {
        Elimination elimination(correlations.entries.view());
        elimination.begin(places);
        const double r = elimination.correlation(static_cast<int>(k), static_cast<int>(k) + 1);
        found[place] = judge_correlation(statistic_, correlations.rows, r, k);
    });
    return found;
}

}  // namespace stablebn
