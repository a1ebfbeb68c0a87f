// The upper tail of the chi-square distribution: SciPy's own, and what is smaller than it can tell.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stablebn {

class ChiSquareTail {
public:
    /// The last argument is Cython's: whether to skip a look for Python methods of the same name.
    using Function = double(double df, double statistic, int skip_dispatch);

    /// SciPy's function `chdtrc`. The core does not link to SciPy: Python, which loads it when a test is made, says
    /// where the function is.
    explicit ChiSquareTail(Function* chdtrc) : chdtrc_(chdtrc) {}

    /// How likely a statistic is at least so great: down to 5e-324, where SciPy stops at some 1e-310.
    double operator()(double statistic, double df) const;

private:
    Function* chdtrc_;
};

/// By degrees of freedom, a statistic above which the p-value is so clearly small that it need not be known.
class CriticalValues {
public:
    explicit CriticalValues(std::vector<double> values) : values_(std::move(values)) {}

    bool are_below(double statistic, double df) const {
        return df < static_cast<double>(values_.size()) && statistic > values_[static_cast<std::size_t>(df)];
    }

private:
    std::vector<double> values_;
};

}  // namespace stablebn
