// The configurations of a set of variables that occur, each as a bit set of its rows, for sets queried in lexicographic
// order: common prefixes are computed once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "table/bits.hpp"
#include "counting/counts.hpp"

namespace stablebn {

class OccurringSets {
public:
    /// Requires local rows without weights.
    explicit OccurringSets(const Counts& counts) : counts_(counts) {}

    /// Move to a set of variables, ascending; false if its configurations would need too much memory.
    bool turn_to(std::span<const int> variables);

    /// Number of configurations that occur.
    std::size_t size() const { return last().codes.size(); }
    /// Their rows, as bits.
    std::span<const Word* const> rows() const { return last().rows; }
    /// Their numbers of rows.
    std::span<const std::int32_t> sizes() const { return last().sizes; }
    /// Write, for each configuration, a number 0, 1, ... of its group: configurations that differ at most in the
    /// variable at `place`. Return the number of groups.
    std::size_t group_without(std::size_t place, std::span<std::uint32_t> groups);

private:
    /// The configurations of a prefix of the variables.
    struct Beginning {
        int variable = -1;
        /// The number of each configuration among all possible ones, the last variable fastest.
        std::vector<std::uint32_t> codes;
        std::vector<std::int32_t> sizes;
        std::vector<const Word*> rows;
        std::vector<Word> bits;
    };

    const Beginning& last() const { return beginnings_[depth_ - 1]; }
    void begin_with(int v);
    bool extend(int v);

    const Counts& counts_;
    /// May be longer than the current set, to reuse memory.
    std::vector<Beginning> beginnings_;
    std::size_t depth_ = 0;
    std::vector<std::int32_t> met_;
    /// By configuration without a variable: its group, and when it was written.
    std::vector<std::uint32_t> group_, written_;
    std::uint32_t now_ = 0;
};

}  // namespace stablebn
