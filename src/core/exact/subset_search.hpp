// The best DAG by dynamic programming over subsets of the variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/int128.hpp"

namespace stablebn {

/// One variable's choice: parents as bits, and what it loses against its best set. By growing loss.
struct Choice {
    std::uint32_t parents;
    Wide loss;
};

struct BestDags {
    /// Of all DAGs the least sum of losses.
    Wide loss = 0;
    /// The first best DAG, as the place of the choice of every variable: in the order of variables, the choice of the lowest
    /// rank that some best DAG with the choices before it has. Empty where that was not asked for, or is not known.
    std::vector<int> first;
    /// Best DAGs, each as the place of the choice of every variable, in no particular order.
    std::vector<std::vector<int>> dags;
    /// Whether these are all of them.
    bool are_all = false;
};

/// L(S), the least loss of a DAG over S, is the least over v in S of L(S - v) and the least loss of v with parents in S - v.
///
/// Where no choices make a DAG, the loss is 2**94. With `most_dags` above 0, best DAGs are listed, as long as
/// there are no more; `most_steps` bounds the work of that.
BestDags best_dags(std::span<const std::vector<Choice>> choices, std::span<const std::vector<std::int32_t>> ranks,
                   std::size_t most_dags, std::int64_t most_steps);

/// The order of a DAG that loses least, of equal ones that in which the last variables have the lowest numbers; empty where
/// none loses less than `below`.
std::vector<int> best_order(std::span<const std::vector<Choice>> choices, Wide below);

}  // namespace stablebn
