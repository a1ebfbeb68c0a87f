// Views of arrays, and arrays that own their elements; rows are contiguous.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace stablebn {

/// A matrix whose elements another object owns.
template <class T>
struct MatrixView {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t columns = 0;

    std::span<T> operator[](std::size_t row) const { return {data + row * columns, columns}; }
    T& operator()(std::size_t row, std::size_t column) const { return data[row * columns + column]; }
    bool empty() const { return rows == 0 || columns == 0; }
    operator MatrixView<const T>() const { return {data, rows, columns}; }
};

/// Allocates memory aligned to cache lines, so that a wide load never touches two lines.
template <class T>
struct CacheAligned {
    using value_type = T;
    static constexpr std::align_val_t LINE{64};

    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&) {}

    /// Elements without a value stay uninitialised, also fixed-point numbers.
    template <class U>
    void construct(U* at) {
        if constexpr (!std::is_trivially_copyable_v<U>) ::new (static_cast<void*>(at)) U;
    }
    template <class U, class... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }

    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), LINE)); }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, LINE); }
    friend bool operator==(CacheAligned, CacheAligned) { return true; }
};

/// A matrix that owns its elements.
template <class T>
class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns, T value = T{})
        : rows_(rows), columns_(columns), values_(rows * columns, value) {}

    /// A matrix with undefined contents, in the memory of `spare` if that is large enough.
    static Matrix unwritten(std::size_t rows, std::size_t columns, Matrix spare = {}) {
        Matrix matrix = std::move(spare);
        matrix.rows_ = rows;
        matrix.columns_ = columns;
        matrix.values_.resize(rows * columns);
        return matrix;
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    /// Number of elements that its memory can hold.
    std::size_t capacity() const { return values_.capacity(); }
    bool empty() const { return values_.empty(); }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }
    std::span<T> operator[](std::size_t row) { return {data() + row * columns_, columns_}; }
    std::span<const T> operator[](std::size_t row) const { return {data() + row * columns_, columns_}; }
    T& operator()(std::size_t row, std::size_t column) { return values_[row * columns_ + column]; }
    const T& operator()(std::size_t row, std::size_t column) const { return values_[row * columns_ + column]; }
    MatrixView<T> view() { return {data(), rows_, columns_}; }
    MatrixView<const T> view() const { return {data(), rows_, columns_}; }

private:
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::vector<T, CacheAligned<T>> values_;
};

}  // namespace stablebn
