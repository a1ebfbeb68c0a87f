#include "bindings/binding.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "runtime/engine.hpp"

namespace stablebn {

namespace {

/// The innermost limit of this thread.
thread_local const TimeLimit* innermost = nullptr;

}  // namespace

TimeLimit::TimeLimit(const nb::callable& time_is_up) : time_is_up_(time_is_up), outer_(std::exchange(innermost, this)) {}

TimeLimit::~TimeLimit() { innermost = outer_; }

void TimeLimit::check() {
    for (const TimeLimit* limit = innermost; limit; limit = limit->outer_) {
        if (nb::cast<bool>(limit->time_is_up_())) throw TimeIsUp{};
    }
}

namespace {

std::terminate_handler usual_end = nullptr;
std::thread::id main_thread;

/// At exit, Python ends its other threads by unwinding their stacks, and C++ terminates at a function that must not
/// throw: then such a thread sleeps until the process has ended. It has no current exception; a real fault has one.
[[noreturn]] void sleep_until_the_end() {
    while (!std::current_exception() && std::this_thread::get_id() != main_thread) {
        std::this_thread::sleep_for(std::chrono::hours(1));
    }
    usual_end();
    std::abort();
}

void let_threads_outlive_python() {
    if (usual_end) return;
    main_thread = std::this_thread::get_id();
    usual_end = std::set_terminate(&sleep_until_the_end);
}

}  // namespace

void look_at_signals() {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals()) throw nb::python_error();
    TimeLimit::check();
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

/// An unknown engine name is an error when the module is imported.
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
    namespace nb = nanobind;
    check_environment();
    // Python may exit while a daemon thread still uses an object; nanobind would print a list of these.
    nb::set_leak_warnings(false);
    m.doc() = "The compiled core: rows, levels, joint tables, scores, climbs and tests; no names, no frames.";
    nb::exception<stablebn::TimeIsUp>(m, "TimeIsUp");
    m.def("within_time",
          [](const nb::callable& time_is_up, const nb::callable& work) {
              const stablebn::TimeLimit limit(time_is_up);
              return work();
          },
          nb::arg("time_is_up"), nb::arg("work"),
          "Call `work` and return what it returns; raise `TimeIsUp` from within the core as soon as `time_is_up` says so.");
    m.def("check_time", &stablebn::TimeLimit::check,
          "Raise `TimeIsUp` if `time_is_up` of a call of `within_time` that has not ended says so: for long work in Python.");
    m.def("let_threads_outlive_python", &stablebn::let_threads_outlive_python,
          "Let threads that still run when Python ends not abort the process; called in the main thread.");
    stablebn::bind_numbers(m);
    stablebn::bind_encoding(m);
    stablebn::bind_statistics(m);
    stablebn::bind_search(m);
    stablebn::bind_independence(m);
    stablebn::bind_equivalence(m);
    stablebn::bind_optimum(m);
}
