// Conversions between Python objects and core types that all bindings use.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <bit>
#include <cstdint>
#include <exception>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "numeric/fixed.hpp"
#include "runtime/pool.hpp"
#include "table/variable_set.hpp"
#include "runtime/views.hpp"

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

/// Thrown to end work when the time is up; `TimeIsUp` in Python.
struct TimeIsUp : std::exception {
    const char* what() const noexcept override { return "the time is up"; }
};

/// While one exists, work of this thread calls at intervals a function that returns whether the time is up, and ends
/// with `TimeIsUp` if so; nested limits all apply. Created and called with the interpreter lock held.
class TimeLimit {
public:
    explicit TimeLimit(const nb::callable& time_is_up);
    ~TimeLimit();
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

    /// Throw `TimeIsUp` if a limit of this thread is reached.
    static void check();

private:
    const nb::callable& time_is_up_;
    const TimeLimit* outer_;
};

/// Raise pending signal exceptions (Ctrl-C, in the main thread) and `TimeIsUp` if a limit is reached.
void look_at_signals();

/// While one exists, the interpreter lock is released, and shared work checks signals and time at intervals.
class Unlocked {
    nb::gil_scoped_release release_;
    Watch watch_{&look_at_signals};
};

/// An array that owns its elements.
template <class T>
nb::ndarray<nb::numpy, T> array_of(std::vector<T> values, std::vector<std::size_t> shape) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(owned->data(), shape.size(), shape.data(), owner);
}

/// Fixed-point numbers are passed to Python as two limbs, hi * 2**46 + lo: magnitudes below 2**47 nats fit, and limbs
/// of many numbers can be added.
constexpr int LO_BITS = 46;

inline Fixed from_limbs(std::int64_t hi, std::int64_t lo) { return {Wide{hi} * (Wide{1} << LO_BITS) + lo}; }

/// The limbs of a number; the high limb of NOT_A_CANDIDATE is the least integer.
inline std::array<std::int64_t, 2> limbs_of(Fixed value) {
    return {static_cast<std::int64_t>(value.units >> LO_BITS), static_cast<std::int64_t>(value.units) & ((std::int64_t{1} << LO_BITS) - 1)};
}

/// Limbs [..., 2] of numbers.
inline nb::ndarray<nb::numpy, std::int64_t> limbs_of(std::span<const Fixed> values, std::vector<std::size_t> shape) {
    std::vector<std::int64_t> limbs;
    limbs.reserve(2 * values.size());
    for (const Fixed value : values) {
        const auto own = limbs_of(value);
        limbs.insert(limbs.end(), own.begin(), own.end());
    }
    shape.push_back(2);
    return array_of(std::move(limbs), std::move(shape));
}

/// The number in units of 2**-62.
inline nb::object to_int(Fixed value) {
    const auto high = static_cast<std::int64_t>(value.units >> 64);
    const nb::int_ half_word(std::int64_t{1} << 32);
    return nb::int_(high) * half_word * half_word + nb::int_(static_cast<std::uint64_t>(value.units));
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
