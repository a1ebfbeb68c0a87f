#include "pool.hpp"

#include <algorithm>
#include <map>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace stablebn {

namespace {

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
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    news_.notify_all();
    for (auto& thread : threads_) thread.join();
}

void Pool::share(std::size_t count, const std::function<void(std::size_t)>& part) {
    if (size_ == 1 || count < 2) {
        for (std::size_t i = 0; i < count; ++i) part(i);
        return;
    }
    Job job{part, count, false, 0, count, nullptr};
    perform(job);
}

void Pool::share(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part) {
    if (nanoseconds >= WORTH_A_THREAD) {
        share(count, part);
    } else {
        for (std::size_t i = 0; i < count; ++i) part(i);
    }
}

void Pool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (size_ == 1 || count < 2) {
        for (std::size_t i = 0; i < count; ++i) task(i);
        return;
    }
    Job job{task, count, true, 0, count, nullptr};
    perform(job);
}

void Pool::perform(Job& job) {
    std::unique_lock lock(mutex_);
    jobs_.push_back(&job);
    news_.notify_all();
    work_at(job, lock);
    help([&job] { return job.unfinished == 0; }, lock);
    jobs_.erase(std::find(jobs_.begin(), jobs_.end(), &job));
    if (job.failure) std::rethrow_exception(job.failure);
}

void Pool::help(const std::function<bool()>& done, std::unique_lock<std::mutex>& lock) {
    while (!done()) {
        // Not with tasks: they may take long, and this thread is waited for.
        if (Job* other = job_to_help(false)) {
            work_at(*other, lock);
        } else {
            news_.wait(lock);
        }
    }
}

void Pool::help_until(const std::function<bool()>& done) {
    std::unique_lock lock(mutex_);
    help(done, lock);
}

void Pool::announce() {
    const std::lock_guard lock(mutex_);
    news_.notify_all();
}

void Pool::work_at(Job& job, std::unique_lock<std::mutex>& lock) {
    while (job.next < job.count) {
        const std::size_t place = job.next++;
        lock.unlock();
        std::exception_ptr failure;
        try {
            job.part(place);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        if (failure && !job.failure) {
            // The parts that nobody has taken are dropped.
            job.failure = failure;
            job.unfinished -= job.count - job.next;
            job.next = job.count;
        }
        // The job's owner may leave, and the job with it, as soon as this is 0 and the lock is free.
        const bool ended = --job.unfinished == 0;
        if (ended) {
            news_.notify_all();
            return;
        }
    }
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
            work_at(*job, lock);
        } else {
            news_.wait(lock);
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
