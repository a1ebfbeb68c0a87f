// What the bindings share: conversions between Python's objects and the core's types.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "fixed.hpp"
#include "pool.hpp"
#include "variable_set.hpp"
#include "views.hpp"

namespace stablebn {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using WritableVector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
MatrixView<const T> view_of(const Table<T>& array) {
    return {array.data(), array.shape(0), array.shape(1)};
}

/// Raise what a signal raises: Ctrl-C, in the main thread.
void look_at_signals();

/// While there is one, others may use the interpreter, and shared work looks at signals now and then.
class Unlocked {
    nb::gil_scoped_release release_;
    Watch watch_{&look_at_signals};
};

/// An array that owns its numbers.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner);
}

/// Limbs [..., 2] of fixed-point numbers, carried but for those that are not candidates.
inline nb::ndarray<nb::numpy, std::int64_t> limbs_of(std::span<const Fixed> values, std::vector<std::size_t> shape) {
    std::vector<std::int64_t> limbs;
    limbs.reserve(2 * values.size());
    for (const Fixed value : values) {
        const Fixed own = is_candidate(value) ? value.carried() : value;
        limbs.push_back(own.hi);
        limbs.push_back(own.lo);
    }
    shape.push_back(2);
    return array_of(std::move(limbs), std::move(shape));
}

/// The integer hi * 2**32 + lo.
inline nb::object to_int(Fixed value) {
    return nb::int_(value.hi) * nb::int_(std::int64_t{1} << LO_BITS) + nb::int_(value.lo);
}

/// The set whose members are the bits of an int.
inline VariableSet set_of(const nb::int_& bits) {
    std::vector<int> members;
    const unsigned long long word = PyLong_AsUnsignedLongLong(bits.ptr());
    if (!PyErr_Occurred()) {
        for (unsigned long long rest = word; rest; rest &= rest - 1) members.push_back(std::countr_zero(rest));
        return VariableSet(std::move(members));
    }
    // More than 64 variables.
    PyErr_Clear();
    const auto length = nb::cast<std::size_t>(bits.attr("bit_length")());
    const nb::bytes bytes = nb::cast<nb::bytes>(bits.attr("to_bytes")((length + 7) / 8, "little"));
    const auto* data = static_cast<const unsigned char*>(bytes.data());
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        for (unsigned byte = data[at], v = 0; byte; byte >>= 1, ++v) {
            if (byte & 1) members.push_back(static_cast<int>(8 * at + v));
        }
    }
    return VariableSet(std::move(members));
}

}  // namespace stablebn
