// Threads that are kept, and share work.
//
// Who does what can change no result: each part writes only what is its own. A thread that waits for others lends a
// hand with short work of others, so that two searches at once keep all threads busy.
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

/// While there is one, the work that this thread shares looks now and then, between two parts, whether to go on.
class Watch {
public:
    /// What `look` throws ends the work, also that which other threads have taken of it, as soon as they look.
    explicit Watch(void (*look)());
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// Look, unless this thread has done so a moment ago or has no watch; in work of others, look whether they have given it
    /// up.
    static void look_now_and_then();

private:
    void (*look_)();
    Watch* outer_;
    std::chrono::steady_clock::time_point looked_;
};

class Pool {
public:
    /// So many threads, that of the caller included; fewer where the system has no more to give.
    explicit Pool(int size);
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// Nanoseconds of work below which handing it to a second thread costs more than it saves: measured, and changed
    /// only by tests that force a path.
    static double worth_a_thread() { return worth_a_thread_.load(std::memory_order_relaxed); }
    static void set_worth_a_thread(double nanoseconds) { worth_a_thread_ = nanoseconds; }

    int size() const { return size_; }

    /// Into how many parts to cut work: more than there are threads, so that one that becomes free in the midst still
    /// finds something to do.
    std::size_t parts() const { return size_ == 1 ? 1 : 2 * static_cast<std::size_t>(size_); }

    /// Do the parts 0 .. count - 1 of short work, which waits for nobody.
    void share(std::size_t count, const std::function<void(std::size_t)>& part);

    /// The same, but with no second thread if all of it takes fewer nanoseconds than it costs to wake one.
    void share(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part);

    /// The same, many parts to a thread: for parts that take less time than it takes to hand one over.
    void share_evenly(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part);

    /// Do tasks at once, as far as there are threads; a task may share work in turn.
    void run(std::size_t count, const std::function<void(std::size_t)>& task);

    /// Help others with short work until something is done; who does it must `announce` it.
    void help_until(const std::function<bool()>& done);
    /// The same, and where others have no short work, something else: `otherwise` says whether it found something to
    /// do. Who brings it more must `announce` it.
    void help_until(const std::function<bool()>& done, const std::function<bool()>& otherwise);
    void announce();

    /// The pool of this process with so many threads; made anew in a forked process, which has none of its threads.
    static std::shared_ptr<Pool> with_threads(int size);

private:
    struct Job {
        const std::function<void(std::size_t)>& part;
        std::size_t count;
        bool are_tasks;
        /// The next part that nobody has taken.
        std::atomic<std::size_t> next{0};
        std::exception_ptr failure{};
        /// Whether who takes part in it need not go on: it has failed.
        std::atomic<bool> given_up{false};

        bool has_parts() const { return next < count; }
    };

    /// Where a job can be found. No lock is needed to look: who looks is counted first, and the owner takes the job
    /// away and then waits until nobody looks any more.
    struct alignas(64) Slot {
        std::atomic<bool> taken{false};
        std::atomic<Job*> job{nullptr};
        std::atomic<int> visitors{0};
    };

    bool has_threads() const;
    void end();
    void perform(Job& job);
    /// Take a part of a job; false if none is left.
    bool work_at(Job& job, bool is_owner);
    /// Note what was just thrown, and drop the parts that nobody has taken.
    void give_up(Job& job);
    /// Take a part of a job of others; false if there is none.
    bool help(bool with_tasks);
    /// Wait for something new since then: awake for a while, then asleep; no longer than a watch may look away.
    void wait_for_news(std::uint64_t told);
    void tell_news();
    void serve();

    static inline std::atomic<double> worth_a_thread_{60'000};

    int size_;
    /// How often the process had been forked when the threads were started.
    int forks_;
    std::array<Slot, 64> slots_;
    /// How often there was something new: a job, or the end of one.
    std::atomic<std::uint64_t> told_{0};
    std::atomic<int> asleep_{0};
    std::atomic<bool> ended_{false};
    std::mutex mutex_;
    std::condition_variable news_;
    std::vector<std::thread> threads_;
};

}  // namespace stablebn
