#include "node_average_mixed.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stablebn {

namespace {

// Measured, roughly: nanoseconds of a row of a family that is looked up, and added to its stratum.
constexpr double COST_OF_ROW = 20.0;

/// The values of some columns in some rows.
struct Chosen {
    std::vector<std::vector<std::int32_t>> codes;
    std::vector<std::vector<std::int64_t>> columns;
    std::vector<std::int64_t> weights;
};

}  // namespace

AvailableMixed::AvailableMixed(std::shared_ptr<Counts> counts, std::vector<std::span<const std::int64_t>> columns, int bits,
                               std::vector<double> floors, std::vector<int> order, std::shared_ptr<const void> owner)
    : counts_(std::move(counts)),
      columns_(std::move(columns)),
      bits_(bits),
      floors_(std::move(floors)),
      order_(std::move(order)),
      owner_(std::move(owner)) {}

std::shared_ptr<AvailableMixed> AvailableMixed::reordered(std::span<const int> order) const {
    std::vector<int> columns;
    for (const int v : order) columns.push_back(order_[v]);
    return std::make_shared<AvailableMixed>(counts_, columns_, bits_, floors_, std::move(columns), owner_);
}

std::vector<std::int32_t> AvailableMixed::complete(std::span<const int> variables) const {
    std::vector<int> categorical;
    for (const int v : variables) {
        if (is_categorical(v)) categorical.push_back(order_[v]);
    }
    auto rows = complete_rows_of(counts_->rows(), categorical);
    for (const int v : variables) {
        if (is_categorical(v)) continue;
        const auto values = column(v);
        std::erase_if(rows, [=](std::int32_t row) { return values[row] == HOLE; });
    }
    return rows;
}

std::int64_t AvailableMixed::complete_rows(std::span<const int> variables) const {
    const auto rows = complete(variables);
    const auto weights = counts_->rows().weights;
    if (weights.empty()) return static_cast<std::int64_t>(rows.size());
    return std::accumulate(rows.begin(), rows.end(), std::int64_t{0},
                           [&](std::int64_t sum, std::int32_t row) { return sum + weights[row]; });
}

AvailableMixed::Known AvailableMixed::among(std::span<const int> variables) const {
    const Rows& all = counts_->rows();
    const auto chosen = complete(variables);
    if (chosen.empty()) return {};
    auto values = std::make_shared<Chosen>();
    Rows rows;
    std::vector<double> floors;
    std::vector<std::size_t> categorical, continuous;
    for (std::size_t at = 0; at < variables.size(); ++at) {
        const int v = variables[at];
        if (is_categorical(v)) {
            auto& codes = values->codes.emplace_back();
            with_codes(all.columns[order_[v]], [&](const auto* from) {
                for (const std::int32_t row : chosen) codes.push_back(static_cast<std::int32_t>(from[row]));
            });
            rows.levels.push_back(all.values(order_[v]));
            categorical.push_back(at);
        } else {
            auto& own = values->columns.emplace_back();
            const auto from = column(v);
            for (const std::int32_t row : chosen) own.push_back(from[row]);
            floors.push_back(floors_[order_[v] - counts_->variables()]);
            continuous.push_back(at);
        }
    }
    rows.count = chosen.size();
    rows.total = static_cast<std::int64_t>(chosen.size());
    if (all.weighted()) {
        for (const std::int32_t row : chosen) values->weights.push_back(all.weights[row]);
        rows.weights = values->weights;
        rows.total = std::accumulate(values->weights.begin(), values->weights.end(), std::int64_t{0});
    }
    for (const auto& codes : values->codes) rows.columns.push_back({codes.data(), sizeof(std::int32_t)});
    std::vector<std::span<const std::int64_t>> columns(values->columns.begin(), values->columns.end());
    std::vector<int> order(variables.size());
    for (std::size_t place = 0; place < categorical.size(); ++place) order[categorical[place]] = static_cast<int>(place);
    for (std::size_t place = 0; place < continuous.size(); ++place) {
        order[continuous[place]] = static_cast<int>(categorical.size() + place);
    }
    const std::int64_t total = rows.total;
    auto counts = std::make_shared<Counts>(std::move(rows), values, counts_->shared_pool(), counts_->limits(), counts_->logs());
    auto strata = std::make_shared<Strata>(std::move(counts), std::move(columns), bits_, std::move(floors), values);
    return {total, std::make_shared<ConditionalGaussian>(std::move(strata), std::move(order))};
}

std::vector<Fixed> AvailableMixed::gains(int x, const VariableSet& given, std::span<const int> candidates) const {
    std::vector<Fixed> found(candidates.size(), NOT_A_CANDIDATE);
    const double cost = COST_OF_ROW * static_cast<double>(stored_rows() * (given.size() + 2));
    pool().share_evenly(candidates.size(), cost * static_cast<double>(candidates.size()), [&](std::size_t place) {
        const VariableSet family = given.with(x).with(candidates[place]);
        const Known known = among(family.members());
        if (!known.function) return;
        std::vector<int> others;
        for (const int v : given) others.push_back(static_cast<int>(family.place_of(v)));
        const int y = static_cast<int>(family.place_of(candidates[place]));
        found[place] = known.function->gains(static_cast<int>(family.place_of(x)), VariableSet(std::move(others)), {&y, 1})[0];
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

Fixed NodeAverageMixed::alone(int child) {
    const auto known = table_->among({&child, 1});
    if (!known.function) return NOT_A_CANDIDATE;
    const Fixed own = (*known.function)({0});
    if (!is_candidate(own)) return NOT_A_CANDIDATE;
    return scaled_up(own, total(), known.rows) - scaled_up((*known.function)({}), total(), known.rows);
}

std::vector<NodeAverageScores::Step> NodeAverageMixed::gains(int child, const VariableSet& given,
                                                             std::span<const int> candidates) {
    std::vector<Step> found(candidates.size());
    const double cost = COST_OF_ROW * static_cast<double>(table_->stored_rows() * (given.size() + 2));
    pool().share_evenly(candidates.size(), cost * static_cast<double>(candidates.size()), [&](std::size_t place) {
        const int u = candidates[place];
        found[place].parent = u;
        const VariableSet family = given.with(child).with(u);
        const auto known = table_->among(family.members());
        if (!known.function) return;
        std::vector<int> places(family.size());
        std::iota(places.begin(), places.end(), 0);
        const VariableSet all(std::move(places));
        const VariableSet without_child = all.without(static_cast<int>(family.place_of(child)));
        const int candidate = static_cast<int>(family.place_of(u));
        Fixed gain;
        // Each value is rounded once, and alone: so families of the same rows tie as they do without holes.
        for (const auto& [set, adds] : {std::pair{all, true}, std::pair{without_child.without(candidate), true},
                                        std::pair{without_child, false}, std::pair{all.without(candidate), false}}) {
            const Fixed value = (*known.function)(set);
            if (!is_candidate(value)) return;
            const Fixed scaled = scaled_up(value, total(), known.rows);
            gain += adds ? scaled : -scaled;
        }
        found[place].rows = known.rows;
        found[place].gain = gain;
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
