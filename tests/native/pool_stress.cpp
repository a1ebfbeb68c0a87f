// The pool under stress: many callers, many small jobs, jobs inside jobs, failures, forks, and threads that cannot be had.
//
// Every part of every job is counted: none may be left out, none done twice. A hang is a failure too: whoever runs this
// gives it a limit of time.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#include "runtime/pool.hpp"

using namespace stablebn;

namespace {

/// How often each part of a job was done.
class Tally {
public:
    explicit Tally(std::size_t count) : done_(count) {}

    void mark(std::size_t part) { ++done_[part]; }
    /// Whether every part was done once; or, where a job failed, none twice.
    bool is_right(bool failed) const {
        for (const auto& times : done_) {
            if (times > 1 || (!failed && times != 1)) return false;
        }
        return true;
    }

private:
    std::vector<std::atomic<int>> done_;
};

/// What one caller does: jobs of all kinds, chosen at random. Wrong ones are counted.
class Caller {
public:
    Caller(Pool& pool, std::uint64_t seed, std::atomic<std::size_t>& wrong) : pool_(pool), random_(seed), wrong_(wrong) {}

    /// Do so many jobs, those inside others among them.
    void work(std::size_t jobs) {
        for (std::size_t done = 0; done < jobs;) {
            switch (random_() % 4) {
            case 0: done += share(random_() % 40, false); break;
            case 1: done += share(1 + random_() % 40, true); break;
            case 2: done += share_in_tasks(random_() % 6, random_() % 12); break;
            default: done += wait_for_a_task(); break;
            }
        }
    }

private:
    std::size_t share(std::size_t count, bool fails) {
        Tally tally(count);
        const std::size_t failing = fails ? random_() % count : count;
        bool failed = false;
        try {
            pool_.share(count, [&](std::size_t part) {
                tally.mark(part);
                if (part == failing) throw std::runtime_error(std::to_string(part));
            });
        } catch (const std::runtime_error& error) {
            failed = error.what() == std::to_string(failing);
        }
        expect(failed == fails && tally.is_right(fails));
        return 1;
    }

    std::size_t share_in_tasks(std::size_t tasks, std::size_t parts) {
        Tally outer(tasks), inner(tasks * parts);
        pool_.run(tasks, [&](std::size_t task) {
            outer.mark(task);
            pool_.share(parts, [&](std::size_t part) { inner.mark(task * parts + part); });
        });
        expect(outer.is_right(false) && inner.is_right(false));
        return 1 + tasks;
    }

    /// One task does something, the others wait for it to say so: as two searches that want one table.
    std::size_t wait_for_a_task() {
        std::atomic<bool> taken{false}, ready{false};
        Tally tally(3);
        pool_.run(3, [&](std::size_t task) {
            tally.mark(task);
            if (!taken.exchange(true)) {
                ready = true;
                pool_.announce();
            }
            pool_.help_until([&] { return ready.load(); });
        });
        expect(ready && tally.is_right(false));
        return 1;
    }

    void expect(bool holds) {
        if (!holds) ++wrong_;
    }

    Pool& pool_;
    std::mt19937_64 random_;
    std::atomic<std::size_t>& wrong_;
};

std::size_t many_callers(Pool& pool, std::size_t callers, std::size_t jobs) {
    std::atomic<std::size_t> wrong{0};
    std::vector<std::thread> threads;
    for (std::size_t c = 0; c < callers; ++c) {
        threads.emplace_back([&, c] { Caller(pool, 100 * callers + c, wrong).work(jobs / callers); });
    }
    for (auto& thread : threads) thread.join();
    return wrong;
}

/// More jobs at once than there are places for: each waits until all have begun.
std::size_t more_jobs_than_places(Pool& pool) {
    constexpr int jobs = 80;
    std::atomic<int> begun{0};
    std::atomic<std::size_t> wrong{0};
    std::vector<std::thread> threads;
    for (int job = 0; job < jobs; ++job) {
        threads.emplace_back([&] {
            Tally tally(2);
            std::atomic<bool> counted{false};
            pool.share(2, [&](std::size_t part) {
                tally.mark(part);
                if (!counted.exchange(true)) ++begun;
                while (begun < jobs) std::this_thread::yield();
            });
            if (!tally.is_right(false)) ++wrong;
        });
    }
    for (auto& thread : threads) thread.join();
    return wrong;
}

void interrupt() { throw std::runtime_error("interrupted"); }

/// What a watch throws ends the work of who has it, inside tasks too, and of nobody else; the next work is done again.
std::size_t interrupted(Pool& pool) {
    const auto nap = [](std::size_t) { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };
    std::size_t ended = 0;
    std::atomic<bool> other_ended{false};
    std::thread other([&] {
        pool.share(200, nap);
        other_ended = true;
    });
    // So many that even 64 threads do not end before somebody has looked.
    const std::function<void()> works[] = {
        [&] { pool.share(20'000, nap); },
        [&] { pool.run(4, [&](std::size_t) { pool.share(20'000, nap); }); },
    };
    for (const auto& work : works) {
        const Watch watch(&interrupt);
        try {
            work();
        } catch (const std::runtime_error& error) {
            ended += error.what() == std::string("interrupted");
        }
    }
    other.join();
    Tally tally(100);
    pool.share(100, [&](std::size_t part) { tally.mark(part); });
    return (ended != 2) + !other_ended + !tally.is_right(false);
}

/// Who has only work that others have taken looks too; and these end it, which otherwise would never end.
std::size_t interrupted_in_waiting(Pool& pool) {
    const auto owner = std::this_thread::get_id();
    std::atomic<bool> begun{false};
    const Watch watch(&interrupt);
    try {
        pool.run(2, [&](std::size_t) {
            if (std::this_thread::get_id() == owner) {
                while (!begun) std::this_thread::yield();
                return;
            }
            begun = true;
            while (true) {
                Watch::look_now_and_then();
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        });
    } catch (const std::runtime_error& error) {
        return error.what() != std::string("interrupted");
    }
    return 1;
}

#if (defined(__unix__) || defined(__APPLE__)) && !defined(SANITIZED)

/// Whether a forked process does something right, and does not hang.
bool holds_in_a_fork(const std::function<bool()>& holds) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(holds() ? 0 : 1);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool shares(Pool& pool) {
    Tally tally(100);
    pool.share(100, [&](std::size_t part) { tally.mark(part); });
    return tally.is_right(false);
}

/// Fork while others work: the new process has threads of its own, and can use a pool that came along without its own.
std::size_t forks(Pool& pool, std::size_t times) {
    std::atomic<bool> ended{false};
    std::atomic<std::size_t> wrong{0};
    std::vector<std::thread> threads;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
        threads.emplace_back([&, seed] {
            while (!ended) Caller(pool, seed, wrong).work(10);
        });
    }
    for (std::size_t i = 0; i < times; ++i) {
        wrong += !holds_in_a_fork([] { return shares(*Pool::with_threads(4)); });
        wrong += !holds_in_a_fork([&] { return shares(pool); });
    }
    ended = true;
    for (auto& thread : threads) thread.join();
    return wrong;
}

/// Where the system has no more threads to give, a pool makes do with those it got.
std::size_t too_few_threads() {
    return !holds_in_a_fork([] {
        // Room for the stacks of some threads, and not of all.
        const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
        setrlimit(RLIMIT_AS, &limit);
        Pool pool(100'000);
        return pool.size() < 100'000 && shares(pool);
    });
}

#endif

}  // namespace

/// How many things went wrong with so many jobs for each number of threads.
int stress_pool(std::size_t jobs) {
    std::size_t wrong = 0;
    for (const int threads : {2, 3, 8, 64}) {
        Pool pool(threads);
        for (const std::size_t callers : {1, 3, 16}) wrong += many_callers(pool, callers, jobs / 3);
        wrong += more_jobs_than_places(pool) + interrupted(pool) + interrupted_in_waiting(pool);
#if (defined(__unix__) || defined(__APPLE__)) && !defined(SANITIZED)
        wrong += forks(pool, 1 + jobs / 10'000);
#endif
    }
    // A pool that is made and ended at once.
    for (std::size_t i = 0; i < 1 + jobs / 100; ++i) {
        Pool pool(3);
        wrong += many_callers(pool, 1, i % 3);
    }
#if (defined(__unix__) || defined(__APPLE__)) && !defined(SANITIZED)
    wrong += too_few_threads();
#endif
    if (wrong) std::printf("FAILED: %zu things went wrong in the pool\n", wrong);
    return static_cast<int>(wrong);
}
