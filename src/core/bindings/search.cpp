// Bindings for scores and climbs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <string>

#include "mixed_scores/adaptive.hpp"
#include "mixed_scores/additive_basis.hpp"
#include "incomplete_scores/available_columns.hpp"
#include "bindings/binding.hpp"
#include "scores/discrete.hpp"
#include "search/climber.hpp"
#include "mixed_scores/conditional_gaussian.hpp"
#include "mixed_scores/degenerate_gaussian.hpp"
#include "scores/gaussian.hpp"
#include "order_search/grow_shrink.hpp"
#include "incomplete_scores/node_average.hpp"
#include "incomplete_scores/node_average_mixed.hpp"
#include "order_search/order_search.hpp"

namespace stablebn {

namespace {

Prior prior_named(const std::string& name) {
    if (name == "evenly") return Prior::evenly;
    if (name == "sparsely") return Prior::sparsely;
    if (name == "by-one") return Prior::by_one;
    throw std::invalid_argument("no prior is shared out " + name);
}

std::shared_ptr<GaussianScores> gaussian_scores(const Table<double>& entries, std::vector<std::int64_t> exponents,
                                                std::vector<std::int64_t> factors, const Table<std::int64_t>& offsets,
                                                int threads) {
    const auto view = view_of(entries);
    ScaledMatrix matrix{Matrix<double>(view.rows, view.columns), std::move(exponents)};
    std::copy_n(view.data, view.rows * view.columns, matrix.entries.data());
    std::vector<Fixed> limbs;
    for (std::size_t p = 0; p < offsets.shape(0); ++p) limbs.push_back(from_limbs(offsets(p, 0), offsets(p, 1)));
    return std::make_shared<GaussianScores>(std::move(matrix), std::move(factors), std::move(limbs),
                                            Pool::with_threads(threads));
}

/// Products are high * 2**62 + low.
std::shared_ptr<CovarianceBlocks> covariance_blocks(const Table<std::int64_t>& high, const Table<std::int64_t>& low,
                                                    std::vector<std::vector<int>> columns,
                                                    std::vector<std::vector<std::int64_t>> frequencies, std::int64_t total,
                                                    int first) {
    const auto upper = view_of(high), lower = view_of(low);
    Matrix<Wide> products(upper.rows, upper.columns);
    for (std::size_t i = 0; i < upper.rows; ++i) {
        for (std::size_t j = 0; j < upper.columns; ++j) products(i, j) = (Wide{upper(i, j)} << 62) + lower(i, j);
    }
    return std::make_shared<CovarianceBlocks>(std::move(products), std::move(columns), std::move(frequencies), total,
                                              static_cast<Arithmetic>(first));
}

/// Variable v has the blocks variables[v].
template <class Scores>
std::shared_ptr<Scores> block_scores(const Table<std::int64_t>& high, const Table<std::int64_t>& low,
                                     std::vector<std::vector<int>> columns,
                                     std::vector<std::vector<std::int64_t>> frequencies,
                                     std::vector<std::vector<int>> variables, std::int64_t total, std::int64_t hi,
                                     std::int64_t lo, int threads, int first) {
    auto covariances = covariance_blocks(high, low, std::move(columns), std::move(frequencies), total, first);
    return std::make_shared<Scores>(std::move(covariances), std::move(variables), total, from_limbs(hi, lo),
                                    Pool::with_threads(threads));
}

std::shared_ptr<AdaptiveScores> adaptive_scores(std::shared_ptr<ConditionalGaussian> function,
                                                const Table<std::int64_t>& high, const Table<std::int64_t>& low,
                                                std::vector<std::vector<int>> columns,
                                                std::vector<std::vector<std::int64_t>> frequencies, std::int64_t hi,
                                                std::int64_t lo) {
    const Counts& counts = function->strata().counts();
    std::vector<int> blocks(columns.size());
    std::iota(blocks.begin(), blocks.end(), 0);
    std::vector<std::vector<int>> of_variables;
    for (const int block : blocks) of_variables.push_back({block});
    std::shared_ptr<const CovarianceBlocks> covariances =
        covariance_blocks(high, low, std::move(columns), std::move(frequencies), counts.total(), 0);
    const Unlocked unlocked;
    auto additive =
        std::make_shared<DegenerateGaussianScores>(covariances, std::move(of_variables), counts.total(), Fixed{},
                                                   counts.shared_pool());
    auto logistic = std::make_shared<LogisticRegression>(function->shared_strata(), std::move(covariances));
    return std::make_shared<AdaptiveScores>(std::move(function), std::move(additive), std::move(logistic), std::move(blocks),
                                            from_limbs(hi, lo));
}

std::shared_ptr<Climber> climber(std::shared_ptr<FamilyScores> scores, std::vector<int> order,
                                 const std::vector<nb::int_>& start, ClimbOptions options,
                                 const std::optional<std::vector<nb::int_>>& allowed,
                                 const std::optional<std::vector<nb::int_>>& required,
                                 std::optional<std::vector<int>> most_parents) {
    std::vector<VariableSet> parents;
    for (const auto& own : start) parents.push_back(set_of(own));
    Constraints constraints;
    const auto mark = [&](const std::vector<nb::int_>& sets, Constraints::Arc meaning) {
        for (std::size_t v = 0; v < order.size(); ++v) {
            for (const int u : set_of(sets[v])) constraints.arcs(v, u) = meaning;
        }
    };
    if (allowed) {
        constraints.arcs = Matrix<std::uint8_t>(order.size(), order.size(), Constraints::forbidden);
        mark(*allowed, Constraints::free);
        if (required) mark(*required, Constraints::required);
    }
    if (most_parents) constraints.most_parents = std::move(*most_parents);
    const Unlocked unlocked;
    return std::make_shared<Climber>(std::move(scores), std::move(order), std::move(parents), options,
                                     constraints);
}

nb::object steps_of(const Climber& climber) {
    std::vector<std::int64_t> steps;
    std::vector<double> deltas;
    for (const Step& step : climber.steps()) {
        const auto [move, next, change, delta, next_delta, arbitrary] = step;
        const auto [hi, lo] = limbs_of(change);
        steps.insert(steps.end(), {move.kind, move.from, move.to, next.kind, next.from, next.to, hi, lo,
                                   static_cast<std::int64_t>(arbitrary)});
        deltas.insert(deltas.end(), {delta, next_delta});
    }
    const std::size_t made = climber.steps().size();
    return nb::make_tuple(array_of(std::move(steps), {made, 9}), array_of(std::move(deltas), {made, 2}));
}

std::vector<VariableSet> sets_of(const std::vector<nb::int_>& masks) {
    std::vector<VariableSet> sets;
    for (const auto& own : masks) sets.push_back(set_of(own));
    return sets;
}

FamilyLimits family_limits(const std::vector<nb::int_>& required, const std::vector<nb::int_>& allowed,
                           std::vector<int> most_parents) {
    FamilyLimits limits{sets_of(required), Matrix<std::uint8_t>(allowed.size(), allowed.size()), std::move(most_parents)};
    for (std::size_t v = 0; v < allowed.size(); ++v) {
        for (const int u : set_of(allowed[v])) limits.allowed(v, u) = 1;
    }
    return limits;
}

std::shared_ptr<FamilyBank> family_bank(std::shared_ptr<FamilyScores> scores, const std::vector<nb::int_>& required,
                                        const std::vector<nb::int_>& allowed, std::vector<int> most_parents) {
    return std::make_shared<FamilyBank>(std::move(scores), family_limits(required, allowed, std::move(most_parents)));
}

std::shared_ptr<GrowShrinkSearch> grow_shrink_search(std::shared_ptr<FamilyScores> scores,
                                                     const std::vector<nb::int_>& required,
                                                     const std::vector<nb::int_>& allowed, std::vector<int> most_parents,
                                                     GrowShrinkEffort effort) {
    FamilyLimits limits = family_limits(required, allowed, std::move(most_parents));
    for (int& most : limits.most_parents) most = std::min(most, scores->most_parents());
    return std::make_shared<GrowShrinkSearch>(std::move(scores), std::move(limits), effort);
}

std::vector<std::vector<int>> lists_of(const std::vector<VariableSet>& sets) {
    std::vector<std::vector<int>> lists;
    for (const auto& own : sets) lists.emplace_back(own.begin(), own.end());
    return lists;
}

/// In Python: an order, and the parents of each variable.
using Standing = std::pair<std::vector<int>, std::vector<std::vector<int>>>;

Standing standing_of(const GrowShrinkSearch::Standing& own) { return {own.order, lists_of(own.parents)}; }

GrowShrinkSearch::Standing standing_from(Standing own) {
    GrowShrinkSearch::Standing made{std::move(own.first), {}};
    for (auto& parents : own.second) made.parents.emplace_back(std::move(parents));
    return made;
}

template <class Search>
bool advance(Search& search, double seconds, const nb::callable& time_is_up) {
    const TimeLimit limit(time_is_up);
    const Unlocked unlocked;
    try {
        return search.advance(seconds);
    } catch (const TimeIsUp&) {
        return true;
    }
}

/// Repeat the steps that `steps_of` returned.
void replay(Climber& climber, const Table<std::int64_t>& steps, const Table<double>& deltas) {
    std::vector<Step> made;
    for (std::size_t s = 0; s < steps.shape(0); ++s) {
        const auto move = [&](std::size_t first) {
            return Move{static_cast<Move::Kind>(steps(s, first)), static_cast<int>(steps(s, first + 1)),
                        static_cast<int>(steps(s, first + 2))};
        };
        made.push_back({move(0), move(3), from_limbs(steps(s, 6), steps(s, 7)), deltas(s, 0), deltas(s, 1), steps(s, 8) != 0});
    }
    const Unlocked unlocked;
    climber.replay(made);
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<FamilyScores>(m, "FamilyScores", "Scores of families: one variable with a set of parents.")
        .def_prop_ro("n", &FamilyScores::variables)
        .def_prop_ro("most_parents", &FamilyScores::most_parents)
        .def_prop_ro("cost_of_arc", [](const FamilyScores& scores) { return to_int(scores.cost_of_arc()); },
                     "What each arc costs, in units of 2**-62.")
        .def("cost_of_all_sets",
             [](FamilyScores& scores, int most_parents) {
                 const Unlocked unlocked;
                 return scores.cost_of_all_sets(most_parents);
             },
             nb::arg("most_parents"),
             "Nanoseconds, of a model, to work out what all families of so many parents need; infinite if that cannot be.")
        .def("charge_arcs",
             [](FamilyScores& scores, std::int64_t hi, std::int64_t lo) { scores.charge_arcs(from_limbs(hi, lo)); },
             nb::arg("hi"), nb::arg("lo"),
             "Lower the score of a graph by so much per arc; to be called before any family is scored.")
        .def("term",
             [](FamilyScores& scores, int child, const nb::int_& parents) {
                 const VariableSet set = set_of(parents);
                 Fixed found;
                 {
                     const Unlocked unlocked;
                     found = scores.term(child, set);
                 }
                 return to_int(found);
             },
             nb::arg("child"), nb::arg("parents"), "The score of a family without the cost of its arcs and the penalty of its parameters.")
        .def("changes",
             [](FamilyScores& scores, int child, const nb::int_& parents) {
                 const VariableSet set = set_of(parents);
                 std::shared_ptr<const Family> family;
                 {
                     const Unlocked unlocked;
                     family = scores.family(child, set);
                 }
                 return limbs_of(family->changes, {family->changes.size()});
             },
             nb::arg("child"), nb::arg("parents"),
             "Limbs of the change of score with each single change of the parents: int64 [n, 2].")
        .def("first",
             [](FamilyScores& scores) {
                 {
                     const Unlocked unlocked;
                     scores.first_changes();
                 }
                 const auto changes = scores.first_changes();
                 return nb::make_tuple(limbs_of(scores.first_terms(), {changes.rows}),
                                       limbs_of({changes.data, changes.rows * changes.columns}, {changes.rows, changes.columns}));
             },
             "Limbs of terms [n, 2] and changes [n, n, 2] of every variable without parents.")
        .def_prop_ro("knows_first", &FamilyScores::knows_first, "Whether `first` has been worked out.")
        .def("sums_of_first",
             [](FamilyScores& scores) {
                 FamilyScores::FirstSums found;
                 {
                     const Unlocked unlocked;
                     found = scores.sums_of_first_changes();
                 }
                 constexpr int half = 62;
                 nb::list sums;
                 for (const Wide sum : found.sums) {
                     const auto upper = static_cast<std::int64_t>(sum >> half);
                     const auto lower = static_cast<std::int64_t>(sum - (static_cast<Wide>(upper) << half));
                     sums.append(nb::int_(upper) * nb::int_(std::int64_t{1} << half) + nb::int_(lower));
                 }
                 return nb::make_tuple(sums, found.barred);
             },
             "The sum of the changes of every variable with each single parent that is a candidate; and those that are "
             "none, as pairs of child and parent.")
        .def("reordered",
             [](FamilyScores& scores, const std::vector<int>& order) {
                 const Unlocked unlocked;
                 return scores.reordered(order);
             },
             nb::arg("order"), "The same score for variables renumbered so that new i is old order[i].");

    nb::class_<PenalisedLikelihood, FamilyScores>(m, "PenalisedLikelihood")
        .def(nb::new_([](std::shared_ptr<Counts> counts, std::int64_t hi, std::int64_t lo) {
                 return std::make_shared<PenalisedLikelihood>(std::move(counts), from_limbs(hi, lo));
             }),
             nb::arg("counts"), nb::arg("unit_hi"), nb::arg("unit_lo"));
    nb::class_<QuotientLikelihood, FamilyScores>(m, "QuotientLikelihood")
        .def(nb::new_([](std::shared_ptr<Counts> counts) { return std::make_shared<QuotientLikelihood>(std::move(counts)); }),
             nb::arg("counts"));
    nb::class_<DirichletScores, FamilyScores>(m, "DirichletScores")
        .def(nb::new_([](std::shared_ptr<Counts> counts, const std::string& prior, double iss) {
                 return std::make_shared<DirichletScores>(std::move(counts), prior_named(prior), iss);
             }),
             nb::arg("counts"), nb::arg("prior"), nb::arg("iss"));
    nb::class_<NodeAverageScores, FamilyScores>(m, "NodeAverageScores", "Scores of tables with holes.")
        .def("complete_rows",
             [](const NodeAverageScores& scores, const nb::int_& family) {
                 const VariableSet set = set_of(family);
                 const Unlocked unlocked;
                 return scores.complete_rows(set);
             },
             nb::arg("family"), "The rows, by weight, in which all of some variables are known.")
        .def_prop_ro("gains_made", &NodeAverageScores::gains_made, "How many gains of single parents were worked out so far.")
        .def("is_scored",
             [](NodeAverageScores& scores, int child, const nb::int_& parents) {
                 const VariableSet set = set_of(parents);
                 const Unlocked unlocked;
                 return scores.is_scored(child, set);
             },
             nb::arg("child"), nb::arg("parents"), "Whether a family has enough complete rows for a score.")
        .def("steps",
             [](NodeAverageScores& scores, int child, const nb::int_& parents) {
                 const VariableSet set = set_of(parents);
                 std::vector<std::pair<int, std::int64_t>> found;
                 const Unlocked unlocked;
                 for (const auto& step : scores.steps(child, set)) found.emplace_back(step.parent, step.rows);
                 return found;
             },
             nb::arg("child"), nb::arg("parents"),
             "The parents in the order in which they are weighed, each with the rows on which it is.");
    nb::class_<NodeAverageLikelihood, NodeAverageScores>(m, "NodeAverageLikelihood")
        .def(nb::new_([](std::shared_ptr<Counts> counts, std::int64_t hi, std::int64_t lo) {
                 return std::make_shared<NodeAverageLikelihood>(std::move(counts), from_limbs(hi, lo));
             }),
             nb::arg("counts"), nb::arg("unit_hi"), nb::arg("unit_lo"));
    nb::class_<NodeAverageMixed, NodeAverageScores>(m, "NodeAverageMixed")
        .def(nb::new_([](std::shared_ptr<AvailableMixed> table, std::int64_t hi, std::int64_t lo) {
                 return std::make_shared<NodeAverageMixed>(std::move(table), from_limbs(hi, lo));
             }),
             nb::arg("table"), nb::arg("unit_hi"), nb::arg("unit_lo"));
    nb::class_<NodeAverageGaussian, NodeAverageScores>(m, "NodeAverageGaussian")
        .def(nb::new_([](std::shared_ptr<AvailableColumns> columns, std::pair<std::int64_t, std::int64_t> constant,
                         std::pair<std::int64_t, std::int64_t> unit, int threads) {
                 return std::make_shared<NodeAverageGaussian>(std::move(columns), from_limbs(constant.first, constant.second),
                                                              from_limbs(unit.first, unit.second), Pool::with_threads(threads));
             }),
             nb::arg("columns"), nb::arg("constant"), nb::arg("unit"), nb::arg("threads") = 1);
    nb::class_<GaussianScores, FamilyScores>(m, "GaussianScores")
        .def(nb::new_(&gaussian_scores), nb::arg("entries"), nb::arg("exponents"), nb::arg("factors"),
             nb::arg("offsets"), nb::arg("threads") = 1)
        .def("half_ln_determinant",
             [](const GaussianScores& scores, const std::vector<int>& members) {
                 return to_int(scores.half_ln_determinant(members));
             },
             nb::arg("members"), "m ln det M / 2 of a set, m the factor of its size.");

    nb::class_<ConditionalGaussianScores, FamilyScores>(m, "ConditionalGaussianScores")
        .def(nb::new_([](std::shared_ptr<ConditionalGaussian> function, std::int64_t hi, std::int64_t lo) {
                 return std::make_shared<ConditionalGaussianScores>(std::move(function), from_limbs(hi, lo));
             }),
             nb::arg("function"), nb::arg("unit_hi"), nb::arg("unit_lo"));
    nb::class_<DegenerateGaussianScores, FamilyScores>(m, "DegenerateGaussianScores")
        .def(nb::new_(&block_scores<DegenerateGaussianScores>), nb::arg("high"), nb::arg("low"), nb::arg("columns"),
             nb::arg("frequencies"), nb::arg("variables"), nb::arg("total"), nb::arg("unit_hi"), nb::arg("unit_lo"),
             nb::arg("threads") = 1, nb::arg("first") = 0);
    nb::class_<AdditiveBasisScores, FamilyScores>(m, "AdditiveBasisScores")
        .def(nb::new_(&block_scores<AdditiveBasisScores>), nb::arg("high"), nb::arg("low"), nb::arg("columns"),
             nb::arg("frequencies"), nb::arg("variables"), nb::arg("total"), nb::arg("unit_hi"), nb::arg("unit_lo"),
             nb::arg("threads") = 1, nb::arg("first") = 0);

    nb::class_<AdaptiveScores, FamilyScores>(m, "AdaptiveScores")
        .def(nb::new_(&adaptive_scores), nb::arg("function"), nb::arg("high"), nb::arg("low"), nb::arg("columns"),
             nb::arg("frequencies"), nb::arg("unit_hi"), nb::arg("unit_lo"));

    nb::class_<ClimbOptions>(m, "ClimbOptions", "The limits of a climb.")
        .def(nb::new_([](int tabu, int noinc, int most_parents, std::int64_t most_steps) {
                 return ClimbOptions{tabu, noinc, most_parents, most_steps};
             }),
             nb::arg("tabu"), nb::arg("noinc"), nb::arg("most_parents"), nb::arg("most_steps"));
    nb::class_<Climber>(m, "Climber", "Hill climbing or tabu search in one order.")
        .def(nb::new_(&climber), nb::arg("scores"), nb::arg("order"), nb::arg("start"), nb::arg("options"),
             nb::arg("allowed").none() = nb::none(), nb::arg("required").none() = nb::none(),
             nb::arg("most_parents").none() = nb::none())
        .def_prop_ro("made", [](const Climber& own) { return own.steps().size(); }, "Number of steps made.")
        .def_prop_ro("best", &Climber::best, "How many steps led to the best DAG, the earliest of equals.")
        .def_prop_ro("has_converged", &Climber::has_converged, "Whether no move is worth it.")
        .def("steps", &steps_of,
             "What was done, [steps, 9]: kind, from and to of the move and of the runner-up by place, limbs of the "
             "change of score, whether the move was arbitrary; and both deltas [steps, 2].")
        .def("replay", &replay, nb::arg("steps"), nb::arg("deltas"),
             "Make steps again that the same climb has made before, at its beginning, as `steps` gave them.");
    m.def("climb_on",
          [](const std::vector<Climber*>& climbers, double seconds) {
              const Unlocked unlocked;
              return climb_on(climbers, seconds);
          },
          nb::arg("climbers"), nb::arg("seconds"),
          "Let climbers climb on for so many seconds, each by one step at least if there are any, at once where that pays; "
          "whether all have ended. Within a limit of time, `TimeIsUp` may end it in the midst of a step: the steps made stay, and "
          "no more can be made.");

    nb::class_<FamilyBank>(m, "FamilyBank", "Families to choose from, of every variable.")
        .def(nb::new_(&family_bank), nb::arg("scores"), nb::arg("required"), nb::arg("allowed"), nb::arg("most_parents"))
        .def("take_in",
             [](FamilyBank& bank, const CandidateSearch& found) {
                 const Unlocked unlocked;
                 bank.take_in(found);
             },
             nb::arg("found"), "Take in candidate parent sets of all variables.")
        .def_prop_ro("complete", &FamilyBank::complete, "Whether a best DAG needs no other families.")
        .def("extend_up_to",
             [](FamilyBank& bank, const std::vector<int>& children, const std::vector<nb::int_>& families) {
                 const auto parents = sets_of(families);
                 const Unlocked unlocked;
                 bank.scores().pool().run(children.size(), [&](std::size_t at) {
                     bank.extend_up_to(children[at], parents[at]);
                 });
             },
             nb::arg("children"), nb::arg("families"), "Take in families of some variables, and those on the way to them.")
        .def("grow",
             [](FamilyBank& bank, const std::vector<int>& children, std::size_t width) {
                 const Unlocked unlocked;
                 bank.scores().pool().run(children.size(), [&](std::size_t at) { bank.grow(children[at], width); });
             },
             nb::arg("children"), nb::arg("width"), "Level by level, extend so many of the best families of some variables.")
        .def("choices",
             [](const FamilyBank& bank, int child) {
                 const Choices choices = bank.choices(child);
                 nb::list found;
                 for (std::size_t at = 0; at < choices.size(); ++at) {
                     const auto own = choices.parents(at);
                     found.append(nb::make_tuple(to_int(Fixed{choices.score(at)}), std::vector<int>(own.begin(), own.end())));
                 }
                 return found;
             },
             nb::arg("child"),
             "The families of a variable from which a search chooses, the best first: what each brings beyond the smallest "
             "one that the variable may have, and its parents.");
    nb::class_<OrderSearch>(m, "OrderSearch", "Search among orders, each variable with the best parents before it.")
        .def(nb::init<FamilyBank&, OrderEffort>(), nb::arg("bank"), nb::arg("effort"), nb::keep_alive<1, 2>())
        .def("add",
             [](OrderSearch& search, std::vector<int> order) {
                 const Unlocked unlocked;
                 search.add(std::move(order));
             },
             nb::arg("order"), "An order to begin with, or to go on with.")
        .def("advance", &advance<OrderSearch>, nb::arg("seconds"), nb::arg("time_is_up"),
             "Search on for about so many seconds; whether the search has ended. It ends for good, wherever it is, once its "
             "time is up.")
        .def_prop_ro("rounds", &OrderSearch::rounds, "Rounds made so far.")
        .def_prop_ro("order", [](const OrderSearch& search) { return search.best().order; }, "The best order.")
        .def("parents",
             [](const OrderSearch& search) { return lists_of(search.parents()); },
             "The parents of each variable in the best order.")
        .def("state",
             [](const OrderSearch& search) {
                 const auto state = search.state();
                 return nb::make_tuple(state.rounds, state.in_vain, state.orders, state.best, state.grown);
             },
             "Where the search stands, for `go_on_from`: rounds, those in vain, the orders, the best, those looked around.")
        .def("go_on_from",
             [](OrderSearch& search, std::size_t rounds, int in_vain, std::vector<std::vector<int>> orders, std::vector<int> best,
                std::vector<std::vector<int>> grown) {
                 const Unlocked unlocked;
                 search.go_on_from({rounds, in_vain, std::move(orders), std::move(best), std::move(grown)});
             },
             nb::arg("rounds"), nb::arg("in_vain"), nb::arg("orders"), nb::arg("best"), nb::arg("grown"),
             "Go on from where the same search, with the same orders added, stood another time.");
    nb::class_<OrderEffort>(m, "OrderEffort", "How much work a search among orders does.")
        .def(nb::new_([](int orders, int attempts, int rounds_in_vain, std::size_t width, bool forces_families) {
                 return OrderEffort{orders, attempts, rounds_in_vain, width, forces_families};
             }),
             nb::arg("orders"), nb::arg("attempts"), nb::arg("rounds_in_vain"), nb::arg("width"),
             nb::arg("forces_families") = false);

    nb::class_<GrowShrinkEffort>(m, "GrowShrinkEffort", "How much work a search by growing and shrinking does.")
        .def(nb::new_([](int orders, int attempts, int rounds_in_vain) {
                 return GrowShrinkEffort{orders, attempts, rounds_in_vain};
             }),
             nb::arg("orders"), nb::arg("attempts"), nb::arg("rounds_in_vain"));
    nb::class_<GrowShrinkSearch>(m, "GrowShrinkSearch",
                                 "Search among orders, the parents of each variable grown and shrunk among those before it.")
        .def(nb::new_(&grow_shrink_search), nb::arg("scores"), nb::arg("required"), nb::arg("allowed"), nb::arg("most_parents"),
             nb::arg("effort"))
        .def("add",
             [](GrowShrinkSearch& search, std::vector<int> order, const std::vector<nb::int_>& parents) {
                 search.add(std::move(order), sets_of(parents));
             },
             nb::arg("order"), nb::arg("parents"), "Add an order to begin or to go on with, and parents to begin with.")
        .def("advance", &advance<GrowShrinkSearch>, nb::arg("seconds"), nb::arg("time_is_up"),
             "Search on for about so many seconds; whether the search has ended. It ends for good, wherever it is, once its "
             "time is up.")
        .def_prop_ro("rounds", &GrowShrinkSearch::rounds, "Rounds made so far.")
        .def_prop_ro("order", &GrowShrinkSearch::order, "The best order.")
        .def("parents", [](const GrowShrinkSearch& search) { return lists_of(search.parents()); },
             "The parents of each variable in the best order.")
        .def("state",
             [](const GrowShrinkSearch& search) {
                 const auto state = search.state();
                 std::vector<Standing> orders;
                 for (const auto& own : state.orders) orders.push_back(standing_of(own));
                 return nb::make_tuple(state.rounds, state.in_vain, orders, standing_of(state.best));
             },
             "Where the search stands, for `go_on_from`: rounds, those in vain, the orders and the best, with their parents.")
        .def("go_on_from",
             [](GrowShrinkSearch& search, std::size_t rounds, int in_vain, std::vector<Standing> orders, Standing best) {
                 GrowShrinkSearch::State state{rounds, in_vain, {}, standing_from(std::move(best))};
                 for (auto& own : orders) state.orders.push_back(standing_from(std::move(own)));
                 const Unlocked unlocked;
                 search.go_on_from(state);
             },
             nb::arg("rounds"), nb::arg("in_vain"), nb::arg("orders"), nb::arg("best"),
             "Go on from where the same search, with the same orders added, stood another time.");
}

}  // namespace stablebn
