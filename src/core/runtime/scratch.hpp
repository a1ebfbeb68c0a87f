// Memory that is used again and again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/views.hpp"

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

/// Matrices that nobody needs any more, for the next ones: to get new memory from the system takes longer than to fill it.
template <class T>
class Spares {
public:
    /// Numbers that are kept in all.
    explicit Spares(std::size_t most) : most_(most) {}

    /// A matrix whose numbers mean nothing until they are written.
    Matrix<T> take(std::size_t rows, std::size_t columns) {
        const std::size_t wanted = rows * columns;
        {
            const std::lock_guard lock(mutex_);
            const auto found = by_capacity_.lower_bound(wanted);
            if (found != by_capacity_.end() && found->first <= wanted + wanted / 4) {
                kept_ -= found->first;
                auto spare = by_capacity_.extract(found);
                return Matrix<T>::unwritten(rows, columns, std::move(spare.mapped()));
            }
        }
        return Matrix<T>::unwritten(rows, columns);
    }

    void give(Matrix<T> matrix) {
        const std::lock_guard lock(mutex_);
        if (kept_ + matrix.capacity() > most_) return;
        kept_ += matrix.capacity();
        const std::size_t capacity = matrix.capacity();
        by_capacity_.emplace(capacity, std::move(matrix));
    }

private:
    std::size_t most_;
    std::mutex mutex_;
    std::size_t kept_ = 0;
    std::multimap<std::size_t, Matrix<T>> by_capacity_;
};

}  // namespace stablebn
