#include "scores/set_scores.hpp"

namespace stablebn {

namespace {

/// Larger numbers of parameters are not exact in a double.
constexpr double MOST_PARAMETERS = 0x1p53;

}  // namespace

Fixed SetValues::get(const VariableSet& set, const std::function<Fixed()>& work_out) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = known_.find(set);
        if (found != known_.end()) return found->second;
    }
    const Fixed value = work_out();
    const std::lock_guard lock(mutex_);
    return known_.emplace(set, value).first->second;
}

std::vector<Fixed> SetValues::extensions(const VariableSet& base, int variables, Pool& pool,
                                         const std::function<void(std::span<const int>, std::span<Fixed>)>& work_out) {
    std::vector<Fixed> values(variables);
    std::vector<int> unknown;
    while (true) {
        {
            const std::lock_guard lock(mutex_);
            unknown.clear();
            for (int u = 0; u < variables; ++u) {
                if (base.contains(u)) continue;
                const auto found = known_.find(base.with(u));
                if (found != known_.end()) {
                    values[u] = found->second;
                } else {
                    unknown.push_back(u);
                }
            }
            if (unknown.empty()) return values;
            if (under_way_.insert(base).second) break;
        }
        pool.help_until([&] {
            const std::lock_guard lock(mutex_);
            return !under_way_.contains(base);
        });
    }
    const auto end = [&] {
        {
            const std::lock_guard lock(mutex_);
            under_way_.erase(base);
        }
        pool.announce();
    };
    try {
        work_out(unknown, values);
    } catch (...) {
        end();
        throw;
    }
    {
        const std::lock_guard lock(mutex_);
        for (const int u : unknown) known_.emplace(base.with(u), values[u]);
    }
    end();
    return values;
}

Fixed SetScores::term(int child, const VariableSet& parents) {
    const Fixed family = value(parents.with(child));
    return is_candidate(family) ? family - value(parents) : NOT_A_CANDIDATE;
}

Fixed SetScores::offset(int child, const VariableSet& parents) const {
    if (unit_.units == 0) return {};
    const double all = parameters(parents.with(child));
    if (all > MOST_PARAMETERS) return NOT_A_CANDIDATE;
    const double free = all - parameters(parents);
    if (unit_.to_double() * free > largest_penalty_) return NOT_A_CANDIDATE;
    return -unit_.times(static_cast<std::int64_t>(free));
}

std::vector<Fixed> SetScores::work_out(int child, const VariableSet& parents) {
    const Fixed own_term = term(child, parents), own_offset = offset(child, parents);
    if (!is_candidate(own_term) || !is_candidate(own_offset)) {
        return std::vector<Fixed>(variables(), NOT_A_CANDIDATE);
    }
    const Fixed own = own_term + own_offset;
    std::vector<Fixed> changes(variables());
    const VariableSet family = parents.with(child);
    const auto larger = extended(family);
    const auto smaller = extended(parents);
    for (int u = 0; u < variables(); ++u) {
        if (family.contains(u)) continue;
        const Fixed more = offset(child, parents.with(u));
        const bool may = is_candidate(larger[u]) && is_candidate(more);
        changes[u] = may ? larger[u] - smaller[u] + more - own : NOT_A_CANDIDATE;
    }
    for (const int u : parents) {
        const VariableSet fewer = parents.without(u);
        changes[u] = term(child, fewer) + offset(child, fewer) - own;
    }
    return changes;
}

}  // namespace stablebn
