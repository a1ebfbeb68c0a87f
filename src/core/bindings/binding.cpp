#include "binding.hpp"

namespace stablebn {

void bind_numbers(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_search(nb::module_& m);
void bind_independence(nb::module_& m);

}  // namespace stablebn

NB_MODULE(_core, m) {
    m.doc() = "The compiled core: rows, levels, joint tables, scores, climbs and tests; no names, no frames.";
    stablebn::bind_numbers(m);
    stablebn::bind_statistics(m);
    stablebn::bind_search(m);
    stablebn::bind_independence(m);
}
