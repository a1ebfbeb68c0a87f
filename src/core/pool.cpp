#include "pool.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace stablebn {

namespace {

// How long a thread stays awake for more work. A search has some every few hundred microseconds, and to wake many
// threads that sleep takes about as long.
constexpr std::chrono::microseconds AWAKE{1000};

struct Pools {
    std::mutex mutex;
    std::map<int, std::shared_ptr<Pool>> by_size;
};

/// Never destroyed: threads may outlive static objects at the end of the process.
Pools*& pools() {
    static Pools* all = new Pools;
    return all;
}

}  // namespace

Pool::Pool(int size) : size_(std::max(size, 1)) {
    for (int i = 1; i < size_; ++i) threads_.emplace_back([this] { serve(); });
}

Pool::~Pool() {
    ended_ = true;
    tell_news();
    for (auto& thread : threads_) thread.join();
}

void Pool::share(std::size_t count, const std::function<void(std::size_t)>& part) {
    if (size_ == 1 || count < 2) {
        for (std::size_t i = 0; i < count; ++i) part(i);
        return;
    }
    Job job{part, count, false};
    perform(job);
}

void Pool::share(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part) {
    if (nanoseconds >= worth_a_thread()) {
        share(count, part);
    } else {
        for (std::size_t i = 0; i < count; ++i) part(i);
    }
}

void Pool::share_evenly(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part) {
    const std::size_t lots = std::min(parts(), count);
    share(lots, nanoseconds, [&](std::size_t lot) {
        for (std::size_t i = count * lot / lots; i < count * (lot + 1) / lots; ++i) part(i);
    });
}

void Pool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (size_ == 1 || count < 2) {
        for (std::size_t i = 0; i < count; ++i) task(i);
        return;
    }
    Job job{task, count, true};
    perform(job);
}

void Pool::perform(Job& job) {
    Slot* free = nullptr;
    for (Slot& slot : slots_) {
        bool taken = false;
        if (slot.taken.compare_exchange_strong(taken, true)) {
            free = &slot;
            break;
        }
    }
    // Without a slot nobody helps: the work is done all the same.
    if (free) {
        free->job = &job;
        tell_news();
    }
    while (work_at(job)) {
    }
    if (free) {
        free->job = nullptr;
        while (free->visitors) {
            const std::uint64_t told = told_;
            // Not with tasks: they may take long, and this thread is waited for.
            if (!help(false) && free->visitors) wait_for_news(told);
        }
        free->taken = false;
    }
    if (job.failure) std::rethrow_exception(job.failure);
}

bool Pool::work_at(Job& job) {
    const std::size_t place = job.next.fetch_add(1);
    if (place >= job.count) return false;
    try {
        job.part(place);
    } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!job.failure) job.failure = std::current_exception();
        // The parts that nobody has taken are dropped.
        job.next = job.count;
    }
    return true;
}

bool Pool::help(bool with_tasks) {
    for (Slot& slot : slots_) {
        if (!slot.job.load(std::memory_order_relaxed)) continue;
        ++slot.visitors;
        Job* job = slot.job;
        // One part, not all: who waits for something looks after each whether it has come.
        const bool helps = job && job->has_parts() && (with_tasks || !job->are_tasks) && work_at(*job);
        // Nothing touches the job after this. If it was taken away meanwhile, its owner may wait to hear so.
        if (--slot.visitors == 0 && !slot.job) tell_news();
        if (helps) return true;
    }
    return false;
}

void Pool::help_until(const std::function<bool()>& done) {
    help_until(done, [] { return false; });
}

void Pool::help_until(const std::function<bool()>& done, const std::function<bool()>& otherwise) {
    while (true) {
        const std::uint64_t told = told_;
        if (done()) return;
        if (!help(false) && !otherwise()) wait_for_news(told);
    }
}

void Pool::announce() { tell_news(); }

void Pool::wait_for_news(std::uint64_t told) {
    const auto end = std::chrono::steady_clock::now() + AWAKE;
    while (told_ == told) {
        if (std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
            continue;
        }
        std::unique_lock lock(mutex_);
        // Counted before the last look: who tells news after that look sees that somebody sleeps.
        ++asleep_;
        news_.wait(lock, [&] { return told_ != told; });
        --asleep_;
    }
}

void Pool::tell_news() {
    ++told_;
    if (!asleep_) return;
    // Who is about to sleep holds the lock from its last look until it sleeps.
    { const std::lock_guard lock(mutex_); }
    news_.notify_all();
}

void Pool::serve() {
    while (!ended_) {
        const std::uint64_t told = told_;
        if (!help(true)) wait_for_news(told);
    }
}

std::shared_ptr<Pool> Pool::with_threads(int size) {
#if defined(__unix__) || defined(__APPLE__)
    // A forked process has none of the threads, and perhaps a lock that nobody will open: it starts anew.
    static const int registered = pthread_atfork(nullptr, nullptr, [] { pools() = new Pools; });
    (void)registered;
#endif
    Pools& all = *pools();
    const std::lock_guard lock(all.mutex);
    auto& pool = all.by_size[size];
    if (!pool) pool = std::make_shared<Pool>(size);
    return pool;
}

}  // namespace stablebn
