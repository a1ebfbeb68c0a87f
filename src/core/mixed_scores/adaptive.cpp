#include "mixed_scores/adaptive.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace stablebn {

namespace {

// Measured: share of the families that are worth a logistic regression.
constexpr double SHARE_OF_FITS = 0.1;

}  // namespace

AdaptiveScores::AdaptiveScores(std::shared_ptr<ConditionalGaussian> function, std::shared_ptr<FamilyScores> additive,
                               std::shared_ptr<const LogisticRegression> logistic, std::vector<int> blocks, Fixed unit)
    : FamilyScores(function->variables(), function->variables()),
      function_(std::move(function)),
      additive_(std::move(additive)),
      logistic_(std::move(logistic)),
      blocks_(std::move(blocks)),
      unit_(unit),
      largest_penalty_(largest_penalty(function_->strata().counts().total())) {}

double AdaptiveScores::cost_of_term() const { return logistic_->cost() * SHARE_OF_FITS; }

double AdaptiveScores::cost_of_family() const { return cost_of_term() * variables(); }

bool AdaptiveScores::are_categorical(const VariableSet& variables) const {
    return std::ranges::all_of(variables, [this](int v) { return function_->is_categorical(v); });
}

int AdaptiveScores::index(int v) const {
    return function_->column(v) - (function_->is_categorical(v) ? 0 : function_->strata().counts().variables());
}

double AdaptiveScores::width(int v) const {
    return function_->is_categorical(v) ? function_->strata().counts().levels(index(v)) - 1.0 : 1.0;
}

Fixed AdaptiveScores::penalised(Fixed likelihood, double parameters) const {
    if (unit_.to_double() * parameters > largest_penalty_) return NOT_A_CANDIDATE;
    return likelihood - unit_.times(static_cast<std::int64_t>(parameters));
}

std::optional<Fixed> AdaptiveScores::known(int child, const VariableSet& parents) {
    const std::lock_guard lock(mutex_);
    const auto found = terms_.find({child, parents});
    return found == terms_.end() ? std::nullopt : std::optional(found->second);
}

Fixed AdaptiveScores::table(int child, const VariableSet& parents) {
    if (!are_categorical(parents.with(child))) return NOT_A_CANDIDATE;
    return (*function_)(parents.with(child)) - (*function_)(parents);
}

Fixed AdaptiveScores::with_own_variances(int child, const VariableSet& parents) {
    const Fixed family = (*function_)(parents.with(child));
    return is_candidate(family) ? family - (*function_)(parents) : NOT_A_CANDIDATE;
}

Fixed AdaptiveScores::term(int child, const VariableSet& parents) {
    if (const auto found = known(child, parents)) return *found;
    return work_out_term(child, parents, table(child, parents));
}

bool AdaptiveScores::is_worth_a_fit(int child, const VariableSet& parents) {
    const Fixed all = additive_->term(child, parents);
    return std::ranges::all_of(parents, [&](int u) {
        const Fixed gained = all - additive_->term(child, parents.without(u));
        const Fixed cost = penalised({}, width(child) * width(u));
        return is_candidate(cost) && gained.units >= -cost.units;
    });
}

std::optional<Fixed> AdaptiveScores::logistic_gain(int child, const VariableSet& parents) {
    if (!is_worth_a_fit(child, parents)) return std::nullopt;
    std::vector<Regressor> own;
    for (const int u : parents) own.push_back(regressor(u));
    return logistic_->gain(regressor(child), own);
}

Fixed AdaptiveScores::work_out_term(int child, const VariableSet& parents, Fixed table) {
    double columns = 0, configurations = 1, continuous = 0;
    for (const int u : parents) {
        columns += width(u);
        configurations *= function_->is_categorical(u) ? width(u) + 1 : 1;
        continuous += function_->is_categorical(u) ? 0 : 1;
    }
    Fixed best = NOT_A_CANDIDATE;
    const auto consider = [&](Fixed likelihood, double parameters) {
        if (!is_candidate(likelihood)) return;
        const Fixed score = penalised(likelihood, parameters);
        if (is_candidate(score) && (!is_candidate(best) || score.units > best.units)) best = score;
    };
    if (!function_->is_categorical(child)) {
        consider(additive_->term(child, parents), columns);
        // With continuous parents alone, all models are the same. So are two models with one categorical parent; there
        // only the additive model is used, because it is a set function, so that graphs that score the same have the
        // same bits.
        if (configurations > 1) {
            if (parents.size() > 1) {
                consider(function_->with_common_variance(child, parents), configurations * (continuous + 1) - 1);
            }
            consider(with_own_variances(child, parents), configurations * (continuous + 2) - 2);
        }
    } else {
        consider(table, width(child) * (configurations - 1));
        // With one categorical parent, logistic regression equals the table.
        const bool of_categorical = are_categorical(parents);
        if (parents.size() > 1 || !of_categorical) {
            const Fixed alone = (*function_)(VariableSet{child}) - (*function_)({});
            const auto gained = logistic_gain(child, parents);
            // Without a fit, all slopes are 0.
            if (gained || !of_categorical) consider(alone + gained.value_or(Fixed{}), width(child) * columns);
        }
    }
    const std::lock_guard lock(mutex_);
    return terms_.emplace(Key{child, parents}, best).first->second;
}

std::vector<Fixed> AdaptiveScores::work_out_additions(int child, const VariableSet& parents, std::span<const int> more) {
    std::vector<Fixed> changes(variables(), NOT_A_CANDIDATE);
    const Fixed own = term(child, parents);
    if (!is_candidate(own)) return changes;
    std::vector<int> unknown;
    for (const int u : more) {
        if (u == child || parents.contains(u)) continue;
        if (const auto found = known(child, parents.with(u))) {
            changes[u] = is_candidate(*found) ? *found - own : NOT_A_CANDIDATE;
        } else {
            unknown.push_back(u);
        }
    }
    changes[child] = {};
    if (unknown.empty()) return changes;
    // All tables with one more parent are counted together.
    std::vector<Fixed> larger, smaller;
    const bool has_tables = are_categorical(parents.with(child));
    if (has_tables) {
        larger = function_->categorical_extensions(parents.with(child));
        smaller = function_->categorical_extensions(parents);
    }
    pool().share(unknown.size(), cost_of_term() * static_cast<double>(unknown.size()), [&](std::size_t place) {
        const int u = unknown[place];
        const Fixed table = has_tables && function_->is_categorical(u) ? larger[u] - smaller[u] : NOT_A_CANDIDATE;
        const Fixed found = work_out_term(child, parents.with(u), table);
        changes[u] = is_candidate(found) ? found - own : NOT_A_CANDIDATE;
    });
    return changes;
}

std::vector<Fixed> AdaptiveScores::work_out(int child, const VariableSet& parents) {
    std::vector<int> all(variables());
    std::iota(all.begin(), all.end(), 0);
    auto changes = work_out_additions(child, parents, all);
    const Fixed own = term(child, parents);
    if (!is_candidate(own)) return std::vector<Fixed>(variables(), NOT_A_CANDIDATE);
    for (const int u : parents) {
        const Fixed fewer = term(child, parents.without(u));
        changes[u] = is_candidate(fewer) ? fewer - own : NOT_A_CANDIDATE;
    }
    return changes;
}

void AdaptiveScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    for (int v = 0; v < variables(); ++v) {
        terms[v] = term(v, {});
        const auto own = work_out(v, {});
        std::copy(own.begin(), own.end(), changes[v].begin());
    }
}

std::shared_ptr<FamilyScores> AdaptiveScores::renumbered(std::span<const int> order) {
    std::vector<int> blocks;
    for (const int v : order) blocks.push_back(blocks_[v]);
    auto scores = std::make_shared<AdaptiveScores>(function_->reordered(order), additive_->reordered(order), logistic_,
                                                   std::move(blocks), unit_);
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
