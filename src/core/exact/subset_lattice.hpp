// Dynamic programming over all subsets of up to 25 variables, which may have very many choices.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "exact/subset_search.hpp"
#include "numeric/int128.hpp"

namespace stablebn {

/// 16 bytes per subset: 512 MiB.
constexpr int MOST_IN_LATTICE = 25;

/// L(S), the least loss of a DAG over S, for all S; and properties of all best DAGs.
///
/// The first choice of a variable that fits in a set is tabulated for one block of subsets after the other: the subsets
/// that agree on all variables but the first few.
class SubsetLattice {
public:
    explicit SubsetLattice(std::span<const std::vector<Choice>> choices);

    /// 2**118 or more if no choices form a DAG.
    Wide loss() const { return least_.back(); }
    std::span<const Wide> least() const { return least_; }

    /// The first of the best DAGs: variables in order, the choice of the lowest rank with which a best DAG is still
    /// possible. Nothing if there is no DAG, or the best DAGs have too many orders.
    struct First {
        std::vector<int> choices;
        /// Whether no other choices form a best DAG.
        bool is_only = false;
    };
    std::optional<First> first(std::span<const std::vector<std::int32_t>> ranks);

private:
    using Subset = std::uint32_t;
    /// A variable that follows a set in some best order.
    struct Step {
        Subset before;
        std::int32_t variable;
    };

    /// Tabulate the subsets with these variables after the first few.
    void turn_to(Subset top);
    std::int32_t first_within(int v, Subset set) const { return first_[(std::size_t(v) << low_) | (set & low_mask_)]; }
    /// Collect best DAGs as steps, starting from the full set; false if there are too many.
    bool find_steps();
    /// Whether some best DAG has these choices; -1: any.
    bool is_possible(std::span<const int> chosen) const;

    std::span<const std::vector<Choice>> choices_;
    int n_, low_;
    Subset all_, low_mask_;
    std::vector<Wide> least_;
    /// By variable and subset of the first few variables: the first choice within it and the other variables of the
    /// block.
    std::vector<std::int32_t> first_;
    /// By number of variables after the first few that are still open, and by variable: choices that the block does not
    /// exclude.
    std::vector<std::vector<std::vector<std::int32_t>>> kept_;
    Subset top_ = 0;
    bool has_top_ = false;
    std::vector<Step> steps_;
    /// By variable and choice, whether some best DAG has it.
    std::vector<std::vector<std::uint8_t>> usable_;
};

}  // namespace stablebn
