// Compiled enumeration of the subsets of a pool, to find one that separates x and y.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ci_tests/contingency.hpp"
#include "runtime/scratch.hpp"
#include "ci_tests/subsets.hpp"

namespace stablebn {

/// Tables of x, y and some given variables, if mostly only the last given variable changes between tests: the part of
/// the other variables is kept. For G2 with ordinary degrees of freedom.
class SimilarTables {
public:
    explicit SimilarTables(const ContingencyTest& test) : counts_(test.counts()), packed_(test.packed()) {}

    /// Whether this way of counting suits a table with this many cells.
    bool suit(double cells) const;

    /// The sums for x and y given at least one variable, with this many cells.
    Sums sums(int x, int y, std::span<const int> given, double cells);

private:
    void make_sets();
    void count_by_bits(int w, std::span<std::int64_t> cells);
    Fixed information(std::span<const std::int64_t> cells, int r, int c, int levels);

    const Counts& counts_;
    const PackedLevels& packed_;
    /// The given variables except the last, then x and y; and the rows of each of their configurations.
    std::vector<int> family_, wanted_;
    std::vector<const Word*> sets_, finer_sets_;
    std::vector<std::int64_t> sizes_;
    Scratch<Word> set_words_, finer_words_;
    std::vector<std::uint16_t> places_;
    std::vector<const Word*> levels_;
    Scratch<std::int32_t> met_;
    Scratch<std::int64_t> cells_, columns_;
};

/// An enumeration that keeps its position, so that it can be interrupted and continued.
class ContingencyWalk {
public:
    /// Independent means a p-value above alpha. The variables of `always` are given with each subset.
    ContingencyWalk(std::shared_ptr<const ContingencyTest> test, int x, int y, std::vector<int> always,
                    SubsetCursor subsets, double alpha, std::shared_ptr<const CriticalValues> critical);

    /// Make at most this many tests; return whether there are more to make.
    bool advance(int most);

    /// Whether the last subset separates x and y, which ends the enumeration.
    bool found() const { return found_; }
    /// Number of tests so far. A subset that need not be tested counts as one.
    std::int64_t tests() const { return tests_; }
    /// The greatest p-value so far; that of the separating subset if one was found.
    double p_value() const { return greatest_; }
    /// The separating subset, if one was found.
    std::vector<int> subset() const { return found_ ? subsets_.members() : std::vector<int>{}; }

private:
    double test_subset();

    std::shared_ptr<const ContingencyTest> test_;
    int x_, y_;
    std::size_t always_;
    SubsetCursor subsets_;
    double alpha_;
    std::shared_ptr<const CriticalValues> critical_;
    /// The variables that are always given, then the subset.
    std::vector<int> given_;
    ContingencyTables tables_;
    SimilarTables similar_;
    bool found_ = false;
    std::int64_t tests_ = 0;
    double greatest_ = 0.0;
};

}  // namespace stablebn
