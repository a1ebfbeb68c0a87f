// Python's view of the statistics of a categorical table.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>

#include "available_columns.hpp"
#include "binding.hpp"
#include "counts.hpp"
#include "distinct_rows.hpp"

namespace stablebn {

namespace {

using Codes = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

int bytes_of(const Codes& codes) {
    const auto type = codes.dtype();
    if (type == nb::dtype<std::uint8_t>()) return 1;
    if (type == nb::dtype<std::uint16_t>()) return 2;
    if (type == nb::dtype<std::int32_t>()) return 4;
    throw std::invalid_argument("codes must be uint8, uint16 or int32");
}

/// The rows of an array [n, rows] of codes.
Rows rows_of(const Codes& codes, std::vector<int> levels, const std::optional<Vector<std::int64_t>>& weights) {
    Rows rows;
    rows.count = codes.shape(1);
    const int bytes = bytes_of(codes);
    for (std::size_t v = 0; v < codes.shape(0); ++v) {
        rows.columns.push_back({static_cast<const char*>(codes.data()) + v * rows.count * bytes, bytes});
    }
    rows.levels = std::move(levels);
    rows.total = static_cast<std::int64_t>(rows.count);
    if (weights) {
        rows.weights = span_of(*weights);
        rows.total = std::accumulate(rows.weights.begin(), rows.weights.end(), std::int64_t{0});
    }
    return rows;
}

std::shared_ptr<Counts> counts_of(const Codes& codes, std::vector<int> levels,
                                  const std::optional<Vector<std::int64_t>>& weights, int threads,
                                  CountingLimits limits, std::vector<bool> holes) {
    using Arrays = std::pair<Codes, std::optional<Vector<std::int64_t>>>;
    // The arrays live as long as the counts; whoever lets them go last must hold the interpreter's lock.
    const std::shared_ptr<const void> owner(new Arrays(codes, weights), [](const void* arrays) {
        const nb::gil_scoped_acquire acquire;
        delete static_cast<const Arrays*>(arrays);
    });
    Rows rows = rows_of(codes, std::move(levels), weights);
    rows.holes = std::move(holes);
    const Unlocked unlocked;
    return std::make_shared<Counts>(std::move(rows), owner, Pool::with_threads(threads), limits);
}

std::shared_ptr<AvailableColumns> available_columns(const Table<std::int64_t>& values,
                                                    const std::optional<Vector<std::int64_t>>& weights, int places) {
    const auto view = view_of(values);
    auto own = Matrix<std::int64_t>::unwritten(view.rows, view.columns);
    std::copy_n(view.data, view.rows * view.columns, own.data());
    const auto times = weights ? span_of(*weights) : std::span<const std::int64_t>();
    return std::make_shared<AvailableColumns>(std::move(own), std::vector(times.begin(), times.end()), places);
}

template <class Code>
std::shared_ptr<DistinctRows> distinct_rows_of(const Table<Code>& codes,
                                               const std::optional<Vector<std::int64_t>>& weights) {
    const auto all = view_of(codes);
    const auto times = weights ? span_of(*weights) : std::span<const std::int64_t>();
    const nb::gil_scoped_release release;
    return distinct_rows(all, times);
}

nb::object as_array(std::vector<std::int64_t> counts) {
    const std::size_t size = counts.size();
    return nb::cast(array_of(std::move(counts), {size}));
}

}  // namespace

void bind_statistics(nb::module_& m) {
    nb::class_<CountingLimits>(m, "CountingLimits", "What is quicker, and what is too much; tests force paths with it.")
        .def(nb::init<>())
        .def_rw("bits_cost", &CountingLimits::bits_cost)
        .def_rw("histogram_cost", &CountingLimits::histogram_cost)
        .def_rw("most_configurations", &CountingLimits::most_configurations)
        .def_rw("most_cells", &CountingLimits::most_cells)
        .def_rw("most_bytes", &CountingLimits::most_bytes)
        .def_rw("most_levels", &CountingLimits::most_levels)
        .def_rw("most_cells_for_bits", &CountingLimits::most_cells_for_bits);

    nb::class_<AvailableColumns>(m, "AvailableColumns", "Continuous columns with holes, standardised and in fixed point.")
        .def(nb::new_(&available_columns), nb::arg("values"), nb::arg("weights").none(), nb::arg("places"))
        .def_ro_static("HOLE", &AvailableColumns::HOLE)
        .def("correlations",
             [](const AvailableColumns& columns, const std::vector<int>& variables) {
                 Correlations found;
                 {
                     const Unlocked unlocked;
                     found = columns.correlations(variables);
                 }
                 std::vector<double> entries(found.entries.data(), found.entries.data() + variables.size() * variables.size());
                 return nb::make_tuple(found.rows, array_of(std::move(entries), {variables.size(), variables.size()}));
             },
             nb::arg("variables"), "The rows, by weight, in which some variables are known, and their correlations there.")
        .def("reordered",
             [](const AvailableColumns& columns, const std::vector<int>& order) { return columns.reordered(order); },
             nb::arg("order"), "The same columns, renumbered so that new i is old order[i].")
        .def("rounded", &AvailableColumns::rounded, "The same columns, with correlations in steps of 2**-34.");

    nb::class_<Counts>(m, "Counts", "Integer contingency counts of any set of a table's variables.")
        .def(nb::new_(&counts_of), nb::arg("codes"), nb::arg("levels"), nb::arg("weights").none() = nb::none(),
             nb::arg("threads") = 1, nb::arg("limits") = CountingLimits{}, nb::arg("holes") = std::vector<bool>{})
        .def_prop_ro("n", &Counts::variables)
        .def_prop_ro("total", &Counts::total)
        .def_prop_ro("threads", [](const Counts& counts) { return counts.pool().size(); })
        .def_prop_ro("levels", [](const Counts& counts) { return counts.rows().levels; })
        .def("reordered",
             [](Counts& counts, const std::vector<int>& order) {
                 const Unlocked unlocked;
                 return counts.reordered(order);
             },
             nb::arg("order"), "The counts of the same variables, renumbered so that new i is old order[i].")
        .def("cells",
             [](const Counts& counts, const std::vector<int>& variables) { return as_array(counts.cells(variables)); },
             nb::arg("variables"), "The positive counts of the joint table of some variables, in no particular order.")
        .def("table",
             [](Counts& counts, const nb::int_& set) -> nb::object {
                 const VariableSet members = set_of(set);
                 std::shared_ptr<const JointTable> table;
                 {
                     const Unlocked unlocked;
                     table = counts.table(members);
                 }
                 if (!table) return nb::none();
                 const auto& own = table->counts;
                 std::vector<std::int32_t> cells(own.data(), own.data() + own.rows() * own.columns());
                 return nb::make_tuple(as_array(table->sizes), array_of(std::move(cells), {own.rows(), own.columns()}));
             },
             nb::arg("variables"),
             "Sizes [K] and counts [L, K] of the joint table of a set; None where it would be too large.")
        .def("first", &Counts::first, nb::arg("v"), "Where the levels of a variable start in joint tables, or -1.");

    nb::class_<DistinctRows>(m, "DistinctRows", "The distinct rows of a table: which columns can be exchanged.")
        .def(nb::new_(&distinct_rows_of<std::uint8_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def(nb::new_(&distinct_rows_of<std::uint16_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def(nb::new_(&distinct_rows_of<std::int32_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def(nb::new_(&distinct_rows_of<std::uint64_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def_prop_ro("columns", &DistinctRows::columns)
        .def_prop_ro("rows", &DistinctRows::rows)
        .def("colours",
             [](const DistinctRows& rows, const std::vector<std::int64_t>& classes, const std::vector<int>& wanted) {
                 const nb::gil_scoped_release release;
                 return rows.colours(classes, wanted);
             },
             nb::arg("classes"), nb::arg("wanted"), "A colour for each wanted column from the classes of all.")
        .def("exchangeable",
             [](const DistinctRows& rows, int u, int v) {
                 const nb::gil_scoped_release release;
                 return rows.exchangeable(u, v);
             },
             nb::arg("u"), nb::arg("v"), "Whether the table stays the same if two columns change places.")
        .def("certificate",
             [](const DistinctRows& rows, const std::vector<int>& order) {
                 const nb::gil_scoped_release release;
                 return rows.certificate(order);
             },
             nb::arg("order"), "A hash of the table with its columns in this order.")
        .def("same",
             [](const DistinctRows& rows, const std::vector<int>& order, const std::vector<int>& other) {
                 const nb::gil_scoped_release release;
                 return rows.same(order, other);
             },
             nb::arg("order"), nb::arg("other"), "Whether the table is the same with its columns in either order.");

    m.def(
        "configuration_sizes",
        [](const Codes& codes, const std::vector<int>& levels, const std::optional<Vector<std::int64_t>>& weights) {
            const Rows rows = rows_of(codes, levels, weights);
            std::vector<int> all(levels.size());
            std::iota(all.begin(), all.end(), 0);
            const auto groups = configurations(rows, all);
            const auto size = static_cast<std::size_t>(states(rows, all));
            return as_array(group_sizes(std::span<const std::uint16_t>(groups), size, rows.weights));
        },
        nb::arg("codes"), nb::arg("levels"), nb::arg("weights").none() = nb::none(),
        "Rows of every configuration of all variables, of which there are at most 2**16.");
}

}  // namespace stablebn
