// Python's view of candidate parent sets and of what finds the best DAG among them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "binding.hpp"
#include "candidates.hpp"
#include "clusters.hpp"
#include "near_dags.hpp"
#include "subset_search.hpp"

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

/// The choices of each variable: parents as bits, by growing loss, and limbs of the losses.
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

nb::object best_dags_of(const std::vector<std::vector<std::uint32_t>>& parents, const std::vector<Table<std::int64_t>>& losses,
                        std::size_t most_dags, std::int64_t most_steps) {
    const auto choices = choices_of(parents, losses);
    BestDags best;
    {
        const Unlocked unlocked;
        best = best_dags(choices, most_dags, most_steps);
    }
    nb::list usable, dags;
    for (const auto& own : best.usable) {
        nb::list flags;
        for (const auto flag : own) flags.append(static_cast<bool>(flag));
        usable.append(flags);
    }
    for (const auto& dag : best.dags) dags.append(nb::cast(dag));
    return nb::make_tuple(to_int(Fixed{best.loss}), usable, dags, best.are_all);
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
        .def_prop_ro("level", &CandidateSearch::level, "Parents of the sets that were looked at last.")
        .def_prop_ro("scored", &CandidateSearch::scored, "Number of sets that were scored.")
        .def("candidates", &candidates_of, nb::arg("child"),
             "Sizes [m] of the sets, their members one set after the other, and limbs [m, 2] of the gains over no parents.")
        .def("most_beyond",
             [](CandidateSearch& search, int child) -> nb::object {
                 std::optional<Wide> most;
                 {
                     const Unlocked unlocked;
                     most = search.most_beyond(child);
                 }
                 return most ? to_int(Fixed{*most}) : nb::none();
             },
             nb::arg("child"), "What a child gains at most with more parents than were looked at; None: unknown.");
    m.def("best_dags", &best_dags_of, nb::arg("parents"), nb::arg("losses"), nb::arg("most_dags"), nb::arg("most_steps"),
          "By dynamic programming over subsets: the least loss, which choices some best DAG has, best DAGs as places of "
          "choices, and whether these are all.");
    m.def("near_dags", &near_dags_of, nb::arg("parents"), nb::arg("losses"), nb::arg("within"), nb::arg("most_dags"),
          "By dynamic programming over subsets: the least loss, the loss up to which all DAGs are listed, these as places of "
          "choices [m, n], and limbs [m, 2] of their losses.");
    m.def("violated_clusters", &clusters_of, nb::arg("variables"), nb::arg("children"), nb::arg("parents"),
          nb::arg("shares"), nb::arg("least_lack"), nb::arg("most"),
          "Clusters in which a fractional solution has less than one member without a parent in it, the worst first.");
    m.attr("MOST_IN_CLUSTERS") = MOST_IN_CLUSTERS;
}

}  // namespace stablebn
