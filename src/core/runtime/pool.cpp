#include "runtime/pool.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>

#include "runtime/engine.hpp"

#if STABLEBN_X86
#include <immintrin.h>
#endif
#if defined(__unix__) || defined(__APPLE__)
#define POSIX_THREADS 1
#include <pthread.h>
#include <signal.h>
#endif

namespace stablebn {

namespace {

// How long a thread spins for more work before it sleeps. A search shares work every few hundred microseconds, and
// waking many threads takes about as long.
constexpr std::chrono::microseconds AWAKE{1000};

// Number of checks before a waiting thread yields its core.
constexpr int MOMENTS = 32;

/// Pause briefly, so that another thread on the same core can use it fully.
void rest() {
#if STABLEBN_X86
    _mm_pause();
#endif
}

// Longest time between two checks of a watch.
constexpr std::chrono::milliseconds BETWEEN_LOOKS{30};

thread_local Watch* watch = nullptr;

// Whether the current part's job was given up, if the job belongs to another thread.
thread_local const std::atomic<bool>* given_up = nullptr;

/// Ends a part of a job that was given up; the original exception is thrown by the thread that shared the job.
struct GivenUp {};

/// Do all parts on this thread.
void do_alone(std::size_t count, const std::function<void(std::size_t)>& part) {
    for (std::size_t i = 0; i < count; ++i) {
        Watch::look_now_and_then();
        part(i);
    }
}

/// Number of forks between this process and the first one.
std::atomic<int> forks{0};

struct Pools {
    std::mutex mutex;
    std::map<int, std::shared_ptr<Pool>> by_size;
};

/// While one exists, new threads block signals, so that Python's threads receive them.
class Deaf {
public:
#if defined(POSIX_THREADS)
    Deaf() {
        sigset_t from_elsewhere;
        sigfillset(&from_elsewhere);
        for (const int own_fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&from_elsewhere, own_fault);
        pthread_sigmask(SIG_SETMASK, &from_elsewhere, &before_);
    }
    ~Deaf() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    Deaf(const Deaf&) = delete;
    Deaf& operator=(const Deaf&) = delete;

private:
    sigset_t before_;
#endif
};

/// Never destroyed: threads may outlive static objects at the end of the process.
Pools*& pools() {
    static Pools* all = new Pools;
    return all;
}

#if defined(POSIX_THREADS)
// A forked process has none of the threads, and possibly a locked mutex: it starts with new pools.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] {
    ++forks;
    pools() = new Pools;
});
#endif

}  // namespace

Watch::Watch(void (*look)()) : look_(look), outer_(std::exchange(watch, this)), looked_(std::chrono::steady_clock::now()) {}

Watch::~Watch() { watch = outer_; }

void Watch::look_now_and_then() {
    if (given_up && given_up->load(std::memory_order_relaxed)) throw GivenUp{};
    Watch* const own = watch;
    if (!own || std::chrono::steady_clock::now() - own->looked_ < BETWEEN_LOOKS) return;
    own->look_();
    own->looked_ = std::chrono::steady_clock::now();
}

Pool::Pool(int size) : size_(std::max(size, 1)), forks_(forks) {
    [[maybe_unused]] const Deaf deaf;
    try {
        for (int i = 1; i < size_; ++i) threads_.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
        // The system cannot create more threads; the existing ones do the work.
        size_ = 1 + static_cast<int>(threads_.size());
    } catch (...) {
        end();
        throw;
    }
}

Pool::~Pool() { end(); }

void Pool::end() {
    ended_ = true;
    tell_news();
    for (auto& thread : threads_) thread.join();
}

/// A forked process has the pool object, but no threads, and locks in an arbitrary state.
bool Pool::has_threads() const { return size_ > 1 && forks_ == forks; }

void Pool::share(std::size_t count, const std::function<void(std::size_t)>& part) {
    if (count < 2 || !has_threads()) {
        do_alone(count, part);
        return;
    }
    Job job{part, count, false};
    perform(job);
}

void Pool::share(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part) {
    if (nanoseconds >= worth_a_thread()) {
        share(count, part);
    } else {
        do_alone(count, part);
    }
}

void Pool::share_evenly(std::size_t count, double nanoseconds, const std::function<void(std::size_t)>& part) {
    const std::size_t lots = std::min(parts(), count);
    share(lots, nanoseconds, [&](std::size_t lot) {
        for (std::size_t i = count * lot / lots; i < count * (lot + 1) / lots; ++i) part(i);
    });
}

void Pool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (count < 2 || !has_threads()) {
        do_alone(count, task);
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
    // Without a free slot no other thread helps; the work is still done.
    if (free) {
        free->job = &job;
        tell_news();
    }
    while (work_at(job, true)) {
    }
    if (free) {
        free->job = nullptr;
        while (free->visitors) {
            const std::uint64_t told = told_;
            try {
                if (!job.given_up) Watch::look_now_and_then();
            } catch (...) {
                give_up(job);
            }
            // Not with tasks: they may take long, and another thread waits for this one.
            if (!help(false) && free->visitors) wait_for_news(told);
        }
        free->taken = false;
    }
    if (job.failure) std::rethrow_exception(job.failure);
}

bool Pool::work_at(Job& job, bool is_owner) {
    const auto* const outer = given_up;
    try {
        // Checked before a part is taken, because other threads may wait for a part that was taken.
        if (is_owner) Watch::look_now_and_then();
        const std::size_t place = job.next.fetch_add(1);
        if (place >= job.count) return false;
        if (!is_owner) given_up = &job.given_up;
        job.part(place);
    } catch (...) {
        given_up = outer;
        give_up(job);
        return false;
    }
    given_up = outer;
    return true;
}

void Pool::give_up(Job& job) {
    const std::lock_guard lock(mutex_);
    if (!job.failure) job.failure = std::current_exception();
    job.next = job.count;
    job.given_up = true;
}

bool Pool::help(bool with_tasks) {
    for (Slot& slot : slots_) {
        if (!slot.job.load(std::memory_order_relaxed)) continue;
        ++slot.visitors;
        Job* job = slot.job;
        // One part only: a waiting thread checks after each whether its own work is done.
        const bool helps = job && job->has_parts() && (with_tasks || !job->are_tasks) && work_at(*job, false);
        // Nothing accesses the job after this. If it was removed meanwhile, its owner may be waiting for this
        // announcement.
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

void Pool::announce() {
    if (has_threads()) tell_news();
}

void Pool::wait_for_news(std::uint64_t told) {
    const auto end = std::chrono::steady_clock::now() + AWAKE;
    while (told_ == told) {
        for (int moment = 0; moment < MOMENTS && told_ == told; ++moment) rest();
        if (std::chrono::steady_clock::now() < end) {
            std::this_thread::yield();
            continue;
        }
        std::unique_lock lock(mutex_);
        // Counted before the last check: an announcement after that check sees the sleeping thread.
        ++asleep_;
        const auto is_new = [&] { return told_ != told; };
        if (watch) {
            news_.wait_for(lock, BETWEEN_LOOKS, is_new);
        } else {
            news_.wait(lock, is_new);
        }
        --asleep_;
        if (watch) return;
    }
}

void Pool::tell_news() {
    ++told_;
    if (!asleep_) return;
    // A thread that is about to sleep holds the lock from its last check until it sleeps.
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
    Pools& all = *pools();
    const std::lock_guard lock(all.mutex);
    auto& pool = all.by_size[size];
    if (!pool) pool = std::make_shared<Pool>(size);
    return pool;
}

}  // namespace stablebn
