// Mixed tables with holes: the conditional Gaussian log-likelihood over the rows in which some variables are known.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "mixed_scores/conditional_gaussian.hpp"
#include "incomplete_scores/node_average.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

class AvailableMixed {
    struct Tables;

public:
    /// In place of a value of a continuous column that is not known.
    static constexpr std::int64_t HOLE = std::numeric_limits<std::int64_t>::min();

    /// As those of `Strata` and `ConditionalGaussian`; the holes of categorical variables are one more level in the counts.
    AvailableMixed(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
                   std::vector<double> floors, std::vector<int> order, std::shared_ptr<const void> owner,
                   std::shared_ptr<Tables> tables = nullptr);

    std::shared_ptr<AvailableMixed> reordered(std::span<const int> order) const;

    int variables() const { return static_cast<int>(order_.size()); }
    std::int64_t total() const { return counts_->total(); }
    std::size_t stored_rows() const { return counts_->rows().count; }
    Pool& pool() const { return counts_->pool(); }

    /// Whether a variable has no missing values.
    bool is_complete(int v) const { return tables_->is_complete[order_[v]]; }

    /// The log-likelihood of sets of some variables over the rows in which these are known.
    struct Known {
        /// By weight.
        std::int64_t rows = 0;
        /// Null without a row.
        std::shared_ptr<ConditionalGaussian> function;
        /// The variables that the function knows, ascending, as 0, 1, ...
        std::vector<int> variables;

        int place(int v) const { return static_cast<int>(std::ranges::lower_bound(variables, v) - variables.begin()); }
        VariableSet places(const VariableSet& set) const;
    };
    Known among(const VariableSet& variables) const;
    /// The same of the rows without missing values in some variables, where a function of these rows and of all variables that
    /// have no missing value in them is kept; none where it is not. `columns` says how many columns would be copied to do without.
    std::optional<Known> kept(const VariableSet& incomplete, std::size_t columns) const;
    std::int64_t complete_rows(std::span<const int> variables) const;
    /// How many columns were copied so far, for rows without missing values: a measure of work for tests.
    std::size_t columns_copied() const { return tables_->columns_copied; }

    /// Call a function with candidates y that are known in the same rows as x and the given variables, by place, and with
    /// the log-likelihood over the rows in which they all are; by several threads at once.
    using Use = std::function<void(const Known&, std::span<const std::size_t> places)>;
    void extend(int x, const VariableSet& given, std::span<const int> candidates, const Use& use) const;

    /// What x and each candidate say of each other given some variables, as `ConditionalGaussian::gains`.
    std::vector<Fixed> gains(int x, const VariableSet& given, std::span<const int> candidates) const;

    /// Free parameters, as `ConditionalGaussian::parameters`.
    double parameters(const VariableSet& set) const;

private:
    /// Some columns, ascending, in the rows in which they are known.
    struct Subtable {
        std::int64_t rows = 0;
        std::vector<int> columns;
        /// Null without a row.
        std::shared_ptr<Strata> strata;
    };
    /// What does not depend on the numbering of the variables.
    struct Tables {
        /// By column: categorical ones come first.
        std::vector<bool> is_complete;
        std::mutex mutex;
        /// By the columns with missing values, the rows without them: a table of all columns that are complete there, and how many
        /// columns were copied before there was one.
        struct Entry {
            std::size_t copied = 0;
            std::shared_ptr<const Subtable> table;
        };
        std::unordered_map<VariableSet, Entry, VariableSet::Hash> known;
        /// Of all tables.
        std::size_t bytes = 0;
        std::atomic<std::size_t> columns_copied = 0;
    };

    bool is_categorical(int v) const { return order_[v] < counts_->variables(); }
    bool is_categorical_column(int column) const { return column < counts_->variables(); }
    std::span<const std::int64_t> values(int column) const { return columns_[column - counts_->variables()]; }
    VariableSet columns_of(std::span<const int> variables) const;
    VariableSet incomplete(const VariableSet& variables) const;
    /// The rows in which some columns are known.
    std::vector<std::int32_t> complete(const VariableSet& columns) const;
    Subtable whole(std::vector<int> columns) const;
    /// `most_bytes` bounds what is kept of it besides the copy.
    Subtable copied(std::vector<int> columns, const VariableSet& incomplete, std::size_t most_bytes) const;
    std::shared_ptr<const Subtable> kept_table(const VariableSet& incomplete, std::size_t columns) const;
    Known numbered(const Subtable& table, std::vector<int> variables) const;

    std::shared_ptr<Counts> counts_;
    std::vector<std::span<const std::int64_t>> columns_;
    int bits_;
    std::vector<double> floors_;
    std::vector<int> order_;
    std::shared_ptr<const void> owner_;
    std::shared_ptr<Tables> tables_;
    /// By the columns with missing values, in this numbering.
    mutable std::mutex mutex_;
    mutable std::unordered_map<VariableSet, Known, VariableSet::Hash> known_;
};

/// N times the mean of that log-likelihood, less a penalty for each free parameter.
class NodeAverageMixed final : public NodeAverageScores {
public:
    NodeAverageMixed(std::shared_ptr<AvailableMixed> table, Fixed unit)
        : NodeAverageScores(table->variables(), table->variables(), table->total(), unit), table_(std::move(table)) {}

    Pool& pool() const override { return table_->pool(); }
    double cost_of_family() const override;
    std::int64_t complete_rows(const VariableSet& family) const override;

protected:
    std::shared_ptr<FamilyScores> renumbered(std::span<const int> order) override;
    Fixed alone(int child) override;
    std::vector<Step> gains(int child, const VariableSet& given, std::span<const int> candidates) override;
    double free_parameters(int child, const VariableSet& parents) const override;
    CompleteScores make_complete_scores() override;

private:
    std::shared_ptr<AvailableMixed> table_;
};

}  // namespace stablebn
