// The statistics of a categorical table: counts of rows.
//
// Rows and bits are read here, and by the tables of tests of independence, which are not stored; searches and scores do
// not access them.
//
// The joint table of a set of variables counts each of its configurations with each level of every other variable. It
// gives the score of every family within the set, whichever variable is the child, and the change of the score for
// every further parent. So searches whose orders and directions differ count a set once.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "table/bits.hpp"
#include "numeric/fixed.hpp"
#include "numeric/logarithm.hpp"
#include "runtime/pool.hpp"
#include "counting/row_source.hpp"
#include "table/rows.hpp"
#include "runtime/scratch.hpp"
#include "table/variable_set.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// Thresholds between ways of counting. Measured; only tests change them, to force a path.
struct CountingLimits {
    /// Nanoseconds per row of one configuration and level with bits, and of one row of a bundle with a histogram.
    double bits_cost = 1.0 / 900;
    double histogram_cost = 1.0 / 2;
    /// No joint table is made with more configurations, or more cells.
    std::int64_t most_configurations = 4096;
    std::int64_t most_cells = std::int64_t{1} << 22;
    /// Most bytes of joint tables that are kept.
    std::int64_t most_bytes = std::int64_t{1} << 28;
    /// Variables with more levels have no bits and no rows in joint tables.
    int most_levels = 128;
    /// Up to this many cells, tables of tests are counted faster with bits than with rows.
    std::int64_t most_cells_for_bits = 500;
};

/// Pairwise counts, of 32 bits if the number of rows allows it, because these are faster.
using CountMatrix = std::variant<Matrix<std::int32_t>, Matrix<std::int64_t>>;

/// Counts of one set of variables with every other variable that does not have too many levels.
struct JointTable {
    VariableSet members;
    /// Number of rows of each configuration, the last member fastest.
    std::vector<std::int64_t> sizes;
    /// Row (u, level): number of rows with that level of u, per configuration; rows of the members are undefined.
    CountMatrix counts;

    /// Call a function with the matrix of counts, whatever its element type.
    template <class Use>
    decltype(auto) with_counts(const Use& use) const {
        return std::visit(use, counts);
    }
};

class Counts {
public:
    /// `owner` keeps the memory of the rows alive. `logs` is that of another table with at least as many rows, if
    /// available.
    Counts(Rows rows, std::shared_ptr<const void> owner, std::shared_ptr<Pool> pool, CountingLimits limits = {},
           std::shared_ptr<const LogTable> logs = nullptr);

    /// Counts of rows in a `RowSource`: `rows` then has no columns, only their number and levels.
    static std::shared_ptr<Counts> of_source(Rows rows, std::shared_ptr<RowSource> source, std::shared_ptr<Pool> pool,
                                             CountingLimits limits = {});

    /// The counts of renumbered variables: new i is old order[i]. Cached: the same order returns the same object.
    std::shared_ptr<Counts> reordered(std::span<const int> order);

    const Rows& rows() const { return rows_; }
    Pool& pool() const { return *pool_; }
    const std::shared_ptr<Pool>& shared_pool() const { return pool_; }
    const std::shared_ptr<const LogTable>& logs() const { return m_ln_m_; }
    const CountingLimits& limits() const { return limits_; }
    int variables() const { return rows_.variables(); }
    /// Number of counted levels: the values of a variable and, if values are missing, one more.
    int levels(int v) const { return rows_.levels[v]; }
    int values(int v) const { return rows_.values(v); }
    std::int64_t total() const { return rows_.total; }

    /// m ln m of every possible count.
    const LogTable& m_ln_m() const { return *m_ln_m_; }

    /// Index of the first level of a variable, among packed levels and rows of joint tables; -1 if it has none.
    int first(int v) const { return first_[v]; }
    /// Total number of packed levels.
    int height() const { return height_; }
    /// The variables that have packed levels, and those that do not.
    std::span<const int> narrow() const { return narrow_; }
    std::span<const int> wide() const { return wide_; }

    /// The rows of every level as bits; empty if rows have weights.
    const PackedLevels& packed() const;
    /// Number of rows of every packed level, by weight.
    std::span<const std::int64_t> level_sizes() const;
    /// Counts of all pairs of packed levels of different variables.
    const CountMatrix& pairs() const;

    /// True if the rows are in a `RowSource`: then they cannot be read here.
    bool asks() const { return source_ != nullptr; }
    /// The configurations that occur, with their counts, for each list of variables; only with a `RowSource`.
    std::vector<Listed> list(std::span<const std::vector<int>> lists) const;
    /// Sums of continuous columns of the `RowSource`.
    std::vector<Summed> sum(std::vector<Summing> summings) const;

    /// Answer queries about these rows for another process.
    Answers answer(const Questions& questions) const;

    /// The joint table of a nonempty set; null if it would be too large.
    std::shared_ptr<const JointTable> table(const VariableSet& set);

    /// The counts of the joint table of some variables, possibly with zeros, in no particular order.
    std::vector<std::int64_t> cells(std::span<const int> variables) const;

    /// The full joint table of some variables, the last one fastest, with at most 2**16 cells.
    std::vector<std::int64_t> whole_table(std::span<const int> variables) const;

    /// Call a function with the counts of base + u, for each candidate u: with bits if the base has few configurations,
    /// with a histogram of its groups if there are no more cells than rows, otherwise group by group, so that memory
    /// never exceeds that of the data. Called from several threads.
    void extensions(std::span<const int> base, std::span<const int> candidates,
                    const std::function<void(int, std::span<const std::int64_t>)>& use) const;

    /// Nanoseconds to count one configuration with all levels by bits.
    double cost_of_configuration() const { return limits_.bits_cost * static_cast<double>(rows_.count) * height_; }

private:
    /// Data that do not depend on the numbering of the variables, made on first use.
    struct Shared {
        std::once_flag pack_once, size_once, pair_once;
        explicit Shared(const CountingLimits& limits)
            : spares(limits.most_bytes / SHARE_OF_SPARES / sizeof(std::int32_t)),
              wide_spares(limits.most_bytes / SHARE_OF_SPARES / sizeof(std::int64_t)) {}

        template <class Count>
        Spares<Count>& spares_of() {
            if constexpr (std::is_same_v<Count, std::int32_t>) {
                return spares;
            } else {
                return wide_spares;
            }
        }

        /// Part of the memory for kept tables that spare matrices may take.
        static constexpr std::int64_t SHARE_OF_SPARES = 8;

        PackedLevels packed;
        std::vector<std::int64_t> level_sizes;
        CountMatrix pairs;
        Spares<std::int32_t> spares;
        Spares<std::int64_t> wide_spares;
    };

    /// Several variables combined, so that one pass over the rows counts all of them.
    struct Bundle {
        std::vector<int> variables;
        int size = 1;
        /// The codes of each row, contiguous.
        Matrix<std::uint8_t> codes;
    };

    using Table = std::shared_ptr<const JointTable>;

    bool fits(const VariableSet& set) const;
    bool is_known(const VariableSet& set) const;
    void keep(const Table& table);
    /// Call a function with a count type of 32 bits, or 64 if there are many rows: the type of all counts of a table.
    template <class Use>
    decltype(auto) with_count(const Use& use) const {
        return total() > std::numeric_limits<std::int32_t>::max() ? use(std::int64_t{}) : use(std::int32_t{});
    }
    template <class Count>
    Table count(const VariableSet& set);
    template <class Count>
    Table table_of_one(int v) const;
    template <class Count>
    Table by_bits(const JointTable& smaller, int joining) const;
    /// Counts of configurations and levels: [levels x configurations].
    template <class Count>
    Matrix<Count> met(const Matrix<int>& configurations, std::span<const int> levels) const;
    /// Same with the bits of local rows, on several threads if that pays.
    Matrix<std::int32_t> met_by_bits(const Matrix<int>& configurations, std::span<const int> levels) const;
    template <class Count>
    Table by_histogram(const VariableSet& set) const;
    /// The configuration of every row, on several threads if that pays.
    Matrix<std::uint16_t> shared_configurations(std::span<const int> variables, double cost) const;
    /// A table with undefined contents, in reused memory if possible.
    template <class Count>
    std::shared_ptr<JointTable> unwritten_table(VariableSet set, std::size_t width) const;
    /// Add rows to cells [codes of the bundle x width]; `groups` are the configurations of the rows from `first_row`
    /// on.
    template <class Count>
    void add_to_histogram(const Bundle& bundle, std::span<const std::uint16_t> groups, std::size_t first_row,
                          std::size_t width, Count* cells) const;
    /// Write the table rows of variables from their joint cells [codes x configurations].
    template <class Count>
    void unbundle(std::span<const int> variables, std::span<const Count> joint, Matrix<Count>& counts) const;
    template <class Count>
    Table by_weights(const VariableSet& set) const;
    template <class Count>
    Matrix<Count> count_pairs() const;
    /// The counts of joint configurations, if a kept table contains them.
    std::optional<std::vector<std::int64_t>> known_cells(const VariableSet& set) const;
    /// The query for all pairs of a variable and its predecessors: all levels but the last of each.
    Crossing pairs_to_count(std::size_t place) const;
    /// Write all pairs of a variable and its predecessors, given the counts of the query.
    template <class Count>
    void write_pairs(std::size_t place, const Crossing& crossing, const Matrix<Count>& met, Matrix<Count>& pairs) const;
    /// The same counts in one query, for rows in a `RowSource`.
    template <class Count>
    std::vector<Matrix<Count>> ask(std::vector<Crossing> crossings) const;
    Matrix<std::int64_t> crossed(const Crossing& crossing) const;
    Listed listed(const Listing& listing) const;
    /// The variable of a packed level.
    int variable_of(int level) const;
    std::vector<int> outside(const VariableSet& set) const;
    bool extends_by_bits(std::span<const int> base, std::span<const int> candidates) const;
    void extensions_by_bits(std::span<const int> base, std::span<const int> candidates,
                            const std::function<void(int, std::span<const std::int64_t>)>& use) const;
    std::span<const Bundle> bundles() const;
    /// Nanoseconds to count this many configurations with all levels, on one thread.
    double cost_of_bits(double configurations) const;
    double cost_of_histogram(double configurations) const;

    Rows rows_;
    std::shared_ptr<const void> owner_;
    /// The source of the rows if they are not local, and the column there of each variable.
    std::shared_ptr<RowSource> source_;
    std::vector<int> origin_;
    std::shared_ptr<Pool> pool_;
    CountingLimits limits_;
    std::shared_ptr<const LogTable> m_ln_m_;
    std::vector<int> first_;
    int height_ = 0;
    /// Number of codes of all bundles.
    std::size_t bundle_cells_ = 0;
    std::vector<int> narrow_, wide_;
    std::shared_ptr<Shared> shared_;

    std::map<std::vector<int>, std::weak_ptr<Counts>> reordered_;
    mutable std::once_flag bundle_once_;
    mutable std::vector<Bundle> bundles_;

    mutable std::mutex mutex_;
    std::unordered_map<VariableSet, Table, VariableSet::Hash> tables_;
    /// The sets of the kept tables, oldest first: these are dropped first if memory is short.
    std::deque<VariableSet> by_age_;
    std::int64_t bytes_ = 0;
    /// The sets that some thread is counting: another thread that needs one waits for it, and helps.
    std::unordered_set<VariableSet, VariableSet::Hash> under_way_;
};

}  // namespace stablebn
