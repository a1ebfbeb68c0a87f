// Markov equivalence classes of DAGs, each represented by its CPDAG.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace stablebn {

/// The words of a bit set; up to eight words without heap memory, because graphs copy many small sets.
class BitWords {
public:
    BitWords() = default;
    explicit BitWords(std::size_t size) : size_(size), large_(size > few_.size() ? size : 0) {}

    std::size_t size() const { return size_; }
    std::uint64_t& operator[](std::size_t at) { return begin()[at]; }
    std::uint64_t operator[](std::size_t at) const { return begin()[at]; }
    std::uint64_t* begin() { return large_.empty() ? few_.data() : large_.data(); }
    const std::uint64_t* begin() const { return large_.empty() ? few_.data() : large_.data(); }
    const std::uint64_t* end() const { return begin() + size_; }
    friend bool operator==(const BitWords& a, const BitWords& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

private:
    std::size_t size_ = 0;
    std::array<std::uint64_t, 8> few_{};
    std::vector<std::uint64_t> large_;
};

/// A set of variables as bits, for graphs that change at every step.
class BitSet {
public:
    BitSet() = default;
    explicit BitSet(int variables) : words_((static_cast<std::size_t>(variables) + 63) / 64) {}

    bool has(int v) const { return words_[v / 64] >> (v % 64) & 1; }
    void add(int v) { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
    void remove(int v) { words_[v / 64] &= ~(std::uint64_t{1} << (v % 64)); }

    bool empty() const {
        for (const auto word : words_) {
            if (word) return false;
        }
        return true;
    }
    int size() const {
        int found = 0;
        for (const auto word : words_) found += std::popcount(word);
        return found;
    }
    bool meets(const BitSet& other) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            if (words_[w] & other.words_[w]) return true;
        }
        return false;
    }
    bool is_subset_of(const BitSet& other) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            if (words_[w] & ~other.words_[w]) return false;
        }
        return true;
    }

    BitSet& operator|=(const BitSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] |= other.words_[w];
        return *this;
    }
    BitSet& operator&=(const BitSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= other.words_[w];
        return *this;
    }
    BitSet& operator-=(const BitSet& other) {
        for (std::size_t w = 0; w < words_.size(); ++w) words_[w] &= ~other.words_[w];
        return *this;
    }
    friend BitSet operator|(BitSet a, const BitSet& b) { return a |= b; }
    friend BitSet operator&(BitSet a, const BitSet& b) { return a &= b; }
    friend BitSet operator-(BitSet a, const BitSet& b) { return a -= b; }
    friend bool operator==(const BitSet& a, const BitSet& b) = default;

    BitSet with(int v) const {
        BitSet larger = *this;
        larger.add(v);
        return larger;
    }
    BitSet without(int v) const {
        BitSet smaller = *this;
        smaller.remove(v);
        return smaller;
    }

    /// Call a function with every member, ascending.
    template <class Function>
    void each(Function function) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t rest = words_[w]; rest; rest &= rest - 1) {
                function(static_cast<int>(64 * w) + std::countr_zero(rest));
            }
        }
    }
    /// Whether a condition holds for every member.
    template <class Condition>
    bool all(Condition condition) const {
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for (std::uint64_t rest = words_[w]; rest; rest &= rest - 1) {
                if (!condition(static_cast<int>(64 * w) + std::countr_zero(rest))) return false;
            }
        }
        return true;
    }
    std::vector<int> members() const {
        std::vector<int> found;
        each([&](int v) { found.push_back(v); });
        return found;
    }

private:
    BitWords words_;
};

/// A partially directed graph: for each variable those with a directed edge into it, and those with an undirected edge
/// to it.
struct PartiallyDirected {
    std::vector<BitSet> parents;
    std::vector<BitSet> neighbours;

    /// Direct undirected edges from each of the tails to the head.
    void direct(const BitSet& tails, int head);
};

/// Constraints on every graph: allowed parents, required parents, and the most parents.
struct ClassConstraints {
    std::vector<BitSet> allowed;
    std::vector<BitSet> required;
    std::vector<int> most_parents;
};

/// The class of the DAGs that extend a partially directed graph; its edges are those of the CPDAG.
struct EquivalenceClass : PartiallyDirected {
    std::vector<BitSet> adjacent;
    /// Next variables on a semi-directed path: children and neighbours.
    std::vector<BitSet> ahead;

    int variables() const { return static_cast<int>(adjacent.size()); }

    /// Nothing if no DAG extends the graph without a cycle or a new v-structure.
    static std::optional<EquivalenceClass> of(const PartiallyDirected& graph);

    /// Whether some DAG of the class obeys the constraints. This holds if and only if all required arcs are edges of
    /// the class, and some DAG with no variable having too many parents extends the CPDAG in which every edge with one
    /// forbidden direction has the other one.
    bool has_dag_that_obeys(const ClassConstraints& constraints) const;

    /// Whether a semi-directed path leads from one variable to another that avoids a set and the edge between the two.
    bool has_path(int from, int to, const BitSet& avoiding) const;

    /// Call a function with every clique of at most `most` members inside a set, including the empty one, until it
    /// returns false.
    template <class Function>
    void each_clique(const BitSet& within, int most, Function function) const {
        struct Open {
            BitSet clique, extending;
            int size;
        };
        std::vector<Open> open{{BitSet(variables()), within, 0}};
        while (!open.empty()) {
            Open own = std::move(open.back());
            open.pop_back();
            if (!function(own.clique)) return;
            if (own.size == most) continue;
            BitSet rest = own.extending;
            own.extending.each([&](int v) {
                // v is removed from here on, so that each clique is visited once.
                rest.remove(v);
                open.push_back({own.clique.with(v), rest & adjacent[v], own.size + 1});
            });
        }
    }
};

}  // namespace stablebn
