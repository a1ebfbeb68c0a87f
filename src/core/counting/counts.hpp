// The statistics of a categorical table: how many rows have what. Rows and bits are read here, and by the tables of
// tests of independence, which are never kept; searches and scores know nothing of them.
//
// The joint table of a set of variables says how often each of its configurations meets each level of every other
// variable. From it follow the score of every family made of that set, whichever of its variables is the child, and
// the changes of that score with every parent more: so searches in different orders, which differ in directions,
// count a set once.
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

/// What is quicker, and what is too much: measured, and changed only by tests that force a path.
struct CountingLimits {
    /// Nanoseconds of a row of one configuration and level by bits, and of a row of a bundle by histogram.
    double bits_cost = 1.0 / 900;
    double histogram_cost = 1.0 / 2;
    /// A joint table with more configurations or more cells is not made.
    std::int64_t most_configurations = 4096;
    std::int64_t most_cells = std::int64_t{1} << 22;
    /// Joint tables that are kept, in bytes.
    std::int64_t most_bytes = std::int64_t{1} << 28;
    /// Variables with more levels have no bits, and no rows in joint tables.
    int most_levels = 128;
    /// Up to so many cells, the tables of tests are counted in less time by bits than by rows.
    std::int64_t most_cells_for_bits = 500;
};

/// Counts of pairs of things: of 32 bits, which take less time, unless the rows are too many for them.
using CountMatrix = std::variant<Matrix<std::int32_t>, Matrix<std::int64_t>>;

/// Counts of one set of variables with every other one that does not have too many levels.
struct JointTable {
    VariableSet members;
    /// Rows of each configuration, the last member fastest.
    std::vector<std::int64_t> sizes;
    /// In row (u, level), how many of them have that level of u; rows of the members mean nothing.
    CountMatrix counts;

    /// What a function makes of the matrix of counts, whatever it is made of.
    template <class Use>
    decltype(auto) with_counts(const Use& use) const {
        return std::visit(use, counts);
    }
};

class Counts {
public:
    /// `owner` keeps alive what the rows are looked at in.
    /// `logs` are those of another table of no fewer rows, where they are known.
    Counts(Rows rows, std::shared_ptr<const void> owner, std::shared_ptr<Pool> pool, CountingLimits limits = {},
           std::shared_ptr<const LogTable> logs = nullptr);

    /// The counts of rows that somebody else has: `rows` has no columns then, but their number and their levels.
    static std::shared_ptr<Counts> of_source(Rows rows, std::shared_ptr<RowSource> source, std::shared_ptr<Pool> pool,
                                             CountingLimits limits = {});

    /// The counts of the same variables, renumbered so that new i is old order[i]; the same object if asked again.
    std::shared_ptr<Counts> reordered(std::span<const int> order);

    const Rows& rows() const { return rows_; }
    Pool& pool() const { return *pool_; }
    const std::shared_ptr<Pool>& shared_pool() const { return pool_; }
    const std::shared_ptr<const LogTable>& logs() const { return m_ln_m_; }
    const CountingLimits& limits() const { return limits_; }
    int variables() const { return rows_.variables(); }
    /// Levels that are counted: the values of a variable and, where it has holes, these as one more.
    int levels(int v) const { return rows_.levels[v]; }
    int values(int v) const { return rows_.values(v); }
    std::int64_t total() const { return rows_.total; }

    /// m ln m of every count that can occur.
    const LogTable& m_ln_m() const { return *m_ln_m_; }

    /// Where the levels of a variable start, among the packed ones and the rows of joint tables; -1 if it has none.
    int first(int v) const { return first_[v]; }
    /// Levels in all that are packed.
    int height() const { return height_; }
    /// The variables that have packed levels, and those that do not.
    std::span<const int> narrow() const { return narrow_; }
    std::span<const int> wide() const { return wide_; }

    /// The rows of every level as bits; none with weights.
    const PackedLevels& packed() const;
    /// Rows of every packed level, by weight.
    std::span<const std::int64_t> level_sizes() const;
    /// Counts of all pairs of packed levels of different variables.
    const CountMatrix& pairs() const;

    /// Whether the rows are somebody else's: then nobody here can look at them.
    bool asks() const { return source_ != nullptr; }
    /// What occurs of each of some lists of variables, of rows that somebody else has.
    std::vector<Listed> list(std::span<const std::vector<int>> lists) const;
    /// Sums of continuous columns that the same somebody has.
    std::vector<Summed> sum(std::vector<Summing> summings) const;

    /// Answer questions about these rows for somebody who does not have them.
    Answers answer(const Questions& questions) const;

    /// The joint table of a set that is not empty; null where it would be too large.
    std::shared_ptr<const JointTable> table(const VariableSet& set);

    /// The counts of the joint table of some variables, some of which may be 0, in no particular order.
    std::vector<std::int64_t> cells(std::span<const int> variables) const;

    /// The whole joint table of some variables, the last one fastest, where it has at most 2**16 cells.
    std::vector<std::int64_t> whole_table(std::span<const int> variables) const;

    /// Call a function with the counts of base + u, for each candidate u: by bits, where the base has few configurations; by
    /// a histogram of its groups, where there are no more cells than rows; and otherwise group by group, so that memory never exceeds the data.
    /// Several threads call at once.
    void extensions(std::span<const int> base, std::span<const int> candidates,
                    const std::function<void(int, std::span<const std::int64_t>)>& use) const;

    /// Nanoseconds to count one configuration with all levels by bits.
    double cost_of_configuration() const { return limits_.bits_cost * static_cast<double>(rows_.count) * height_; }

private:
    /// What does not depend on the numbering of the variables, made when first asked for.
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

        /// Of the memory of the tables that are kept, the part that spare ones may take.
        static constexpr std::int64_t SHARE_OF_SPARES = 8;

        PackedLevels packed;
        std::vector<std::int64_t> level_sizes;
        CountMatrix pairs;
        Spares<std::int32_t> spares;
        Spares<std::int64_t> wide_spares;
    };

    /// Variables made one, several at a time, so that one pass over the rows counts them all.
    struct Bundle {
        std::vector<int> variables;
        int size = 1;
        /// Of every row, in one row.
        Matrix<std::uint8_t> codes;
    };

    using Table = std::shared_ptr<const JointTable>;

    bool fits(const VariableSet& set) const;
    bool is_known(const VariableSet& set) const;
    void keep(const Table& table);
    /// Call a function with a count of 32 bits, or of 64 where the rows need it: its type is that of all counts of a table.
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
    /// The same by the bits of rows that are here, by threads where that pays.
    Matrix<std::int32_t> met_by_bits(const Matrix<int>& configurations, std::span<const int> levels) const;
    template <class Count>
    Table by_histogram(const VariableSet& set) const;
    /// The configuration of every row, found by threads where that pays.
    Matrix<std::uint16_t> shared_configurations(std::span<const int> variables, double cost) const;
    /// A table still to be written, in memory that is used again when nobody looks at it any more.
    template <class Count>
    std::shared_ptr<JointTable> unwritten_table(VariableSet set, std::size_t width) const;
    /// Add rows to cells [codes of the bundle x width]; `groups` are the configurations of the rows from `first_row` on.
    template <class Count>
    void add_to_histogram(const Bundle& bundle, std::span<const std::uint16_t> groups, std::size_t first_row,
                          std::size_t width, Count* cells) const;
    /// Write the rows of variables, given their joint cells [codes x configurations].
    template <class Count>
    void unbundle(std::span<const int> variables, std::span<const Count> joint, Matrix<Count>& counts) const;
    template <class Count>
    Table by_weights(const VariableSet& set) const;
    template <class Count>
    Matrix<Count> count_pairs() const;
    /// The counts of joint configurations that a table which is kept tells of; none where none does.
    std::optional<std::vector<std::int64_t>> known_cells(const VariableSet& set) const;
    /// What has to be counted of the pairs of a variable and those before it: all levels but the last of each.
    Crossing pairs_to_count(std::size_t place) const;
    /// Write all pairs of a variable and those before it, given the counts of these.
    template <class Count>
    void write_pairs(std::size_t place, const Crossing& crossing, const Matrix<Count>& met, Matrix<Count>& pairs) const;
    /// The same counts, asked for at once where the rows are somebody else's.
    template <class Count>
    std::vector<Matrix<Count>> ask(std::vector<Crossing> crossings) const;
    Matrix<std::int64_t> crossed(const Crossing& crossing) const;
    Listed listed(const Listing& listing) const;
    /// The variable that a packed level is one of.
    int variable_of(int level) const;
    std::vector<int> outside(const VariableSet& set) const;
    bool extends_by_bits(std::span<const int> base, std::span<const int> candidates) const;
    void extensions_by_bits(std::span<const int> base, std::span<const int> candidates,
                            const std::function<void(int, std::span<const std::int64_t>)>& use) const;
    std::span<const Bundle> bundles() const;
    /// Nanoseconds to count so many configurations with all levels, by one thread.
    double cost_of_bits(double configurations) const;
    double cost_of_histogram(double configurations) const;

    Rows rows_;
    std::shared_ptr<const void> owner_;
    /// Who has the rows, where they are not here; and, of each variable, which of the columns there it is.
    std::shared_ptr<RowSource> source_;
    std::vector<int> origin_;
    std::shared_ptr<Pool> pool_;
    CountingLimits limits_;
    std::shared_ptr<const LogTable> m_ln_m_;
    std::vector<int> first_;
    int height_ = 0;
    /// Codes of all bundles.
    std::size_t bundle_cells_ = 0;
    std::vector<int> narrow_, wide_;
    std::shared_ptr<Shared> shared_;

    std::map<std::vector<int>, std::weak_ptr<Counts>> reordered_;
    mutable std::once_flag bundle_once_;
    mutable std::vector<Bundle> bundles_;

    mutable std::mutex mutex_;
    std::unordered_map<VariableSet, Table, VariableSet::Hash> tables_;
    /// The sets of the tables, the oldest first: those go first where memory is short.
    std::deque<VariableSet> by_age_;
    std::int64_t bytes_ = 0;
    /// The sets that some thread counts now: another that wants one waits for it, and helps.
    std::unordered_set<VariableSet, VariableSet::Hash> under_way_;
};

}  // namespace stablebn
