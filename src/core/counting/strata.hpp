// The statistics of a mixed table. A stratum is the rows of one configuration of some categorical variables; its
// statistics are its size and the variances and correlations of the continuous variables in it.
//
// Continuous columns are standardised integers in small steps of standard deviations (`standardise`). Sums and sums of
// products are integers, so no order of rows, number of threads or split of the rows can change them. Results are
// rounded far more coarsely than a change of unit, which rounds every value differently, could affect them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counting/counts.hpp"
#include "numeric/double_double.hpp"
#include "table/rows.hpp"
#include "table/variable_set.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// Fewest rows of a stratum for a variance, besides the number of columns: the specification (section 2) requires N >
/// parents + 2.
constexpr std::int64_t ROWS_BESIDES_COLUMNS = 2;

/// The standard units of a column: values times 2**-power, less the mean, times the inverse of the standard deviation.
///
/// `bits` is the number of binary digits after the point: 48 up to 2**28 rows, and one less for every factor of four
/// beyond. No value exceeds the root of the number of rows, so a value takes 63 bits, and the squares of a column sum
/// to at most 2**124.
struct Standard {
    int power = 0;
    DoubleDouble mean, inverse;
    int bits = 0;
};

/// Write (x - mean) / deviation in steps of 2**-bits, rounded to nearest; the result for -x is that for x with the
/// other sign.
void standardise(std::span<const double> values, const Standard& standard, std::span<std::int64_t> out);

/// The rows in blocks, sorted by stratum inside each block: sums of a stratum then need no lookup per row, and the rows
/// of a block are near each other in memory.
struct SortedRows {
    std::vector<std::uint32_t> rows;
    std::size_t block = 0;
    /// Start of each stratum in each block: [blocks, strata], and the end.
    std::vector<std::uint32_t> starts;

    bool empty() const { return starts.empty(); }
};

/// The sum of a column in a stratum, and the sum of its products with another column.
struct SumsOfColumns {
    Wide plain = 0, product = 0;
};

/// A continuous variable in every stratum.
struct ColumnInStrata {
    std::vector<Wide> sums;
    /// n sum(z z) - sum(z)**2.
    std::vector<DoubleDouble> spreads;
    /// For total variance 1, rounded to 34 significant bits; 0 if below 2**-40, which is noise.
    std::vector<double> variances;
};

/// A partition of the rows by some categorical variables, with the statistics of its strata computed so far.
class Stratification {
public:
    /// Number of rows of each stratum, by weight; 0 for strata that do not occur.
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    /// The smallest size of a stratum that occurs.
    std::int64_t smallest() const { return smallest_; }
    /// The sum of m ln m over the sizes.
    Fixed entropy() const { return entropy_; }
    /// Whether every stratum has enough rows for this many continuous variables.
    bool suffices_for(std::size_t columns) const {
        return smallest_ >= static_cast<std::int64_t>(columns) + ROWS_BESIDES_COLUMNS;
    }

private:
    friend class Strata;

    /// The categorical variables; and, for rows in a `RowSource`, the index of each stratum by its key.
    VariableSet variables_;
    std::map<std::vector<std::uint64_t>, std::size_t> places_;
    /// Sums that were requested in advance, by columns.
    std::map<std::pair<int, int>, std::vector<SumsOfColumns>> asked_;
    std::vector<std::int64_t> sizes_;
    std::int64_t smallest_ = 0;
    Fixed entropy_;
    /// Empty if some stratum is too small for any continuous variable, or if there is only one stratum.
    Partition partition_;
    SortedRows sorted_;
    std::once_flag sort_once_;
    std::mutex mutex_;
    std::map<int, std::shared_ptr<const ColumnInStrata>> columns_;
    std::map<std::pair<int, int>, std::shared_ptr<const std::vector<double>>> correlations_;
    std::size_t bytes_ = 0;
    bool is_kept_ = false;
};

/// Answer a query about rows with these columns, for another process.
Summed summed(const Counts& counts, MatrixView<const std::int64_t> columns, const Summing& summing);

class Strata {
public:
    /// For rows with weights, `counts` has the weights. `bits` is the number of binary digits of the columns after the
    /// point, `floors` their least variances (see `floor`); `owner` keeps the memory of the columns alive.
    Strata(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
           std::vector<double> floors, std::shared_ptr<const void> owner);

    Counts& counts() const { return *counts_; }
    std::size_t columns() const { return floors_.size(); }
    /// The values of a column in steps of 2**-bits standard deviations; empty for rows in a `RowSource`.
    std::span<const std::int64_t> values(int column) const { return columns_[column]; }
    int bits() const { return bits_; }
    /// The least residual variance of a column in any stratum, relative to its total variance.
    double floor(int column) const { return floors_[column]; }

    /// The strata of a set of categorical variables.
    std::shared_ptr<Stratification> by(const VariableSet& categorical);
    /// A column in these strata, which must be large enough for one; and correlations of two columns, rounded to
    /// multiples of 2**-34, 0 if one of them does not vary.
    std::shared_ptr<const ColumnInStrata> column(Stratification& strata, int u);
    std::shared_ptr<const std::vector<double>> correlations(Stratification& strata, int u, int v);

    /// Compute missing statistics of some columns and their pairs in one pass, which pays for rows in a `RowSource`.
    void prepare(Stratification& strata, std::span<const int> columns);

    /// Estimated nanoseconds for the sums of products of a pair of columns.
    double cost_of_sums() const;

private:
    std::shared_ptr<Stratification> make(const VariableSet& categorical);
    const SortedRows& sorted(Stratification& strata) const;
    /// For each stratum, the sums of a column and of its products with another.
    std::vector<SumsOfColumns> sums(Stratification& strata, int x, int y) const;
    /// Same, from the answer of a `RowSource`.
    static std::vector<SumsOfColumns> in_order(const Stratification& strata, const Summed& summed);
    void keep(const VariableSet& categorical, const std::shared_ptr<Stratification>& strata);
    /// Account for more memory of strata that the caller has locked.
    void grow(Stratification& strata, std::size_t bytes);

    std::shared_ptr<Counts> counts_;
    std::vector<std::span<const std::int64_t>> columns_;
    int bits_;
    std::vector<double> floors_;
    std::shared_ptr<const void> owner_;

    std::mutex mutex_;
    std::unordered_map<VariableSet, std::shared_ptr<Stratification>, VariableSet::Hash> known_;
    /// Oldest first: these are dropped first if memory is short.
    std::deque<VariableSet> by_age_;
    std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace stablebn
