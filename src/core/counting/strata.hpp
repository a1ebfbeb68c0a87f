// The statistics of a mixed table: of every stratum, the rows of one configuration of some categorical variables, its
// size, and variances and correlations of the continuous variables in it.
//
// Continuous columns come standardised, as integers in small steps of standard deviations (`standardise`); sums and sums
// of products are integers, so that no order of rows, no thread and no way of splitting the rows can change them. What is
// made of the sums is rounded far more coarsely than another unit, which rounds every value anew, could move it.
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

/// A fewest of rows below which a stratum tells of no variance: the specification (section 2) asks N > parents + 2.
constexpr std::int64_t ROWS_BESIDES_COLUMNS = 2;

/// Where the standard units of a column are: values times 2**-power, less the mean, times the inverse of the deviation.
///
/// `bits` are those of a value after the point: 48 up to 2**28 rows, and one less for each four times as many. No value is beyond
/// the root of the number of rows: so it takes 63 bits, and the squares of a column add up to no more than 2**124.
struct Standard {
    int power = 0;
    DoubleDouble mean, inverse;
    int bits = 0;
};

/// Write (x - mean) / deviation in steps of 2**-bits, rounded to the nearest; minus x gives minus the same.
void standardise(std::span<const double> values, const Standard& standard, std::span<std::int64_t> out);

/// The rows in blocks, and those of each block sorted by stratum: so the sums of a stratum are formed without looking
/// where they are, and the rows of a block are near each other.
struct SortedRows {
    std::vector<std::uint32_t> rows;
    std::size_t block = 0;
    /// Where each stratum starts in each block: [blocks, strata], and the end.
    std::vector<std::uint32_t> starts;

    bool empty() const { return starts.empty(); }
};

/// The sum of a column in a stratum, and that of its products with another.
struct SumsOfColumns {
    Wide plain = 0, product = 0;
};

/// A continuous variable in every stratum.
struct ColumnInStrata {
    std::vector<Wide> sums;
    /// n sum(z z) - sum(z)**2.
    std::vector<DoubleDouble> spreads;
    /// Of a variable of total variance 1, rounded to 34 significant bits; 0 where it is below 2**-40, noise or nothing.
    std::vector<double> variances;
};

/// A partition of the rows by some categorical variables, and what was found out of its strata so far.
class Stratification {
public:
    /// Rows of each stratum, by weight; 0 of those that do not occur.
    const std::vector<std::int64_t>& sizes() const { return sizes_; }
    /// The least of those that occur.
    std::int64_t smallest() const { return smallest_; }
    /// The sum of m ln m over the sizes.
    Fixed entropy() const { return entropy_; }
    /// Whether every stratum has rows enough for so many continuous variables.
    bool suffices_for(std::size_t columns) const {
        return smallest_ >= static_cast<std::int64_t>(columns) + ROWS_BESIDES_COLUMNS;
    }

private:
    friend class Strata;

    /// The categorical variables; and, where somebody else has the rows, the place of each stratum by its key.
    VariableSet variables_;
    std::map<std::vector<std::uint64_t>, std::size_t> places_;
    /// Sums that were asked for before they were wanted, by the columns.
    std::map<std::pair<int, int>, std::vector<SumsOfColumns>> asked_;
    std::vector<std::int64_t> sizes_;
    std::int64_t smallest_ = 0;
    Fixed entropy_;
    /// None where some stratum is too small for any continuous variable, or where there is but one.
    Partition partition_;
    SortedRows sorted_;
    std::once_flag sort_once_;
    std::mutex mutex_;
    std::map<int, std::shared_ptr<const ColumnInStrata>> columns_;
    std::map<std::pair<int, int>, std::shared_ptr<const std::vector<double>>> correlations_;
    std::size_t bytes_ = 0;
    bool is_kept_ = false;
};

/// Answer a question about rows that have these columns, for somebody who does not have them.
Summed summed(const Counts& counts, MatrixView<const std::int64_t> columns, const Summing& summing);

class Strata {
public:
    /// Of rows with weights, `counts` has these. `bits` are those of the columns after the point; `floors` their least variances,
    /// see `floor`; `owner` keeps alive what the columns are looked at in.
    Strata(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
           std::vector<double> floors, std::shared_ptr<const void> owner);

    Counts& counts() const { return *counts_; }
    std::size_t columns() const { return floors_.size(); }
    /// The values of a column in steps of 2**-bits standard deviations; none where somebody else has the rows.
    std::span<const std::int64_t> values(int column) const { return columns_[column]; }
    int bits() const { return bits_; }
    /// The least residual variance of a column in any stratum, in terms of its total variance.
    double floor(int column) const { return floors_[column]; }

    /// The strata of a set of categorical variables.
    std::shared_ptr<Stratification> by(const VariableSet& categorical);
    /// A column in these strata, which must suffice for one; likewise the correlations of two columns, rounded to
    /// multiples of 2**-34, 0 where one of them does not vary.
    std::shared_ptr<const ColumnInStrata> column(Stratification& strata, int u);
    std::shared_ptr<const std::vector<double>> correlations(Stratification& strata, int u, int v);

    /// Find what is not known yet of some columns and their pairs at once: it pays where somebody else has the rows.
    void prepare(Stratification& strata, std::span<const int> columns);

    /// Nanoseconds, roughly, of the sums of products of a pair of columns.
    double cost_of_sums() const;

private:
    std::shared_ptr<Stratification> make(const VariableSet& categorical);
    const SortedRows& sorted(Stratification& strata) const;
    /// For each stratum, the sums of a column and of its products with another.
    std::vector<SumsOfColumns> sums(Stratification& strata, int x, int y) const;
    /// The same from what somebody else has summed up.
    static std::vector<SumsOfColumns> in_order(const Stratification& strata, const Summed& summed);
    void keep(const VariableSet& categorical, const std::shared_ptr<Stratification>& strata);
    /// Take note of more memory of strata that the caller has locked.
    void grow(Stratification& strata, std::size_t bytes);

    std::shared_ptr<Counts> counts_;
    std::vector<std::span<const std::int64_t>> columns_;
    int bits_;
    std::vector<double> floors_;
    std::shared_ptr<const void> owner_;

    std::mutex mutex_;
    std::unordered_map<VariableSet, std::shared_ptr<Stratification>, VariableSet::Hash> known_;
    /// The oldest first: those go first where memory is short.
    std::deque<VariableSet> by_age_;
    std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace stablebn
