// Python's view of candidate parent sets and of what finds the best DAG among them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>

#include "binding.hpp"
#include "candidates.hpp"

namespace stablebn {

namespace {

std::shared_ptr<CandidateSearch> candidate_search(std::shared_ptr<FamilyScores> scores,
                                                  const std::optional<std::vector<nb::int_>>& allowed,
                                                  std::vector<int> most_parents, std::int64_t most_scored) {
    Matrix<std::uint8_t> may;
    if (allowed) {
        may = Matrix<std::uint8_t>(allowed->size(), allowed->size());
        for (std::size_t v = 0; v < allowed->size(); ++v) {
            for (const int u : set_of((*allowed)[v])) may(v, u) = 1;
        }
    }
    return std::make_shared<CandidateSearch>(std::move(scores), std::move(may), std::move(most_parents), most_scored);
}

nb::object candidates_of(const CandidateSearch& search, int child) {
    std::vector<std::int64_t> sizes, members;
    std::vector<Fixed> gains;
    for (const Candidate& own : search.candidates(child)) {
        sizes.push_back(static_cast<std::int64_t>(own.parents.size()));
        members.insert(members.end(), own.parents.begin(), own.parents.end());
        gains.push_back(to_fixed(own.gain));
    }
    const std::size_t count = sizes.size(), all = members.size();
    return nb::make_tuple(array_of(std::move(sizes), {count}), array_of(std::move(members), {all}), limbs_of(gains, {count}));
}

}  // namespace

void bind_optimum(nb::module_& m) {
    nb::class_<CandidateSearch>(m, "CandidateSearch", "Finds the parent sets that score more than all their subsets.")
        .def(nb::new_(&candidate_search), nb::arg("scores"), nb::arg("allowed").none(), nb::arg("most_parents"),
             nb::arg("most_scored"))
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
                 return most ? to_int(to_fixed(*most)) : nb::none();
             },
             nb::arg("child"), "What a child gains at most with more parents than were looked at; None: unknown.");
}

}  // namespace stablebn
