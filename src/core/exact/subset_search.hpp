// The best DAG by dynamic programming over subsets of the variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/int128.hpp"

namespace stablebn {

/// One choice of a variable: parents as bits, and the loss relative to its best choice. Choices are sorted by loss.
struct Choice {
    std::uint32_t parents;
    Wide loss;
};

struct BestDags {
    /// The least loss of a DAG.
    Wide loss = 0;
    /// The first best DAG, as the index of the choice of every variable: in the order of variables, the choice of the
    /// lowest rank that some best DAG with the previous choices has. Empty if not requested or not known.
    std::vector<int> first;
    /// Best DAGs, each as the index of the choice of every variable, in no particular order.
    std::vector<std::vector<int>> dags;
    /// Whether these are all of them.
    bool are_all = false;
};

/// L(S), the least loss of a DAG over S, is the minimum over v in S of L(S - v) plus the least loss of v with parents
/// in S - v.
///
/// If no choices form a DAG, the loss is 2**94. With `most_dags` above 0, best DAGs are listed if there are at most
/// that many; `most_steps` limits the work.
BestDags best_dags(std::span<const std::vector<Choice>> choices, std::span<const std::vector<std::int32_t>> ranks,
                   std::size_t most_dags, std::int64_t most_steps);

/// The order of a DAG of least loss; ties go to the order whose last variables have the lowest numbers. Empty if no DAG
/// loses less than `below`.
std::vector<int> best_order(std::span<const std::vector<Choice>> choices, Wide below);

}  // namespace stablebn
