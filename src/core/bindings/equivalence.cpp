// Bindings for the search among equivalence classes.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>
#include <utility>

#include "bindings/binding.hpp"
#include "search/equivalence_search.hpp"

namespace stablebn {

namespace {

std::vector<BitSet> bit_sets(const std::vector<nb::int_>& masks) {
    std::vector<BitSet> sets;
    for (const auto& mask : masks) {
        BitSet own(static_cast<int>(masks.size()));
        for (const int v : set_of(mask)) own.add(v);
        sets.push_back(std::move(own));
    }
    return sets;
}

std::vector<std::vector<int>> lists(const std::vector<BitSet>& sets) {
    std::vector<std::vector<int>> found;
    for (const auto& own : sets) found.push_back(own.members());
    return found;
}

std::shared_ptr<EquivalenceSearch> equivalence_search(std::shared_ptr<FamilyScores> scores, std::vector<int> order,
                                                      const std::vector<nb::int_>& start, int most_parents,
                                                      const std::optional<std::vector<nb::int_>>& allowed,
                                                      const std::optional<std::vector<nb::int_>>& required,
                                                      std::optional<std::vector<int>> limits) {
    std::vector<VariableSet> parents;
    for (const auto& own : start) parents.push_back(set_of(own));
    std::optional<ClassConstraints> constraints;
    if (allowed) {
        constraints = ClassConstraints{bit_sets(*allowed), bit_sets(required.value()), std::move(limits.value())};
    }
    return std::make_shared<EquivalenceSearch>(std::move(scores), std::move(order), parents, most_parents,
                                               std::move(constraints));
}

/// Check signals, and call Python's function for the time limit.
std::function<bool()> question(const nb::callable& time_is_up) {
    return [&time_is_up] {
        look_at_signals();
        const nb::gil_scoped_acquire acquire;
        return nb::cast<bool>(time_is_up());
    };
}

/// Kind, x, y, others as variables, and the gain.
nb::object operator_of(const EquivalenceSearch& search, const EdgeOperator& own) {
    std::vector<int> others;
    for (const int place : own.others) others.push_back(search.order()[place]);
    return nb::make_tuple(static_cast<int>(own.kind), own.x, own.y, others, to_int(Fixed{own.gain}));
}

}  // namespace

void bind_equivalence(nb::module_& m) {
    nb::class_<EquivalenceSearch>(m, "EquivalenceSearch", "Greedy search through Markov equivalence classes.")
        .def(nb::new_(&equivalence_search), nb::arg("scores"), nb::arg("order"), nb::arg("start"), nb::arg("most_parents"),
             nb::arg("allowed").none() = nb::none(), nb::arg("required").none() = nb::none(),
             nb::arg("limits").none() = nb::none())
        .def("set_partners",
             [](EquivalenceSearch& search, const std::vector<nb::int_>& partners) { search.set_partners(bit_sets(partners)); },
             nb::arg("partners"), "For each variable those to which an insertion may join it.")
        .def("dependent", [](const EquivalenceSearch& search) { return lists(search.dependent()); },
             "For each variable those that improve its score as its only parent.")
        .def("step",
             [](EquivalenceSearch& search, const std::vector<int>& kinds, const nb::callable& time_is_up) -> nb::object {
                 std::vector<EdgeOperator::Kind> wanted;
                 for (const int kind : kinds) wanted.push_back(static_cast<EdgeOperator::Kind>(kind));
                 std::optional<EdgeOperator> made;
                 {
                     const Unlocked unlocked;
                     made = search.step(wanted, question(time_is_up));
                 }
                 return made ? operator_of(search, *made) : nb::none();
             },
             nb::arg("kinds"), nb::arg("time_is_up"),
             "Make the best valid operator that improves the score, of the first kind that has one: 0 deletion, 1 turn, 2 "
             "insertion. Kind, x, y, the others and the gain; None if there is none, or the time is up.")
        .def("list_deletions",
             [](EquivalenceSearch& search, std::size_t tried) {
                 const Unlocked unlocked;
                 search.list_deletions(tried);
             },
             nb::arg("tried") = 0, "List the deletions of the class for `delete_and_search`; so many were tried another time.")
        .def_prop_ro("tried", &EquivalenceSearch::tried, "How many of the listed deletions were tried.")
        .def("delete_and_search",
             [](EquivalenceSearch& search, const nb::callable& time_is_up) {
                 std::vector<EdgeOperator> made;
                 {
                     const Unlocked unlocked;
                     made = search.delete_and_search(question(time_is_up));
                 }
                 nb::list found;
                 for (const auto& own : made) found.append(operator_of(search, own));
                 return found;
             },
             nb::arg("time_is_up"),
             "Make one listed deletion after another and search on, up to the first class with a higher score. The operators "
             "that led there, as of `step`; none if no deletion is left, or the time is up.")
        .def("repeat",
             [](EquivalenceSearch& search, int kind, int x, int y, const std::vector<int>& others) {
                 search.repeat(static_cast<EdgeOperator::Kind>(kind), x, y, others);
             },
             nb::arg("kind"), nb::arg("x"), nb::arg("y"), nb::arg("others"), "Make an operator that was made another time.")
        .def_prop_ro("parents", [](const EquivalenceSearch& search) { return lists(search.graph().parents); },
                     "For each variable those with a directed edge into it.")
        .def_prop_ro("neighbours", [](const EquivalenceSearch& search) { return lists(search.graph().neighbours); },
                     "For each variable those with an undirected edge to it.");
}

}  // namespace stablebn
