#include "counting/row_source.hpp"

#include <exception>
#include <iterator>
#include <limits>
#include <utility>

namespace stablebn {

namespace {

constexpr int SHARE_OF_WAITING = 16;

}  // namespace

ConfigurationKeys::ConfigurationKeys(std::span<const int> levels) : places_(levels.size()) {
    std::uint64_t stride = 1;
    for (std::size_t at = levels.size(); at-- > 0;) {
        const auto own = static_cast<std::uint64_t>(levels[at]);
        if (stride > std::numeric_limits<std::uint64_t>::max() / own) {
            stride = 1;
            ++words_;
        }
        places_[at] = {words_ - 1, stride, own};
        stride *= own;
    }
}

Answers RowSource::ask(Questions questions) {
    const auto own = std::make_shared<Waiting>();
    own->questions = std::move(questions);
    std::unique_lock lock(mutex_);
    waiting_.push_back(own);
    while (!own->answered) {
        if (asking_) {
            changed_.wait(lock);
            continue;
        }
        asking_ = true;
        // Other threads may be about to send queries: wait a fraction of the time of a pass.
        changed_.wait_for(lock, last_pass_ / SHARE_OF_WAITING);
        const auto all = std::exchange(waiting_, {});
        lock.unlock();
        const auto began = Clock::now();
        answer_together(all);
        lock.lock();
        last_pass_ = Clock::now() - began;
        asking_ = false;
        for (const auto& one : all) one->answered = true;
        changed_.notify_all();
    }
    if (own->error) std::rethrow_exception(own->error);
    return std::move(own->answers);
}

void RowSource::answer_together(std::span<const std::shared_ptr<Waiting>> all) {
    try {
        Questions together;
        for (const auto& one : all) {
            std::ranges::copy(one->questions.crossings, std::back_inserter(together.crossings));
            std::ranges::copy(one->questions.listings, std::back_inserter(together.listings));
            std::ranges::copy(one->questions.summings, std::back_inserter(together.summings));
        }
        Answers answers = answer(together);
        const auto hand_out = [](auto& from, std::size_t count, auto& to) {
            const auto end = from.begin() + static_cast<std::ptrdiff_t>(count);
            to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
            from.erase(from.begin(), end);
        };
        for (const auto& one : all) {
            hand_out(answers.crossed, one->questions.crossings.size(), one->answers.crossed);
            hand_out(answers.listed, one->questions.listings.size(), one->answers.listed);
            hand_out(answers.summed, one->questions.summings.size(), one->answers.summed);
        }
    } catch (...) {
        for (const auto& one : all) one->error = std::current_exception();
    }
}

}  // namespace stablebn
