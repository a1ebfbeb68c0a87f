// Tests of independence of categorical variables: G2 and Pearson's X2, with a chi-square distribution.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "ci_tests/contingency_tables.hpp"
#include "counting/counts.hpp"
#include "numeric/p_values.hpp"
#include "runtime/views.hpp"

namespace stablebn {

/// The test statistic and its rules.
struct TestRule {
    Statistic statistic = Statistic::g2;
    /// Whether degrees of freedom count only the levels that occur.
    bool adjust = false;
    /// With fewer rows per cell than this, the statistic of a table counts as 0.
    double rows_a_cell = 0.0;
};

/// Which outcomes are not needed.
struct Enough {
    /// Upper bound of G2: a candidate for which even this would not be significant is not counted and has the p-value
    /// 1.
    double most_information = std::numeric_limits<double>::infinity();
    /// Stop after a candidate whose p-value is not above this; negative: test all.
    double stop_at = -1.0;
    Spared spared;
};

class ContingencyTest {
public:
    /// `alone`: the statistics of all pairs given nothing, if they are known, which they may be for plain G2.
    ContingencyTest(std::shared_ptr<const Counts> counts, TestRule rule, Matrix<double> alone);

    /// Test x and each candidate given some variables; fewer results if one was sufficient (`Enough`).
    std::vector<Outcome> outcomes(int x, std::span<const int> given, std::span<const int> candidates,
                                  const Enough& enough = {}) const;

    /// P-values of x and some members of a blanket, each given all other members; stop after a p-value above
    /// `stop_above`. The blanket is ascending.
    std::vector<double> p_values_given_rest(int x, std::span<const int> blanket, std::span<const int> among,
                                            double stop_above) const;

    struct Inseparable {
        std::vector<int> variables;
        /// Number of tests.
        std::int64_t tests = 0;
    };

    /// The variables that no subset of the others separates from x, computed from one joint table; nothing if that
    /// would be too large. Subsets have at most `most_given` members, and separate if the p-value is above alpha.
    std::optional<Inseparable> inseparable(int x, std::span<const int> among, int most_given, double alpha,
                                           const CriticalValues& critical) const;

    const Counts& counts() const { return *counts_; }
    /// The bits of all variables; empty if some variable has none.
    const PackedLevels& packed() const { return packed_; }
    /// Whether the test is G2 with ordinary degrees of freedom, which joint tables can answer.
    bool is_plain() const { return rule_.statistic == Statistic::g2 && !rule_.adjust; }

    /// Whether neither x nor any of the others has missing values: then one joint table suffices.
    bool knows_all(int x, std::span<const int> others) const;

    /// Scratch memory for tests, for one thread.
    ContingencyTables tables() const { return {*counts_, packed_, rule_.statistic}; }

    /// Run one test, with reusable memory for its tables.
    Outcome outcome(ContingencyTables& tables, int x, int y, std::span<const int> given,
                    const Spared& spared) const;

    /// The outcome for x and y from sums over all possible configurations.
    Outcome judge(const Sums& sums, int x, int y, double configurations, const Spared& spared) const;

private:
    /// The outcomes of candidates up to the first that is sufficient.
    std::vector<Outcome> judged(ContingencyTables& tables, const Question& question, const Enough& enough) const;
    Outcome outcome_alone(int x, int y, const Spared& spared) const;
    double p_value(double statistic, double df, const Spared& spared) const;
    double statistic_of(Fixed sum) const;
    std::vector<double> p_values_by_table(int x, std::span<const int> blanket) const;
    std::vector<Fixed> sums_of_all_sets(std::span<const int> variables) const;

    std::shared_ptr<const Counts> counts_;
    const PackedLevels& packed_;
    TestRule rule_;
    Matrix<double> alone_;
};

}  // namespace stablebn
