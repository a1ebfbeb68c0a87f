#include "categorical.hpp"

#include <algorithm>
#include <numeric>

#include "cells.hpp"
#include "occurring_sets.hpp"

namespace stablebn {

namespace {

/// What it takes to find the groups of some variables, in terms of the time of counting one more variable in them.
constexpr double COST_OF_GROUPS = 4;

/// Variables whose first changes one thread works out: as many as fill some lines of the cache.
constexpr int NEIGHBOURS = 8;

/// The Dirichlet terms of the cells, less those of the cells with the child's levels added up.
template <class Count>
Fixed dirichlet(std::span<const Count> cells, int child_levels, std::size_t stride, Prior prior, double iss) {
    const auto margins = without_variable(cells, stride, child_levels);
    double cell = 1.0, margin = child_levels;
    if (prior != Prior::by_one) {
        const auto occurring = margins.size() - std::count(margins.begin(), margins.end(), 0);
        const auto configurations = static_cast<double>(prior == Prior::evenly ? margins.size() : occurring);
        cell = iss / (configurations * child_levels);
        margin = iss / configurations;
    }
    return sum_ln_rising(cells, cell) - sum_ln_rising(std::span<const std::int64_t>(margins), margin);
}

/// Some rows of a joint table.
template <class Count>
std::span<const Count> rows_of(const Matrix<Count>& joint, int first, int rows) {
    return {joint[first].data(), rows * joint.columns()};
}

std::vector<int> all_but(int variables, const VariableSet& set) {
    std::vector<int> others;
    for (int u = 0; u < variables; ++u) {
        if (!set.contains(u)) others.push_back(u);
    }
    return others;
}

}  // namespace

Fixed SetFunction::operator()(const VariableSet& set) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(set);
        if (found != known_.end()) return found->second;
    }
    const Fixed value = of_counts_(counts_.cells(set.members()), states(counts_.rows(), set.members()));
    const std::lock_guard lock(mutex_);
    return known_.emplace(set, value).first->second;
}

std::vector<Fixed> SetFunction::extensions(const VariableSet& base) {
    return extensions(base, all_but(counts_.variables(), base));
}

std::vector<Fixed> SetFunction::extensions(const VariableSet& base, std::span<const int> candidates) {
    std::vector<Fixed> values(counts_.variables());
    std::vector<int> unknown;
    {
        const std::lock_guard lock(mutex_);
        for (const int u : candidates) {
            const auto found = known_.find(base.with(u));
            if (found != known_.end()) {
                values[u] = found->second;
            } else {
                unknown.push_back(u);
            }
        }
    }
    if (unknown.empty()) return values;
    const double base_states = states(counts_.rows(), base.members());
    counts_.extensions(base.members(), unknown, [&](int u, std::span<const std::int64_t> cells) {
        values[u] = of_counts_(cells, base_states * counts_.levels(u));
    });
    const std::lock_guard lock(mutex_);
    for (const int u : unknown) known_.emplace(base.with(u), values[u]);
    return values;
}

double CategoricalScores::free_parameters(int child, const VariableSet& parents) const {
    return (counts().levels(child) - 1) * states(counts().rows(), parents.members());
}

double CategoricalScores::cost_of_family() const {
    // Of a typical family, with as many configurations.
    constexpr double configurations = 8;
    const double cost = configurations * (counts().cost_of_configuration() + cost_of_cell() * counts().height());
    // Whoever is asked looks at all rows each time: it always pays to ask for what may be wanted soon, too.
    return counts().asks() ? std::max(cost, 2 * Pool::worth_a_thread()) : cost;
}

std::vector<Fixed> CategoricalScores::work_out(int child, const VariableSet& parents) {
    if (suits_table(child, parents)) {
        if (const auto table = counts().table(parents.with(child))) return read_off(*table, child, parents);
    }
    return from_terms(child, parents);
}

std::vector<Fixed> CategoricalScores::read_off(const JointTable& table, int child, const VariableSet& parents) {
    std::vector<Fixed> changes(variables());
    const int child_levels = counts().levels(child);
    std::size_t stride = 1;
    for (const int member : table.members) stride *= member > child ? counts().levels(member) : 1;
    const double free = free_parameters(child, parents);
    const std::span<const std::int64_t> sizes(table.sizes);
    const Fixed own = of_cells(sizes, child_levels, stride) + offset(free);
    const auto narrow = counts().narrow();
    const double cells = static_cast<double>(counts().height()) * static_cast<double>(sizes.size());
    pool().share_evenly(narrow.size(), cost_of_cell() * cells, [&](std::size_t place) {
        const int u = narrow[place];
        if (table.members.contains(u)) return;
        changes[u] = of_extended(table, u, child_levels, stride) + offset(free * counts().levels(u)) - own;
    });
    // One parent less: its levels are added up.
    std::size_t width = 1;
    for (std::size_t p = table.members.size(); p-- > 0;) {
        const int u = table.members[p], levels = counts().levels(u);
        if (u != child) {
            const auto fewer = without_variable(sizes, width, levels);
            const Fixed less = of_cells(fewer, child_levels, u > child ? stride / levels : stride);
            changes[u] = less + offset(free / levels) - own;
        }
        width *= levels;
    }
    for (const int u : counts().wide()) {
        if (table.members.contains(u)) continue;
        changes[u] = term(child, parents.with(u)) + offset(free * counts().levels(u)) - own;
    }
    return changes;
}

std::vector<Fixed> CategoricalScores::from_terms(int child, const VariableSet& parents) {
    std::vector<Fixed> changes(variables());
    const double free = free_parameters(child, parents);
    if (!is_candidate(offset(free))) return std::vector<Fixed>(variables(), NOT_A_CANDIDATE);
    const Fixed own = term(child, parents) + offset(free);
    const auto larger = extended(child, parents, all_but(variables(), parents.with(child)));
    for (const int u : all_but(variables(), parents.with(child))) {
        const Fixed more = offset(free * counts().levels(u));
        changes[u] = is_candidate(more) ? larger[u] + more - own : NOT_A_CANDIDATE;
    }
    for (const int u : parents) {
        changes[u] = term(child, parents.without(u)) + offset(free / counts().levels(u)) - own;
    }
    return changes;
}

/// A table has all variables; where few are asked for, sets are counted one by one, and each serves all its families.
std::vector<Fixed> CategoricalScores::additions(int child, const VariableSet& parents, std::span<const int> more) {
    const double configurations = states(counts().rows(), parents.with(child).members());
    const double by_table = configurations * (counts().cost_of_configuration() + cost_of_cell() * counts().height());
    const double by_sets = static_cast<double>(counts().rows().count) * (static_cast<double>(more.size()) + COST_OF_GROUPS);
    if (parents.empty() || by_table < by_sets) return FamilyScores::additions(child, parents, more);
    std::vector<Fixed> changes(variables(), NOT_A_CANDIDATE);
    const double free = free_parameters(child, parents);
    if (!is_candidate(offset(free))) return changes;
    const Fixed own = term(child, parents) + offset(free);
    const auto larger = extended(child, parents, more);
    for (const int u : more) {
        const Fixed penalty = offset(free * counts().levels(u));
        if (is_candidate(penalty)) changes[u] = larger[u] + penalty - own;
    }
    return changes;
}

PenalisedLikelihood::PenalisedLikelihood(std::shared_ptr<Counts> counts, Fixed unit)
    : CategoricalScores(std::move(counts)),
      unit_(unit),
      entropy_(this->counts(), [this](std::span<const std::int64_t> cells, double) {
          return this->counts().m_ln_m().sum(cells);
      }) {
    for (int v = 0; v < variables(); ++v) most_levels_ = std::max<double>(most_levels_, this->counts().levels(v));
    fewest_levels_ = most_levels_;
    for (int v = 0; v < variables(); ++v) fewest_levels_ = std::min<double>(fewest_levels_, this->counts().levels(v));
}

/// By the bits of configurations that occur, all children of a set at once.
class PenalisedLikelihood::GainsByBits final : public Gains {
public:
    explicit GainsByBits(PenalisedLikelihood& scores)
        : scores_(scores), counts_(scores.counts()), otherwise_(scores.FamilyScores::gains()), sets_(counts_) {}

    void work_out(const VariableSet& set, std::span<const Growing> growing) override {
        if (!take(set, growing)) {
            otherwise_->work_out(set, growing);
            return;
        }
        const LogTable& m_ln_m = counts_.m_ln_m();
        const std::size_t width = sets_.size();
        std::vector<std::size_t> at(growing.size(), 0);
        std::size_t row = 0;
        for (const int u : more_) {
            const auto levels = static_cast<std::size_t>(counts_.levels(u));
            // The last level has what the others leave of each configuration.
            const std::span<std::int32_t> last = last_.take(width);
            std::ranges::copy(sets_.sizes(), last.begin());
            for (std::size_t level = 0; level + 1 < levels; ++level) {
                const std::int32_t* found = met_.data() + (row + level) * width;
                for (std::size_t k = 0; k < width; ++k) last[k] -= found[k];
            }
            const auto cells = [&](std::size_t level) {
                return level + 1 < levels ? met_.data() + (row + level) * width : last.data();
            };
            Fixed all;
            for (std::size_t level = 0; level < levels; ++level) {
                all += m_ln_m.sum(std::span<const std::int32_t>(cells(level), width));
            }
            for (std::size_t i = 0; i < growing.size(); ++i) {
                const Growing& own = growing[i];
                if (at[i] == own.more.size() || own.more[at[i]] != u) continue;
                Fixed likelihood = all;
                const std::uint32_t* group = groups_.data() + i * width;
                for (std::size_t level = 0; level < levels; ++level) {
                    const auto margins = margins_.take_zeros(group_counts_[i]);
                    const std::int32_t* found = cells(level);
                    for (std::size_t k = 0; k < width; ++k) margins[group[k]] += found[k];
                    likelihood -= m_ln_m.sum(std::span<const std::int32_t>(margins));
                }
                own.gains[at[i]++] = gain(own.child, set, u, likelihood);
            }
            row += levels - 1;
        }
    }

private:
    /// Count what is asked for; false where that would take longer than otherwise.
    bool take(const VariableSet& set, std::span<const Growing> growing) {
        if (!sets_.turn_to(set.members())) return false;
        std::vector<std::uint8_t> is_asked(static_cast<std::size_t>(counts_.variables()), 0);
        for (const Growing& own : growing) {
            for (const auto u : own.more) is_asked[u] = 1;
        }
        more_.clear();
        levels_.clear();
        for (int u = 0; u < counts_.variables(); ++u) {
            if (!is_asked[static_cast<std::size_t>(u)]) continue;
            if (counts_.first(u) < 0) return false;
            more_.push_back(u);
            for (int level = 0; level + 1 < counts_.levels(u); ++level) {
                levels_.push_back(counts_.packed()[static_cast<std::size_t>(counts_.first(u) + level)]);
            }
        }
        const std::size_t width = sets_.size();
        if (static_cast<double>(levels_.size() * width) > MOST_CELLS * static_cast<double>(more_.size())) return false;
        met_.assign(levels_.size() * width, 0);
        add_common(levels_, sets_.rows(), counts_.packed().words(), met_.data(), width);
        groups_.resize(growing.size() * width);
        group_counts_.resize(growing.size());
        for (std::size_t i = 0; i < growing.size(); ++i) {
            const std::span<std::uint32_t> groups(groups_.data() + i * width, width);
            group_counts_[i] = sets_.group_without(set.place_of(growing[i].child), groups);
        }
        return true;
    }

    Wide gain(int child, const VariableSet& set, int u, Fixed likelihood) const {
        const double levels = counts_.levels(child);
        const double configurations = states(counts_.rows(), set.members()) / levels * counts_.levels(u);
        const Fixed penalty = scores_.offset((levels - 1) * configurations);
        if (!is_candidate(penalty)) return NO_GAIN;
        const Fixed alone = scores_.first_terms()[static_cast<std::size_t>(child)] + scores_.offset(levels - 1);
        return (likelihood + penalty - alone).units;
    }

    /// For a variable with more, counting the rows one by one takes less time.
    static constexpr double MOST_CELLS = 500;

    PenalisedLikelihood& scores_;
    Counts& counts_;
    std::unique_ptr<Gains> otherwise_;
    OccurringSets sets_;
    /// All variables that are asked for by some child, and their levels but the last.
    std::vector<int> more_;
    std::vector<const Word*> levels_;
    /// [levels x configurations]: rows.
    std::vector<std::int32_t> met_;
    /// By child: the configurations that differ in no other variable, by number.
    std::vector<std::uint32_t> groups_;
    std::vector<std::size_t> group_counts_;
    Scratch<std::int32_t> last_, margins_;
};

std::unique_ptr<Gains> PenalisedLikelihood::gains() {
    if (counts().asks() || counts().rows().weighted()) return FamilyScores::gains();
    return std::make_unique<GainsByBits>(*this);
}

const LikelihoodBounds& PenalisedLikelihood::bounds() {
    std::call_once(bound_once_, [this] {
        const int n = variables();
        const auto terms = first_terms();
        const auto changes = first_changes();
        bounds_.slack = slack_of_sums(counts().total());
        bounds_.most.resize(n);
        bounds_.with_one = Matrix<Wide>(n, n);
        // No log-likelihood is more than 0, nor more than that given all other variables, where this can be known soon.
        constexpr double affordable = 1e9;
        const bool all = static_cast<double>(counts().rows().count) * n * n < affordable;
        const Fixed everything = all ? entropy_(VariableSet(all_but(n, {}))) : Fixed{};
        pool().run(n, [&](std::size_t place) {
            const int v = static_cast<int>(place);
            const Fixed ceiling = all ? everything - entropy_(VariableSet(all_but(n, {v}))) : Fixed{};
            bounds_.most[v] = (ceiling - terms[v]).units;
            for (int u = 0; u < n; ++u) {
                if (u == v || !is_candidate(changes(v, u))) continue;
                const double free = (counts().levels(v) - 1.0) * (counts().levels(u) - 1.0);
                bounds_.with_one(v, u) = changes(v, u).units + penalty(free);
            }
        });
    });
    return bounds_;
}

Wide PenalisedLikelihood::penalty(double parameters) const {
    // What does not fit is more than any gain.
    if (unit_.to_double() * parameters > largest_penalty(counts().total())) return Wide{1} << (FIXED_BITS + 48);
    return unit_.times(static_cast<std::int64_t>(parameters)).units;
}

std::optional<Wide> PenalisedLikelihood::most_with_more(int child, const VariableSet& parents) {
    const double states_of_more = states(counts().rows(), parents.members()) * fewest_levels_;
    const double free = (counts().levels(child) - 1) * (states_of_more - 1);
    return bounds().most[child] - penalty(free) + bounds().slack;
}

std::optional<Wide> PenalisedLikelihood::most_added(int child, const VariableSet& parents, Wide gain, int more) {
    const double configurations = states(counts().rows(), parents.members());
    const double levels = counts().levels(child) - 1;
    const Wide likelihood = gain + penalty(levels * (configurations - 1));
    return bounds().most_added(child, parents, likelihood, more) -
           penalty(levels * (counts().levels(more) - 1) * configurations);
}

Fixed PenalisedLikelihood::term(int child, const VariableSet& parents) {
    return entropy_(parents.with(child)) - entropy_(parents);
}

std::shared_ptr<FamilyScores> PenalisedLikelihood::reordered(std::span<const int> order) {
    auto scores = std::make_shared<PenalisedLikelihood>(counts().reordered(order), unit_);
    scores->adopt_first(*this, order);
    return scores;
}

Fixed PenalisedLikelihood::offset(double free) const {
    // Beyond the largest penalty no family is a candidate, and its score does not fit the limbs.
    if (unit_.to_double() * free > largest_penalty(counts().total())) return NOT_A_CANDIDATE;
    return -unit_.times(static_cast<std::int64_t>(free));
}

bool PenalisedLikelihood::suits_table(int child, const VariableSet& parents) const {
    return unit_.to_double() * free_parameters(child, parents) * most_levels_ <= largest_penalty(counts().total());
}

Fixed PenalisedLikelihood::of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const {
    return likelihood(cells, child_levels, stride, counts().m_ln_m());
}

Fixed PenalisedLikelihood::of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const {
    return table.with_counts([&](const auto& joint) {
        return likelihood(rows_of(joint, counts().first(u), counts().levels(u)), child_levels, stride, counts().m_ln_m());
    });
}

std::vector<Fixed> PenalisedLikelihood::extended(int child, const VariableSet& parents, std::span<const int> more) {
    auto terms = entropy_.extensions(parents.with(child), more);
    const auto margins = entropy_.extensions(parents, more);
    for (int u = 0; u < variables(); ++u) terms[u] -= margins[u];
    return terms;
}

void PenalisedLikelihood::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    if (!counts().wide().empty() || unit_.to_double() * most_levels_ * most_levels_ > largest_penalty(counts().total())) {
        FamilyScores::work_out_first(terms, changes);
        return;
    }
    const auto sizes = counts().level_sizes();
    const LogTable& m_ln_m = counts().m_ln_m();
    const Fixed all = m_ln_m[counts().total()];
    for (int v = 0; v < variables(); ++v) {
        terms[v] = m_ln_m.sum(sizes.subspan(counts().first(v), counts().levels(v))) - all;
    }
    const double cells = static_cast<double>(counts().height()) * counts().height();
    // Some neighbours at a time: no two threads write to one line of the cache. Those with most to do come first.
    const int parts = (variables() + NEIGHBOURS - 1) / NEIGHBOURS;
    const auto work_out_pairs = [&](const auto& pairs, int begin, int end) {
        for (int u = 0; u < end; ++u) {
            if (u >= begin) changes(u, u) = {};
            for (int v = std::max(begin, u + 1); v < end; ++v) {
                Fixed sum;
                for (int row = counts().first(u); row < counts().first(u) + counts().levels(u); ++row) {
                    sum += m_ln_m.sum(pairs[row].subspan(counts().first(v), counts().levels(v)));
                }
                sum -= all + terms[u] + terms[v];
                changes(u, v) = changes(v, u) = sum - unit_.times((counts().levels(u) - 1) * (counts().levels(v) - 1));
            }
        }
    };
    const CountMatrix& all_pairs = counts().pairs();
    counts().pool().share(static_cast<std::size_t>(parts), cells, [&](std::size_t part) {
        const int begin = (parts - 1 - static_cast<int>(part)) * NEIGHBOURS, end = std::min(begin + NEIGHBOURS, variables());
        std::visit([&](const auto& pairs) { work_out_pairs(pairs, begin, end); }, all_pairs);
    });
}

DirichletScores::DirichletScores(std::shared_ptr<Counts> counts, Prior prior, double iss)
    : CategoricalScores(std::move(counts)), prior_(prior), iss_(iss) {}

SetFunction& DirichletScores::function_with_prior(int count) {
    const std::lock_guard lock(mutex_);
    // Under 0 the prior that is shared out evenly, otherwise a constant one.
    return functions_
        .try_emplace(count, counts(),
                     [this, count](std::span<const std::int64_t> cells, double states) {
                         return sum_ln_rising(cells, count ? static_cast<double>(count) : iss_ / states);
                     })
        .first->second;
}

SetFunction& DirichletScores::joint_function() { return function_with_prior(prior_ == Prior::evenly ? 0 : 1); }

SetFunction& DirichletScores::parent_function(int child) {
    return function_with_prior(prior_ == Prior::evenly ? 0 : counts().levels(child));
}

Fixed DirichletScores::term(int child, const VariableSet& parents) {
    if (prior_ == Prior::sparsely) {
        const auto margins = counts().cells(parents.members());
        const auto cells = counts().cells(parents.with(child).members());
        const auto occurring = static_cast<double>(margins.size());
        return sum_ln_rising(std::span<const std::int64_t>(cells), iss_ / (occurring * counts().levels(child))) -
               sum_ln_rising(std::span<const std::int64_t>(margins), iss_ / occurring);
    }
    return joint_function()(parents.with(child)) - parent_function(child)(parents);
}

/// Of the rows that agree in all parents, the first one with each value of the child has a probability of at most 1 / r
/// of its r values: the prior counts of these are equal. With more parents there are only more such first ones.
std::optional<Wide> DirichletScores::most_with_more(int child, const VariableSet& parents) {
    const auto cells = static_cast<Wide>(counts().cells(parents.with(child).members()).size());
    return -cells * ln_of_integer(counts().levels(child)).units - first_terms()[child].units + slack_of_sums(counts().total());
}

std::shared_ptr<FamilyScores> DirichletScores::reordered(std::span<const int> order) {
    auto scores = std::make_shared<DirichletScores>(counts().reordered(order), prior_, iss_);
    scores->adopt_first(*this, order);
    return scores;
}

Fixed DirichletScores::of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const {
    return dirichlet(cells, child_levels, stride, prior_, iss_);
}

Fixed DirichletScores::of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const {
    return table.with_counts([&](const auto& joint) {
        return dirichlet(rows_of(joint, counts().first(u), counts().levels(u)), child_levels, stride, prior_, iss_);
    });
}

std::vector<Fixed> DirichletScores::extended(int child, const VariableSet& parents, std::span<const int> more) {
    if (prior_ == Prior::sparsely) {
        std::vector<Fixed> terms(variables());
        for (const int u : more) terms[u] = term(child, parents.with(u));
        return terms;
    }
    auto terms = joint_function().extensions(parents.with(child), more);
    const auto margins = parent_function(child).extensions(parents, more);
    for (int u = 0; u < variables(); ++u) terms[u] -= margins[u];
    return terms;
}

}  // namespace stablebn
