// Bindings for tests of independence: conversions only. The interpreter lock is released around all work.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "incomplete_scores/available_columns.hpp"
#include "bindings/binding.hpp"
#include "ci_tests/contingency.hpp"
#include "ci_tests/contingency_walk.hpp"
#include "ci_tests/correlation.hpp"
#include "counting/counts.hpp"
#include "ci_tests/subsets.hpp"
#include "numeric/p_values.hpp"

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

/// Statistics, degrees of freedom and p-values [candidates, 3].
template <class Test>
nb::ndarray<nb::numpy, double> outcomes(const Test& test, int x, const Variables& given, const Variables& candidates) {
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
                             double most_information, const CriticalValues* critical) {
    const Enough enough{.most_information = most_information, .spared = {.critical = critical, .great = true}};
    std::vector<double> found;
    for (const Outcome& outcome : test.outcomes(x, given, candidates, enough)) found.push_back(outcome.p_value);
    return found;
}

/// Number of candidates tested until one depends on x, or all are tested; and whether the last one depends.
std::pair<std::size_t, bool> until_dependent(const ContingencyTest& test, int x, const Variables& given,
                                             const Variables& candidates, double alpha, double most_information,
                                             const CriticalValues& critical) {
    const auto found = test.outcomes(x, given, candidates, {most_information, alpha, {&critical, true, true}});
    return {found.size(), !found.empty() && found.back().p_value <= alpha};
}

std::optional<std::pair<Variables, std::int64_t>> inseparable(const ContingencyTest& test, int x,
                                                              const Variables& among, int most_given, double alpha,
                                                              const CriticalValues& critical) {
    auto found = test.inseparable(x, among, most_given, alpha, critical);
    if (!found) return std::nullopt;
    return std::pair{std::move(found->variables), found->tests};
}

/// The tail probabilities of some statistics.
template <double (*tail)(double, double)>
nb::ndarray<nb::numpy, double> tails(const Numbers& statistics, const Numbers& df) {
    if (statistics.size() != df.size()) throw nb::value_error("as many statistics as degrees of freedom");
    std::vector<double> found(statistics.size());
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = tail(statistics.data()[i], df.data()[i]);
    return array_of(std::move(found), {statistics.size()});
}

CorrelationStatistic correlation_statistic(const std::string& name) {
    if (name == "student") return CorrelationStatistic::student;
    if (name == "fisher") return CorrelationStatistic::fisher;
    if (name == "information") return CorrelationStatistic::information;
    throw std::invalid_argument("no statistic of correlations is called " + name);
}

}  // namespace

void bind_independence(nb::module_& m) {
    m.def("chi_square_tails", &tails<chi_square_tail>, "statistics"_a, "df"_a,
          "P-values of chi-square statistics, down to the least double.");
    m.def("student_tails", &tails<student_tail>, "correlations"_a, "df"_a, "P-values of correlations by Student's t test.");
    m.def("normal_tail", &normal_tail, "z"_a, "How likely a standard normal number is at least so far from 0.");

    nb::class_<SubsetCursor>(m, "SubsetCursor", "The subsets of a pool of variables, one after the other.")
        .def(nb::init<Variables, int, int, std::vector<bool>>(), "pool"_a, "smallest"_a, "largest"_a,
             "tried"_a = std::vector<bool>{});

    nb::class_<CriticalValues>(m, "CriticalValues", "Where chi-square statistics cease to have p-values above alpha.")
        .def(nb::init<double>(), "alpha"_a)
        .def("__call__",
             [](const CriticalValues& values, double df) {
                 const auto [above, not_above] = values(df);
                 return std::pair{above, not_above};
             },
             "df"_a, "A statistic whose p-value is above alpha, and a greater one whose p-value is not.");

    nb::class_<ContingencyTest>(m, "ContingencyTest", "A test of independence of categorical variables.")
        .def("__init__",
             [](ContingencyTest* self, std::shared_ptr<Counts> counts, bool pearson, bool adjust, double rows_a_cell,
                const NumberMatrix& alone) {
                 const TestRule rule{pearson ? Statistic::x2 : Statistic::g2, adjust, rows_a_cell};
                 auto known = copied(alone);
                 unlocked([&] { new (self) ContingencyTest(std::move(counts), rule, std::move(known)); });
             },
             "counts"_a, "pearson"_a, "adjust"_a, "rows_a_cell"_a, "alone"_a)
        .def("outcomes", &outcomes<ContingencyTest>, "x"_a, "given"_a, "candidates"_a)
        .def("p_values", &p_values, "x"_a, "given"_a, "candidates"_a, "most_information"_a,
             "critical"_a.none(), WithoutLock())
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

    nb::class_<CorrelationTest>(m, "CorrelationTest", "A test of the partial correlation, from sums of cross-products.")
        .def("__init__",
             [](CorrelationTest* self, const NumberMatrix& matrix, const std::string& statistic, std::int64_t total) {
                 new (self) CorrelationTest(copied(matrix), correlation_statistic(statistic), total);
             },
             "matrix"_a, "statistic"_a, "total"_a)
        .def("outcomes", &outcomes<CorrelationTest>, "x"_a, "given"_a, "candidates"_a)
        .def("p_values",
             [](const CorrelationTest& test, int x, const Variables& given, const Variables& candidates, double alpha) {
                 return test.p_values(x, given, candidates, alpha);
             },
             "x"_a, "given"_a, "candidates"_a, "alpha"_a, WithoutLock());

    nb::class_<AvailableCorrelationTest>(m, "AvailableCorrelationTest",
                                         "A test of the partial correlation on the rows in which all variables are known.")
        .def("__init__",
             [](AvailableCorrelationTest* self, std::shared_ptr<AvailableColumns> columns, const std::string& statistic,
                int threads) {
                 new (self) AvailableCorrelationTest(std::move(columns), correlation_statistic(statistic),
                                                     Pool::with_threads(threads));
             },
             "columns"_a, "statistic"_a, "threads"_a = 1)
        .def("outcomes", &outcomes<AvailableCorrelationTest>, "x"_a, "given"_a, "candidates"_a);

    nb::class_<CorrelationWalk>(m, "CorrelationWalk", "A walk over subsets, in search of one that separates x and y; it keeps its place.")
        .def(nb::init<std::shared_ptr<CorrelationTest>, int, int, Variables, SubsetCursor, double, bool>(), "test"_a,
             "x"_a, "y"_a, "always"_a, "subsets"_a, "alpha"_a, "know_all"_a)
        .def("advance", &CorrelationWalk::advance, "most"_a, WithoutLock())
        .def_prop_ro("found", &CorrelationWalk::found)
        .def_prop_ro("tests", &CorrelationWalk::tests)
        .def_prop_ro("p_value", &CorrelationWalk::p_value)
        .def_prop_ro("subset", &CorrelationWalk::subset);
}

}  // namespace stablebn
