#include "node_average.hpp"

#include <algorithm>
#include <numeric>

#include "cells.hpp"
#include "wide.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds of a cell that is looked up and added.
constexpr double COST_OF_CELL = 1.5;
// Nanoseconds of a row that is put into a group, and of the next variable.
constexpr double COST_OF_ROW = 3.0;

/// What a change of score is, where one of the families may have no score.
Fixed difference(Fixed after, Fixed before) {
    return is_candidate(after) && is_candidate(before) ? after - before : NOT_A_CANDIDATE;
}

}  // namespace

NodeAverageLikelihood::NodeAverageLikelihood(std::shared_ptr<Counts> counts, Fixed unit)
    : NodeAverageScores(counts->variables(), counts->variables()), counts_(std::move(counts)), unit_(unit) {}

double NodeAverageLikelihood::cost_of_family() const {
    // Of a typical family, with as many configurations.
    constexpr double configurations = 12;
    return configurations * (counts_->cost_of_configuration() + COST_OF_CELL * counts_->height());
}

double NodeAverageLikelihood::free_parameters(int child, const VariableSet& parents) const {
    double free = counts_->values(child) - 1;
    for (const int u : parents) free *= counts_->values(u);
    return free;
}

/// Each sum is rounded once, and alone: so families of the same rows tie as they do without holes.
Fixed NodeAverageLikelihood::average(const Parts& parts) const {
    const auto scaled = [&](Fixed sum) {
        if (parts.rows == counts_->total()) return sum;
        // A sum of m ln m is not negative, and below 2**33 nats: 95 bits, and 28 of the rows.
        const Wide product = wide(sum) * counts_->total();
        return to_fixed((product + parts.rows / 2) / parts.rows);
    };
    return scaled(parts.joint) - scaled(parts.margin);
}

Fixed NodeAverageLikelihood::score(const Parts& parts, double free) const {
    // Beyond the largest penalty no family is a candidate, and its score does not fit the limbs.
    if (!parts.rows || unit_.to_double() * free > LARGEST_PENALTY) return NOT_A_CANDIDATE;
    return average(parts) - unit_.times(static_cast<std::int64_t>(free));
}

std::vector<std::uint32_t> NodeAverageLikelihood::complete_columns(const VariableSet& members, int child) const {
    std::vector<std::uint32_t> columns{0};
    const auto cross = [&](int v) {
        std::uint32_t stride = 1;
        for (const int member : members) stride *= member > v ? counts_->levels(member) : 1;
        std::vector<std::uint32_t> finer;
        for (const std::uint32_t column : columns) {
            for (int level = 0; level < counts_->values(v); ++level) finer.push_back(column + level * stride);
        }
        columns = std::move(finer);
    };
    for (const int v : members) {
        if (v != child) cross(v);
    }
    cross(child);
    return columns;
}

template <class Count>
void NodeAverageLikelihood::add_cells(const Count* cells, std::span<const std::uint32_t> columns, int child_values,
                                      Parts& parts) const {
    const LogTable& m_ln_m = counts_->m_ln_m();
    for (std::size_t k = 0; k < columns.size(); k += child_values) {
        std::int64_t margin = 0;
        for (std::size_t at = k; at < k + child_values; ++at) {
            const std::int64_t m = cells[columns[at]];
            margin += m;
            parts.joint += m_ln_m[m];
        }
        parts.margin += m_ln_m[margin];
        parts.rows += margin;
    }
}

/// Without a joint table: the rows in which the family is complete are put into groups, variable by variable.
NodeAverageLikelihood::Parts NodeAverageLikelihood::by_rows(int child, const VariableSet& parents) const {
    const Rows& all = counts_->rows();
    const auto rows = complete_rows_of(all, parents.with(child).members());
    std::vector<std::int64_t> weights;
    if (all.weighted()) {
        for (const std::int32_t row : rows) weights.push_back(all.weights[row]);
    }
    Parts parts;
    const auto sum = [&](const Partition& partition) {
        const auto sizes = group_sizes(std::span<const std::int32_t>(partition.group), partition.groups, weights);
        parts.rows = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        return counts_->m_ln_m().sum(std::span<const std::int64_t>(sizes));
    };
    if (rows.empty()) return parts;
    Partition partition;
    partition.group.assign(rows.size(), 0);
    for (const int u : parents) partition = split(partition, rows, all.columns[u], all.levels[u]);
    parts.margin = sum(partition);
    parts.joint = sum(split(partition, rows, all.columns[child], all.levels[child]));
    return parts;
}

Fixed NodeAverageLikelihood::term(int child, const VariableSet& parents) {
    const Parts parts = by_rows(child, parents);
    return parts.rows ? average(parts).carried() : NOT_A_CANDIDATE;
}

std::int64_t NodeAverageLikelihood::complete_rows(const VariableSet& family) const {
    const Rows& all = counts_->rows();
    const auto rows = complete_rows_of(all, family.members());
    if (!all.weighted()) return static_cast<std::int64_t>(rows.size());
    std::int64_t total = 0;
    for (const std::int32_t row : rows) total += all.weights[row];
    return total;
}

bool NodeAverageLikelihood::is_scored(int child, const VariableSet& parents) {
    return complete_rows(parents.with(child)) > 0;
}

std::vector<Fixed> NodeAverageLikelihood::work_out(int child, const VariableSet& parents) {
    if (const auto table = counts_->table(parents.with(child))) return read_off(*table, child, parents);
    return from_rows(child, parents);
}

std::vector<Fixed> NodeAverageLikelihood::read_off(const JointTable& table, int child, const VariableSet& parents) const {
    std::vector<Fixed> changes(variables());
    const int child_values = counts_->values(child);
    const double free = free_parameters(child, parents);
    const auto columns = complete_columns(table.members, child);
    Parts alone;
    add_cells(table.sizes.data(), columns, child_values, alone);
    const Fixed own = score(alone, free);
    const auto narrow = counts_->narrow();
    const double cells = static_cast<double>(counts_->height()) * static_cast<double>(columns.size());
    pool().share_evenly(narrow.size(), COST_OF_CELL * cells, [&](std::size_t place) {
        const int u = narrow[place];
        if (table.members.contains(u)) return;
        Parts more;
        for (int level = 0; level < counts_->values(u); ++level) {
            add_cells(table.counts[counts_->first(u) + level].data(), columns, child_values, more);
        }
        changes[u] = difference(score(more, free * counts_->values(u)), own);
    });
    // One parent less: its levels are added up, the hole among them, as its rows count now.
    std::size_t width = 1;
    for (std::size_t p = table.members.size(); p-- > 0;) {
        const int u = table.members[p], levels = counts_->levels(u);
        if (u != child) {
            const auto fewer = without_variable(std::span<const std::int64_t>(table.sizes), width, levels);
            Parts less;
            add_cells(fewer.data(), complete_columns(table.members.without(u), child), child_values, less);
            changes[u] = difference(score(less, free / counts_->values(u)), own);
        }
        width *= levels;
    }
    for (const int u : counts_->wide()) {
        if (table.members.contains(u)) continue;
        changes[u] = difference(score(by_rows(child, parents.with(u)), free * counts_->values(u)), own);
    }
    return changes;
}

std::vector<Fixed> NodeAverageLikelihood::from_rows(int child, const VariableSet& parents) const {
    std::vector<Fixed> changes(variables());
    const double free = free_parameters(child, parents);
    const Fixed own = score(by_rows(child, parents), free);
    const double cost = COST_OF_ROW * static_cast<double>(counts_->rows().count * (parents.size() + 2));
    pool().share_evenly(variables(), cost * variables(), [&](std::size_t place) {
        const int u = static_cast<int>(place);
        if (u == child) return;
        const bool leaves = parents.contains(u);
        const double now = leaves ? free / counts_->values(u) : free * counts_->values(u);
        changes[u] = difference(score(by_rows(child, leaves ? parents.without(u) : parents.with(u)), now), own);
    });
    return changes;
}

std::shared_ptr<FamilyScores> NodeAverageLikelihood::reordered(std::span<const int> order) {
    auto scores = std::make_shared<NodeAverageLikelihood>(counts_->reordered(order), unit_);
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
