// The configurations of sets of variables that occur, each as the set of its rows: for sets of variables that are asked for
// one after the other in lexicographic order. What begins alike is made once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "table/bits.hpp"
#include "counting/counts.hpp"

namespace stablebn {

class OccurringSets {
public:
    /// Of rows that are here and have no weights.
    explicit OccurringSets(const Counts& counts) : counts_(counts) {}

    /// Turn to some variables, ascending; false where their configurations would be too much to hold.
    bool turn_to(std::span<const int> variables);

    /// How many configurations occur.
    std::size_t size() const { return last().codes.size(); }
    /// Their rows, as bits.
    std::span<const Word* const> rows() const { return last().rows; }
    /// How many rows they have.
    std::span<const std::int32_t> sizes() const { return last().sizes; }
    /// Write, for each configuration, the number of those that differ from it in one variable at most, the one at this place:
    /// 0, 1, ... Returns how many such groups there are.
    std::size_t group_without(std::size_t place, std::span<std::uint32_t> groups);

private:
    /// The configurations of the first few of the variables.
    struct Beginning {
        int variable = -1;
        /// The number of each configuration among all, the last variable fastest.
        std::vector<std::uint32_t> codes;
        std::vector<std::int32_t> sizes;
        std::vector<const Word*> rows;
        std::vector<Word> bits;
    };

    const Beginning& last() const { return beginnings_[depth_ - 1]; }
    void begin_with(int v);
    bool extend(int v);

    const Counts& counts_;
    /// More of them than the variables turned to, for their memory.
    std::vector<Beginning> beginnings_;
    std::size_t depth_ = 0;
    std::vector<std::int32_t> met_;
    /// By configuration without a variable: its group, and when that was written.
    std::vector<std::uint32_t> group_, written_;
    std::uint32_t now_ = 0;
};

}  // namespace stablebn
