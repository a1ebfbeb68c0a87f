#include "incomplete_scores/node_average.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "scores/discrete.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds per cell that is looked up and added.
constexpr double COST_OF_CELL = 1.5;
// Nanoseconds per row assigned to a group, and per further variable.
constexpr double COST_OF_ROW = 3.0;

/// Whether one parent comes before another: it gains more or, at equal gain, has the lower number.
bool comes_before(const NodeAverageScores::Step& a, const NodeAverageScores::Step& b) {
    return a.gain.units != b.gain.units ? a.gain.units > b.gain.units : a.parent < b.parent;
}

}  // namespace

Fixed scaled_up(Fixed value, std::int64_t total, std::int64_t rows) {
    if (rows == total) return value;
    // The product may need 147 bits, so the multiple of the rows is divided first.
    const Wide size = value.units < 0 ? -value.units : value.units;
    const Wide scaled = size / rows * total + (size % rows * total + rows / 2) / rows;
    return {value.units < 0 ? -scaled : scaled};
}

VariableSet NodeAverageScores::CompleteScores::numbers(const VariableSet& set) const {
    std::vector<int> numbers;
    for (const int v : set) numbers.push_back(number[v]);
    return VariableSet(std::move(numbers));
}

const NodeAverageScores::CompleteScores& NodeAverageScores::complete_scores() {
    std::call_once(complete_once_, [this] { complete_ = make_complete_scores(); });
    return complete_;
}

std::vector<NodeAverageScores::Step> NodeAverageScores::make_gains(int child, const VariableSet& given,
                                                                  std::span<const int> candidates) {
    gains_made_ += static_cast<std::int64_t>(candidates.size());
    return gains(child, given, candidates);
}

NodeAverageScores::Gains NodeAverageScores::gains_of(int child, const VariableSet& given, std::span<const int> candidates) {
    const Key key{child, given};
    std::vector<int> unknown(candidates.begin(), candidates.end());
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = gains_.find(key); found != gains_.end()) {
            std::erase_if(unknown, [&](int u) { return (*found->second)[u].parent >= 0; });
            if (unknown.empty()) return found->second;
        }
    }
    const auto steps = make_gains(child, given, unknown);
    const std::lock_guard lock(mutex_);
    Gains& known = gains_[key];
    auto made = known ? std::make_shared<std::vector<Step>>(*known) : std::make_shared<std::vector<Step>>(variables());
    for (const Step& step : steps) (*made)[step.parent] = step;
    return known = std::move(made);
}

std::vector<NodeAverageScores::Step> NodeAverageScores::steps(int child, const VariableSet& parents) {
    std::vector<Step> found;
    VariableSet given, left = parents;
    while (!left.empty()) {
        const auto own = make_gains(child, given, left.members());
        const Step first = *std::ranges::min_element(own, comes_before);
        if (!is_candidate(first.gain)) break;
        found.push_back(first);
        given.toggle(first.parent);
        left.toggle(first.parent);
    }
    return found;
}

bool NodeAverageScores::is_scored(int child, const VariableSet& parents) {
    return is_candidate(alone(child)) && steps(child, parents).size() == parents.size();
}

Fixed NodeAverageScores::term(int child, const VariableSet& parents) {
    Fixed sum = alone(child);
    const auto weighed = steps(child, parents);
    if (!is_candidate(sum) || weighed.size() < parents.size()) return NOT_A_CANDIDATE;
    for (const Step& step : weighed) sum += step.gain;
    return sum;
}

/// Add one parent; the sum is NOT_A_CANDIDATE if there are too few rows, or the penalty does not fit the limbs.
NodeAverageScores::Weighed NodeAverageScores::with(int child, Weighed weighed, const Step& step) const {
    if (!is_candidate(weighed.sum)) return weighed;
    const VariableSet parents = weighed.parents.with(step.parent);
    const double free = free_parameters(child, parents) - free_parameters(child, weighed.parents);
    if (!is_candidate(step.gain)) return {parents, NOT_A_CANDIDATE, 0};
    const double penalty = unit_.to_double() * free * static_cast<double>(total_) / static_cast<double>(step.rows);
    if (weighed.penalty + penalty > largest_penalty(total_)) return {parents, NOT_A_CANDIDATE, 0};
    const Fixed of_step = step.gain - scaled_up(unit_, total_, step.rows).times(static_cast<std::int64_t>(free));
    return {parents, (weighed.sum + of_step), weighed.penalty + penalty};
}

/// The sum after the remaining parents are added too.
Fixed NodeAverageScores::finish(int child, Weighed weighed, std::vector<int> left) {
    while (!left.empty() && is_candidate(weighed.sum)) {
        const auto own = make_gains(child, weighed.parents, left);
        const Step first = *std::ranges::min_element(own, comes_before);
        weighed = with(child, std::move(weighed), first);
        std::erase(left, first.parent);
    }
    return weighed.sum;
}

/// A family with one parent more or less has the same steps up to the position of that parent; from there on they are
/// computed again.
std::vector<Fixed> NodeAverageScores::work_out(int child, const VariableSet& parents) {
    std::vector<Fixed> changes(variables(), NOT_A_CANDIDATE);
    changes[child] = {};
    if (!is_candidate(alone(child))) return changes;
    const CompleteScores& complete = complete_scores();
    // Without parents there is nothing to add, and the gains are used directly.
    const bool is_complete = !parents.empty() && complete.has(child, parents);
    if (is_complete) {
        const auto family = complete.scores->family(complete.number[child], complete.numbers(parents));
        for (int u = 0; u < variables(); ++u) {
            if (u != child && complete.has(u)) changes[u] = family->changes[complete.number[u]];
        }
    }
    const auto is_done = [&](int u) { return u == child || (is_complete && complete.has(u)); };
    struct Stage {
        Weighed weighed;
        std::vector<int> left;
        Gains gains;
        Step first;
    };
    std::vector<Stage> way;
    Weighed weighed{{}, {}, unit_.to_double() * free_parameters(child, {})};
    std::vector<int> left(parents.begin(), parents.end());
    while (true) {
        std::vector<int> candidates;
        for (int u = 0; u < variables(); ++u) {
            if (u != child && !weighed.parents.contains(u) && (!is_done(u) || parents.contains(u))) candidates.push_back(u);
        }
        const Gains own = gains_of(child, weighed.parents, candidates);
        Step first;
        for (const int u : left) {
            if (first.parent < 0 || comes_before((*own)[u], first)) first = (*own)[u];
        }
        way.push_back({weighed, left, own, first});
        if (left.empty()) break;
        weighed = with(child, std::move(weighed), first);
        if (!is_candidate(weighed.sum)) return changes;
        std::erase(left, first.parent);
    }
    for (int u = 0; u < variables(); ++u) {
        if (is_done(u)) continue;
        Fixed now;
        if (parents.contains(u)) {
            const auto at = std::ranges::find_if(way, [=](const Stage& stage) { return stage.first.parent == u; });
            auto others = at->left;
            std::erase(others, u);
            now = finish(child, at->weighed, std::move(others));
        } else {
            const auto at = std::ranges::find_if(
                way, [=](const Stage& stage) { return stage.left.empty() || comes_before((*stage.gains)[u], stage.first); });
            now = finish(child, with(child, at->weighed, (*at->gains)[u]), at->left);
        }
        if (is_candidate(now)) changes[u] = now - weighed.sum;
    }
    return changes;
}

NodeAverageLikelihood::NodeAverageLikelihood(std::shared_ptr<Counts> counts, Fixed unit)
    : NodeAverageScores(counts->variables(), counts->variables(), counts->total(), unit), counts_(std::move(counts)) {}

double NodeAverageLikelihood::cost_of_family() const {
    // For a typical family with this many configurations.
    constexpr double configurations = 12;
    return configurations * (counts_->cost_of_configuration() + COST_OF_CELL * counts_->height());
}

double NodeAverageLikelihood::free_parameters(int child, const VariableSet& parents) const {
    double free = counts_->values(child) - 1;
    for (const int u : parents) free *= counts_->values(u);
    return free;
}

NodeAverageScores::Step NodeAverageLikelihood::step(int candidate, const Parts& parts) const {
    if (!parts.rows) return {candidate};
    const auto scaled = [&](Fixed sum) { return scaled_up(sum, total(), parts.rows); };
    const Fixed more = scaled(parts.with_both) + scaled(parts.given);
    return {candidate, parts.rows, (more - scaled(parts.with_child) - scaled(parts.with_candidate))};
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

NodeAverageLikelihood::Parts NodeAverageLikelihood::read_off(const JointTable& table, std::span<const std::uint32_t> columns,
                                                            int child, int candidate) const {
    const LogTable& m_ln_m = counts_->m_ln_m();
    const std::size_t child_values = counts_->values(child);
    Parts parts;
    std::vector<std::int64_t> of_all(columns.size());
    const auto read = [&](auto cells) {
        for (std::size_t k = 0; k < columns.size(); k += child_values) {
            std::int64_t margin = 0;
            for (std::size_t at = k; at < k + child_values; ++at) {
                const std::int64_t m = cells[columns[at]];
                margin += m;
                of_all[at] += m;
                parts.with_both += m_ln_m[m];
            }
            parts.with_candidate += m_ln_m[margin];
        }
    };
    table.with_counts([&](const auto& counts) {
        for (int level = 0; level < counts_->values(candidate); ++level) read(counts[counts_->first(candidate) + level]);
    });
    for (std::size_t k = 0; k < columns.size(); k += child_values) {
        std::int64_t margin = 0;
        for (std::size_t at = k; at < k + child_values; ++at) {
            margin += of_all[at];
            parts.with_child += m_ln_m[of_all[at]];
        }
        parts.given += m_ln_m[margin];
        parts.rows += margin;
    }
    return parts;
}

/// Without a joint table: the rows in which the family is complete are grouped variable by variable.
NodeAverageLikelihood::Parts NodeAverageLikelihood::by_rows(int child, const VariableSet& given, int candidate) const {
    const Rows& all = counts_->rows();
    const auto rows = complete_rows_of(all, given.with(child).with(candidate).members());
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
    const auto finer = [&](const Partition& partition, int v) { return split(partition, rows, all.columns[v], all.levels[v]); };
    Partition partition;
    partition.group.assign(rows.size(), 0);
    for (const int u : given) partition = finer(partition, u);
    const Partition with_candidate = finer(partition, candidate);
    parts.given = sum(partition);
    parts.with_child = sum(finer(partition, child));
    parts.with_candidate = sum(with_candidate);
    parts.with_both = sum(finer(with_candidate, child));
    return parts;
}

Fixed NodeAverageLikelihood::alone(int child) {
    const auto rows = complete_rows_of(counts_->rows(), {&child, 1});
    // A column without any value was refused before.
    std::vector<std::int64_t> sizes(counts_->values(child));
    with_codes(counts_->rows().columns[child], [&](const auto* codes) {
        for (const std::int32_t row : rows) sizes[codes[row]] += counts_->rows().weighted() ? counts_->rows().weights[row] : 1;
    });
    const std::int64_t known = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const LogTable& m_ln_m = counts_->m_ln_m();
    const auto scaled = [&](Fixed sum) { return scaled_up(sum, total(), known); };
    return (scaled(m_ln_m.sum(std::span<const std::int64_t>(sizes))) - scaled(m_ln_m[known]));
}

NodeAverageScores::CompleteScores NodeAverageLikelihood::make_complete_scores() {
    // With the same counts and joint tables; missing values, which are one more level there, are not used.
    CompleteScores complete{std::make_shared<PenalisedLikelihood>(counts_, unit()), {}};
    for (int v = 0; v < variables(); ++v) complete.number.push_back(counts_->rows().has_holes(v) ? -1 : v);
    return complete;
}

std::int64_t NodeAverageLikelihood::complete_rows(const VariableSet& family) const {
    const Rows& all = counts_->rows();
    const auto rows = complete_rows_of(all, family.members());
    if (!all.weighted()) return static_cast<std::int64_t>(rows.size());
    std::int64_t total = 0;
    for (const std::int32_t row : rows) total += all.weights[row];
    return total;
}

std::vector<NodeAverageScores::Step> NodeAverageLikelihood::gains(int child, const VariableSet& given,
                                                                  std::span<const int> candidates) {
    std::vector<Step> found(candidates.size());
    const auto table = counts_->table(given.with(child));
    const auto columns = table ? complete_columns(table->members, child) : std::vector<std::uint32_t>{};
    const double cost = table ? COST_OF_CELL * counts_->height() / variables() * static_cast<double>(columns.size())
                              : COST_OF_ROW * static_cast<double>(counts_->rows().count * (given.size() + 4));
    pool().share_evenly(candidates.size(), cost * static_cast<double>(candidates.size()), [&](std::size_t place) {
        const int u = candidates[place];
        const bool counted = table && counts_->first(u) >= 0;
        found[place] = step(u, counted ? read_off(*table, columns, child, u) : by_rows(child, given, u));
    });
    return found;
}

std::shared_ptr<FamilyScores> NodeAverageLikelihood::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<NodeAverageLikelihood>(counts_->reordered(order), unit());
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
