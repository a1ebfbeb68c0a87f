#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>

#include "standin.hpp"

namespace nb = nanobind;
using namespace nb::literals;

using Words = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

NB_MODULE(_core, module) {
    module.def("engine", &stablebn::engine);
    module.def(
        "count_bits",
        [](const Words& words, int threads) {
            nb::gil_scoped_release unlocked;
            return stablebn::count_bits({words.data(), words.size()}, threads);
        },
        "words"_a, "threads"_a = 1);
}
