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
    {
        std::unique_lock lock(mutex_);
        ended_ = true;
        tell_news(lock);
    }
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
    std::unique_lock lock(mutex_);
    jobs_.push_back(&job);
    tell_news(lock);
    lock.unlock();
    work_at(job);
    lock.lock();
    // Nobody else finds it from now on; who is still at it finishes.
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    help([&job] { return job.helpers == 0; }, lock);
    if (job.failure) std::rethrow_exception(job.failure);
}

void Pool::work_at(Job& job) {
    for (std::size_t place; (place = job.next.fetch_add(1)) < job.count;) {
        try {
            job.part(place);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!job.failure) job.failure = std::current_exception();
            // The parts that nobody has taken are dropped.
            job.next = job.count;
        }
    }
}

void Pool::help_with(Job& job, std::unique_lock<std::mutex>& lock) {
    ++job.helpers;
    lock.unlock();
    work_at(job);
    lock.lock();
    if (--job.helpers == 0) tell_news(lock);
}

void Pool::help(const std::function<bool()>& done, std::unique_lock<std::mutex>& lock) {
    while (!done()) {
        // Not with tasks: they may take long, and this thread is waited for.
        if (Job* other = job_to_help(false)) {
            help_with(*other, lock);
        } else {
            wait_for_news(lock);
        }
    }
}

void Pool::help_until(const std::function<bool()>& done) {
    std::unique_lock lock(mutex_);
    help(done, lock);
}

void Pool::announce() {
    std::unique_lock lock(mutex_);
    tell_news(lock);
}

void Pool::wait_for_news(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t told = told_;
    lock.unlock();
    const auto end = std::chrono::steady_clock::now() + AWAKE;
    while (told_ == told && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    lock.lock();
    ++asleep_;
    news_.wait(lock, [&] { return told_ != told; });
    --asleep_;
}

void Pool::tell_news(std::unique_lock<std::mutex>&) {
    ++told_;
    if (asleep_) news_.notify_all();
}

Pool::Job* Pool::job_to_help(bool with_tasks) {
    for (Job* job : jobs_) {
        if (job->next < job->count && (with_tasks || !job->are_tasks)) return job;
    }
    return nullptr;
}

void Pool::serve() {
    std::unique_lock lock(mutex_);
    while (!ended_) {
        if (Job* job = job_to_help(true)) {
            help_with(*job, lock);
        } else {
            wait_for_news(lock);
        }
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
