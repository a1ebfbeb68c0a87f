// A pool of threads that share work.
//
// The schedule cannot change a result: each part writes only its own output. A waiting thread runs short parts of other
// jobs, so two concurrent searches keep all threads busy.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace stablebn {

/// While one exists, work that this thread shares calls `look` at intervals, between two parts.
class Watch {
public:
    /// An exception of `look` ends the work, including parts that other threads have taken, at their next check.
    explicit Watch(void (*look)());
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Call `look`, unless this thread did so a moment ago or has no watch. In a part of another thread's job, check
    /// whether that job was given up.
    static void look_now_and_then();

private:
    void (*look_)();
    Watch* outer_;
    std::chrono::steady_clock::time_point looked_;
};

class Pool {
public:
    /// Start `size` threads, including the caller; fewer if the system cannot create them.
    explicit Pool(int size);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Nanoseconds of work below which a second thread does not pay. Measured; only tests change it, to force a path.
    static double worth_a_thread() { return worth_a_thread_.load(std::memory_order_relaxed); }
    static void set_worth_a_thread(double nanoseconds) { worth_a_thread_ = nanoseconds; }

    int size() const { return size_; }

    /// Number of parts to cut work into: more than threads, so that a thread that finishes early finds another part.
    std::size_t parts() const { return size_ == 1 ? 1 : 2 * static_cast<std::size_t>(size_); }

    /// Do parts 0 .. count - 1 of short work that never waits.
    void share(std::size_t count, const std::function<void(std::size_t)>& part);

    /// Same, on one thread if all parts together take fewer nanoseconds than waking a second thread.
    void share(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part);

    /// Same, with several parts per thread: for parts shorter than the cost of handing one over.
    void share_evenly(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part);

    /// Run tasks concurrently, as far as there are threads; a task may share work itself.
    void run(std::size_t count, const std::function<void(std::size_t)>& task);

    /// Run short parts of other jobs until `done` returns true; whoever makes it true must call `announce`.
    void help_until(const std::function<bool()>& done);
    /// Same; if there is no short work, call `otherwise`, which returns whether it found something to do. Whoever adds
    /// such work must call `announce`.
    void help_until(const std::function<bool()>& done, const std::function<bool()>& otherwise);
    void announce();

    /// The pool of this process with `size` threads. A forked process gets a new one, because it has no threads.
    static std::shared_ptr<Pool> with_threads(int size);

private:
    struct Job {
        const std::function<void(std::size_t)>& part;
        std::size_t count;
        bool are_tasks;
        /// The next part that no thread has taken.
        std::atomic<std::size_t> next{0};
        std::exception_ptr failure{};
        /// Whether the remaining parts need not be done because one has failed.
        std::atomic<bool> given_up{false};

        bool has_parts() const { return next < count; }
    };

    /// A place for a published job. Reading takes no lock: a reader is counted first; the owner removes the job and
    /// then waits until no reader is left.
    struct alignas(64) Slot {
        std::atomic<bool> taken{false};
        std::atomic<Job*> job{nullptr};
        std::atomic<int> visitors{0};
    };

    bool has_threads() const;
    void end();
    void perform(Job& job);
    /// Do one part of a job; false if none is left.
    bool work_at(Job& job, bool is_owner);
    /// Store the current exception and drop the parts that no thread has taken.
    void give_up(Job& job);
    /// Do one part of another thread's job; false if there is none.
    bool help(bool with_tasks);
    /// Wait for an announcement after `told`: spin first, then sleep; no longer than the interval of a watch.
    void wait_for_news(std::uint64_t told);
    void tell_news();
    void serve();

    static inline std::atomic<double> worth_a_thread_{60'000};

    int size_;
    /// Number of forks of the process when the threads were started.
    int forks_;
    std::array<Slot, 64> slots_;
    /// Number of announcements: new jobs and ends of jobs.
    std::atomic<std::uint64_t> told_{0};
    std::atomic<int> asleep_{0};
    std::atomic<bool> ended_{false};
    std::mutex mutex_;
    std::condition_variable news_;
    std::vector<std::thread> threads_;
};

}  // namespace stablebn
