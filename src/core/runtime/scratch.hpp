// Reusable memory.
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

/// A buffer that grows on demand; its initial contents are undefined.
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

/// Released matrices, kept for reuse: new memory from the system takes longer to obtain than to fill.
template <class T>
class Spares {
public:
    /// Most elements that are kept in all.
    explicit Spares(std::size_t most) : most_(most) {}

    /// Return a matrix with undefined contents.
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
