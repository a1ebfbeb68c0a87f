#include "scores/discrete.hpp"

#include <algorithm>
#include <numeric>

#include "counting/cells.hpp"
#include "counting/occurring_sets.hpp"

namespace stablebn {

namespace {

/// Cost of finding the groups of some variables, relative to counting one more variable in them.
constexpr double COST_OF_GROUPS = 4;

/// Stands for a penalty that does not fit.
constexpr Wide MORE_THAN_ANY_GAIN = Wide{1} << (FIXED_BITS + 48);

/// Larger products of levels are not exact in a double, and no regret is computed for them.
constexpr double MOST_OUTCOMES = 0x1p53;

/// Variables whose first changes one thread computes: enough to fill cache lines.
constexpr int NEIGHBOURS = 8;

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

double CategoricalScores::configurations(const VariableSet& set) const { return states(counts().rows(), set.members()); }

double CategoricalScores::cost_of_family() const {
    // For a typical family with this many configurations.
    constexpr double configurations = 8;
    const double cost = configurations * (counts().cost_of_configuration() + cost_of_cell() * counts().height());
    // A `RowSource` reads all rows per pass, so it always pays to include queries that may be needed soon.
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
    const double own_configurations = configurations(parents);
    const std::span<const std::int64_t> sizes(table.sizes);
    const Fixed own = of_cells(sizes, child_levels, stride) + offset(own_configurations, child_levels);
    const auto narrow = counts().narrow();
    const double cells = static_cast<double>(counts().height()) * static_cast<double>(sizes.size());
    pool().share_evenly(narrow.size(), cost_of_cell() * cells, [&](std::size_t place) {
        const int u = narrow[place];
        if (table.members.contains(u)) return;
        const Fixed more = offset(own_configurations * counts().levels(u), child_levels);
        changes[u] = of_extended(table, u, child_levels, stride) + more - own;
    });
    // Remove one parent: sum over its levels.
    std::size_t width = 1;
    for (std::size_t p = table.members.size(); p-- > 0;) {
        const int u = table.members[p], levels = counts().levels(u);
        if (u != child) {
            const auto fewer = without_variable(sizes, width, levels);
            const Fixed less = of_cells(fewer, child_levels, u > child ? stride / levels : stride);
            changes[u] = less + offset(own_configurations / levels, child_levels) - own;
        }
        width *= levels;
    }
    for (const int u : counts().wide()) {
        if (table.members.contains(u)) continue;
        changes[u] = term(child, parents.with(u)) + offset(own_configurations * counts().levels(u), child_levels) - own;
    }
    return changes;
}

std::vector<Fixed> CategoricalScores::from_terms(int child, const VariableSet& parents) {
    std::vector<Fixed> changes(variables());
    const double own_configurations = configurations(parents);
    const int child_levels = counts().levels(child);
    const Fixed own_offset = offset(own_configurations, child_levels);
    if (!is_candidate(own_offset)) return std::vector<Fixed>(variables(), NOT_A_CANDIDATE);
    const Fixed own = term(child, parents) + own_offset;
    const auto larger = extended(child, parents, all_but(variables(), parents.with(child)));
    for (const int u : all_but(variables(), parents.with(child))) {
        const Fixed more = offset(own_configurations * counts().levels(u), child_levels);
        changes[u] = is_candidate(more) ? larger[u] + more - own : NOT_A_CANDIDATE;
    }
    for (const int u : parents) {
        const Fixed less = offset(own_configurations / counts().levels(u), child_levels);
        changes[u] = term(child, parents.without(u)) + less - own;
    }
    return changes;
}

/// A table has all variables; for few candidates, sets are counted individually, and each serves all its families.
std::vector<Fixed> CategoricalScores::work_out_additions(int child, const VariableSet& parents,
                                                         std::span<const int> more) {
    const double joint = configurations(parents.with(child));
    const double by_table = joint * (counts().cost_of_configuration() + cost_of_cell() * counts().height());
    const double by_sets = static_cast<double>(counts().rows().count) * (static_cast<double>(more.size()) + COST_OF_GROUPS);
    if (by_table < by_sets) return work_out(child, parents);
    std::vector<Fixed> changes(variables(), NOT_A_CANDIDATE);
    const double own_configurations = configurations(parents);
    const int child_levels = counts().levels(child);
    const Fixed own_offset = offset(own_configurations, child_levels);
    if (!is_candidate(own_offset)) return changes;
    const Fixed own = term(child, parents) + own_offset;
    const auto larger = extended(child, parents, more);
    for (const int u : more) {
        const Fixed penalty = offset(own_configurations * counts().levels(u), child_levels);
        if (is_candidate(penalty)) changes[u] = larger[u] + penalty - own;
    }
    return changes;
}

/// Computes gains with the bits of configurations that occur, for all children of a set together.
template <class Scores>
class CategoricalScores::GainsByBits final : public Gains {
public:
    explicit GainsByBits(Scores& scores)
        : scores_(scores), counts_(scores.counts()), otherwise_(scores.FamilyScores::gains()), sets_(counts_) {}

    void work_out(const VariableSet& set, std::span<const Growing> growing) override {
        if (!take(set, growing)) {
            otherwise_->work_out(set, growing);
            return;
        }
        const double configurations = scores_.configurations(set);
        const std::size_t width = sets_.size();
        std::vector<std::size_t> at(growing.size(), 0);
        std::size_t row = 0;
        for (const int u : more_) {
            const auto levels = static_cast<std::size_t>(counts_.levels(u));
            // The last level has the remaining rows of each configuration.
            const std::span<std::int32_t> last = last_.take(width);
            std::ranges::copy(sets_.sizes(), last.begin());
            for (std::size_t level = 0; level + 1 < levels; ++level) {
                const std::int32_t* found = met_.data() + (row + level) * width;
                for (std::size_t k = 0; k < width; ++k) last[k] -= found[k];
            }
            const auto cells = [&](std::size_t level) {
                return level + 1 < levels ? met_.data() + (row + level) * width : last.data();
            };
            const double joint = configurations * counts_.levels(u);
            const auto of_cell = scores_.terms_of_cells(joint);
            Fixed all;
            for (std::size_t level = 0; level < levels; ++level) {
                all += of_cell->sum(std::span<const std::int32_t>(cells(level), width));
            }
            for (std::size_t i = 0; i < growing.size(); ++i) {
                const Growing& own = growing[i];
                if (at[i] == own.more.size() || own.more[at[i]] != u) continue;
                const int child_levels = counts_.levels(own.child);
                const auto of_margin = scores_.terms_of_margins(joint / child_levels, child_levels);
                Fixed term = all;
                const std::uint32_t* group = groups_.data() + i * width;
                for (std::size_t level = 0; level < levels; ++level) {
                    const auto margins = margins_.take_zeros(group_counts_[i]);
                    const std::int32_t* found = cells(level);
                    for (std::size_t k = 0; k < width; ++k) margins[group[k]] += found[k];
                    term -= of_margin->sum(std::span<const std::int32_t>(margins));
                }
                own.gains[at[i]++] = scores_.gain(own.child, set, u, term);
            }
            row += levels - 1;
        }
    }

private:
    /// Count what is needed; false if this would be slower than the other way.
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

    /// For a variable with more cells, counting the rows is faster.
    static constexpr double MOST_CELLS = 500;

    Scores& scores_;
    Counts& counts_;
    std::unique_ptr<Gains> otherwise_;
    OccurringSets sets_;
    /// All variables that some child needs, and their levels but the last.
    std::vector<int> more_;
    std::vector<const Word*> levels_;
    /// [levels x configurations]: number of rows.
    std::vector<std::int32_t> met_;
    /// By child: the group of configurations that differ in no other variable.
    std::vector<std::uint32_t> groups_;
    std::vector<std::size_t> group_counts_;
    Scratch<std::int32_t> last_, margins_;
};

/// Some adjacent variables at a time, so that no two threads write to one cache line. Those with most work come first.
template <class Use>
void CategoricalScores::share_pairs(double cost, const Use& use) {
    const int parts = (variables() + NEIGHBOURS - 1) / NEIGHBOURS;
    const CountMatrix& all_pairs = counts().pairs();
    pool().share(static_cast<std::size_t>(parts), cost, [&](std::size_t part) {
        const int begin = (parts - 1 - static_cast<int>(part)) * NEIGHBOURS, end = std::min(begin + NEIGHBOURS, variables());
        std::visit(
            [&](const auto& pairs) {
                for (int u = 0; u < end; ++u) {
                    for (int v = std::max(begin, u); v < end; ++v) use(pairs, u, v);
                }
            },
            all_pairs);
    });
}

LikelihoodScores::LikelihoodScores(std::shared_ptr<Counts> counts)
    : CategoricalScores(std::move(counts)),
      entropy_(this->counts(), [this](std::span<const std::int64_t> cells, double) {
          return this->counts().m_ln_m().sum(cells);
      }) {
    for (int v = 0; v < variables(); ++v) most_levels_ = std::max<double>(most_levels_, this->counts().levels(v));
    fewest_levels_ = most_levels_;
    for (int v = 0; v < variables(); ++v) fewest_levels_ = std::min<double>(fewest_levels_, this->counts().levels(v));
}

Wide LikelihoodScores::gain(int child, const VariableSet& set, int u, Fixed likelihood) {
    const int levels = counts().levels(child);
    const Fixed penalty = offset(configurations(set) / levels * counts().levels(u), levels);
    if (!is_candidate(penalty)) return NO_GAIN;
    const Fixed alone = first_terms()[static_cast<std::size_t>(child)] + offset(1, levels);
    // The parents are all other members of the set, and u.
    const Fixed arcs = cost_of_arc().times(static_cast<std::int64_t>(set.size()));
    return (likelihood + penalty - alone - arcs).units;
}

/// Gains from the values of all sets that were computed in advance.
class LikelihoodScores::GainsBySets final : public Gains {
public:
    GainsBySets(LikelihoodScores& scores, std::unique_ptr<Gains> otherwise)
        : scores_(scores), sets_(*scores.all_sets_), otherwise_(std::move(otherwise)) {}

    void work_out(const VariableSet& set, std::span<const Growing> growing) override {
        const double configurations = scores_.configurations(set);
        if (!sets_.has(set.size() + 1, configurations * scores_.most_levels_)) {
            otherwise_->work_out(set, growing);
            return;
        }
        for (const Growing& own : growing) {
            const VariableSet parents = set.without(own.child);
            for (std::size_t at = 0; at < own.more.size(); ++at) {
                const int u = own.more[at];
                own.gains[at] = scores_.gain(own.child, set, u, sets_[set.with(u)] - sets_[parents.with(u)]);
            }
        }
    }

private:
    LikelihoodScores& scores_;
    const AllSets& sets_;
    std::unique_ptr<Gains> otherwise_;
};

std::unique_ptr<AllSets> LikelihoodScores::sets_worth_it(int most_parents) {
    // More variables, sets or cells would need too much memory.
    constexpr int most_variables = 32;
    constexpr std::size_t most_sets = std::size_t{1} << 23;
    constexpr double most_cells = 0x1p17;
    const int n = variables();
    if (n > most_variables) return nullptr;
    double cells = 2;
    for (int v = 0; v < n; ++v) {
        const int levels = counts().levels(v);
        double worth_it = 1;
        while (worth_it * levels * 2 <= most_cells && added_penalty(worth_it * 2, levels) <= bounds().most[v]) worth_it *= 2;
        cells = std::max(cells, worth_it * levels * most_levels_);
    }
    const auto cells_at_most = static_cast<std::int64_t>(std::min(cells, most_cells));
    for (int members = std::min(most_parents + 1, n); members > 1; --members) {
        auto found = std::make_unique<AllSets>(counts().rows(), members, cells_at_most);
        if (found->size() <= most_sets) return found;
    }
    return nullptr;
}

double LikelihoodScores::cost_of_all_sets(int most_parents) {
    const auto sets = sets_worth_it(most_parents);
    return sets ? sets->cost(counts().total()) : FamilyScores::cost_of_all_sets(most_parents);
}

void LikelihoodScores::know_all_sets(int most_parents) {
    if (all_sets_ || counts().asks() || counts().rows().weighted()) return;
    auto sets = sets_worth_it(most_parents);
    if (!sets) return;
    sets->work_out([this](std::span<const std::int64_t> cells, double) { return counts().m_ln_m().sum(cells); }, pool());
    all_sets_ = std::move(sets);
}

std::unique_ptr<Gains> LikelihoodScores::gains() {
    if (counts().asks() || counts().rows().weighted()) return FamilyScores::gains();
    auto by_bits = std::make_unique<GainsByBits<LikelihoodScores>>(*this);
    if (!all_sets_) return by_bits;
    return std::make_unique<GainsBySets>(*this, std::move(by_bits));
}

const LikelihoodBounds& LikelihoodScores::bounds() {
    std::call_once(bound_once_, [this] {
        const int n = variables();
        const auto terms = first_terms();
        const auto changes = first_changes();
        bounds_.slack = slack_of_sums(counts().total());
        bounds_.most.resize(n);
        bounds_.with_one = Matrix<Wide>(n, n);
        // A log-likelihood is at most 0, and at most that given all other variables, if this is cheap to compute.
        constexpr double affordable = 1e9;
        const bool all = static_cast<double>(counts().rows().count) * n * n < affordable;
        const Fixed everything = all ? entropy_(VariableSet(all_but(n, {}))) : Fixed{};
        pool().run(n, [&](std::size_t place) {
            const int v = static_cast<int>(place);
            const Fixed ceiling = all ? everything - entropy_(VariableSet(all_but(n, {v}))) : Fixed{};
            bounds_.most[v] = (ceiling - terms[v]).units;
            for (int u = 0; u < n; ++u) {
                if (u == v || !is_candidate(changes(v, u))) continue;
                const Wide penalty = added_penalty(counts().levels(u), counts().levels(v));
                bounds_.with_one(v, u) = (changes(v, u) + cost_of_arc()).units + penalty;
            }
        });
    });
    return bounds_;
}

std::optional<Wide> LikelihoodScores::bound_with_more(int child, const VariableSet& parents) {
    const double fewest = configurations(parents) * fewest_levels_;
    return bounds().most[child] - added_penalty(fewest, counts().levels(child)) + bounds().slack;
}

Fixed LikelihoodScores::term(int child, const VariableSet& parents) {
    return entropy_(parents.with(child)) - entropy_(parents);
}

bool LikelihoodScores::suits_table(int child, const VariableSet& parents) const {
    return fits(configurations(parents) * most_levels_, counts().levels(child));
}

Fixed LikelihoodScores::of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const {
    return likelihood(cells, child_levels, stride, counts().m_ln_m());
}

Fixed LikelihoodScores::of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const {
    return table.with_counts([&](const auto& joint) {
        return likelihood(rows_of(joint, counts().first(u), counts().levels(u)), child_levels, stride, counts().m_ln_m());
    });
}

std::vector<Fixed> LikelihoodScores::extended(int child, const VariableSet& parents, std::span<const int> more) {
    auto terms = entropy_.extensions(parents.with(child), more);
    const auto margins = entropy_.extensions(parents, more);
    for (int u = 0; u < variables(); ++u) terms[u] -= margins[u];
    return terms;
}

void LikelihoodScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    if (!counts().wide().empty() || !fits(most_levels_, static_cast<int>(most_levels_))) {
        FamilyScores::work_out_first(terms, changes);
        return;
    }
    const auto sizes = counts().level_sizes();
    const LogTable& m_ln_m = counts().m_ln_m();
    const Fixed all = m_ln_m[counts().total()];
    for (int v = 0; v < variables(); ++v) {
        terms[v] = m_ln_m.sum(sizes.subspan(counts().first(v), counts().levels(v))) - all;
    }
    // Variables with equally many levels have the same penalties.
    std::vector<int> distinct;
    for (int v = 0; v < variables(); ++v) distinct.push_back(counts().levels(v));
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::vector<std::size_t> kind(static_cast<std::size_t>(variables()));
    for (int v = 0; v < variables(); ++v) {
        kind[v] = static_cast<std::size_t>(std::ranges::lower_bound(distinct, counts().levels(v)) - distinct.begin());
    }
    Matrix<Fixed> penalties(distinct.size(), distinct.size());
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        for (std::size_t j = 0; j < distinct.size(); ++j) penalties(i, j) = {added_penalty(distinct[i], distinct[j])};
    }
    const double cells = static_cast<double>(counts().height()) * counts().height();
    share_pairs(cells, [&](const auto& pairs, int u, int v) {
        if (u == v) {
            changes(u, u) = {};
            return;
        }
        Fixed sum;
        for (int row = counts().first(u); row < counts().first(u) + counts().levels(u); ++row) {
            sum += m_ln_m.sum(pairs[row].subspan(counts().first(v), counts().levels(v)));
        }
        sum -= all + terms[u] + terms[v];
        changes(u, v) = changes(v, u) = sum - penalties(kind[u], kind[v]);
    });
}

PenalisedLikelihood::PenalisedLikelihood(std::shared_ptr<Counts> counts, Fixed unit)
    : LikelihoodScores(std::move(counts)), unit_(unit) {}

bool PenalisedLikelihood::fits(double configurations, int levels) const {
    // Beyond the largest penalty no family is a candidate, and its score does not fit the limbs.
    return unit_.to_double() * ((levels - 1) * configurations) <= largest_penalty(counts().total());
}

Fixed PenalisedLikelihood::offset(double configurations, int levels) const {
    if (!fits(configurations, levels)) return NOT_A_CANDIDATE;
    return -unit_.times(static_cast<std::int64_t>((levels - 1) * configurations));
}

Wide PenalisedLikelihood::added_penalty(double configurations, int levels) const {
    return penalty((levels - 1) * (configurations - 1));
}

Wide PenalisedLikelihood::penalty(double parameters) const {
    // A penalty that does not fit exceeds every gain.
    if (unit_.to_double() * parameters > largest_penalty(counts().total())) return MORE_THAN_ANY_GAIN;
    return unit_.times(static_cast<std::int64_t>(parameters)).units;
}

std::optional<Wide> PenalisedLikelihood::bound_added(int child, const VariableSet& parents, Wide gain, int more) {
    const double own_configurations = configurations(parents);
    const int levels = counts().levels(child);
    const Wide likelihood = gain + added_penalty(own_configurations, levels);
    return bounds().most_added(child, parents, likelihood, more) -
           penalty((levels - 1.0) * (counts().levels(more) - 1) * own_configurations);
}

std::shared_ptr<FamilyScores> PenalisedLikelihood::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<PenalisedLikelihood>(counts().reordered(order), unit_);
    scores->adopt_first(*this, order);
    return scores;
}

QuotientLikelihood::QuotientLikelihood(std::shared_ptr<Counts> counts)
    : LikelihoodScores(std::move(counts)), regrets_(std::make_shared<Regrets>(this->counts().total())) {}

bool QuotientLikelihood::fits(double configurations, int levels) const { return configurations * levels <= MOST_OUTCOMES; }

Fixed QuotientLikelihood::regret(double outcomes) const { return (*regrets_)(static_cast<std::int64_t>(outcomes)); }

Fixed QuotientLikelihood::offset(double configurations, int levels) const {
    if (!fits(configurations, levels)) return NOT_A_CANDIDATE;
    return regret(configurations) - regret(configurations * levels);
}

/// For q >= 2, regret(q r) - regret(q) grows with q, because the regret is convex in ln K: its derivative is K ln C plus
/// (4 C - 1) (C - 1) / (2 (2 C - 1)**2), and the first term grows faster than the second one falls.
Wide QuotientLikelihood::added_penalty(double configurations, int levels) const {
    if (!fits(configurations, levels)) return MORE_THAN_ANY_GAIN;
    return (regret(configurations * levels) - regret(configurations) - regret(levels)).units;
}

std::shared_ptr<FamilyScores> QuotientLikelihood::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<QuotientLikelihood>(counts().reordered(order));
    scores->regrets_ = regrets_;
    scores->adopt_first(*this, order);
    return scores;
}

DirichletScores::DirichletScores(std::shared_ptr<Counts> counts, Prior prior, double iss)
    : CategoricalScores(std::move(counts)), prior_(prior), iss_(iss), tables_(std::make_shared<RisingTables>()) {}

SetFunction& DirichletScores::function_with_prior(int count) {
    const std::lock_guard lock(mutex_);
    // Index 0: the evenly distributed prior; otherwise a constant prior.
    return functions_
        .try_emplace(count, counts(),
                     [this, count](std::span<const std::int64_t> cells, double states) {
                         return tables_->with_prior(count ? static_cast<double>(count) : iss_ / states)->sum(cells);
                     })
        .first->second;
}

std::unique_ptr<Gains> DirichletScores::gains() {
    // With the sparse prior the terms of joint cells depend on which variable is the child.
    if (counts().asks() || counts().rows().weighted() || prior_ == Prior::sparsely) return FamilyScores::gains();
    return std::make_unique<GainsByBits<DirichletScores>>(*this);
}

std::shared_ptr<const RisingTable> DirichletScores::terms_of_cells(double configurations) const {
    return tables_->with_prior(prior_ == Prior::evenly ? iss_ / configurations : 1.0);
}

std::shared_ptr<const RisingTable> DirichletScores::terms_of_margins(double configurations, int child_levels) const {
    return tables_->with_prior(prior_ == Prior::evenly ? iss_ / configurations : child_levels);
}

Wide DirichletScores::gain(int child, const VariableSet& set, int, Fixed term) {
    // The parents are all other members of the set, and the variable that joins them.
    const Fixed arcs = cost_of_arc().times(static_cast<std::int64_t>(set.size()));
    return (term - first_terms()[static_cast<std::size_t>(child)] - arcs).units;
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
        return tables_->with_prior(iss_ / (occurring * counts().levels(child)))->sum(std::span<const std::int64_t>(cells)) -
               tables_->with_prior(iss_ / occurring)->sum(std::span<const std::int64_t>(margins));
    }
    return joint_function()(parents.with(child)) - parent_function(child)(parents);
}

/// Among the rows that agree in all parents, the first row with each value of the child has a probability of at most 1
/// / r of its r values, because the prior counts of these are equal. With more parents there are only more such first
/// rows.
std::optional<Wide> DirichletScores::bound_with_more(int child, const VariableSet& parents) {
    return bound_of_cells(child, static_cast<Wide>(counts().cells(parents.with(child).members()).size()));
}

/// At most as many cells occur as there are cells, and as there are rows.
std::optional<Wide> DirichletScores::least_bound_with_more(int child, const VariableSet& parents) {
    const double most = std::min(configurations(parents.with(child)), static_cast<double>(counts().total()));
    return bound_of_cells(child, static_cast<Wide>(most));
}

Wide DirichletScores::bound_of_cells(int child, Wide cells) {
    return -cells * ln_of_integer(counts().levels(child)).units - first_terms()[child].units + slack_of_sums(counts().total());
}

std::shared_ptr<FamilyScores> DirichletScores::renumbered(std::span<const int> order) {
    auto scores = std::make_shared<DirichletScores>(counts().reordered(order), prior_, iss_);
    scores->tables_ = tables_;
    scores->adopt_first(*this, order);
    return scores;
}

/// The Dirichlet terms of the cells, less those of the cells summed over the child's levels.
template <class Count>
Fixed DirichletScores::sum(std::span<const Count> cells, int child_levels, std::size_t stride) const {
    const std::size_t levels = static_cast<std::size_t>(child_levels), block = stride * levels;
    const auto for_margins = [&](const auto& use) {
        for (std::size_t start = 0; start < cells.size(); start += block) {
            for (std::size_t k = start; k < start + stride; ++k) {
                std::int64_t margin = 0;
                for (std::size_t at = k; at < k + block; at += stride) margin += cells[at];
                if (margin) use(k, margin);
            }
        }
    };
    double cell_prior = 1.0, margin_prior = child_levels;
    if (prior_ != Prior::by_one) {
        std::size_t configurations = cells.size() / levels;
        if (prior_ == Prior::sparsely) {
            configurations = 0;
            for_margins([&](std::size_t, std::int64_t) { ++configurations; });
        }
        cell_prior = iss_ / (static_cast<double>(configurations) * child_levels);
        margin_prior = iss_ / static_cast<double>(configurations);
    }
    const auto of_cell = tables_->with_prior(cell_prior), of_margin = tables_->with_prior(margin_prior);
    Fixed sum;
    for_margins([&](std::size_t k, std::int64_t margin) {
        for (std::size_t at = k; at < k + block; at += stride) {
            if (cells[at]) sum += (*of_cell)[cells[at]];
        }
        sum -= (*of_margin)[margin];
    });
    return sum;
}

Fixed DirichletScores::of_cells(std::span<const std::int64_t> cells, int child_levels, std::size_t stride) const {
    return sum(cells, child_levels, stride);
}

Fixed DirichletScores::of_extended(const JointTable& table, int u, int child_levels, std::size_t stride) const {
    return table.with_counts([&](const auto& joint) {
        return sum(rows_of(joint, counts().first(u), counts().levels(u)), child_levels, stride);
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

/// Each pair of variables is counted once, for both directions.
void DirichletScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    if (!counts().wide().empty()) {
        FamilyScores::work_out_first(terms, changes);
        return;
    }
    for (int v = 0; v < variables(); ++v) {
        const auto sizes = counts().level_sizes().subspan(counts().first(v), counts().levels(v));
        terms[v] = of_cells(sizes, counts().levels(v), 1);
    }
    const double cost = cost_of_cell() * static_cast<double>(counts().height()) * counts().height();
    share_pairs(cost, [&](const auto& pairs, int u, int v) {
        if (u == v) {
            changes(u, u) = {};
            return;
        }
        std::vector<std::int64_t> cells;
        for (int row = counts().first(u); row < counts().first(u) + counts().levels(u); ++row) {
            const auto own = pairs[row].subspan(counts().first(v), counts().levels(v));
            cells.insert(cells.end(), own.begin(), own.end());
        }
        changes(v, u) = of_cells(cells, counts().levels(v), 1) - terms[v];
        // With the evenly distributed prior the score is equivalent.
        const auto stride = static_cast<std::size_t>(counts().levels(v));
        changes(u, v) = prior_ == Prior::evenly ? changes(v, u) : of_cells(cells, counts().levels(u), stride) - terms[u];
    });
}

}  // namespace stablebn
