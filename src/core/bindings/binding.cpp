#include "binding.hpp"

#include <cstdlib>
#include <string>

#include "engine.hpp"

namespace stablebn {

void look_at_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals()) throw nb::python_error();
}

void bind_numbers(nb::module_& m);
void bind_encoding(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_search(nb::module_& m);
void bind_independence(nb::module_& m);
void bind_equivalence(nb::module_& m);
void bind_optimum(nb::module_& m);

}  // namespace stablebn

namespace {

/// A name that is no engine's is an error, told when the module is imported, and not passed over.
void check_environment() {
    const char* wanted = std::getenv("STABLEBN_ENGINE");
    if (!wanted || stablebn::engine() == wanted) return;
    std::string known;
    for (const auto& name : stablebn::engines()) known += (known.empty() ? "" : ", ") + name;
    throw std::runtime_error("STABLEBN_ENGINE=" + std::string(wanted) + " is no engine of this machine. Choose one of: " +
                             known + ".");
}

}  // namespace

NB_MODULE(_core, m) {
    check_environment();
    m.doc() = "The compiled core: rows, levels, joint tables, scores, climbs and tests; no names, no frames.";
    stablebn::bind_numbers(m);
    stablebn::bind_encoding(m);
    stablebn::bind_statistics(m);
    stablebn::bind_search(m);
    stablebn::bind_independence(m);
    stablebn::bind_equivalence(m);
    stablebn::bind_optimum(m);
}
