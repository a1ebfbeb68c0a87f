#include "mixed_scores/conditional_gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "scores/gaussian.hpp"
#include "numeric/logarithm.hpp"
#include "ci_tests/quadratic_logistic.hpp"

namespace stablebn {

namespace {

std::shared_ptr<SetFunction> entropy_of(Counts& counts) {
    return std::make_shared<SetFunction>(
        counts, [&counts](std::span<const std::int64_t> cells, double) { return counts.m_ln_m().sum(cells); });
}

/// Number of rows of each configuration of a set with each level of every other variable, if counted with bits.
class JointCells {
public:
    JointCells(Counts& counts, const VariableSet& set) : counts_(counts) {
        if (!set.empty()) table_ = counts.table(set);
        is_known_ = set.empty() || table_;
    }

    bool know(int u) const { return is_known_ && counts_.first(u) >= 0; }

    /// The smallest number of rows of a configuration of the set and u that occurs.
    std::int64_t smallest_with(int u) const {
        std::int64_t smallest = counts_.total();
        for_cells(u, [&](auto cells) {
            for (const auto rows : cells) {
                if (rows) smallest = std::min<std::int64_t>(smallest, rows);
            }
        });
        return smallest;
    }

    /// The sum of m ln m over the configurations of the set and u.
    Fixed entropy_with(int u) const {
        Fixed sum;
        for_cells(u, [&](auto cells) { sum += counts_.m_ln_m().sum(cells); });
        return sum;
    }

private:
    template <class Use>
    void for_cells(int u, const Use& use) const {
        const auto first = static_cast<std::size_t>(counts_.first(u)), levels = static_cast<std::size_t>(counts_.levels(u));
        if (!table_) return use(counts_.level_sizes().subspan(first, levels));
        table_->with_counts([&](const auto& counts) {
            for (std::size_t level = first; level < first + levels; ++level) use(counts[level]);
        });
    }

    const Counts& counts_;
    std::shared_ptr<const JointTable> table_;
    bool is_known_ = false;
};

/// The covariances of some columns in one stratum: variances, and correlations in a lower triangle.
struct Covariance {
    explicit Covariance(std::size_t columns)
        : scales(columns), floors(columns), correlations(columns, columns), work(columns, columns) {}

    /// Variances, or the least variance if there is none; and the least pivots relative to these.
    std::vector<double> scales, floors;
    Matrix<double> correlations, work;

    Fixed half_ln_determinant();
    /// The variance of the last column given the others.
    double residual_of_last();
};

/// A pivot is replaced by its floor if it is smaller. For a pair: the larger of the results of both orders, in
/// symmetric form.
Fixed Covariance::half_ln_determinant() {
    const std::size_t k = scales.size();
    if (k == 2) {
        const double r = correlations(1, 0);
        const double first = std::max(1.0, floors[0]), second = std::max(1.0, floors[1]);
        const double least = std::max(first * floors[1], second * floors[0]);
        int shift = 0;
        const double mantissa = std::frexp(std::max(first * second - r * r, least), &shift);
        return half_ln(mantissa * (scales[0] * scales[1]), shift);
    }
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j) work(i, j) = correlations(i, j);
        work(i, i) = 1.0;
    }
    double mantissa = 1.0;
    std::int64_t exponent = 0;
    for (std::size_t j = 0; j < k; ++j) {
        const double pivot = std::max(work(j, j), floors[j]);
        int shift = 0;
        mantissa = std::frexp(mantissa * (scales[j] * pivot), &shift);
        exponent += shift;
        for (std::size_t i = j + 1; i < k; ++i) {
            const double ratio = work(i, j) / pivot;
            for (std::size_t other = j + 1; other <= i; ++other) work(i, other) -= ratio * work(other, j);
        }
    }
    return half_ln(mantissa, exponent);
}

double Covariance::residual_of_last() {
    const std::size_t k = scales.size();
    for (std::size_t i = 0; i < k; ++i) {
        for (std::size_t j = 0; j < i; ++j) work(i, j) = correlations(i, j);
        work(i, i) = 1.0;
    }
    for (std::size_t j = 0; j + 1 < k; ++j) {
        const double pivot = std::max(work(j, j), floors[j]);
        for (std::size_t i = j + 1; i < k; ++i) {
            const double ratio = work(i, j) / pivot;
            for (std::size_t other = j + 1; other <= i; ++other) work(i, other) -= ratio * work(other, j);
        }
    }
    return scales[k - 1] * std::max(work(k - 1, k - 1), floors[k - 1]);
}

// Binary digits of residual variances that are summed, relative to the total variance.
constexpr int BITS_OF_RESIDUALS = 60;

// Measured approximately: nanoseconds per row of the logistic regressions of two variables with few levels given one
// continuous variable.
constexpr double COST_OF_LOGISTIC_ROW = 1000;

}  // namespace

ConditionalGaussian::ConditionalGaussian(std::shared_ptr<Strata> strata, std::vector<int> order)
    : strata_(std::move(strata)), order_(std::move(order)), entropy_(entropy_of(strata_->counts())) {}

std::shared_ptr<ConditionalGaussian> ConditionalGaussian::reordered(std::span<const int> order) {
    const std::lock_guard lock(mutex_);
    auto& known = reordered_[std::vector<int>(order.begin(), order.end())];
    if (auto function = known.lock()) return function;
    std::vector<int> columns;
    for (const int v : order) columns.push_back(order_[v]);
    auto function = std::make_shared<ConditionalGaussian>(strata_, std::move(columns));
    function->entropy_ = entropy_;
    known = function;
    return function;
}

ConditionalGaussian::Parts ConditionalGaussian::parts_of(const VariableSet& set) const {
    const int categorical = strata_->counts().variables();
    std::vector<int> own;
    Parts parts;
    for (const int v : set) {
        if (order_[v] < categorical) {
            own.push_back(order_[v]);
        } else {
            parts.continuous.push_back(order_[v] - categorical);
        }
    }
    parts.categorical = VariableSet(std::move(own));
    return parts;
}

double ConditionalGaussian::parameters(const VariableSet& set) const {
    const Parts parts = parts_of(set);
    const double configurations = states(strata_->counts().rows(), parts.categorical.members());
    const auto columns = static_cast<double>(parts.continuous.size());
    return configurations - 1 + configurations * (columns + columns * (columns + 1) / 2);
}

Fixed ConditionalGaussian::operator()(const VariableSet& set) {
    return values_.get(set, [&] { return work_out(parts_of(set)); });
}

/// Call a function with each configuration that occurs, its rows, and the covariance of some continuous columns in it.
template <class Use>
void ConditionalGaussian::for_strata(Stratification& strata, std::span<const int> continuous, const Use& use) {
    const std::size_t k = continuous.size();
    strata_->prepare(strata, continuous);
    std::vector<std::shared_ptr<const ColumnInStrata>> columns;
    Matrix<std::shared_ptr<const std::vector<double>>> correlations(k, k);
    for (std::size_t i = 0; i < k; ++i) {
        columns.push_back(strata_->column(strata, continuous[i]));
        for (std::size_t j = 0; j < i; ++j) {
            correlations(i, j) = strata_->correlations(strata, continuous[i], continuous[j]);
        }
    }
    Covariance covariance(k);
    const auto& sizes = strata.sizes();
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] == 0) continue;
        for (std::size_t i = 0; i < k; ++i) {
            const double variance = columns[i]->variances[d], floor = strata_->floor(continuous[i]);
            covariance.scales[i] = variance > 0 ? variance : floor;
            covariance.floors[i] = std::max(SMALLEST_RESIDUAL, floor / covariance.scales[i]);
            for (std::size_t j = 0; j < i; ++j) covariance.correlations(i, j) = (*correlations(i, j))[d];
        }
        use(sizes[d], covariance);
    }
}

Fixed ConditionalGaussian::work_out(const Parts& parts) {
    if (parts.continuous.empty()) return (*entropy_)(parts.categorical);
    const auto strata = strata_->by(parts.categorical);
    if (!strata->suffices_for(parts.continuous.size())) return NOT_A_CANDIDATE;
    Fixed sum = strata->entropy();
    for_strata(*strata, parts.continuous, [&](std::int64_t size, Covariance& covariance) {
        sum -= covariance.half_ln_determinant().times(size);
    });
    return sum;
}

Fixed ConditionalGaussian::with_common_variance(int child, const VariableSet& parents) {
    Parts parts = parts_of(parents);
    const auto strata = strata_->by(parts.categorical);
    if (!strata->suffices_for(1)) return NOT_A_CANDIDATE;
    const int column = order_[child] - strata_->counts().variables();
    parts.continuous.push_back(column);
    // Integers, so that the order of configurations has no effect.
    Wide sum = 0;
    for_strata(*strata, parts.continuous, [&](std::int64_t size, Covariance& covariance) {
        sum += static_cast<Wide>(std::nearbyint(std::ldexp(covariance.residual_of_last(), BITS_OF_RESIDUALS))) * size;
    });
    const auto total = static_cast<double>(strata_->counts().total());
    const double residual = std::ldexp(to_double_double(sum).hi / total, -BITS_OF_RESIDUALS);
    int shift = 0;
    const double mantissa = std::frexp(std::max(residual, strata_->floor(column)), &shift);
    return -half_ln(mantissa, shift).times(strata_->counts().total());
}

std::vector<Fixed> ConditionalGaussian::extensions(const VariableSet& base) {
    return values_.extensions(base, variables(), pool(), [&](std::span<const int> unknown, std::span<Fixed> values) {
        work_out_extensions(base, unknown, values);
    });
}

std::vector<Fixed> ConditionalGaussian::categorical_extensions(const VariableSet& base) {
    const VariableSet own = parts_of(base).categorical;
    const JointCells cells(strata_->counts(), own);
    std::vector<Fixed> values(variables());
    std::vector<int> of_entropy;
    for (int u = 0; u < variables(); ++u) {
        if (!is_categorical(u) || base.contains(u)) continue;
        if (cells.know(order_[u])) {
            values[u] = cells.entropy_with(order_[u]);
        } else {
            of_entropy.push_back(order_[u]);
        }
    }
    if (of_entropy.empty()) return values;
    const auto entropies = entropy_->extensions(own, of_entropy);
    for (int u = 0; u < variables(); ++u) {
        if (std::ranges::find(of_entropy, order_[u]) != of_entropy.end()) values[u] = entropies[order_[u]];
    }
    return values;
}

void ConditionalGaussian::work_out_extensions(const VariableSet& base, std::span<const int> unknown,
                                              std::span<Fixed> values) {
    const Parts parts = parts_of(base);
    const std::size_t continuous = parts.continuous.size();
    const auto least = static_cast<std::int64_t>(continuous) + ROWS_BESIDES_COLUMNS;
    std::vector<int> in_strata, of_entropy;
    std::optional<JointCells> cells;
    for (const int u : unknown) {
        if (!is_categorical(u)) {
            in_strata.push_back(u);
            continue;
        }
        if (!cells) cells.emplace(strata_->counts(), parts.categorical);
        const bool known = cells->know(order_[u]);
        if (continuous == 0 && known) {
            values[u] = cells->entropy_with(order_[u]);
        } else if (continuous == 0) {
            of_entropy.push_back(u);
        } else if (known && cells->smallest_with(order_[u]) < least) {
            // Most sets that are too large for their rows are rejected without scanning these.
            values[u] = NOT_A_CANDIDATE;
        } else {
            in_strata.push_back(u);
        }
    }
    if (!of_entropy.empty()) {
        const auto entropies = entropy_->extensions(parts.categorical);
        for (const int u : of_entropy) values[u] = entropies[order_[u]];
    }
    if (in_strata.empty()) return;
    const auto strata = strata_->by(parts.categorical);
    if (!strata->suffices_for(std::max<std::size_t>(continuous, 1))) {
        for (const int u : in_strata) values[u] = NOT_A_CANDIDATE;
        return;
    }
    // Their common part comes first, so that no two threads compute it.
    strata_->prepare(*strata, parts.continuous);
    for (const int column : parts.continuous) strata_->column(*strata, column);
    const double cost = strata_->cost_of_sums() * static_cast<double>(continuous + 1);
    pool().share(in_strata.size(), cost * static_cast<double>(in_strata.size()), [&](std::size_t place) {
        const int u = in_strata[place];
        values[u] = work_out(parts_of(base.with(u)));
    });
}

std::vector<Fixed> ConditionalGaussian::gains(int x, const VariableSet& given, std::span<const int> candidates) {
    const bool is_logistic = is_categorical(x) && !parts_of(given).continuous.empty();
    std::vector<Fixed> found(candidates.size());
    std::vector<std::size_t> of_sets, of_rows;
    for (std::size_t place = 0; place < candidates.size(); ++place) {
        (is_logistic && is_categorical(candidates[place]) ? of_rows : of_sets).push_back(place);
    }
    if (!of_sets.empty()) {
        const VariableSet with_x = given.with(x);
        const bool all = 2 * of_sets.size() > static_cast<std::size_t>(variables());
        const auto larger = all ? extensions(with_x) : std::vector<Fixed>();
        const auto smaller = all ? extensions(given) : std::vector<Fixed>();
        const Fixed own = (*this)(with_x), without = (*this)(given);
        for (const std::size_t place : of_sets) {
            const int y = candidates[place];
            const Fixed joint = all ? larger[y] : (*this)(with_x.with(y));
            const Fixed other = is_candidate(joint) ? (all ? smaller[y] : (*this)(given.with(y))) : Fixed{};
            found[place] = is_candidate(joint) ? (joint + without) - (own + other) : NOT_A_CANDIDATE;
        }
    }
    const double cost = COST_OF_LOGISTIC_ROW * static_cast<double>(strata_->counts().rows().count);
    pool().share(of_rows.size(), cost * static_cast<double>(of_rows.size()), [&](std::size_t at) {
        found[of_rows[at]] = logistic_gain(x, candidates[of_rows[at]], given);
    });
    return found;
}

/// The sum over the configurations of the given categorical variables.
Fixed ConditionalGaussian::logistic_gain(int x, int y, const VariableSet& given) {
    const Parts parts = parts_of(given);
    const auto cells = strata_->by(parts_of(given.with(x).with(y)).categorical);
    if (!cells->suffices_for(parts.continuous.size())) return NOT_A_CANDIDATE;
    const Rows& rows = strata_->counts().rows();
    const Partition groups = partition(rows, parts.categorical.members());
    std::vector<std::vector<std::int32_t>> members(static_cast<std::size_t>(groups.groups));
    for (std::size_t row = 0; row < rows.count; ++row) {
        members[static_cast<std::size_t>(groups.group[row])].push_back(static_cast<std::int32_t>(row));
    }
    Fixed sum;
    for (const auto& own : members) {
        if (own.empty()) continue;
        const auto classes = [&](int v) {
            std::vector<std::int32_t> codes;
            with_codes(rows.columns[order_[v]], [&](const auto* from) {
                for (const std::int32_t row : own) codes.push_back(static_cast<std::int32_t>(from[row]));
            });
            return codes;
        };
        const Fixed gained = QuadraticLogistic(*strata_, parts.continuous, own).gain(classes(x), classes(y));
        if (!is_candidate(gained)) return NOT_A_CANDIDATE;
        sum += gained;
    }
    return sum;
}

std::shared_ptr<FamilyScores> ConditionalGaussianScores::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<ConditionalGaussianScores>(function_->reordered(order), unit());
    scores->adopt_first(*this, order);
    return scores;
}

double ConditionalGaussianScores::cost_of_family() const {
    // For a typical family with one continuous variable.
    const double cost = 2 * function_->strata().cost_of_sums() * variables();
    // A `RowSource` reads all rows per pass, so it always pays to include queries that may be needed soon.
    return function_->strata().counts().asks() ? std::max(cost, 2 * Pool::worth_a_thread()) : cost;
}

}  // namespace stablebn
