// Bindings for logarithms, exact sums of products, random numbers and engines.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "bindings/binding.hpp"
#include "random/variates.hpp"
#include "runtime/engine.hpp"
#include "numeric/logarithm.hpp"
#include "table/normal_scores.hpp"
#include "runtime/pool.hpp"
#include "table/products.hpp"
#include "scores/regret.hpp"
#include "table/rows.hpp"

namespace stablebn {

namespace {

// Products per thread and batch, a short time's work; and rows below which carrying over would take longer.
constexpr std::size_t PRODUCTS_AT_ONCE = std::size_t{1} << 29;
constexpr std::size_t FEWEST_ROWS = 512;
// Rows of a column that one thread scans for its range of bits; and nanoseconds per value.
constexpr std::size_t ROWS_OF_A_RANGE = 1 << 17;
constexpr double VALUE_OF_A_RANGE = 0.7;

// Side of a square that is mirrored at a time: two squares fit the first-level cache.
constexpr std::size_t SIDE_OF_SQUARE = 32;

/// Make a matrix symmetric: copy its lower triangle to the upper one.
void mirror(MatrixView<std::int64_t> matrix) {
    const std::size_t n = matrix.rows;
    for (std::size_t top = 0; top < n; top += SIDE_OF_SQUARE) {
        Watch::look_now_and_then();
        for (std::size_t left = 0; left <= top; left += SIDE_OF_SQUARE) {
            for (std::size_t i = top; i < std::min(top + SIDE_OF_SQUARE, n); ++i) {
                for (std::size_t j = left; j < std::min(left + SIDE_OF_SQUARE, i); ++j) matrix(j, i) = matrix(i, j);
            }
        }
    }
}

/// Sums of products of all pairs of slices, each thread with its own rows: high and low halves.
nb::object sums_of_products(const Table<double>& values, const Vector<std::int64_t>& tops, int slices,
                            const Vector<std::int32_t>& digits, int threads) {
    const SlicedColumns columns{view_of(values), span_of(tops), slices, span_of(digits)};
    const std::size_t rows = columns.rows(), count = values.shape(1);
    std::vector<std::int64_t> halves(2 * rows * rows, 0);
    {
        const Unlocked unlocked;
        const auto pool = Pool::with_threads(threads);
        // The first thread adds to the result directly: with many columns and few rows the sums take the most memory
        // and time.
        const std::size_t busy = std::clamp<std::size_t>(count / FEWEST_ROWS, 1, pool->size());
        std::vector<std::vector<std::int64_t>> others(busy - 1);
        const std::size_t most = std::max(FEWEST_ROWS, PRODUCTS_AT_ONCE / (rows * rows));
        std::atomic<std::size_t> next{0};
        pool->share(busy, [&](std::size_t part) {
            auto& own = part == 0 ? halves : others[part - 1];
            own.resize(halves.size());
            const MatrixView<std::int64_t> hi{own.data(), rows, rows}, lo{own.data() + rows * rows, rows, rows};
            // Rows in batches, so that Ctrl-C works in between; smaller batches towards the end, so that all threads
            // end together.
            for (std::size_t first = next; first < count;) {
                const std::size_t size = std::clamp((count - first) / (2 * busy), FEWEST_ROWS, most);
                const std::size_t last = std::min(first + size, count);
                if (!next.compare_exchange_weak(first, last)) continue;
                try {
                    Watch::look_now_and_then();
                    add_products(columns, first, last, hi, lo);
                } catch (...) {
                    next = count;
                    throw;
                }
                first = next;
            }
        });
        for (const auto& own : others) {
            for (std::size_t start = 0; start < halves.size(); start += rows) {
                Watch::look_now_and_then();
                std::transform(&own[start], &own[start] + rows, &halves[start], &halves[start], std::plus<>());
            }
        }
        for (std::size_t half = 0; half < 2; ++half) mirror({halves.data() + half * rows * rows, rows, rows});
    }
    return nb::cast(array_of(std::move(halves), {2, rows, rows}));
}

nb::object bit_ranges(const Table<double>& values, int threads) {
    const auto columns = view_of(values);
    const auto pool = Pool::with_threads(threads);
    const std::size_t stretches = columns.columns / ROWS_OF_A_RANGE + 1;
    std::vector<BitRange> found(columns.rows * stretches);
    {
        const Unlocked unlocked;
        const double cost = VALUE_OF_A_RANGE * static_cast<double>(columns.rows * columns.columns);
        pool->share(found.size(), cost, [&](std::size_t part) {
            const std::size_t stretch = part % stretches, first = columns.columns * stretch / stretches;
            const std::size_t last = columns.columns * (stretch + 1) / stretches;
            found[part] = bit_range(columns[part / stretches].subspan(first, last - first));
        });
    }
    std::vector<std::int64_t> ranges;
    for (std::size_t v = 0; v < columns.rows; ++v) {
        BitRange own;
        for (std::size_t stretch = 0; stretch < stretches; ++stretch) {
            own.top = std::max(own.top, found[v * stretches + stretch].top);
            own.lowest = std::min(own.lowest, found[v * stretches + stretch].lowest);
        }
        ranges.insert(ranges.end(), {own.top, own.lowest});
    }
    return nb::cast(array_of(std::move(ranges), {columns.rows, 2}));
}

}  // namespace

void bind_numbers(nb::module_& m) {
    m.def("engines", &engines, "Names of the engines that this machine can run, the slowest first.");
    m.def("engine", &engine, "Name of the engine in use.");
    m.def("worth_a_thread", &Pool::worth_a_thread, "Nanoseconds of work from which a second thread takes part.");
    m.def("set_worth_a_thread", &Pool::set_worth_a_thread, nb::arg("nanoseconds"), "For tests that force threads.");
    m.def("use_engine", &use_engine, nb::arg("name"), "Use the engine of this name; False where there is none.");

    m.def(
        "normal_scores",
        [](const Vector<std::int64_t>& places, std::int64_t total) {
            std::vector<double> scores;
            for (const std::int64_t place : span_of(places)) scores.push_back(normal_score(place, total));
            const std::size_t count = scores.size();
            return array_of(std::move(scores), {count});
        },
        nb::arg("places"), nb::arg("total"), "Standard normal quantiles of (total + place) / (2 total).");
    m.def(
        "ln_of_integer", [](std::int64_t number) { return to_int(ln_of_integer(number)); }, nb::arg("m"),
        "The logarithm of a positive integer in units of 2**-62.");
    m.def(
        "ln", [](double hi, double lo) { return to_int(to_fixed(ln({hi, lo}))); }, nb::arg("hi"), nb::arg("lo") = 0.0,
        "The logarithm of the sum of two doubles in units of 2**-62.");
    m.def(
        "ln_pair",
        [](double hi, double lo) {
            const DoubleDouble found = ln({hi, lo});
            return nb::make_tuple(found.hi, found.lo);
        },
        nb::arg("hi"), nb::arg("lo") = 0.0, "The logarithm of the sum of two doubles as the sum of two doubles.");
    m.def(
        "m_ln_m",
        [](std::int64_t total) {
            const LogTable table(total);
            return limbs_of(table.values(), {table.values().size()});
        },
        nb::arg("total"), "Limbs of m ln m for m = 0 .. total: int64 [total + 1, 2].");
    m.def(
        "sum_m_ln_m",
        [](const Vector<std::int64_t>& counts, std::int64_t total) {
            return to_int(LogTable(total).sum(span_of(counts)));
        },
        nb::arg("counts"), nb::arg("total"), "The sum of m ln m over counts, of which none is looked up above a total.");
    m.def(
        "sum_ln_rising",
        [](const Vector<std::int64_t>& counts, double a) { return to_int(sum_ln_rising(span_of(counts), a)); },
        nb::arg("counts"), nb::arg("a"), "The sum over counts m of ln(Gamma(m + a) / Gamma(a)) in units of 2**-62.");

    m.def(
        "regret",
        [](std::int64_t rows, std::int64_t outcomes) {
            if (rows < 1 || outcomes < 1 || outcomes > (std::int64_t{1} << 53)) throw std::invalid_argument("out of range");
            return to_int(Regrets(rows)(outcomes));
        },
        nb::arg("rows"), nb::arg("outcomes"),
        "The regret of a categorical distribution with so many outcomes, at most 2**53, in units of 2**-62.");

    m.def(
        "bit_ranges", &bit_ranges, nb::arg("values"), nb::arg("threads"),
        "Of each column the e for which every |x| < 2**e, and that of the lowest bit set in any value: int64 [n, 2].");
    m.attr("SLICE_WIDTH") = SLICE_WIDTH;
    m.attr("CARRY") = CARRY;
    m.def("sums_of_products", &sums_of_products, nb::arg("values"), nb::arg("tops"), nb::arg("slices"),
          nb::arg("digits"), nb::arg("threads"), "High and low halves of the sums of products of all slices.");

    m.def(
        "draw_levels",
        [](const Vector<std::uint64_t>& raw, const Vector<std::int64_t>& configurations, const Table<double>& cumulative) {
            std::vector<std::int16_t> out(raw.shape(0));
            draw_levels(span_of(raw), span_of(configurations), view_of(cumulative), out);
            return array_of(std::move(out), {raw.shape(0)});
        },
        nb::arg("raw"), nb::arg("configurations"), nb::arg("cumulative"), "The level of each row.");
    m.def(
        "normal_deviates",
        [](const Vector<std::uint64_t>& raw) {
            std::vector<double> out(raw.shape(0));
            out.resize(normal_deviates(span_of(raw), out));
            const std::size_t filled = out.size();
            return array_of(std::move(out), {filled});
        },
        nb::arg("raw"), "Standard normal deviates, at most as many as there are raw integers.");
    m.def(
        "exponential_deviates",
        [](const Vector<std::uint64_t>& raw) {
            std::vector<double> out(raw.shape(0));
            exponential_deviates(span_of(raw), out);
            return array_of(std::move(out), {raw.shape(0)});
        },
        nb::arg("raw"), "Standard exponential deviates.");
}

}  // namespace stablebn
