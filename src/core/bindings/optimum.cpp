// Bindings for candidate parent sets and the searches for the best DAG among them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "exact/best_of_candidates.hpp"
#include "bindings/binding.hpp"
#include "exact/candidates.hpp"
#include "exact/cluster_cuts.hpp"
#include "exact/dual_ascent.hpp"
#include "exact/near_dags.hpp"
#include "exact/subset_lattice.hpp"
#include "exact/subset_search.hpp"

namespace stablebn {

namespace {

/// The limbs of an integer in units of 2**-62.
using Limbs = std::pair<std::int64_t, std::int64_t>;

std::shared_ptr<CandidateSearch> candidate_search(std::shared_ptr<FamilyScores> scores,
                                                  const std::optional<std::vector<nb::int_>>& allowed,
                                                  const std::vector<nb::int_>& required, std::vector<int> most_parents,
                                                  std::int64_t most_scored, std::int64_t most_found, Limbs slack) {
    Matrix<std::uint8_t> may;
    if (allowed) {
        may = Matrix<std::uint8_t>(allowed->size(), allowed->size());
        for (std::size_t v = 0; v < allowed->size(); ++v) {
            for (const int u : set_of((*allowed)[v])) may(v, u) = 1;
        }
    }
    std::vector<VariableSet> must;
    for (const nb::int_& own : required) must.push_back(set_of(own));
    const Unlocked unlocked;
    return std::make_shared<CandidateSearch>(std::move(scores), std::move(may), std::move(must), std::move(most_parents),
                                             most_scored, most_found, from_limbs(slack.first, slack.second).units);
}

nb::object candidates_of(const CandidateSearch& search, int child) {
    std::vector<std::int64_t> sizes, members;
    std::vector<Fixed> gains;
    for (const Candidate& own : search.candidates(child)) {
        sizes.push_back(static_cast<std::int64_t>(own.parents.size()));
        members.insert(members.end(), own.parents.begin(), own.parents.end());
        gains.push_back(Fixed{own.gain});
    }
    const std::size_t count = sizes.size(), all = members.size();
    return nb::make_tuple(array_of(std::move(sizes), {count}), array_of(std::move(members), {all}), limbs_of(gains, {count}));
}

/// The choices of each variable: parents as bits, by ascending loss, and limbs of the losses.
std::vector<std::vector<Choice>> choices_of(const std::vector<std::vector<std::uint32_t>>& parents,
                                            const std::vector<Table<std::int64_t>>& losses) {
    std::vector<std::vector<Choice>> choices(parents.size());
    for (std::size_t v = 0; v < parents.size(); ++v) {
        for (std::size_t at = 0; at < parents[v].size(); ++at) {
            choices[v].push_back({parents[v][at], from_limbs(losses[v](at, 0), losses[v](at, 1)).units});
        }
    }
    return choices;
}

nb::object near_dags_of(const std::vector<std::vector<std::uint32_t>>& parents, const std::vector<Table<std::int64_t>>& losses,
                        Limbs within, std::size_t most_dags) {
    const auto choices = choices_of(parents, losses);
    const Wide margin = from_limbs(within.first, within.second).units;
    NearDags near;
    {
        const Unlocked unlocked;
        near = near_dags(choices, margin, most_dags);
    }
    std::vector<std::int64_t> chosen;
    std::vector<Fixed> lost;
    for (const NearDag& dag : near.dags) {
        chosen.insert(chosen.end(), dag.choices.begin(), dag.choices.end());
        lost.push_back(Fixed{dag.loss});
    }
    const std::size_t count = near.dags.size();
    return nb::make_tuple(to_int(Fixed{near.least}), to_int(Fixed{near.most}),
                          array_of(std::move(chosen), {count, parents.size()}), limbs_of(lost, {count}));
}

nb::object best_of_candidates_of(const CandidateSearch& search, int variables, int most_places) {
    std::optional<BestOfCandidates> best;
    {
        const Unlocked unlocked;
        best = best_of_candidates(search, variables, std::min(most_places, MOST_IN_LATTICE));
    }
    if (!best) return nb::none();
    nb::list parents;
    for (const VariableSet& own : best->parents) {
        nb::list members;
        for (const int u : own) members.append(u);
        parents.append(members);
    }
    return nb::make_tuple(parents, best->components, best->is_only);
}

nb::object best_dags_of(const std::vector<std::vector<std::uint32_t>>& parents, const std::vector<Table<std::int64_t>>& losses,
                        const std::vector<std::vector<std::int32_t>>& ranks, std::size_t most_dags, std::int64_t most_steps) {
    const auto choices = choices_of(parents, losses);
    BestDags best;
    {
        const Unlocked unlocked;
        best = best_dags(choices, ranks, most_dags, most_steps);
    }
    nb::list dags;
    for (const auto& dag : best.dags) dags.append(nb::cast(dag));
    return nb::make_tuple(to_int(Fixed{best.loss}), nb::cast(best.first), dags, best.are_all);
}

nb::list ascent_of(const std::vector<Vector<std::uint64_t>>& parents, const std::vector<Table<std::int64_t>>& losses,
                   const std::vector<std::pair<std::uint64_t, Limbs>>& start, Limbs most, int most_steps, std::int64_t most_work) {
    ClusterNumbers first;
    for (const auto& [cluster, number] : start) first.emplace_back(cluster, from_limbs(number.first, number.second).units);
    std::vector<std::vector<LargeChoice>> choices(parents.size());
    for (std::size_t v = 0; v < parents.size(); ++v) {
        for (std::size_t at = 0; at < parents[v].shape(0); ++at) {
            choices[v].push_back({parents[v](at), from_limbs(losses[v](at, 0), losses[v](at, 1)).units});
        }
    }
    ClusterNumbers found;
    {
        const Unlocked unlocked;
        found = ascend(choices, first, from_limbs(most.first, most.second).units, most_steps, most_work);
    }
    nb::list numbers;
    for (const auto& [cluster, value] : found) numbers.append(nb::make_tuple(cluster, to_int(Fixed{value})));
    return numbers;
}

Bits bits_of(const nb::int_& set) {
    Bits bits{};
    for (const int v : set_of(set)) bits[v / 64] |= std::uint64_t{1} << (v % 64);
    return bits;
}

nb::object int_of(const Bits& bits) {
    nb::object found = nb::int_(0);
    for (std::size_t w = bits.size(); w-- > 0;) found = (found << nb::int_(64)) | nb::int_(bits[w]);
    return found;
}

nb::list clusters_of(int variables, const std::vector<int>& children, const std::vector<nb::int_>& parents,
                     const std::vector<double>& shares, double least_lack, std::size_t most) {
    std::vector<Share> own;
    for (std::size_t at = 0; at < children.size(); ++at) own.push_back({children[at], bits_of(parents[at]), shares[at]});
    std::vector<Bits> found;
    {
        const Unlocked unlocked;
        found = violated_clusters(variables, own, least_lack, most);
    }
    nb::list sets;
    for (const Bits& cluster : found) sets.append(int_of(cluster));
    return sets;
}

}  // namespace

void bind_optimum(nb::module_& m) {
    nb::class_<CandidateSearch>(m, "CandidateSearch", "Finds the parent sets that score more than all their subsets.")
        .def(nb::new_(&candidate_search), nb::arg("scores"), nb::arg("allowed").none(), nb::arg("required"),
             nb::arg("most_parents"), nb::arg("most_scored"), nb::arg("most_found"), nb::arg("slack") = Limbs{0, 0})
        .def("go_on",
             [](CandidateSearch& search, double seconds) {
                 const Unlocked unlocked;
                 return search.go_on(seconds);
             },
             nb::arg("seconds"), "Go on for so many seconds; whether it has ended.")
        .def_prop_ro("complete", &CandidateSearch::complete, "Whether no set was left out for want of room.")
        .def_prop_ro("found_too_many", &CandidateSearch::found_too_many, "Whether the number of candidates has ended it.")
        .def_prop_ro("level", &CandidateSearch::level, "Parents of the sets that were looked at last.")
        .def_prop_ro("scored", &CandidateSearch::scored, "Number of sets that were scored.")
        .def_prop_ro("found", &CandidateSearch::found, "Number of candidates of all children.")
        .def("candidates", &candidates_of, nb::arg("child"),
             "Sizes [m] of the sets, their members one set after the other, and limbs [m, 2] of the gains over no parents.")
        .def("most_beyond",
             [](CandidateSearch& search, int child, double nanoseconds) -> nb::object {
                 std::optional<Wide> most;
                 {
                     const Unlocked unlocked;
                     most = search.most_beyond(child, nanoseconds);
                 }
                 return most ? to_int(Fixed{*most}) : nb::none();
             },
             nb::arg("child"), nb::arg("nanoseconds"),
             "What a child gains at most with more parents than were looked at; None: unknown. Looser with less time.");
    m.def("best_of_candidates", &best_of_candidates_of, nb::arg("search"), nb::arg("variables"), nb::arg("most_places"),
          "The parents of each variable in the first best DAG of candidate sets, the number of components, and whether no other "
          "DAG is as good; None: a component has more variables, or best DAGs have too many orders.");
    m.def("best_dags", &best_dags_of, nb::arg("parents"), nb::arg("losses"), nb::arg("ranks"), nb::arg("most_dags"),
          nb::arg("most_steps"),
          "By dynamic programming over subsets: the least loss, the first best DAG by the ranks of choices, best DAGs as places "
          "of choices, and whether these are all.");
    m.attr("MOST_IN_LATTICE") = MOST_IN_LATTICE;
    m.def("near_dags", &near_dags_of, nb::arg("parents"), nb::arg("losses"), nb::arg("within"), nb::arg("most_dags"),
          "By dynamic programming over subsets: the least loss, the loss up to which all DAGs are listed, these as places of "
          "choices [m, n], and limbs [m, 2] of their losses.");
    m.def("violated_clusters", &clusters_of, nb::arg("variables"), nb::arg("children"), nb::arg("parents"),
          nb::arg("shares"), nb::arg("least_lack"), nb::arg("most"),
          "Clusters in which a fractional solution has less than one member without a parent in it, the worst first.");
    m.def("ascend", &ascent_of, nb::arg("parents"), nb::arg("losses"), nb::arg("start"), nb::arg("most"),
          nb::arg("most_steps"), nb::arg("most_work"), "Clusters and numbers that bound the loss of all DAGs, without a solver.");
    m.attr("MOST_IN_ASCENT") = MOST_IN_ASCENT;
    m.attr("MOST_IN_CLUSTERS") = MOST_IN_CLUSTERS;
}

}  // namespace stablebn
