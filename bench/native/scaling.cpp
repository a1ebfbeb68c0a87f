// How much sooner a large search ends with more threads: a program without Python, for a machine with many cores.
//
//     native_bench [numbers of threads, as in 1,8,16 [case, from 0, or -1 for all [repetitions]]]
//
// Two climbs in opposite orders at once, then one more, as Tabu-Stable makes them; and the sums of products of
// continuous columns. The steps must be the same with any number of threads: their check, which programs can be
// compared by, is.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "scores/discrete.hpp"
#include "search/climber.hpp"
#include "counting/counts.hpp"
#include "table/products.hpp"

using namespace stablebn;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Categorical columns, each of which mostly follows one or two before it.
struct Sample {
    std::size_t rows;
    std::vector<std::vector<std::uint8_t>> codes;
    std::vector<int> levels;

    /// With levels of the first column, which is then a parent of every other one; as in the network pathfinder.
    Sample(int variables, std::size_t rows, int levels_of_first = 0) : rows(rows) {
        std::mt19937_64 random(11);
        for (int v = 0; v < variables; ++v) {
            levels.push_back(2 + static_cast<int>(random() % 3));
            if (!v && levels_of_first) levels[0] = levels_of_first;
            const std::size_t parent = v && !levels_of_first ? random() % v : 0, other = v ? random() % v : 0;
            std::vector<std::uint8_t> column(rows);
            for (auto& code : column) {
                const std::size_t i = &code - column.data();
                const std::uint64_t noise = random();
                const bool follows = v && noise % 100 < 60;
                code = static_cast<std::uint8_t>((follows ? codes[parent][i] + codes[other][i] : noise >> 32) % levels[v]);
            }
            codes.push_back(std::move(column));
        }
    }

    int variables() const { return static_cast<int>(codes.size()); }
};

struct Outcome {
    double seconds;
    std::size_t steps;
    std::int64_t check = 0;
    /// Until the pairs are counted, the two searches have ended, and the last one has.
    double pairs = 0, both = 0;
};

Outcome search(const Sample& sample, int threads) {
    const auto start = Clock::now();
    Rows rows;
    rows.count = sample.rows;
    rows.total = static_cast<std::int64_t>(sample.rows);
    rows.levels = sample.levels;
    for (const auto& column : sample.codes) rows.columns.push_back({column.data(), 1});
    auto counts = std::make_shared<Counts>(std::move(rows), nullptr, Pool::with_threads(threads));
    Fixed unit = ln_of_integer(static_cast<std::int64_t>(sample.rows));
    unit = Fixed{unit.units / 2};
    auto scores = std::make_shared<PenalisedLikelihood>(counts, unit);
    scores->first_changes();
    const double pairs = seconds_since(start);
    const int n = sample.variables();
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    const std::vector<VariableSet> empty(n);
    Climber down(scores, order, empty, {0, 0, n, 1'000'000}, {});
    std::reverse(order.begin(), order.end());
    Climber up(scores, order, empty, {0, 0, n, 1'000'000}, {});
    Climber* both[] = {&down, &up};
    while (!climb_on(both, 1.0)) {
    }
    const double searches = seconds_since(start);
    Climber last(scores, order, empty, {10, 10, n, 1'000'000}, {});
    Climber* one[] = {&last};
    while (!climb_on(one, 1.0)) {
    }
    Outcome outcome{seconds_since(start), down.steps().size() + up.steps().size() + last.steps().size()};
    outcome.pairs = pairs;
    outcome.both = searches - pairs;
    for (const Climber* climber : {&down, &up, &last}) {
        for (const Step& step : climber->steps()) {
            outcome.check = outcome.check * 31 + static_cast<std::int64_t>(step.change.units >> 32) +
                            static_cast<std::int64_t>(step.change.units & 0xFFFFFFFF);
        }
    }
    return outcome;
}

Outcome products(int variables, std::size_t rows, int threads) {
    static std::vector<double> values;
    if (values.size() != variables * rows) {
        values.resize(variables * rows);
        std::mt19937_64 random(5);
        for (double& value : values) value = static_cast<double>(random() >> 11) * 0x1p-53;
    }
    const std::vector<std::int64_t> tops(variables, 2);
    const SlicedColumns columns{{values.data(), static_cast<std::size_t>(variables), rows}, tops, 3, {}};
    const auto start = Clock::now();
    const std::size_t size = columns.rows();
    const auto pool = Pool::with_threads(threads);
    std::vector<std::vector<std::int64_t>> parts(pool->size());
    pool->share(parts.size(), [&](std::size_t part) {
        parts[part].assign(2 * size * size, 0);
        add_products(columns, rows * part / parts.size(), rows * (part + 1) / parts.size(),
                     {parts[part].data(), size, size}, {parts[part].data() + size * size, size, size});
    });
    Outcome outcome{seconds_since(start), 0};
    for (const auto& own : parts) {
        for (std::size_t at = 0; at < size; ++at) {
            outcome.check += (own[at * size] << CARRY) + own[size * size + at * size];
        }
    }
    return outcome;
}

template <class Work>
void report(const char* what, std::span<const int> all_threads, int repetitions, const Work& work) {
    double slowest = 0;
    std::int64_t check = 0;
    for (const int threads : all_threads) {
        Outcome best = work(threads);
        for (int again = 1; again < repetitions; ++again) {
            const Outcome other = work(threads);
            if (other.seconds < best.seconds) best = other;
        }
        if (threads == all_threads.front()) {
            slowest = best.seconds;
            check = best.check;
        }
        std::printf("%-38s %3d threads %8.3f s %6.2f times, check %016llx%s", what, threads, best.seconds,
                    slowest / best.seconds, static_cast<unsigned long long>(best.check),
                    best.check == check ? "" : "  DIFFERENT");
        if (best.steps) {
            std::printf("   pairs %.3f, two searches %.3f, the last %.3f s; %zu steps", best.pairs, best.both,
                        best.seconds - best.pairs - best.both, best.steps);
        }
        std::printf("\n");
        std::fflush(stdout);
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::vector<int> threads;
    if (count > 1) {
        std::istringstream numbers(arguments[1]);
        for (std::string number; std::getline(numbers, number, ',');) threads.push_back(std::stoi(number));
    } else {
        for (unsigned number = 1; number <= std::thread::hardware_concurrency(); number *= 2) threads.push_back(number);
    }
    const int only = count > 2 ? std::atoi(arguments[2]) : -1;
    const int repetitions = count > 3 ? std::atoi(arguments[3]) : 3;
    std::printf("engine %s, %u cores\n", engine().c_str(), std::thread::hardware_concurrency());
    int number = 0;
    const auto searches = [&](const char* what, int variables, std::size_t rows, int levels_of_first = 0) {
        if (only >= 0 && only != number++) return;
        const Sample sample(variables, rows, levels_of_first);
        report(what, threads, repetitions, [&](int own) { return search(sample, own); });
    };
    const auto sums = [&](const char* what, int variables, std::size_t rows) {
        if (only >= 0 && only != number++) return;
        report(what, threads, repetitions, [&](int own) { return products(variables, rows, own); });
    };
    searches("37 variables x 1,000,000 rows", 37, 1'000'000);
    searches("200 variables x 100,000 rows", 200, 100'000);
    searches("1,000 variables x 10,000 rows", 1000, 10'000);
    sums("products, 100 columns x 300,000 rows", 100, 300'000);
    searches("109, one of 63 levels, x 1,000,000", 109, 1'000'000, 63);
    searches("5,000 variables x 10,000 rows", 5000, 10'000);
    sums("products, 46 columns x 1,000,000 rows", 46, 1'000'000);
    return 0;
}
