#include "counting/strata.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/pool.hpp"

namespace stablebn {

namespace {

// A change of unit changes a variance or a correlation by a relative 2**-50, far less than these steps.
constexpr int BITS = 34;
// Below this part of the total variance a column counts as constant: the rest may be rounding error.
constexpr double LEAST_VARIANCE = 0x1p-40;
// Measured: nanoseconds per row of a sum of products.
constexpr double COST_OF_ROW = 1.5;
// Rows between two checks whether to continue.
constexpr std::size_t ROWS_AT_ONCE = std::size_t{1} << 20;

/// The nearest integer, ties to even.
double nearest(DoubleDouble x) {
    const double whole = std::nearbyint(x.hi);
    return whole + std::nearbyint((x.hi - whole) + x.lo);
}

/// Rounded to BITS significant bits.
double rounded_variance(DoubleDouble x) {
    int exponent = 0;
    std::frexp(x.hi, &exponent);
    return std::ldexp(nearest(times_power(x, BITS - exponent)), exponent - BITS);
}

/// Add a row of two columns with weight 1.
void add(SumsOfColumns& sums, std::int64_t x, std::int64_t y) {
    sums.plain += x;
    sums.product += static_cast<Wide>(x) * y;
}

/// Rows of a block are sorted by stratum if there are at least this many per stratum on average, and in total; with
/// fewer, the change from one stratum to the next costs more than the sums.
constexpr std::size_t ROWS_OF_STRATUM = 64;
constexpr std::size_t SMALLEST_BLOCK = 2048;

SortedRows sort_rows(std::span<const std::int32_t> group, std::size_t strata) {
    SortedRows sorted;
    sorted.block = std::max(SMALLEST_BLOCK, ROWS_OF_STRATUM * strata);
    sorted.rows.resize(group.size());
    const std::size_t blocks = (group.size() + sorted.block - 1) / sorted.block;
    sorted.starts.reserve(blocks * strata + 1);
    std::vector<std::uint32_t> next(strata);
    for (std::size_t begin = 0; begin < group.size(); begin += sorted.block) {
        Watch::look_now_and_then();
        const auto own = group.subspan(begin, std::min(sorted.block, group.size() - begin));
        std::fill(next.begin(), next.end(), 0);
        for (const std::int32_t d : own) ++next[static_cast<std::size_t>(d)];
        auto start = static_cast<std::uint32_t>(begin);
        for (std::uint32_t& place : next) {
            sorted.starts.push_back(start);
            start += std::exchange(place, start);
        }
        for (std::size_t i = 0; i < own.size(); ++i) {
            sorted.rows[next[static_cast<std::size_t>(own[i])]++] = static_cast<std::uint32_t>(begin + i);
        }
    }
    sorted.starts.push_back(static_cast<std::uint32_t>(group.size()));
    return sorted;
}

/// For each stratum, the sums of a column and of its products with another, by weight. Unsorted rows form one stratum.
std::vector<SumsOfColumns> sums_of(std::size_t strata, const SortedRows& sorted, std::span<const std::int64_t> x,
                          std::span<const std::int64_t> y, std::span<const std::int64_t> weights) {
    std::vector<SumsOfColumns> sums(strata);
    const auto add_rows = [&](SumsOfColumns& to, std::size_t begin, std::size_t end, auto row_at) {
        // Local, so that sums stay in registers.
        SumsOfColumns own;
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t row = row_at(i);
            if (weights.empty()) {
                add(own, x[row], y[row]);
            } else {
                own.plain += static_cast<Wide>(weights[row]) * x[row];
                own.product += static_cast<Wide>(x[row]) * y[row] * weights[row];
            }
        }
        to.plain += own.plain;
        to.product += own.product;
    };
    if (sorted.empty()) {
        for (std::size_t begin = 0; begin < x.size(); begin += ROWS_AT_ONCE) {
            Watch::look_now_and_then();
            add_rows(sums[0], begin, std::min(x.size(), begin + ROWS_AT_ONCE), [](std::size_t i) { return i; });
        }
        return sums;
    }
    const std::uint32_t* const rows = sorted.rows.data();
    for (std::size_t at = 0; at + 1 < sorted.starts.size(); at += strata) {
        Watch::look_now_and_then();
        for (std::size_t d = 0; d < strata; ++d) {
            add_rows(sums[d], sorted.starts[at + d], sorted.starts[at + d + 1], [rows](std::size_t i) { return rows[i]; });
        }
    }
    return sums;
}

/// n sum(z y) - sum(z) sum(y).
DoubleDouble spread(std::int64_t size, Wide product, Wide sum, Wide other) {
    return to_double_double(product) * static_cast<double>(size) - to_double_double(sum) * to_double_double(other);
}

}  // namespace

void standardise(std::span<const double> values, const Standard& standard, std::span<std::int64_t> out) {
    // Two factors, because the power itself may be beyond the range of a double.
    const int half = -standard.power / 2;
    const double first = std::ldexp(1.0, half), second = std::ldexp(1.0, -standard.power - half);
    const DoubleDouble steps_a_unit = times_power(standard.inverse, standard.bits);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const DoubleDouble steps = (DoubleDouble{values[i] * first * second, 0.0} - standard.mean) * steps_a_unit;
        const double whole = std::nearbyint(steps.hi);
        // Two integers, because the sum may need more bits than a double has.
        out[i] = static_cast<std::int64_t>(whole) + static_cast<std::int64_t>(std::nearbyint((steps.hi - whole) + steps.lo));
    }
}

Strata::Strata(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
               std::vector<double> floors, std::shared_ptr<const void> owner)
    : counts_(std::move(counts)),
      columns_(std::move(columns)),
      bits_(bits),
      floors_(std::move(floors)),
      owner_(std::move(owner)) {}

double Strata::cost_of_sums() const { return COST_OF_ROW * static_cast<double>(counts_->rows().count); }

std::shared_ptr<Stratification> Strata::by(const VariableSet& categorical) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(categorical);
        if (found != known_.end()) return found->second;
    }
    // Two threads may compute the same strata concurrently, with the same result.
    auto made = make(categorical);
    keep(categorical, made);
    return made;
}

std::shared_ptr<Stratification> Strata::make(const VariableSet& categorical) {
    const Rows& rows = counts_->rows();
    auto made = std::make_shared<Stratification>();
    made->variables_ = categorical;
    if (categorical.empty()) {
        made->sizes_ = {rows.total};
        made->places_[{0}] = 0;
    } else if (counts_->asks()) {
        const std::vector<int> members(categorical.begin(), categorical.end());
        const Listed listed = std::move(counts_->list({&members, 1}).front());
        made->sizes_ = listed.counts;
        const std::size_t words = listed.keys.size() / listed.counts.size();
        for (std::size_t d = 0; d < listed.counts.size(); ++d) {
            const auto key = listed.keys.begin() + static_cast<std::ptrdiff_t>(d * words);
            made->places_[{key, key + static_cast<std::ptrdiff_t>(words)}] = d;
        }
    } else {
        std::shared_ptr<Stratification> coarser;
        int last = categorical[0];
        {
            const std::lock_guard lock(mutex_);
            for (const int v : categorical) {
                const auto found = known_.find(categorical.without(v));
                if (found == known_.end()) continue;
                coarser = found->second;
                last = v;
                break;
            }
        }
        if (coarser && !coarser->partition_.group.empty()) {
            made->partition_ = split(coarser->partition_, {}, rows.columns[last], rows.levels[last]);
        } else {
            made->partition_ = partition(rows, categorical.members());
        }
        made->sizes_ = group_sizes(std::span<const std::int32_t>(made->partition_.group),
                                   static_cast<std::size_t>(made->partition_.groups), rows.weights);
    }
    made->smallest_ = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t size : made->sizes_) {
        if (size) made->smallest_ = std::min(made->smallest_, size);
    }
    made->entropy_ = counts_->m_ln_m().sum(std::span<const std::int64_t>(made->sizes_));
    if (!made->suffices_for(1)) made->partition_ = {};
    made->bytes_ = sizeof(std::int64_t) * made->sizes_.size() + 2 * sizeof(std::int32_t) * made->partition_.group.size();
    return made;
}

void Strata::keep(const VariableSet& categorical, const std::shared_ptr<Stratification>& strata) {
    const std::lock_guard lock(mutex_);
    if (!known_.emplace(categorical, strata).second) return;
    by_age_.push_back(categorical);
    {
        const std::lock_guard own(strata->mutex_);
        strata->is_kept_ = true;
        bytes_ += strata->bytes_;
    }
    const auto most = static_cast<std::size_t>(counts_->limits().most_bytes);
    while (bytes_ > most && by_age_.size() > 1) {
        const auto oldest = known_.extract(by_age_.front()).mapped();
        by_age_.pop_front();
        const std::lock_guard own(oldest->mutex_);
        oldest->is_kept_ = false;
        bytes_ -= oldest->bytes_;
    }
}

void Strata::grow(Stratification& strata, std::size_t bytes) {
    strata.bytes_ += bytes;
    if (strata.is_kept_) bytes_ += bytes;
}

const SortedRows& Strata::sorted(Stratification& strata) const {
    std::call_once(strata.sort_once_, [&] {
        if (!strata.partition_.group.empty()) strata.sorted_ = sort_rows(strata.partition_.group, strata.sizes_.size());
    });
    return strata.sorted_;
}

std::vector<SumsOfColumns> Strata::sums(Stratification& strata, int x, int y) const {
    if (!counts_->asks()) {
        return sums_of(strata.sizes_.size(), sorted(strata), columns_[x], columns_[y], counts_->rows().weights);
    }
    {
        const std::lock_guard lock(strata.mutex_);
        if (auto found = strata.asked_.extract({x, y})) return std::move(found.mapped());
    }
    const std::vector<int> members(strata.variables_.begin(), strata.variables_.end());
    return in_order(strata, counts_->sum({{members, x, y}}).front());
}

std::vector<SumsOfColumns> Strata::in_order(const Stratification& strata, const Summed& summed) {
    std::vector<SumsOfColumns> found(strata.sizes_.size());
    const std::size_t words = summed.keys.size() / summed.sums.size();
    for (std::size_t d = 0; d < summed.sums.size(); ++d) {
        const auto key = summed.keys.begin() + static_cast<std::ptrdiff_t>(d * words);
        found[strata.places_.at({key, key + static_cast<std::ptrdiff_t>(words)})] = {summed.sums[d], summed.products[d]};
    }
    return found;
}

void Strata::prepare(Stratification& strata, std::span<const int> columns) {
    if (!counts_->asks()) return;
    const std::vector<int> members(strata.variables_.begin(), strata.variables_.end());
    std::vector<Summing> summings;
    {
        const std::lock_guard lock(strata.mutex_);
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const int u = columns[i];
            if (!strata.columns_.contains(u) && !strata.asked_.contains({u, u})) summings.push_back({members, u, u});
            for (std::size_t j = 0; j < i; ++j) {
                const std::pair<int, int> pair = std::minmax(u, columns[j]);
                if (strata.correlations_.contains(pair) || strata.asked_.contains(pair)) continue;
                summings.push_back({members, pair.first, pair.second});
            }
        }
    }
    if (summings.empty()) return;
    const auto found = counts_->sum(summings);
    const std::lock_guard lock(strata.mutex_);
    for (std::size_t k = 0; k < found.size(); ++k) {
        strata.asked_.try_emplace({summings[k].x, summings[k].y}, in_order(strata, found[k]));
    }
}

Summed summed(const Counts& counts, MatrixView<const std::int64_t> columns, const Summing& summing) {
    const Rows& rows = counts.rows();
    const Partition groups = partition(rows, summing.variables);
    const auto sizes = group_sizes(std::span<const std::int32_t>(groups.group), static_cast<std::size_t>(groups.groups), rows.weights);
    const SortedRows sorted = summing.variables.empty() ? SortedRows{} : sort_rows(groups.group, sizes.size());
    const auto sums = sums_of(sizes.size(), sorted, columns[summing.x], columns[summing.y], rows.weights);
    Summed found;
    found.keys = keys_of_groups(rows, summing.variables, groups);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (!sizes[d]) continue;
        found.sums.push_back(sums[d].plain);
        found.products.push_back(sums[d].product);
    }
    return found;
}

std::shared_ptr<const ColumnInStrata> Strata::column(Stratification& strata, int u) {
    {
        const std::lock_guard lock(strata.mutex_);
        const auto found = strata.columns_.find(u);
        if (found != strata.columns_.end()) return found->second;
    }
    const auto sums = this->sums(strata, u, u);
    auto made = std::make_shared<ColumnInStrata>();
    for (std::size_t d = 0; d < sums.size(); ++d) {
        const std::int64_t size = strata.sizes_[d];
        const DoubleDouble own = spread(size, sums[d].product, sums[d].plain, sums[d].plain);
        const auto rows = static_cast<double>(size);
        const DoubleDouble variance =
            size ? times_power(own / two_product(rows, rows), -2 * bits_) : DoubleDouble{};
        made->sums.push_back(sums[d].plain);
        made->spreads.push_back(own);
        made->variances.push_back(variance.hi < LEAST_VARIANCE ? 0.0 : rounded_variance(variance));
    }
    const std::lock_guard lock(strata.mutex_);
    const auto [at, is_new] = strata.columns_.emplace(u, std::move(made));
    if (is_new) grow(strata, sums.size() * (sizeof(Wide) + sizeof(DoubleDouble) + sizeof(double)));
    return at->second;
}

std::shared_ptr<const std::vector<double>> Strata::correlations(Stratification& strata, int u, int v) {
    const std::pair<int, int> pair = std::minmax(u, v);
    {
        const std::lock_guard lock(strata.mutex_);
        const auto found = strata.correlations_.find(pair);
        if (found != strata.correlations_.end()) return found->second;
    }
    const auto first = column(strata, pair.first), second = column(strata, pair.second);
    const auto sums = this->sums(strata, pair.first, pair.second);
    auto made = std::make_shared<std::vector<double>>(sums.size(), 0.0);
    for (std::size_t d = 0; d < sums.size(); ++d) {
        if (first->variances[d] == 0.0 || second->variances[d] == 0.0) continue;
        const DoubleDouble joint = spread(strata.sizes_[d], sums[d].product, first->sums[d], second->sums[d]);
        const DoubleDouble correlation = joint / square_root(first->spreads[d] * second->spreads[d]);
        const double steps = nearest(times_power(correlation, BITS));
        (*made)[d] = std::ldexp(std::clamp(steps, -0x1p34, 0x1p34), -BITS);
    }
    const std::lock_guard lock(strata.mutex_);
    const auto [at, is_new] = strata.correlations_.emplace(pair, std::move(made));
    if (is_new) grow(strata, sums.size() * sizeof(double));
    return at->second;
}

}  // namespace stablebn
