#include "families.hpp"

#include <algorithm>
#include <utility>

namespace stablebn {

std::shared_ptr<const Family> FamilyScores::family(int child, const VariableSet& parents) {
    Key key{child, parents};
    {
        const std::lock_guard lock(mutex_);
        const auto found = families_.find(key);
        if (found != families_.end()) return found->second;
    }
    auto made = std::make_shared<Family>();
    if (parents.empty()) {
        const auto changes = first_changes()[child];
        made->changes.assign(changes.begin(), changes.end());
    } else {
        made->changes = work_out(child, parents);
    }
    const std::lock_guard lock(mutex_);
    return families_.emplace(std::move(key), std::move(made)).first->second;
}

std::span<const Fixed> FamilyScores::first_terms() {
    first_changes();
    return first_terms_;
}

MatrixView<const Fixed> FamilyScores::first_changes() {
    std::call_once(first_once_, [this] {
        first_terms_.resize(variables_);
        first_changes_ = Matrix<Fixed>(variables_, variables_);
        work_out_first(first_terms_, first_changes_.view());
    });
    return std::as_const(first_changes_).view();
}

void FamilyScores::work_out_first(std::span<Fixed> terms, MatrixView<Fixed> changes) {
    for (int v = 0; v < variables_; ++v) {
        terms[v] = term(v, {});
        const auto own = work_out(v, {});
        std::copy(own.begin(), own.end(), changes[v].begin());
    }
}

void FamilyScores::adopt_first(FamilyScores& other, std::span<const int> order) {
    const auto changes = other.first_changes();
    std::call_once(first_once_, [&] {
        first_terms_.resize(variables_);
        first_changes_ = Matrix<Fixed>(variables_, variables_);
        for (int v = 0; v < variables_; ++v) {
            first_terms_[v] = other.first_terms_[order[v]];
            for (int u = 0; u < variables_; ++u) first_changes_(v, u) = changes(order[v], order[u]);
        }
    });
}

}  // namespace stablebn
