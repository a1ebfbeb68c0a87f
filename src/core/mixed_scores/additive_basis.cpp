#include "mixed_scores/additive_basis.hpp"

#include <algorithm>
#include <utility>

#include "numeric/logarithm.hpp"

namespace stablebn {

namespace {

// Measured: nanoseconds of a family, per other variable.
constexpr double COST_OF_CANDIDATE = 2500;

}  // namespace

AdditiveBasisScores::AdditiveBasisScores(std::shared_ptr<const CovarianceBlocks> covariances,
                                         std::vector<std::vector<int>> blocks, std::int64_t total, Fixed unit,
                                         std::shared_ptr<Pool> pool)
    : FamilyScores(static_cast<int>(blocks.size()), static_cast<int>(blocks.size())),
      covariances_(std::move(covariances)),
      blocks_(std::move(blocks)),
      total_(total),
      unit_(unit),
      pool_(std::move(pool)) {}

double AdditiveBasisScores::cost_of_family() const { return COST_OF_CANDIDATE * variables(); }

void AdditiveBasisScores::append(std::vector<int>& blocks, Columns model, int variable) const {
    const auto& own = blocks_[variable];
    blocks.insert(blocks.end(), own.begin(), model == Columns::all ? own.end() : own.begin() + 1);
}

std::int64_t AdditiveBasisScores::width(std::span<const int> blocks) const {
    std::int64_t columns = 0;
    for (const int block : blocks) columns += static_cast<std::int64_t>(covariances_->columns(block));
    return columns;
}

void AdditiveBasisScores::raise(std::vector<Fixed>& scores, Columns model, int child, const VariableSet& parents,
                                std::span<const std::vector<int>> joining) const {
    std::vector<int> base;
    for (const int u : parents) append(base, model, u);
    const bool is_linear = covariances_->is_categorical(blocks_[child][0]);
    // Families with enough rows that differ from those of the first columns alone.
    std::vector<std::size_t> places;
    std::vector<std::vector<int>> more;
    std::vector<std::int64_t> widths;
    for (std::size_t place = 0; place < joining.size(); ++place) {
        std::vector<int> own;
        for (const int u : joining[place]) append(own, model, u);
        const std::int64_t columns = width(base) + width(own);
        const bool has_more = base.size() + own.size() > parents.size() + joining[place].size();
        if ((columns && columns + 2 >= total_) || (model == Columns::all && (!has_more || is_linear))) continue;
        places.push_back(place);
        more.push_back(std::move(own));
        widths.push_back(columns);
    }
    const auto own_columns = static_cast<std::int64_t>(covariances_->columns(blocks_[child][0]));
    const auto found = covariances_->determinants_of_families(base, blocks_[child][0], more);
    for (std::size_t at = 0; at < places.size(); ++at) {
        const auto& [without, with] = found[at];
        const Fixed half_ln_residual =
            half_ln(with.mantissa, with.exponent) - half_ln(without.mantissa, without.exponent);
        const std::int64_t parameters = own_columns * widths[at] + own_columns * (own_columns + 1) / 2;
        const Fixed score = half_ln_residual.times(-total_) - unit_.times(parameters);
        Fixed& best = scores[places[at]];
        if (!is_candidate(best) || score.units > best.units) best = score;
    }
}

std::vector<Fixed> AdditiveBasisScores::scores_with(int child, const VariableSet& parents,
                                                    std::span<const std::vector<int>> joining) const {
    std::vector<Fixed> scores(joining.size(), NOT_A_CANDIDATE);
    raise(scores, Columns::first, child, parents, joining);
    raise(scores, Columns::all, child, parents, joining);
    return scores;
}

Fixed AdditiveBasisScores::term(int child, const VariableSet& parents) {
    const std::vector<int> none;
    return scores_with(child, parents, std::span(&none, 1))[0];
}

std::vector<Fixed> AdditiveBasisScores::work_out_additions(int child, const VariableSet& parents,
                                                           std::span<const int> more) {
    std::vector<std::vector<int>> joining{{}};
    for (const int u : more) joining.push_back({u});
    const auto scores = scores_with(child, parents, joining);
    std::vector<Fixed> changes(variables());
    for (std::size_t at = 0; at < more.size(); ++at) {
        const Fixed larger = scores[at + 1];
        changes[more[at]] = is_candidate(larger) ? larger - scores[0] : NOT_A_CANDIDATE;
    }
    return changes;
}

std::vector<Fixed> AdditiveBasisScores::work_out(int child, const VariableSet& parents) {
    std::vector<int> more;
    for (int u = 0; u < variables(); ++u) {
        if (u != child && !parents.contains(u)) more.push_back(u);
    }
    const Fixed own = term(child, parents);
    if (!is_candidate(own)) return std::vector<Fixed>(variables(), NOT_A_CANDIDATE);
    auto changes = work_out_additions(child, parents, more);
    for (const int u : parents) changes[u] = term(child, parents.without(u)) - own;
    return changes;
}

void AdditiveBasisScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    const double cost = cost_of_family() * variables();
    pool_->share(variables(), cost, [&](std::size_t place) {
        const int v = static_cast<int>(place);
        terms[v] = term(v, {});
        const auto own = work_out(v, {});
        std::copy(own.begin(), own.end(), changes[v].begin());
    });
}

std::shared_ptr<FamilyScores> AdditiveBasisScores::renumbered(std::span<const int> order) {
    std::vector<std::vector<int>> blocks;
    for (const int v : order) blocks.push_back(blocks_[v]);
    auto scores = std::make_shared<AdditiveBasisScores>(covariances_, std::move(blocks), total_, unit_, pool_);
    scores->adopt_first(*this, order);
    return scores;
}

}  // namespace stablebn
