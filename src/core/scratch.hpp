// Memory that is used again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "views.hpp"

namespace stablebn {

/// A piece of memory that grows when more of it is asked for; what is in it at first means nothing.
template <class T>
class Scratch {
public:
    std::span<T> take(std::size_t size) {
        if (size > memory_.size()) {
            memory_.clear();
            memory_.resize(size);
        }
        return {memory_.data(), size};
    }

    std::span<T> take_zeros(std::size_t size) {
        const auto taken = take(size);
        std::fill(taken.begin(), taken.end(), T{});
        return taken;
    }

private:
    std::vector<T, CacheAligned<T>> memory_;
};

}  // namespace stablebn
