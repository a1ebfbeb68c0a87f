// Small sets of variables: the parents of a variable, the variables of a joint table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace stablebn {

/// Variable numbers, ascending.
class VariableSet {
public:
    VariableSet() = default;
    VariableSet(std::initializer_list<int> members) : members_(members) { std::sort(members_.begin(), members_.end()); }
    explicit VariableSet(std::vector<int> members) : members_(std::move(members)) {
        std::sort(members_.begin(), members_.end());
    }

    std::size_t size() const { return members_.size(); }
    bool empty() const { return members_.empty(); }
    int operator[](std::size_t place) const { return members_[place]; }
    auto begin() const { return members_.begin(); }
    auto end() const { return members_.end(); }
    std::span<const int> members() const { return members_; }

    bool contains(int v) const { return std::find(begin(), end(), v) != end(); }

    /// The index of a member.
    std::size_t place_of(int v) const { return static_cast<std::size_t>(std::find(begin(), end(), v) - begin()); }

    VariableSet with(int v) const {
        VariableSet larger;
        larger.members_.reserve(size() + 1);
        const auto at = std::lower_bound(begin(), end(), v);
        larger.members_.insert(larger.members_.end(), begin(), at);
        larger.members_.push_back(v);
        larger.members_.insert(larger.members_.end(), at, end());
        return larger;
    }

    VariableSet without(int v) const {
        VariableSet smaller;
        smaller.members_.reserve(size());
        std::copy_if(begin(), end(), std::back_inserter(smaller.members_), [v](int member) { return member != v; });
        return smaller;
    }

    /// Insert a variable, or remove it if it is a member.
    void toggle(int v) {
        const auto at = std::lower_bound(members_.begin(), members_.end(), v);
        if (at != members_.end() && *at == v) {
            members_.erase(at);
        } else {
            members_.insert(at, v);
        }
    }

    friend bool operator==(const VariableSet& a, const VariableSet& b) = default;

    struct Hash {
        std::size_t operator()(const VariableSet& set) const {
            std::uint64_t mixed = 0x9E3779B97F4A7C15U;
            for (const int v : set) mixed = (mixed ^ static_cast<std::uint64_t>(v)) * 0xD6E8FEB86659FD93U, mixed ^= mixed >> 32;
            return static_cast<std::size_t>(mixed);
        }
    };

private:
    std::vector<int> members_;
};

}  // namespace stablebn
