// Bindings for the statistics of categorical and mixed tables.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <memory>
#include <numeric>
#include <optional>

#include "incomplete_scores/available_columns.hpp"
#include "bindings/binding.hpp"
#include "mixed_scores/conditional_gaussian.hpp"
#include "counting/counts.hpp"
#include "table/distinct_rows.hpp"
#include "incomplete_scores/node_average_mixed.hpp"

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

/// Bits of all levels of variables without too many levels, stored earlier.
MatrixView<const Word> packed_levels_of(const Table<Word>& packed, const Rows& rows, int most_levels) {
    std::size_t height = 0;
    for (const int levels : rows.levels) height += levels > most_levels ? 0 : static_cast<std::size_t>(levels);
    if (packed.shape(0) != height || packed.shape(1) != (rows.count + WORD - 1) / WORD) {
        throw std::invalid_argument("packed levels must be those of the rows");
    }
    return view_of(packed);
}

/// Return freed memory to the system: it stays with the threads otherwise, and many threads run passes.
void give_memory_back() {
#ifdef __GLIBC__
    const Unlocked unlocked;
    malloc_trim(0);
#endif
}

/// The rows of each level as bits, [levels, words].
nb::ndarray<nb::numpy, Word> pack_levels(const Codes& codes, int levels) {
    if (codes.shape(0) != 1) throw std::invalid_argument("levels are packed one column at a time");
    const Column column{codes.data(), bytes_of(codes)};
    const std::size_t rows = codes.shape(1), words = (rows + WORD - 1) / WORD;
    std::vector<Word> bits(static_cast<std::size_t>(levels) * words);
    {
        const Unlocked unlocked;
        pack(column, rows, levels, bits.data());
    }
    return array_of(std::move(bits), {static_cast<std::size_t>(levels), words});
}

std::shared_ptr<Counts> counts_of(const Codes& codes, std::vector<int> levels,
                                  const std::optional<Vector<std::int64_t>>& weights, int threads,
                                  CountingLimits limits, std::vector<bool> holes,
                                  const std::optional<Table<Word>>& packed) {
    using Arrays = std::tuple<Codes, std::optional<Vector<std::int64_t>>, std::optional<Table<Word>>>;
    // The arrays live as long as the counts; the last owner must hold the interpreter lock when releasing them.
    const std::shared_ptr<const void> owner(new Arrays(codes, weights, packed), [](const void* arrays) {
        const nb::gil_scoped_acquire acquire;
        delete static_cast<const Arrays*>(arrays);
    });
    Rows rows = rows_of(codes, std::move(levels), weights);
    rows.holes = std::move(holes);
    if (packed) rows.packed = packed_levels_of(*packed, rows, limits.most_levels);
    const Unlocked unlocked;
    return std::make_shared<Counts>(std::move(rows), owner, Pool::with_threads(threads), limits);
}

using Crossings = std::vector<std::pair<Table<std::int32_t>, Vector<std::int32_t>>>;
using Listings = std::vector<std::vector<int>>;
using Summings = std::vector<std::tuple<std::vector<int>, int, int>>;

/// Wide integers are passed to Python as three limbs, the last one signed: they can be added many times.
constexpr int LIMB = 40;
constexpr int LIMBS = 3;

void append_limbs(Wide value, std::vector<std::int64_t>& limbs) {
    constexpr Wide mask = (Wide{1} << LIMB) - 1;
    limbs.push_back(static_cast<std::int64_t>(value & mask));
    limbs.push_back(static_cast<std::int64_t>(value >> LIMB & mask));
    limbs.push_back(static_cast<std::int64_t>(value >> 2 * LIMB));
}

Wide from_limbs(const std::int64_t* limbs) {
    return static_cast<Wide>(limbs[0]) + (static_cast<Wide>(limbs[1]) << LIMB) + (static_cast<Wide>(limbs[2]) << 2 * LIMB);
}

/// A RowSource implemented by a Python object, whose method `count(crossings, listings)` returns what `Counts.answer`
/// does.
class PythonSource : public RowSource {
public:
    explicit PythonSource(nb::object object) : object_(std::move(object)) {}
    ~PythonSource() override {
        const nb::gil_scoped_acquire acquire;
        object_.reset();
    }

protected:
    Answers answer(const Questions& questions) override {
        const nb::gil_scoped_acquire acquire;
        nb::list crossings, listings;
        for (const auto& [configurations, levels] : questions.crossings) {
            std::vector<std::int32_t> own(configurations.data(), configurations.data() + configurations.rows() * configurations.columns());
            crossings.append(nb::make_tuple(array_of(std::move(own), {configurations.rows(), configurations.columns()}),
                                            array_of(std::vector<std::int32_t>(levels.begin(), levels.end()), {levels.size()})));
        }
        for (const auto& listing : questions.listings) listings.append(nb::cast(listing.variables));
        nb::list summings;
        for (const auto& [variables, x, y] : questions.summings) summings.append(nb::make_tuple(nb::cast(variables), x, y));
        const nb::object found = object_.attr("count")(crossings, listings, summings);
        Answers answers;
        for (const nb::handle one : found[0]) {
            const auto counts = nb::cast<Table<std::int64_t>>(one);
            const auto view = view_of(counts);
            auto& own = answers.crossed.emplace_back(view.rows, view.columns);
            std::copy_n(view.data, view.rows * view.columns, own.data());
        }
        for (const nb::handle one : found[1]) {
            const auto keys = nb::cast<Table<std::uint64_t>>(one[0]);
            const auto counts = nb::cast<Vector<std::int64_t>>(one[1]);
            const auto view = view_of(keys);
            const auto sizes = span_of(counts);
            answers.listed.push_back({{view.data, view.data + view.rows * view.columns}, {sizes.begin(), sizes.end()}});
        }
        for (const nb::handle one : found[2]) {
            const auto keys = nb::cast<Table<std::uint64_t>>(one[0]);
            // [k, 2, limbs] of sums and products.
            const auto limbs = nb::cast<nb::ndarray<const std::int64_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>>(one[1]);
            const auto view = view_of(keys);
            Summed own{{view.data, view.data + view.rows * view.columns}, {}, {}};
            for (std::size_t d = 0; d < view.rows; ++d) {
                own.sums.push_back(from_limbs(limbs.data() + 2 * d * LIMBS));
                own.products.push_back(from_limbs(limbs.data() + (2 * d + 1) * LIMBS));
            }
            answers.summed.push_back(std::move(own));
        }
        if (answers.crossed.size() != questions.crossings.size() || answers.listed.size() != questions.listings.size() ||
            answers.summed.size() != questions.summings.size()) {
            throw std::runtime_error("a source of rows has not answered every question");
        }
        return answers;
    }

private:
    nb::object object_;
};

std::shared_ptr<Counts> counts_of_source(nb::object source, std::vector<int> levels, std::int64_t total, int threads,
                                         CountingLimits limits, std::vector<bool> holes) {
    Rows rows;
    rows.count = static_cast<std::size_t>(total);
    rows.total = total;
    rows.columns.resize(levels.size());
    rows.levels = std::move(levels);
    rows.holes = std::move(holes);
    std::shared_ptr<RowSource> asked = std::make_shared<PythonSource>(std::move(source));
    const Unlocked unlocked;
    return Counts::of_source(std::move(rows), std::move(asked), Pool::with_threads(threads), limits);
}

nb::object answer(const Counts& counts, const Crossings& crossings, const Listings& listings, const Summings& summings,
                  const std::optional<Table<std::int64_t>>& columns) {
    Questions questions;
    for (const auto& [configurations, levels] : crossings) {
        const auto view = view_of(configurations);
        const auto which = span_of(levels);
        auto& own = questions.crossings.emplace_back();
        own.configurations = Matrix<int>(view.rows, view.columns);
        std::copy_n(view.data, view.rows * view.columns, own.configurations.data());
        own.levels.assign(which.begin(), which.end());
    }
    for (const auto& variables : listings) questions.listings.push_back({variables});
    Answers answers;
    {
        const Unlocked unlocked;
        answers = counts.answer(questions);
        for (const auto& [variables, x, y] : summings) {
            answers.summed.push_back(summed(counts, view_of(columns.value()), {variables, x, y}));
        }
    }
    nb::list crossed, listed, sums;
    for (auto& own : answers.summed) {
        const std::size_t count = own.sums.size();
        const std::size_t words = count ? own.keys.size() / count : 1;
        std::vector<std::int64_t> limbs;
        for (std::size_t d = 0; d < count; ++d) {
            append_limbs(own.sums[d], limbs);
            append_limbs(own.products[d], limbs);
        }
        sums.append(nb::make_tuple(array_of(std::move(own.keys), {count, words}), array_of(std::move(limbs), {count, 2, LIMBS})));
    }
    for (const auto& own : answers.crossed) {
        crossed.append(array_of(std::vector<std::int64_t>(own.data(), own.data() + own.rows() * own.columns()), {own.rows(), own.columns()}));
    }
    for (auto& own : answers.listed) {
        const std::size_t count = own.counts.size();
        const std::size_t words = count ? own.keys.size() / count : 1;
        listed.append(nb::make_tuple(array_of(std::move(own.keys), {count, words}), array_of(std::move(own.counts), {count})));
    }
    return nb::make_tuple(crossed, listed, sums);
}

std::shared_ptr<AvailableColumns> available_columns(const Table<std::int64_t>& values,
                                                    const std::optional<Vector<std::int64_t>>& weights, int places,
                                                    int threads) {
    const auto view = view_of(values);
    auto own = Matrix<std::int64_t>::unwritten(view.rows, view.columns);
    std::copy_n(view.data, view.rows * view.columns, own.data());
    const auto times = weights ? span_of(*weights) : std::span<const std::int64_t>();
    const auto pool = Pool::with_threads(threads);
    const Unlocked unlocked;
    return std::make_shared<AvailableColumns>(std::move(own), std::vector(times.begin(), times.end()), places, *pool);
}

template <class Code>
std::shared_ptr<DistinctRows> distinct_rows_of(const Table<Code>& codes,
                                               const std::optional<Vector<std::int64_t>>& weights) {
    const auto all = view_of(codes);
    const auto times = weights ? span_of(*weights) : std::span<const std::int64_t>();
    const nb::gil_scoped_release release;
    return distinct_rows(all, times);
}

/// Columns [n, rows] in standard units, see `standardise`; means and inverses [n, 2] are sums of two doubles.
nb::object standardised(const Table<double>& values, const std::vector<int>& powers, const Table<double>& means,
                        const Table<double>& inverses, const std::vector<int>& bits, int threads) {
    const auto view = view_of(values);
    std::vector<std::int64_t> out(view.rows * view.columns);
    {
        const Unlocked unlocked;
        // Measured: nanoseconds per value.
        const double cost = 10.0 * static_cast<double>(out.size());
        Pool::with_threads(threads)->share(view.rows, cost, [&](std::size_t v) {
            const Standard standard{powers[v], {means(v, 0), means(v, 1)}, {inverses(v, 0), inverses(v, 1)}, bits[v]};
            standardise(view[v], standard, std::span(out).subspan(v * view.columns, view.columns));
        });
    }
    return nb::cast(array_of(std::move(out), {view.rows, view.columns}));
}

std::shared_ptr<ConditionalGaussian> conditional_gaussian(std::shared_ptr<Counts> counts,
                                                          const Table<std::int64_t>& columns, int bits,
                                                          std::vector<double> floors, std::vector<int> order) {
    // The array lives as long as the strata; the last owner must hold the interpreter lock when releasing it.
    const std::shared_ptr<const void> owner(new Table<std::int64_t>(columns), [](const void* array) {
        const nb::gil_scoped_acquire acquire;
        delete static_cast<const Table<std::int64_t>*>(array);
    });
    const auto view = view_of(columns);
    std::vector<std::span<const std::int64_t>> spans;
    for (std::size_t v = 0; v < view.rows; ++v) spans.push_back(view[v]);
    auto strata = std::make_shared<Strata>(std::move(counts), std::move(spans), bits, std::move(floors), owner);
    return std::make_shared<ConditionalGaussian>(std::move(strata), std::move(order));
}

std::shared_ptr<ConditionalGaussian> conditional_gaussian_of_source(std::shared_ptr<Counts> counts, int bits,
                                                                    std::vector<double> floors, std::vector<int> order) {
    auto strata = std::make_shared<Strata>(std::move(counts), std::vector<std::span<const std::int64_t>>(), bits,
                                           std::move(floors), nullptr);
    return std::make_shared<ConditionalGaussian>(std::move(strata), std::move(order));
}

std::shared_ptr<AvailableMixed> available_mixed(std::shared_ptr<Counts> counts, const Table<std::int64_t>& columns, int bits,
                                                std::vector<double> floors, std::vector<int> order) {
    // The array lives as long as the table; the last owner must hold the interpreter lock when releasing it.
    const std::shared_ptr<const void> owner(new Table<std::int64_t>(columns), [](const void* array) {
        const nb::gil_scoped_acquire acquire;
        delete static_cast<const Table<std::int64_t>*>(array);
    });
    const auto view = view_of(columns);
    std::vector<std::span<const std::int64_t>> spans;
    for (std::size_t v = 0; v < view.rows; ++v) spans.push_back(view[v]);
    return std::make_shared<AvailableMixed>(std::move(counts), std::move(spans), bits, std::move(floors), std::move(order), owner);
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
        .def(nb::new_(&available_columns), nb::arg("values"), nb::arg("weights").none(), nb::arg("places"), nb::arg("threads") = 1)
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
        .def("correlations_of_pairs",
             [](const AvailableColumns& columns, int threads) {
                 const auto pool = Pool::with_threads(threads);
                 Matrix<double> found;
                 {
                     const Unlocked unlocked;
                     found = columns.correlations_of_pairs(*pool);
                 }
                 std::vector<double> entries(found.data(), found.data() + found.rows() * found.columns());
                 return array_of(std::move(entries), {found.rows(), found.columns()});
             },
             nb::arg("threads") = 1,
             "Correlations of all pairs, each over the rows in which both are known, shrunk to be positive definite.")
        .def("reordered",
             [](const AvailableColumns& columns, const std::vector<int>& order) { return columns.reordered(order); },
             nb::arg("order"), "The same columns, renumbered so that new i is old order[i].")
        .def("rounded", &AvailableColumns::rounded, "The same columns, with correlations in steps of 2**-34.");

    nb::class_<Counts>(m, "Counts", "Integer contingency counts of any set of a table's variables.")
        .def(nb::new_(&counts_of), nb::arg("codes"), nb::arg("levels"), nb::arg("weights").none() = nb::none(),
             nb::arg("threads") = 1, nb::arg("limits") = CountingLimits{}, nb::arg("holes") = std::vector<bool>{},
             nb::arg("packed").none() = nb::none())
        .def_static("of_source", &counts_of_source, nb::arg("source"), nb::arg("levels"), nb::arg("total"),
                    nb::arg("threads") = 1, nb::arg("limits") = CountingLimits{}, nb::arg("holes") = std::vector<bool>{},
                    "Counts of rows that a source has: an object whose method `count` answers what `answer` does.")
        .def("answer", &answer, nb::arg("crossings"), nb::arg("listings"), nb::arg("summings") = Summings{},
             nb::arg("columns").none() = nb::none(),
             "Of each crossing (configurations [K, d] and levels [m], by number) how many rows have both, [m, K]; of each "
             "listing of variables the keys of the configurations that occur, [k, words], and the rows of each, [k]; of each summing "
             "(variables, x, y) the keys, and limbs [k, 2, 3] of the sums of column x and of its products with y.")
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
                 return table->with_counts([&](const auto& own) -> nb::object {
                     std::vector<std::int64_t> cells(own.data(), own.data() + own.rows() * own.columns());
                     return nb::make_tuple(as_array(table->sizes), array_of(std::move(cells), {own.rows(), own.columns()}));
                 });
             },
             nb::arg("variables"),
             "Sizes [K] and counts [L, K] of the joint table of a set; None where it would be too large.")
        .def("first", &Counts::first, nb::arg("v"), "Where the levels of a variable start in joint tables, or -1.");

    m.def("pack_levels", &pack_levels, nb::arg("codes"), nb::arg("levels"),
          "The rows of each level of a column [1, rows] as bits: row i is bit i % 64 of word i // 64.");
    m.def("give_memory_back", &give_memory_back, "Have the system take back what was let go of and is kept for later.");
    m.def("standardised", &standardised, nb::arg("values"), nb::arg("powers"), nb::arg("means"), nb::arg("inverses"),
          nb::arg("bits"), nb::arg("threads") = 1, "Columns in steps of 2**-bits standard deviations from their means.");
    nb::class_<ConditionalGaussian>(m, "ConditionalGaussian", "The log-likelihood of sets of variables of a mixed table.")
        .def(nb::new_(&conditional_gaussian), nb::arg("counts"), nb::arg("columns"), nb::arg("bits"), nb::arg("floors"),
             nb::arg("order"))
        .def_static("of_source", &conditional_gaussian_of_source, nb::arg("counts"), nb::arg("bits"), nb::arg("floors"),
                    nb::arg("order"),
                    "The same of counts whose source has the columns, too.")
        .def("reordered",
             [](ConditionalGaussian& function, const std::vector<int>& order) {
                 const Unlocked unlocked;
                 return function.reordered(order);
             },
             nb::arg("order"), "The same for variables renumbered so that new i is old order[i].")
        .def("value",
             [](ConditionalGaussian& function, const nb::int_& set) {
                 const VariableSet members = set_of(set);
                 Fixed value;
                 {
                     const Unlocked unlocked;
                     value = function(members);
                 }
                 return to_int(value);
             },
             nb::arg("variables"), "The function of a set; NOT_A_CANDIDATE * 2**32 where it has none.")
        .def("gains",
             [](ConditionalGaussian& function, int x, const std::vector<int>& given, const std::vector<int>& candidates) {
                 std::vector<Fixed> found;
                 {
                     const Unlocked unlocked;
                     found = function.gains(x, VariableSet(given), candidates);
                 }
                 return limbs_of(found, {found.size()});
             },
             nb::arg("x"), nb::arg("given"), nb::arg("candidates"),
             "Limbs [k, 2] of what x and each candidate say of each other given a set, times N; of a set without a value "
             "the high limb is NOT_A_CANDIDATE.");

    nb::class_<AvailableMixed>(m, "AvailableMixed", "The same of a table with holes, over the rows in which variables are known.")
        .def(nb::new_(&available_mixed), nb::arg("counts"), nb::arg("columns"), nb::arg("bits"), nb::arg("floors"), nb::arg("order"))
        .def_ro_static("HOLE", &AvailableMixed::HOLE)
        .def_prop_ro("columns_copied", &AvailableMixed::columns_copied,
                     "How many columns were copied so far, for rows without missing values.")
        .def("reordered",
             [](const AvailableMixed& table, const std::vector<int>& order) { return table.reordered(order); },
             nb::arg("order"), "The same for variables renumbered so that new i is old order[i].")
        .def("gains",
             [](const AvailableMixed& table, int x, const std::vector<int>& given, const std::vector<int>& candidates) {
                 std::vector<Fixed> found;
                 {
                     const Unlocked unlocked;
                     found = table.gains(x, VariableSet(given), candidates);
                 }
                 return limbs_of(found, {found.size()});
             },
             nb::arg("x"), nb::arg("given"), nb::arg("candidates"),
             "Limbs [k, 2] of what x and each candidate say of each other given a set, times the rows in which all are known.");

    nb::class_<DistinctRows>(m, "DistinctRows", "The distinct rows of a table: which columns can be exchanged.")
        .def(nb::new_(&distinct_rows_of<std::uint8_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def(nb::new_(&distinct_rows_of<std::uint16_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def(nb::new_(&distinct_rows_of<std::int32_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def(nb::new_(&distinct_rows_of<std::uint64_t>), nb::arg("codes"), nb::arg("weights").none() = nb::none())
        .def_prop_ro("columns", &DistinctRows::columns)
        .def_prop_ro("rows", &DistinctRows::rows)
        .def_prop_ro("weights",
                     [](const DistinctRows& rows) { return as_array({rows.weights().begin(), rows.weights().end()}); },
                     "How many rows each stands for.")
        .def_prop_ro("places",
                     [](const DistinctRows& rows) { return as_array({rows.places().begin(), rows.places().end()}); },
                     "The place of each among the rows that were given.")
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
        "configuration_keys",
        [](const Codes& codes, const std::vector<int>& levels) {
            const Rows rows = rows_of(codes, levels, std::nullopt);
            const ConfigurationKeys keys(levels);
            std::vector<std::uint64_t> found(rows.count * keys.words());
            for (std::size_t i = 0; i < rows.count; ++i) {
                keys.write(
                    [&](std::size_t at) {
                        return with_codes(rows.columns[at],
                                          [&](const auto* own) { return static_cast<std::uint64_t>(own[i]); });
                    },
                    found.data() + i * keys.words());
            }
            return array_of(std::move(found), {rows.count, keys.words()});
        },
        nb::arg("codes"), nb::arg("levels"), "The keys [rows, words] of configurations, as `Counts.answer` writes them.");
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
