#include "incomplete_scores/node_average_mixed.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace stablebn {

namespace {

// Measured approximately: nanoseconds per row of a family that is looked up and added to its stratum.
constexpr double COST_OF_ROW = 20.0;

/// The values of some columns in some rows.
struct Chosen {
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<std::int64_t>> columns;
    std::vector<std::int64_t> weights;
};

}  // namespace

AvailableMixed::AvailableMixed(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
                               std::vector<double> floors, std::vector<int> order, std::shared_ptr<const void> owner,
                               std::shared_ptr<Tables> tables)
    : counts_(std::move(counts)),
      columns_(std::move(columns)),
      bits_(bits),
      floors_(std::move(floors)),
      order_(std::move(order)),
      owner_(std::move(owner)),
      tables_(std::move(tables)) {
    if (tables_) return;
    tables_ = std::make_shared<Tables>();
    for (int column = 0; column < variables(); ++column) {
        const bool has_missing = is_categorical_column(column) ? counts_->rows().has_holes(column)
                                                               : std::ranges::find(values(column), HOLE) != values(column).end();
        tables_->is_complete.push_back(!has_missing);
    }
}

std::shared_ptr<AvailableMixed> AvailableMixed::reordered(std::span<const int> order) const {
    std::vector<int> columns;
    for (const int v : order) columns.push_back(order_[v]);
    return std::make_shared<AvailableMixed>(counts_, columns_, bits_, floors_, std::move(columns), owner_, tables_);
}

VariableSet AvailableMixed::Known::places(const VariableSet& set) const {
    std::vector<int> places;
    for (const int v : set) places.push_back(place(v));
    return VariableSet(std::move(places));
}

VariableSet AvailableMixed::columns_of(std::span<const int> variables) const {
    std::vector<int> columns;
    for (const int v : variables) columns.push_back(order_[v]);
    return VariableSet(std::move(columns));
}

VariableSet AvailableMixed::incomplete(const VariableSet& variables) const {
    std::vector<int> found;
    std::ranges::copy_if(variables, std::back_inserter(found), [this](int v) { return !is_complete(v); });
    return VariableSet(std::move(found));
}

std::vector<std::int32_t> AvailableMixed::complete(const VariableSet& columns) const {
    std::vector<int> categorical;
    std::ranges::copy_if(columns, std::back_inserter(categorical), [this](int c) { return is_categorical_column(c); });
    auto rows = complete_rows_of(counts_->rows(), categorical);
    for (const int column : columns) {
        if (is_categorical_column(column) || tables_->is_complete[column]) continue;
        const auto own = values(column);
        std::erase_if(rows, [=](std::int32_t row) { return own[row] == HOLE; });
    }
    return rows;
}

std::int64_t AvailableMixed::complete_rows(std::span<const int> variables) const {
    const auto rows = complete(columns_of(variables));
    const auto weights = counts_->rows().weights;
    if (weights.empty()) return static_cast<std::int64_t>(rows.size());
    return std::accumulate(rows.begin(), rows.end(), std::int64_t{0},
                           [&](std::int64_t sum, std::int32_t row) { return sum + weights[row]; });
}

/// All rows of complete columns: nothing is copied.
AvailableMixed::Subtable AvailableMixed::whole(std::vector<int> columns) const {
    const Rows& all = counts_->rows();
    Rows rows;
    rows.count = all.count;
    rows.total = all.total;
    rows.weights = all.weights;
    std::vector<std::span<const std::int64_t>> continuous;
    std::vector<double> floors;
    for (const int column : columns) {
        if (is_categorical_column(column)) {
            rows.columns.push_back(all.columns[column]);
            rows.levels.push_back(all.levels[column]);
        } else {
            continuous.push_back(values(column));
            floors.push_back(floors_[column - counts_->variables()]);
        }
    }
    auto counts = std::make_shared<Counts>(std::move(rows), counts_, counts_->shared_pool(), counts_->limits(), counts_->logs());
    auto strata = std::make_shared<Strata>(std::move(counts), std::move(continuous), bits_, std::move(floors), owner_);
    return {all.total, std::move(columns), std::move(strata)};
}

/// The rows in which some columns with missing values are known.
AvailableMixed::Subtable AvailableMixed::copied(std::vector<int> columns, const VariableSet& incomplete,
                                                std::size_t most_bytes) const {
    const Rows& all = counts_->rows();
    const auto chosen = complete(incomplete);
    if (chosen.empty()) return {0, std::move(columns), nullptr};
    tables_->columns_copied += columns.size();
    auto copies = std::make_shared<Chosen>();
    Rows rows;
    std::vector<double> floors;
    for (const int column : columns) {
        if (is_categorical_column(column)) {
            auto& codes = copies->codes.emplace_back();
            codes.reserve(chosen.size());
            with_codes(all.columns[column], [&](const auto* from) {
                for (const std::int32_t row : chosen) codes.push_back(static_cast<std::int32_t>(from[row]));
            });
            rows.levels.push_back(all.values(column));
        } else {
            auto& own = copies->columns.emplace_back();
            own.reserve(chosen.size());
            const auto from = values(column);
            for (const std::int32_t row : chosen) own.push_back(from[row]);
            floors.push_back(floors_[column - counts_->variables()]);
        }
    }
    rows.count = chosen.size();
    rows.total = static_cast<std::int64_t>(chosen.size());
    if (all.weighted()) {
        for (const std::int32_t row : chosen) copies->weights.push_back(all.weights[row]);
        rows.weights = copies->weights;
        rows.total = std::accumulate(copies->weights.begin(), copies->weights.end(), std::int64_t{0});
    }
    for (const auto& codes : copies->codes) rows.columns.push_back({codes.data(), sizeof(std::int32_t)});
    std::vector<std::span<const std::int64_t>> continuous(copies->columns.begin(), copies->columns.end());
    const std::int64_t total = rows.total;
    CountingLimits limits = counts_->limits();
    limits.most_bytes = std::min(limits.most_bytes, static_cast<std::int64_t>(most_bytes));
    auto counts = std::make_shared<Counts>(std::move(rows), copies, counts_->shared_pool(), limits, counts_->logs());
    auto strata = std::make_shared<Strata>(std::move(counts), std::move(continuous), bits_, std::move(floors), copies);
    return {total, std::move(columns), std::move(strata)};
}

std::shared_ptr<const AvailableMixed::Subtable> AvailableMixed::kept_table(const VariableSet& incomplete,
                                                                            std::size_t columns) const {
    std::vector<int> all;
    for (int column = 0; column < variables(); ++column) {
        if (tables_->is_complete[column] || incomplete.contains(column)) all.push_back(column);
    }
    const std::lock_guard lock(tables_->mutex);
    auto& entry = tables_->known[incomplete];
    if (entry.table) return entry.table;
    if (incomplete.empty()) return entry.table = std::make_shared<const Subtable>(whole(std::move(all)));
    // Copying all columns pays once as many columns have been copied without it.
    entry.copied += columns;
    const std::size_t bytes = stored_rows() * all.size() * sizeof(std::int64_t);
    if (entry.copied < all.size() || tables_->bytes + bytes > static_cast<std::size_t>(counts_->limits().most_bytes)) return nullptr;
    tables_->bytes += bytes;
    return entry.table = std::make_shared<const Subtable>(copied(std::move(all), incomplete, bytes));
}

AvailableMixed::Known AvailableMixed::numbered(const Subtable& table, std::vector<int> variables) const {
    if (!table.strata) return {0, nullptr, std::move(variables)};
    std::vector<int> order;
    for (const int v : variables) {
        order.push_back(static_cast<int>(std::ranges::lower_bound(table.columns, order_[v]) - table.columns.begin()));
    }
    return {table.rows, std::make_shared<ConditionalGaussian>(table.strata, std::move(order)), std::move(variables)};
}

std::optional<AvailableMixed::Known> AvailableMixed::kept(const VariableSet& incomplete, std::size_t columns) const {
    const VariableSet key = columns_of(incomplete.members());
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = known_.find(key); found != known_.end()) return found->second;
    }
    const auto table = kept_table(key, columns);
    if (!table) return std::nullopt;
    std::vector<int> all;
    for (int v = 0; v < variables(); ++v) {
        if (is_complete(v) || incomplete.contains(v)) all.push_back(v);
    }
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(key);
    return found != known_.end() ? found->second : known_.emplace(key, numbered(*table, std::move(all))).first->second;
}

AvailableMixed::Known AvailableMixed::among(const VariableSet& variables) const {
    const VariableSet missing = incomplete(variables);
    if (auto known = kept(missing, variables.size())) return *std::move(known);
    const VariableSet columns = columns_of(variables.members());
    return numbered(copied({columns.begin(), columns.end()}, columns_of(missing.members()),
                           static_cast<std::size_t>(counts_->limits().most_bytes)),
                    {variables.begin(), variables.end()});
}

void AvailableMixed::extend(int x, const VariableSet& given, std::span<const int> candidates, const Use& use) const {
    const VariableSet family = given.with(x), missing = incomplete(family);
    std::vector<std::size_t> together, alone;
    for (std::size_t place = 0; place < candidates.size(); ++place) {
        (is_complete(candidates[place]) ? together : alone).push_back(place);
    }
    if (!together.empty()) {
        if (const auto known = kept(missing, together.size() * (family.size() + 1))) {
            if (known->function) use(*known, together);
        } else {
            alone.insert(alone.end(), together.begin(), together.end());
        }
    }
    const double cost = COST_OF_ROW * static_cast<double>(stored_rows() * (given.size() + 2));
    pool().share_evenly(alone.size(), cost * static_cast<double>(alone.size()), [&](std::size_t at) {
        const Known known = among(family.with(candidates[alone[at]]));
        if (known.function) use(known, {&alone[at], 1});
    });
}

std::vector<Fixed> AvailableMixed::gains(int x, const VariableSet& given, std::span<const int> candidates) const {
    std::vector<Fixed> found(candidates.size(), NOT_A_CANDIDATE);
    extend(x, given, candidates, [&](const Known& known, std::span<const std::size_t> places) {
        std::vector<int> own;
        for (const std::size_t place : places) own.push_back(known.place(candidates[place]));
        const auto gains = known.function->gains(known.place(x), known.places(given), own);
        for (std::size_t at = 0; at < places.size(); ++at) found[places[at]] = gains[at];
    });
    return found;
}

double AvailableMixed::parameters(const VariableSet& set) const {
    double configurations = 1.0, columns = 0.0;
    for (const int v : set) {
        if (is_categorical(v)) {
            configurations *= counts_->values(order_[v]);
        } else {
            columns += 1;
        }
    }
    return configurations - 1 + configurations * (columns + columns * (columns + 1) / 2);
}

double NodeAverageMixed::cost_of_family() const {
    return 4 * COST_OF_ROW * static_cast<double>(table_->stored_rows()) * variables();
}

double NodeAverageMixed::free_parameters(int child, const VariableSet& parents) const {
    return table_->parameters(parents.with(child)) - table_->parameters(parents);
}

NodeAverageScores::CompleteScores NodeAverageMixed::make_complete_scores() {
    const auto known = table_->kept({}, 0);
    CompleteScores complete{std::make_shared<ConditionalGaussianScores>(known->function, unit()), {}};
    for (int v = 0; v < variables(); ++v) complete.number.push_back(table_->is_complete(v) ? known->place(v) : -1);
    return complete;
}

Fixed NodeAverageMixed::alone(int child) {
    const auto known = table_->among({child});
    if (!known.function) return NOT_A_CANDIDATE;
    const Fixed own = (*known.function)({known.place(child)});
    if (!is_candidate(own)) return NOT_A_CANDIDATE;
    return scaled_up(own, total(), known.rows) - scaled_up((*known.function)({}), total(), known.rows);
}

std::vector<NodeAverageScores::Step> NodeAverageMixed::gains(int child, const VariableSet& given,
                                                             std::span<const int> candidates) {
    std::vector<Step> found(candidates.size());
    for (std::size_t place = 0; place < candidates.size(); ++place) found[place].parent = candidates[place];
    table_->extend(child, given, candidates, [&](const AvailableMixed::Known& known, std::span<const std::size_t> places) {
        ConditionalGaussian& function = *known.function;
        const VariableSet without_child = known.places(given), with_child = without_child.with(known.place(child));
        const Fixed of_given = function(without_child), of_child = function(with_child);
        // Each value is rounded once and separately, so families on the same rows tie as they do without missing
        // values.
        const auto scaled = [&](Fixed value) { return scaled_up(value, total(), known.rows); };
        const bool many = 2 * places.size() > known.variables.size();
        const auto larger = many ? function.extensions(with_child) : std::vector<Fixed>();
        const auto smaller = many ? function.extensions(without_child) : std::vector<Fixed>();
        for (const std::size_t place : places) {
            const int u = known.place(candidates[place]);
            const Fixed both = many ? larger[u] : function(with_child.with(u));
            // If a set has a value, its subsets have one too.
            if (!is_candidate(both)) continue;
            const Fixed candidate = many ? smaller[u] : function(without_child.with(u));
            found[place].rows = known.rows;
            found[place].gain = scaled(both) + scaled(of_given) - scaled(candidate) - scaled(of_child);
        }
    });
    return found;
}

std::int64_t NodeAverageMixed::complete_rows(const VariableSet& family) const {
    return table_->complete_rows(family.members());
}

std::shared_ptr<FamilyScores> NodeAverageMixed::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<NodeAverageMixed>(table_->reordered(order), unit());
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
