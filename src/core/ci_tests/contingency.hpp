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

/// What is tested, and how it is judged.
struct TestRule {
    Statistic statistic = Statistic::g2;
    /// Degrees of freedom by the levels that occur, not by all.
    bool adjust = false;
    /// A table with fewer rows a cell says nothing, and its statistic counts as 0.
    double rows_a_cell = 0.0;
};

/// What of the outcomes need not be known.
struct Enough {
    /// What G2 cannot exceed: a candidate for which even this would not be significant is not counted, and has the
    /// p-value 1.
    double most_information = std::numeric_limits<double>::infinity();
    /// No candidate is looked at after one whose p-value is not above this; negative: all are.
    double stop_at = -1.0;
    Spared spared;
};

class ContingencyTest {
public:
    /// `alone`: statistics of all pairs where nothing is given, if they are known, as they may be for plain G2.
    ContingencyTest(std::shared_ptr<const Counts> counts, TestRule rule, Matrix<double> alone);

    /// x and each candidate given some variables; fewer where the last of them was enough.
    std::vector<Outcome> outcomes(int x, std::span<const int> given, std::span<const int> candidates,
                                  const Enough& enough = {}) const;

    /// P-values of x and some members of a blanket, which is ascending, each given all other members; no member is
    /// looked at after one whose p-value is above `stop_above`.
    std::vector<double> p_values_given_rest(int x, std::span<const int> blanket, std::span<const int> among,
                                            double stop_above) const;

    struct Inseparable {
        std::vector<int> variables;
        /// How many tests it took.
        std::int64_t tests = 0;
    };

    /// Those of some variables that no subset of the others separates from x, all from one joint table; nothing where
    /// that would be too large. Subsets have at most `most_given` members, and separate if the p-value is above alpha.
    std::optional<Inseparable> inseparable(int x, std::span<const int> among, int most_given, double alpha,
                                           const CriticalValues& critical) const;

    const Counts& counts() const { return *counts_; }
    /// The bits of all variables; none where some have none.
    const PackedLevels& packed() const { return packed_; }
    /// G2 with ordinary degrees of freedom: what joint tables have all answers to.
    bool is_plain() const { return rule_.statistic == Statistic::g2 && !rule_.adjust; }

    /// Whether neither x nor any of some others has holes: then one joint table tells of them all.
    bool knows_all(int x, std::span<const int> others) const;

    /// Scratch memory for tests: one for each thread.
    ContingencyTables tables() const { return {*counts_, packed_, rule_.statistic}; }

    /// One test, of which the tables may be counted with memory used before.
    Outcome outcome(ContingencyTables& tables, int x, int y, std::span<const int> given,
                    const Spared& spared) const;

    /// The outcome of x and y where so much was summed up over so many configurations, seen or not.
    Outcome judge(const Sums& sums, int x, int y, double configurations, const Spared& spared) const;

private:
    /// Judge candidates until one is enough: the outcomes of those that were.
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
