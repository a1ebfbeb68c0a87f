// Memory that is used again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>

namespace stablebn {

/// A piece of memory that grows when more of it is asked for; what is in it at first means nothing.
template <class T>
class Scratch {
public:
    std::span<T> take(std::size_t size) {
        if (size > capacity_) {
            memory_ = std::make_unique_for_overwrite<T[]>(size);
            capacity_ = size;
        }
        return {memory_.get(), size};
    }

    std::span<T> take_zeros(std::size_t size) {
        const auto taken = take(size);
        std::fill(taken.begin(), taken.end(), T{});
        return taken;
    }

private:
    std::unique_ptr<T[]> memory_;
    std::size_t capacity_ = 0;
};

}  // namespace stablebn
