// Tests of independence, for Python: conversions only. The interpreter's lock is released around all work.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "contingency.hpp"
#include "contingency_walk.hpp"
#include "correlation.hpp"
#include "counts.hpp"
#include "subsets.hpp"
#include "tail.hpp"

namespace stablebn {

using namespace nb::literals;

namespace {

using Numbers = Vector<double>;
using NumberMatrix = Table<double>;
using Variables = std::vector<int>;
using WithoutLock = nb::call_guard<Unlocked>;

Matrix<double> copied(const NumberMatrix& matrix) {
    Matrix<double> own(matrix.shape(0), matrix.shape(1));
    std::copy_n(matrix.data(), matrix.size(), own.data());
    return own;
}

template <class Work>
auto unlocked(Work&& work) {
    const Unlocked others_may;
    return work();
}

nb::ndarray<nb::numpy, double> outcomes(const ContingencyTest& test, int x, const Variables& given, const Variables& candidates) {
    auto numbers = unlocked([&] {
        std::vector<double> flat;
        for (const Outcome& found : test.outcomes(x, given, candidates)) {
            flat.insert(flat.end(), {found.statistic, found.df, found.p_value});
        }
        return flat;
    });
    const std::size_t rows = numbers.size() / 3;
    return array_of(std::move(numbers), {rows, 3});
}

std::vector<double> p_values(const ContingencyTest& test, int x, const Variables& given, const Variables& candidates,
                             double most_information) {
    std::vector<double> found;
    for (const Outcome& outcome : test.outcomes(x, given, candidates, {.most_information = most_information})) {
        found.push_back(outcome.p_value);
    }
    return found;
}

/// How many candidates were tested until one depends on x, or all are; and whether the last one does.
std::pair<std::size_t, bool> until_dependent(const ContingencyTest& test, int x, const Variables& given,
                                             const Variables& candidates, double alpha, double most_information,
                                             const CriticalValues& critical) {
    const auto found = test.outcomes(x, given, candidates, {most_information, alpha, &critical});
    return {found.size(), !found.empty() && found.back().p_value <= alpha};
}

std::optional<std::pair<Variables, std::int64_t>> inseparable(const ContingencyTest& test, int x,
                                                              const Variables& among, int most_given, double alpha,
                                                              const CriticalValues& critical) {
    auto found = test.inseparable(x, among, most_given, alpha, &critical);
    if (!found) return std::nullopt;
    return std::pair{std::move(found->variables), found->tests};
}

/// What Cython calls a function that takes two numbers, and a flag of its own.
constexpr const char* TYPE_OF_TAIL = "double (double, double, int __pyx_skip_dispatch)";

ChiSquareTail tail_of(const nb::capsule& chdtrc) {
    if (!PyCapsule_IsValid(chdtrc.ptr(), TYPE_OF_TAIL)) throw nb::value_error("chdtrc of scipy.special.cython_special");
    return ChiSquareTail(reinterpret_cast<ChiSquareTail::Function*>(chdtrc.data()));
}

nb::ndarray<nb::numpy, double> tail_p_values(const ChiSquareTail& tail, const Numbers& statistics, const Numbers& df) {
    if (statistics.size() != df.size()) throw nb::value_error("as many statistics as degrees of freedom");
    auto found = unlocked([&] {
        std::vector<double> p_values(statistics.size());
        for (std::size_t i = 0; i < p_values.size(); ++i) p_values[i] = tail(statistics.data()[i], df.data()[i]);
        return p_values;
    });
    return array_of(std::move(found), {statistics.size()});
}

}  // namespace

void bind_independence(nb::module_& m) {
    nb::class_<ChiSquareTail>(m, "ChiSquareTail", "The upper tail of the chi-square distribution.")
        .def("__init__", [](ChiSquareTail* self, const nb::capsule& chdtrc) { new (self) ChiSquareTail(tail_of(chdtrc)); },
             "chdtrc"_a)
        .def("p_values", &tail_p_values, "statistics"_a, "df"_a);

    nb::class_<SubsetCursor>(m, "SubsetCursor", "The subsets of a pool of variables, one after the other.")
        .def(nb::init<Variables, int, int, std::vector<bool>>(), "pool"_a, "smallest"_a, "largest"_a,
             "tried"_a = std::vector<bool>{});

    nb::class_<CriticalValues>(m, "CriticalValues", "By degrees of freedom, a statistic above which the p-value need not be known.")
        .def("__init__",
             [](CriticalValues* self, const Numbers& values) {
                 new (self) CriticalValues({values.data(), values.data() + values.size()});
             },
             "values"_a);

    nb::class_<ContingencyTest>(m, "ContingencyTest", "A test of independence of categorical variables.")
        .def("__init__",
             [](ContingencyTest* self, std::shared_ptr<Counts> counts, bool pearson, bool adjust, double largest,
                const NumberMatrix& alone, const ChiSquareTail& tail) {
                 const TestRule rule{pearson ? Statistic::x2 : Statistic::g2, adjust, largest};
                 auto known = copied(alone);
                 unlocked([&] {
                     new (self) ContingencyTest(std::move(counts), rule, std::move(known), tail);
                 });
             },
             "counts"_a, "pearson"_a, "adjust"_a, "largest"_a, "alone"_a, "tail"_a)
        .def("outcomes", &outcomes, "x"_a, "given"_a, "candidates"_a)
        .def("p_values", &p_values, "x"_a, "given"_a, "candidates"_a, "most_information"_a, WithoutLock())
        .def("until_dependent", &until_dependent, "x"_a, "given"_a, "candidates"_a, "alpha"_a, "most_information"_a,
             "critical"_a, WithoutLock())
        .def("p_values_given_rest",
             [](const ContingencyTest& test, int x, const Variables& blanket, const Variables& among,
                double stop_above) { return test.p_values_given_rest(x, blanket, among, stop_above); },
             "x"_a, "blanket"_a, "among"_a, "stop_above"_a, WithoutLock())
        .def("inseparable", &inseparable, "x"_a, "among"_a, "most_given"_a, "alpha"_a, "critical"_a, WithoutLock());

    nb::class_<ContingencyWalk>(m, "ContingencyWalk", "A walk over subsets, in search of one that separates x and y; it keeps its place.")
        .def(nb::init<std::shared_ptr<ContingencyTest>, int, int, Variables, SubsetCursor, double,
                      std::shared_ptr<CriticalValues>>(),
             "test"_a, "x"_a, "y"_a, "always"_a, "subsets"_a, "alpha"_a, "critical"_a.none())
        .def("advance", &ContingencyWalk::advance, "most"_a, WithoutLock())
        .def_prop_ro("found", &ContingencyWalk::found)
        .def_prop_ro("tests", &ContingencyWalk::tests)
        .def_prop_ro("p_value", &ContingencyWalk::p_value)
        .def_prop_ro("subset", &ContingencyWalk::subset);

    nb::class_<PartialCorrelations>(m, "PartialCorrelations", "Partial correlations, from sums of cross-products.")
        .def("__init__", [](PartialCorrelations* self,
                            const NumberMatrix& matrix) { new (self) PartialCorrelations(copied(matrix)); }, "matrix"_a)
        .def("given",
             [](const PartialCorrelations& correlations, int x, const Variables& given, const Variables& candidates) {
                 return array_of(unlocked([&] { return correlations.given(x, given, candidates); }), {candidates.size()});
             },
             "x"_a, "given"_a, "candidates"_a);

    nb::class_<CorrelationWalk>(m, "CorrelationWalk", "A walk over subsets, in search of one given which x and y are not clearly dependent.")
        .def(nb::init<std::shared_ptr<PartialCorrelations>, int, int, Variables, SubsetCursor>(), "correlations"_a,
             "x"_a, "y"_a, "always"_a, "subsets"_a)
        .def("advance",
             [](CorrelationWalk& walk, double critical, int most) {
                 const auto steps = walk.advance(critical, most);
                 return std::tuple{steps.tests, steps.unclear, steps.correlation, steps.weakest};
             },
             "critical"_a, "most"_a, WithoutLock())
        .def_prop_ro("ended", &CorrelationWalk::ended)
        .def_prop_ro("given", &CorrelationWalk::given)
        .def_prop_ro("subset", &CorrelationWalk::subset);
}

}  // namespace stablebn
