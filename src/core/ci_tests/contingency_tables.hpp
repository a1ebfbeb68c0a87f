// Counting for tests of independence: x against y in every configuration of the given variables z.
//
// Both statistics are sums over the configurations of z of a function of the table of x and y there: so the tables are
// made one candidate y after the other, from bits or from rows, and never kept. Sums are fixed-point integers, so it
// does not matter in which order configurations or cells come, nor which way of counting is taken.
//
// Twice the mutual information, G2, is 2 (H(xyz) - H(xz) - H(yz) + H(z)); Pearson's X2 is the sum over configurations
// of n (sum of n_ij n_ij / (n_i n_j) - 1). What is summed is G2 / 2, or X2. A configuration in which x does not vary
// adds nothing to either, and nothing to the adjusted degrees of freedom.
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

/// Joint tables have at most so many cells where places in them are 16 bits wide.
constexpr double MOST_PLACES = 1 << 16;

/// What was summed up over the cells: G2 / 2 or X2, and the adjusted degrees of freedom; and, of tables with holes, how
/// many rows, by weight, could be told.
struct Sums {
    Fixed value;
    std::int64_t df = 0;
    std::int64_t rows = -1;
};

/// Which tables are to be counted.
struct Question {
    int x;
    std::span<const int> given;
    std::span<const int> candidates;
    /// Whether the first candidates may be enough.
    bool may_stop = false;
};

/// Add every row to its cell: that of its place, and of its level of y, of which there are c.
void add_rows(std::span<const std::uint16_t> places, Column y, int c, std::span<const std::int64_t> weights,
              std::int64_t* cells);

/// Rows of each configuration by level of x: what the tables of all candidates have in common.
class Margins {
public:
    Margins(const LogTable& m_ln_m, Statistic statistic) : m_ln_m_(m_ln_m), statistic_(statistic) {}

    /// Room for so many configurations of x with r levels, all 0: to be counted and then summed up.
    std::span<std::int64_t> begin(std::size_t configurations, int r);
    void sum_up();

    std::size_t configurations() const { return sizes_.size(); }
    const std::int64_t* operator[](std::size_t k) const { return counts_.data() + k * r_; }

    /// The sums of a table with these cells, [configurations, r, c].
    Sums of_cells(const std::int64_t* cells, int c);

    /// The same of a table that is mostly empty: rows sorted by configuration, of which only cells that occur are
    /// looked at.
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
    /// Of each configuration, its rows, and how many levels of x occur in it.
    std::vector<std::int64_t> sizes_;
    std::vector<std::int32_t> seen_;
    /// H(z) - H(xz), which is part of every G2 / 2.
    Fixed shared_;
    Scratch<std::int64_t> columns_;
    /// Zero before and after.
    std::vector<std::int64_t> sparse_cells_, sparse_columns_;
};

/// A way to count the tables of a question.
class TableCounter {
public:
    virtual ~TableCounter() = default;
    /// The sums of x and the candidate at a place; the places are asked for in ascending order.
    virtual Sums sums(std::size_t at) = 0;
};

/// Tables made of sizes of intersections: of z and x, each with the levels of y.
class BitTables : public TableCounter {
public:
    BitTables(const Counts& counts, const PackedLevels& packed, Statistic statistic)
        : counts_(counts), packed_(packed), margins_(counts.m_ln_m(), statistic) {}

    /// False where x varies in more configurations of z than these.
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
    /// Rows of each configuration of z in which x varies, and how many they are.
    std::vector<const Word*> sets_, finer_sets_;
    std::vector<std::int64_t> sizes_, finer_sizes_;
    Scratch<Word> set_words_, finer_words_, part_words_;
    /// r parts of each configuration: the whole of it, and its part in each level of x but the first.
    std::vector<const Word*> parts_;
    /// Rows that each level of the candidates before `end_`, but the first of each, has in common with each part.
    std::vector<const Word*> levels_;
    Scratch<std::int32_t> met_;
    std::size_t end_ = 0, next_level_ = 0;
    Scratch<std::int64_t> cells_;
};

/// Tables that are histograms over all rows, by their places: configuration of z and level of x in one number.
class PlaceTables : public TableCounter {
public:
    PlaceTables(const Counts& counts, Statistic statistic) : counts_(counts), margins_(counts.m_ln_m(), statistic) {}

    /// False where there would be too many cells, or too many rows that cannot matter.
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

/// Tables that are histograms over the rows in whose configuration of z x varies; where such a table would be mostly
/// empty, only the cells that occur are looked at.
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
    /// Configuration and level of x of each of the rows, in one number.
    std::vector<std::uint32_t> places_;
    Grouped sorted_;
    Scratch<std::int64_t> cells_;
};

/// Tables of variables with holes: histograms over the rows in which x, y and z are known.
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

/// Tables of rows that somebody else has: made of the configurations that occur, asked for all candidates at once.
class AskedTables : public TableCounter {
public:
    AskedTables(const Counts& counts, Statistic statistic) : counts_(counts), margins_(counts.m_ln_m(), statistic) {}

    void begin(const Question& question);
    Sums sums(std::size_t at) override;

private:
    /// Ask for the tables of the next candidates: of all, or of some where these may be enough.
    void ask_for_some(std::size_t begin);

    const Counts& counts_;
    Margins margins_;
    Question question_{};
    std::size_t begin_ = 0;
    std::vector<Listed> listed_;
    Scratch<std::int64_t> cells_;
};

/// The tables of one question after the other, each counted in the way that is quickest.
class ContingencyTables {
public:
    /// `packed`: bits of all variables, or none.
    ContingencyTables(const Counts& counts, const PackedLevels& packed, Statistic statistic)
        : counts_(counts),
          packed_(packed),
          bits_(counts, packed, statistic),
          places_(counts, statistic),
          rows_(counts, statistic),
          complete_(counts, statistic),
          asked_(counts, statistic) {}

    /// Prepare the tables of a question; what it looks at has to stay.
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
