// Contingency tables for tests of independence: x against y in every configuration of the given variables z.
//
// Both statistics are sums over the configurations of z of a function of the table of x and y. So tables are counted
// one candidate y after the other, from bits or from rows, and not stored. Sums are fixed-point integers, so neither
// the order of configurations and cells nor the way of counting matters.
//
// G2, twice the mutual information, is 2 (H(xyz) - H(xz) - H(yz) + H(z)); Pearson's X2 is the sum over configurations
// of n (sum of n_ij n_ij / (n_i n_j) - 1). The sums are G2 / 2, or X2. A configuration in which x does not vary adds
// nothing to either, and nothing to the adjusted degrees of freedom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "table/bits.hpp"
#include "counting/counts.hpp"
#include "numeric/fixed.hpp"
#include "numeric/logarithm.hpp"
#include "table/rows.hpp"
#include "runtime/scratch.hpp"

namespace stablebn {

enum class Statistic { g2, x2 };

/// Most cells of a table with cell indices of 16 bits.
constexpr double MOST_PLACES = 1 << 16;

/// Sums over the cells: G2 / 2 or X2, and the adjusted degrees of freedom; with missing values also the number of
/// complete rows, by weight.
struct Sums {
    Fixed value;
    std::int64_t df = 0;
    std::int64_t rows = -1;
};

/// The tables to count.
struct Question {
    int x;
    std::span<const int> given;
    std::span<const int> candidates;
    /// Whether the first candidates may be sufficient.
    bool may_stop = false;
};

/// Add every row to the cell of its index and its level of y; y has c levels.
void add_rows(std::span<const std::uint16_t> places, Column y, int c, std::span<const std::int64_t> weights,
              std::int64_t* cells);

/// Rows of each configuration by level of x: the part that the tables of all candidates share.
class Margins {
public:
    Margins(const LogTable& m_ln_m, Statistic statistic) : m_ln_m_(m_ln_m), statistic_(statistic) {}

    /// Zeroed space for the counts of this many configurations, with r levels of x.
    std::span<std::int64_t> begin(std::size_t configurations, int r);
    void sum_up();

    std::size_t configurations() const { return sizes_.size(); }
    const std::int64_t* operator[](std::size_t k) const { return counts_.data() + k * r_; }

    /// The sums of a table with these cells, [configurations, r, c].
    Sums of_cells(const std::int64_t* cells, int c);

    /// Same for a mostly empty table: rows sorted by configuration; only cells that occur are visited.
    Sums of_rows(const Grouped& rows, Column x, Column y, int c, std::span<const std::int64_t> weights);

private:
    template <int Levels>
    Sums information(const std::int64_t* cells, int c);
    Sums pearson(const std::int64_t* cells, int c);
    Fixed pearson_term(std::int64_t cell, std::int64_t row, std::int64_t column, std::int64_t size) const;

    const LogTable& m_ln_m_;
    Statistic statistic_;
    std::size_t r_ = 1;
    std::vector<std::int64_t> counts_;
    /// For each configuration, its number of rows, and the number of levels of x that occur.
    std::vector<std::int64_t> sizes_;
    std::vector<std::int32_t> seen_;
    /// H(z) - H(xz), which is part of every G2 / 2.
    Fixed shared_;
    Scratch<std::int64_t> columns_;
    /// All zero before and after use.
    std::vector<std::int64_t> sparse_cells_, sparse_columns_;
};

/// One way to count the tables of a query.
class TableCounter {
public:
    virtual ~TableCounter() = default;
    /// The sums for x and the candidate at an index; indices are visited in ascending order.
    virtual Sums sums(std::size_t at) = 0;
};

/// Tables from sizes of intersections: of z and x with each level of y.
class BitTables : public TableCounter {
public:
    BitTables(const Counts& counts, const PackedLevels& packed, Statistic statistic)
        : counts_(counts), packed_(packed), margins_(counts.m_ln_m(), statistic) {}

    /// False if x varies in more than `most` configurations of z.
    bool begin(const Question& question, std::int64_t most);
    Sums sums(std::size_t at) override;

private:
    bool find_configurations(std::int64_t most);
    bool varies(const Word* rows, std::int64_t size) const;
    void split_by_x();
    void count_some(std::size_t begin);

    const Counts& counts_;
    const PackedLevels& packed_;
    Margins margins_;
    Question question_{};
    /// The rows of each configuration of z in which x varies, and their numbers.
    std::vector<const Word*> sets_, finer_sets_;
    std::vector<std::int64_t> sizes_, finer_sizes_;
    Scratch<Word> set_words_, finer_words_, part_words_;
    /// r parts of each configuration: all of it, and its part in each level of x but the first.
    std::vector<const Word*> parts_;
    /// Number of rows that each level of the candidates before `end_`, except the first, has in common with each part.
    std::vector<const Word*> levels_;
    Scratch<std::int32_t> met_;
    std::size_t end_ = 0, next_level_ = 0;
    Scratch<std::int64_t> cells_;
};

/// Tables as histograms over all rows, by cell index: configuration of z and level of x in one number.
class PlaceTables : public TableCounter {
public:
    PlaceTables(const Counts& counts, Statistic statistic) : counts_(counts), margins_(counts.m_ln_m(), statistic) {}

    /// False if there would be too many cells, or too many irrelevant rows.
    bool begin(const Question& question);
    Sums sums(std::size_t at) override;

private:
    void leave_out_configurations();
    double share_that_matters();

    const Counts& counts_;
    Margins margins_;
    Question question_{};
    std::vector<std::uint16_t> places_;
    std::size_t used_ = 0;
    Scratch<std::int64_t> cells_;
};

/// Tables as histograms over the rows in whose configuration of z x varies; for mostly empty tables, only cells that
/// occur are visited.
class RowTables : public TableCounter {
public:
    RowTables(const Counts& counts, Statistic statistic) : counts_(counts), margins_(counts.m_ln_m(), statistic) {}

    void begin(const Question& question);
    Sums sums(std::size_t at) override;

private:
    void find_rows();
    void keep_where_x_varies();

    const Counts& counts_;
    Margins margins_;
    Question question_{};
    std::vector<std::int32_t> rows_;
    Partition partition_;
    /// Configuration and level of x of each row, in one number.
    std::vector<std::uint32_t> places_;
    Grouped sorted_;
    Scratch<std::int64_t> cells_;
};

/// Tables with missing values: histograms over the rows in which x, y and z are known.
class CompleteTables : public TableCounter {
public:
    CompleteTables(const Counts& counts, Statistic statistic) : counts_(counts), margins_(counts.m_ln_m(), statistic) {}

    void begin(const Question& question);
    Sums sums(std::size_t at) override;

private:
    const Counts& counts_;
    Margins margins_;
    Question question_{};
    /// The rows in which x and z are known, and their configurations of z.
    std::vector<std::int32_t> rows_;
    Partition partition_;
    Scratch<std::int64_t> cells_;
};

/// Tables of rows in a `RowSource`: from the configurations that occur, queried for all candidates together.
class AskedTables : public TableCounter {
public:
    AskedTables(const Counts& counts, Statistic statistic) : counts_(counts), margins_(counts.m_ln_m(), statistic) {}

    void begin(const Question& question);
    Sums sums(std::size_t at) override;

private:
    /// Query the tables of the next candidates: of all, or of some if these may be sufficient.
    void ask_for_some(std::size_t begin);

    const Counts& counts_;
    Margins margins_;
    Question question_{};
    std::size_t begin_ = 0;
    std::vector<Listed> listed_;
    Scratch<std::int64_t> cells_;
};

/// Counts the tables of one query after the other, each in the fastest way.
class ContingencyTables {
public:
    /// `packed`: bits of all variables, or empty.
    ContingencyTables(const Counts& counts, const PackedLevels& packed, Statistic statistic)
        : counts_(counts),
          packed_(packed),
          bits_(counts, packed, statistic),
          places_(counts, statistic),
          rows_(counts, statistic),
          complete_(counts, statistic),
          asked_(counts, statistic) {}

    /// Prepare the tables of a query, which must outlive their use.
    TableCounter& begin(const Question& question);

private:
    const Counts& counts_;
    const PackedLevels& packed_;
    BitTables bits_;
    PlaceTables places_;
    RowTables rows_;
    CompleteTables complete_;
    AskedTables asked_;
};

}  // namespace stablebn
