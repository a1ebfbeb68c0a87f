#include "ci_tests/contingency.hpp"

#include <algorithm>
#include <utility>

#include "counting/cells.hpp"
#include "ci_tests/subsets.hpp"

namespace stablebn {

namespace {

// Up to this many cells a table is computed in full, and summed over each variable in turn.
constexpr double MOST_CELLS = 4096;
// Up to this many cells in total, the tables of all subsets are summed.
constexpr double MOST_CELLS_IN_ALL = 32'768;

const PackedLevels NO_BITS;

}  // namespace

ContingencyTest::ContingencyTest(std::shared_ptr<const Counts> counts, TestRule rule, Matrix<double> alone)
    : counts_(std::move(counts)),
      packed_(counts_->wide().empty() ? counts_->packed() : NO_BITS),
      rule_(rule),
      alone_(std::move(alone)) {}

bool ContingencyTest::knows_all(int x, std::span<const int> others) const {
    return !counts_->rows().has_holes(x) && have_no_holes(counts_->rows(), others);
}

double ContingencyTest::statistic_of(Fixed sum) const {
    const double value = sum.to_double();
    return std::max(rule_.statistic == Statistic::x2 ? value : 2.0 * value, 0.0);
}

double ContingencyTest::p_value(double statistic, double df, const Spared& spared) const {
    // Adjusted degrees of freedom can be 0: then the statistic is 0 too, and nothing is rejected.
    const double least = std::max(df, 1.0);
    if (spared.critical) {
        const Critical critical = (*spared.critical)(least);
        if (spared.small && statistic >= critical.not_above) return 0.0;
        if (spared.great && statistic <= critical.above) return 1.0;
    }
    return chi_square_tail(statistic, least);
}

Outcome ContingencyTest::judge(const Sums& sums, int x, int y, double configurations,
                               const Spared& spared) const {
    const int r = counts_->values(x), c = counts_->values(y);
    const auto rows = static_cast<double>(sums.rows < 0 ? counts_->total() : sums.rows);
    Outcome found;
    // In this order, because infinitely many configurations times 0 is not a number.
    found.statistic = configurations * r * c * rule_.rows_a_cell > rows ? 0.0 : statistic_of(sums.value);
    found.df = rule_.adjust ? static_cast<double>(sums.df) : (c - 1) * (configurations * (r - 1));
    found.p_value = p_value(found.statistic, found.df, spared);
    return found;
}

Outcome ContingencyTest::outcome_alone(int x, int y, const Spared& spared) const {
    const double statistic = alone_(x, y), df = (counts_->values(x) - 1) * (counts_->values(y) - 1);
    return {statistic, df, p_value(statistic, df, spared)};
}

Outcome ContingencyTest::outcome(ContingencyTables& tables, int x, int y, std::span<const int> given,
                                 const Spared& spared) const {
    if (given.empty() && !alone_.empty()) return outcome_alone(x, y, spared);
    const Sums sums = tables.begin({x, given, {&y, 1}}).sums(0);
    return judge(sums, x, y, states_of_values(counts_->rows(), given), spared);
}

std::vector<Outcome> ContingencyTest::judged(ContingencyTables& tables, const Question& question,
                                             const Enough& enough) const {
    const bool alone = question.given.empty() && !alone_.empty();
    TableCounter* const counter = alone ? nullptr : &tables.begin(question);
    const double configurations = states_of_values(counts_->rows(), question.given);
    std::vector<Outcome> found;
    found.reserve(question.candidates.size());
    for (std::size_t at = 0; at < question.candidates.size(); ++at) {
        const int x = question.x, y = question.candidates[at];
        found.push_back(alone ? outcome_alone(x, y, enough.spared)
                              : judge(counter->sums(at), x, y, configurations, enough.spared));
        if (found.back().p_value <= enough.stop_at) break;
    }
    return found;
}

std::vector<Outcome> ContingencyTest::outcomes(int x, std::span<const int> given, std::span<const int> candidates,
                                               const Enough& enough) const {
    double df = counts_->values(x) - 1;
    for (const int v : given) df *= counts_->values(v);
    std::vector<Outcome> found(candidates.size());
    std::vector<int> hopeful;
    std::vector<std::size_t> places;
    for (std::size_t at = 0; at < candidates.size(); ++at) {
        found[at].df = df * (counts_->values(candidates[at]) - 1);
        // The median of the chi-square distribution is above df - 1 (Chen and Rubin 1986).
        if (found[at].df - 1 <= enough.most_information) {
            hopeful.push_back(candidates[at]);
            places.push_back(at);
        }
    }
    if (hopeful.empty()) return found;
    ContingencyTables scratch = tables();
    const auto tested = judged(scratch, {x, given, hopeful, enough.stop_at >= 0}, enough);
    for (std::size_t at = 0; at < tested.size(); ++at) found[places[at]] = tested[at];
    // Candidates after a sufficient one are not tested.
    if (tested.size() < hopeful.size()) found.resize(places[tested.size() - 1] + 1);
    return found;
}

std::vector<double> ContingencyTest::p_values_given_rest(int x, std::span<const int> blanket,
                                                         std::span<const int> among, double stop_above) const {
    const bool by_table = is_plain() && among.size() > 1 && knows_all(x, blanket) &&
                          counts_->levels(x) * states(counts_->rows(), blanket) <= MOST_CELLS;
    const auto known = by_table ? p_values_by_table(x, blanket) : std::vector<double>{};
    ContingencyTables scratch = tables();
    std::vector<int> rest;
    std::vector<double> found;
    for (const int y : among) {
        if (by_table) {
            found.push_back(known[std::lower_bound(blanket.begin(), blanket.end(), y) - blanket.begin()]);
        } else {
            rest.clear();
            std::remove_copy(blanket.begin(), blanket.end(), std::back_inserter(rest), y);
            found.push_back(outcome(scratch, x, y, rest, {}).p_value);
        }
        if (found.back() > stop_above) break;
    }
    return found;
}

/// P-values of x and each member of a blanket, given the others.
std::vector<double> ContingencyTest::p_values_by_table(int x, std::span<const int> blanket) const {
    const LogTable& m_ln_m = counts_->m_ln_m();
    const std::size_t r = counts_->levels(x);
    std::vector<int> family(blanket.begin(), blanket.end());
    family.push_back(x);
    const auto cells = counts_->whole_table(family);
    const Fixed own = likelihood(std::span<const std::int64_t>(cells), r, 1, m_ln_m);
    std::vector<double> found(blanket.size());
    std::size_t stride = r;
    for (std::size_t at = blanket.size(); at-- > 0;) {
        const std::size_t c = counts_->levels(blanket[at]);
        const auto fewer = without_variable(std::span<const std::int64_t>(cells), stride, c);
        const Fixed without = likelihood(std::span<const std::int64_t>(fewer), r, 1, m_ln_m);
        const auto df = static_cast<double>(cells.size() / (r * c) * (r - 1) * (c - 1));
        found[at] = p_value(statistic_of(own - without), df, {});
        stride *= c;
    }
    return found;
}

std::optional<ContingencyTest::Inseparable> ContingencyTest::inseparable(int x, std::span<const int> among,
                                                                         int most_given, double alpha,
                                                                         const CriticalValues& critical) const {
    double cells_in_all = counts_->levels(x) + 1;
    for (const int v : among) cells_in_all *= counts_->levels(v) + 1;
    if (!is_plain() || among.size() < 2 || cells_in_all > MOST_CELLS_IN_ALL || !knows_all(x, among)) return std::nullopt;

    std::vector<int> variables(among.begin(), among.end());
    variables.push_back(x);
    const auto sums = sums_of_all_sets(variables);
    const int m = static_cast<int>(among.size());
    const unsigned own = 1U << m;
    Inseparable found;
    for (int at = 0; at < m; ++at) {
        const unsigned y = 1U << at;
        std::vector<int> others;
        for (int other = 0; other < m; ++other) {
            if (other != at) others.push_back(other);
        }
        bool separated = false;
        for (SubsetCursor subsets(std::move(others), 0, most_given); !separated && !subsets.ended(); subsets.next()) {
            unsigned given = 0;
            double configurations = 1.0;
            for (int i = 0; i < subsets.size(); ++i) {
                given |= 1U << subsets[i];
                configurations *= counts_->levels(among[subsets[i]]);
            }
            const Fixed sum = sums[given | own | y] - sums[given | own] - sums[given | y] + sums[given];
            separated = judge({sum}, x, among[at], configurations, {&critical, true, true}).p_value > alpha;
            ++found.tests;
        }
        if (!separated) found.variables.push_back(among[at]);
    }
    return found;
}

/// The sum of m ln m over the joint table of every subset of some variables, by their bits.
std::vector<Fixed> ContingencyTest::sums_of_all_sets(std::span<const int> variables) const {
    const std::size_t m = variables.size();
    std::vector<Fixed> sums(std::size_t{1} << m);
    struct Known {
        unsigned set;
        std::vector<std::int64_t> cells;
    };
    // The subsets without some of the first variables come from tables that include them.
    std::vector<Known> tables;
    tables.reserve(sums.size());
    const auto keep = [&](unsigned set, std::vector<std::int64_t> cells) {
        sums[set] = counts_->m_ln_m().sum(std::span<const std::int64_t>(cells));
        tables.push_back({set, std::move(cells)});
    };
    keep((1U << m) - 1, counts_->whole_table(variables));
    for (std::size_t at = 0; at < m; ++at) {
        std::size_t stride = 1;
        for (std::size_t later = at + 1; later < m; ++later) stride *= counts_->levels(variables[later]);
        const std::size_t larger = tables.size();
        for (std::size_t known = 0; known < larger; ++known) {
            keep(tables[known].set & ~(1U << at),
                 without_variable(std::span<const std::int64_t>(tables[known].cells), stride, counts_->levels(variables[at])));
        }
    }
    return sums;
}

}  // namespace stablebn
