// What several threads do at once, without Python: for the thread sanitizer, and for the others.
//
// Every part compares what threads found with what one thread finds: the program ends with 1 if anything differs.
// A number as argument is that of the jobs that the pool is put under stress with, for each number of threads.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "exact/candidates.hpp"
#include "scores/discrete.hpp"
#include "search/climber.hpp"
#include "ci_tests/contingency.hpp"
#include "ci_tests/contingency_walk.hpp"
#include "counting/counts.hpp"
#include "runtime/engine.hpp"
#include "order_search/family_bank.hpp"
#include "scores/gaussian.hpp"
#include "order_search/order_search.hpp"
#include "runtime/pool.hpp"
#include "table/products.hpp"

using namespace stablebn;

int stress_pool(std::size_t jobs);

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::printf("FAILED: %s (engine %s)\n", what, engine().c_str());
    ++failures;
}

/// A table of variables that depend on those before them.
struct Sample {
    static constexpr int variables = 9;
    std::size_t rows;
    std::vector<std::vector<std::uint8_t>> codes;
    std::vector<int> levels;

    explicit Sample(std::size_t rows) : rows(rows) {
        std::mt19937_64 random(7);
        for (int v = 0; v < variables; ++v) {
            levels.push_back(2 + v % 3);
            std::vector<std::uint8_t> column(rows);
            for (std::size_t i = 0; i < rows; ++i) {
                const bool copies = v && random() % 3;
                column[i] = static_cast<std::uint8_t>((copies ? codes[v / 2][i] : random()) % levels[v]);
            }
            codes.push_back(std::move(column));
        }
    }

    std::shared_ptr<Counts> counts(int threads) const {
        Rows own;
        own.count = rows;
        own.total = static_cast<std::int64_t>(rows);
        own.levels = levels;
        for (const auto& column : codes) own.columns.push_back({column.data(), 1});
        return std::make_shared<Counts>(std::move(own), nullptr, Pool::with_threads(threads));
    }
};

std::vector<Step> climb(const Sample& sample, int threads, int searches) {
    auto scores = std::make_shared<PenalisedLikelihood>(sample.counts(threads), ln_of_integer(sample.rows));
    std::vector<int> order(Sample::variables);
    std::iota(order.begin(), order.end(), 0);
    const ClimbOptions options{5, 5, Sample::variables, 1000};
    std::vector<std::unique_ptr<Climber>> climbers;
    std::vector<Climber*> all;
    for (int i = 0; i < searches; ++i) {
        climbers.push_back(std::make_unique<Climber>(scores, order, std::vector<VariableSet>(Sample::variables), options,
                                                     Constraints{}));
        all.push_back(climbers.back().get());
        std::reverse(order.begin(), order.end());
    }
    while (!climb_on(all, 0.001)) {
    }
    std::vector<Step> steps;
    for (const Climber* climber : all) steps.insert(steps.end(), climber->steps().begin(), climber->steps().end());
    return steps;
}

bool same(const std::vector<Step>& a, const std::vector<Step>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Step& x, const Step& y) {
        return x.move.kind == y.move.kind && x.move.from == y.move.from && x.move.to == y.move.to &&
               x.change.units == y.change.units && x.delta == y.delta;
    });
}

void test_searches_at_once(const Sample& sample) {
    const auto right = climb(sample, 1, 4);
    expect(!right.empty(), "a climb makes steps");
    expect(same(right, climb(sample, 4, 4)), "searches at once make the steps of searches in turn");
    expect(same(right, climb(sample, 17, 4)), "so do searches with more threads than there is work for");
}

void test_tables_at_once(const Sample& sample) {
    const auto one = sample.counts(1), several = sample.counts(4);
    std::atomic<int> different{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            for (int v = 0; v + 2 < Sample::variables; ++v) {
                const VariableSet set{v, v + 1, v + 2};
                const auto table = several->table(set);
                const auto again = several->table(set);
                if (table != again || table->sizes.empty()) ++different;
            }
        });
    }
    for (auto& thread : threads) thread.join();
    expect(different == 0, "threads that ask for one table get one table");
    for (int v = 0; v + 2 < Sample::variables; ++v) {
        const VariableSet set{v, v + 1, v + 2};
        const auto a = one->table(set), b = several->table(set);
        const auto &some = std::get<Matrix<std::int32_t>>(a->counts), &others = std::get<Matrix<std::int32_t>>(b->counts);
        const std::size_t cells = some.rows() * some.columns();
        expect(a->sizes == b->sizes, "sizes of configurations");
        expect(std::equal(some.data(), some.data() + cells, others.data()), "counts of a joint table");
    }
}

void test_tests_at_once(const Sample& sample) {
    const auto test = std::make_shared<const ContingencyTest>(sample.counts(2), TestRule{}, Matrix<double>{});
    const auto ask = [&](int x) {
        std::vector<double> found;
        const int given[] = {(x + 1) % Sample::variables, (x + 2) % Sample::variables};
        std::vector<int> candidates;
        for (int y = 3; y < 6; ++y) candidates.push_back((x + y) % Sample::variables);
        for (const Outcome& outcome : test->outcomes(x, given, candidates)) found.push_back(outcome.statistic);
        ContingencyWalk walk(test, x, (x + 3) % Sample::variables, {},
                             SubsetCursor({given[0], given[1], (x + 4) % Sample::variables}, 0, 3), 0.9999, nullptr);
        while (walk.advance(2)) {
        }
        found.push_back(walk.p_value());
        return found;
    };
    std::vector<std::vector<double>> right, found(Sample::variables);
    for (int x = 0; x < Sample::variables; ++x) right.push_back(ask(x));
    Pool::with_threads(4)->run(Sample::variables, [&](std::size_t x) { found[x] = ask(static_cast<int>(x)); });
    expect(right == found, "tests at once find what tests in turn do");
}

/// The parents that a search among orders finds.
std::vector<VariableSet> best_orders(const Sample& sample, int threads) {
    const auto scores = std::make_shared<PenalisedLikelihood>(sample.counts(threads), Fixed{Wide{2} << 32});
    FamilyLimits limits{std::vector<VariableSet>(Sample::variables), {}, std::vector<int>(Sample::variables, Sample::variables)};
    FamilyBank bank(scores, std::move(limits));
    bank.scores().pool().run(Sample::variables, [&](std::size_t v) { bank.grow(static_cast<int>(v), 4); });
    OrderSearch search(bank, {.orders = 5, .attempts = 6, .rounds_in_vain = 2, .width = 4});
    std::vector<int> order(Sample::variables);
    std::iota(order.begin(), order.end(), 0);
    for (int start = 0; start < 5; ++start) {
        search.add(order);
        std::rotate(order.begin(), order.begin() + 2, order.end());
    }
    while (!search.advance(1e9)) {
    }
    return search.parents();
}

void test_orders_at_once(const Sample& sample) {
    const auto right = best_orders(sample, 1);
    expect(right.size() == Sample::variables, "a search among orders finds parents");
    expect(right == best_orders(sample, 4), "orders improved at once become those improved in turn");
}

void test_candidates_at_once(const Sample& sample) {
    std::vector<std::vector<std::pair<VariableSet, Wide>>> found;
    for (const int threads : {1, 4}) {
        const auto scores = std::make_shared<PenalisedLikelihood>(sample.counts(threads), Fixed{Wide{2} << 32});
        CandidateSearch search(scores, {}, std::vector<VariableSet>(Sample::variables),
                               std::vector<int>(Sample::variables, 3), 1'000'000, 1'000'000);
        while (!search.go_on(1e9)) {
        }
        auto& own = found.emplace_back();
        for (int v = 0; v < Sample::variables; ++v) {
            for (const Candidate& candidate : search.candidates(v)) own.emplace_back(candidate.parents, candidate.gain);
        }
    }
    expect(found[0].size() > Sample::variables, "there are candidate sets");
    expect(found[0] == found[1], "candidate sets scored at once are those scored in turn");
}

void test_failures_are_raised(int threads) {
    const auto pool = Pool::with_threads(threads);
    std::string told;
    try {
        pool->share(100, [](std::size_t part) {
            if (part == 17) throw std::runtime_error("part 17");
        });
    } catch (const std::runtime_error& error) {
        told = error.what();
    }
    expect(told == "part 17", "a failure of one part is raised to who shares the work");
    std::atomic<std::int64_t> sum{0};
    pool->run(8, [&](std::size_t task) {
        pool->share(50, [&](std::size_t part) { sum += static_cast<std::int64_t>(task * part); });
    });
    expect(sum == 28 * 1225, "tasks that share work do all of it, also after a failure");
}

void test_products_at_once() {
    constexpr std::size_t n = 5, rows = 3000;
    std::mt19937_64 random(3);
    std::vector<double> values(n * rows);
    for (double& value : values) value = static_cast<double>(random() % 2048) / 1024 - 1;
    const std::vector<std::int64_t> tops(n, 2);
    const SlicedColumns columns{{values.data(), n, rows}, tops, 2, {}};
    const std::size_t size = columns.rows();
    std::vector<std::vector<std::int64_t>> found;
    for (const std::size_t parts : {1, 4}) {
        std::vector<std::vector<std::int64_t>> halves(parts, std::vector<std::int64_t>(2 * size * size));
        Pool::with_threads(4)->share(parts, [&](std::size_t part) {
            std::int64_t* own = halves[part].data();
            add_products(columns, rows * part / parts, rows * (part + 1) / parts, {own, size, size},
                         {own + size * size, size, size});
        });
        // Joined: how many carries there are depends on the parts.
        std::vector<std::int64_t> sums(size * size);
        for (const auto& own : halves) {
            for (std::size_t at = 0; at < sums.size(); ++at) sums[at] += (own[at] << 32) + own[sums.size() + at];
        }
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = i + 1; j < size; ++j) sums[i * size + j] = 0;
        }
        found.push_back(sums);
    }
    expect(found[0] == found[1], "products of rows in parts add up to those of all rows");
}

}  // namespace

int main(int count, char** arguments) {
    Pool::set_worth_a_thread(0);
    // Rows that fill no whole word; and so many that threads have rows of their own.
    const Sample few(333), many(70'001);
    for (const std::string& name : engines()) {
        use_engine(name);
        for (const Sample* sample : {&few, &many}) {
            test_searches_at_once(*sample);
            test_tables_at_once(*sample);
            test_tests_at_once(*sample);
            test_orders_at_once(*sample);
            test_candidates_at_once(*sample);
        }
        test_products_at_once();
    }
    for (const int threads : {1, 2, 5}) test_failures_are_raised(threads);
    failures += stress_pool(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 3'000);
    std::printf("%s: %d failed\n", failures ? "FAILED" : "native tests passed", failures);
    return failures ? 1 : 0;
}
