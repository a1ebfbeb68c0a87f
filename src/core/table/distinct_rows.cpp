#include "table/distinct_rows.hpp"

#include <algorithm>
#include <numeric>

namespace stablebn {

namespace {

constexpr std::uint64_t STEP = 0x9E3779B97F4A7C15;

/// Mix the bits of a 64-bit integer (xor-shift and multiply, modulo 2**64).
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 32)) * 0xD6E8FEB86659FD93;
    x = (x ^ (x >> 29)) * 0xC2B2AE3D27D4EB4F;
    return x ^ (x >> 32);
}

/// A hash of a value in a column with a given hash.
template <class Code>
std::uint64_t hash_of(std::uint64_t column, Code value) {
    return mixed(static_cast<std::uint64_t>(value) * STEP + column);
}

template <class Code>
class DistinctRowsOf final : public DistinctRows {
public:
    DistinctRowsOf(MatrixView<const Code> codes, std::span<const std::int64_t> weights);

    std::size_t columns() const override { return codes_.rows(); }
    std::size_t rows() const override { return weights_.size(); }
    std::span<const std::int64_t> weights() const override { return weights_; }
    std::span<const std::size_t> places() const override { return places_; }
    std::vector<std::uint64_t> colours(std::span<const std::int64_t> classes, std::span<const int> wanted) const override;
    bool exchangeable(int u, int v) const override;
    std::uint64_t certificate(std::span<const int> order) const override;
    bool same(std::span<const int> order, std::span<const int> other) const override;

private:
    /// Sums of the hashes of each row's values, with a hash per column.
    static std::vector<std::uint64_t> row_sums(std::span<const std::uint64_t> columns, MatrixView<const Code> codes);
    /// Number of rows with this key whose value in every column is `value(column)`.
    template <class Value>
    std::int64_t times(std::uint64_t key, Value value) const;

    /// A copy, sorted by key.
    Matrix<Code> codes_;
    std::vector<std::int64_t> weights_;
    std::vector<std::size_t> places_;
    std::vector<std::uint64_t> keys_;
    /// A hash of each column's number, from which the keys are computed.
    std::vector<std::uint64_t> numbers_;
};

template <class Code>
std::vector<std::uint64_t> DistinctRowsOf<Code>::row_sums(std::span<const std::uint64_t> columns,
                                                          MatrixView<const Code> codes) {
    std::vector<std::uint64_t> sums(codes.columns, 0);
    for (std::size_t c = 0; c < codes.rows; ++c) {
        const auto column = codes[c];
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += hash_of(columns[c], column[i]);
    }
    return sums;
}

template <class Code>
DistinctRowsOf<Code>::DistinctRowsOf(MatrixView<const Code> codes, std::span<const std::int64_t> weights) {
    for (std::size_t c = 0; c < codes.rows; ++c) numbers_.push_back(mixed(c + 1));
    const std::vector<std::uint64_t> keys = row_sums(numbers_, codes);
    std::vector<std::size_t> order(codes.columns);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
    const auto equal = [&](std::size_t a, std::size_t b) {
        for (std::size_t c = 0; c < codes.rows; ++c) {
            if (codes(c, a) != codes(c, b)) return false;
        }
        return true;
    };
    std::vector<std::size_t>& kept = places_;
    for (const std::size_t i : order) {
        // Except for hash collisions, rows with the same key are equal.
        std::size_t twin = kept.size();
        for (std::size_t k = kept.size(); k-- > 0 && keys[kept[k]] == keys[i];) {
            if (equal(kept[k], i)) twin = k;
        }
        if (twin == kept.size()) {
            kept.push_back(i);
            weights_.push_back(0);
            keys_.push_back(keys[i]);
        }
        weights_[twin] += weights.empty() ? 1 : weights[i];
    }
    codes_ = Matrix<Code>(codes.rows, kept.size());
    for (std::size_t c = 0; c < codes.rows; ++c) {
        for (std::size_t k = 0; k < kept.size(); ++k) codes_(c, k) = codes(c, kept[k]);
    }
}

template <class Code>
std::vector<std::uint64_t> DistinctRowsOf<Code>::colours(std::span<const std::int64_t> classes,
                                                         std::span<const int> wanted) const {
    std::vector<std::uint64_t> hashes;
    for (const std::int64_t own : classes) hashes.push_back(mixed(static_cast<std::uint64_t>(own)));
    std::vector<std::uint64_t> row_colours = row_sums(hashes, codes_.view());
    for (auto& colour : row_colours) colour = mixed(colour);
    std::vector<std::uint64_t> found(columns(), 0);
    for (const int c : wanted) {
        const auto column = codes_[c];
        for (std::size_t i = 0; i < rows(); ++i) {
            found[c] += hash_of(row_colours[i], column[i]) * static_cast<std::uint64_t>(weights_[i]);
        }
    }
    return found;
}

template <class Code>
template <class Value>
std::int64_t DistinctRowsOf<Code>::times(std::uint64_t key, Value value) const {
    for (auto at = std::lower_bound(keys_.begin(), keys_.end(), key); at != keys_.end() && *at == key; ++at) {
        const auto row = static_cast<std::size_t>(at - keys_.begin());
        bool equal = true;
        for (std::size_t c = 0; equal && c < columns(); ++c) equal = codes_(c, row) == value(c);
        if (equal) return weights_[row];
    }
    return 0;
}

template <class Code>
bool DistinctRowsOf<Code>::exchangeable(int u, int v) const {
    const auto in_u = codes_[u], in_v = codes_[v];
    for (std::size_t i = 0; i < rows(); ++i) {
        const Code a = in_u[i], b = in_v[i];
        if (a == b) continue;
        const std::uint64_t key = keys_[i] - hash_of(numbers_[u], a) - hash_of(numbers_[v], b) +
                                  hash_of(numbers_[u], b) + hash_of(numbers_[v], a);
        const auto exchanged = [&](std::size_t c) {
            return static_cast<int>(c) == u ? b : static_cast<int>(c) == v ? a : codes_(c, i);
        };
        if (times(key, exchanged) != weights_[i]) return false;
    }
    return true;
}

template <class Code>
std::uint64_t DistinctRowsOf<Code>::certificate(std::span<const int> order) const {
    std::vector<std::uint64_t> hashes(columns());
    for (std::size_t place = 0; place < order.size(); ++place) hashes[order[place]] = numbers_[place];
    const std::vector<std::uint64_t> sums = row_sums(hashes, codes_.view());
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < rows(); ++i) hash += mixed(sums[i]) * static_cast<std::uint64_t>(weights_[i]);
    return hash;
}

template <class Code>
bool DistinctRowsOf<Code>::same(std::span<const int> order, std::span<const int> other) const {
    // A row of the first table is a row of the second if the values of column order[i] are in column other[i].
    std::vector<std::uint64_t> hashes(columns());
    std::vector<int> source(columns());
    for (std::size_t place = 0; place < order.size(); ++place) {
        hashes[order[place]] = numbers_[other[place]];
        source[other[place]] = order[place];
    }
    const std::vector<std::uint64_t> keys = row_sums(hashes, codes_.view());
    for (std::size_t i = 0; i < rows(); ++i) {
        if (times(keys[i], [&](std::size_t c) { return codes_(source[c], i); }) != weights_[i]) return false;
    }
    return true;
}

}  // namespace

template <class Code>
std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const Code> codes, std::span<const std::int64_t> weights) {
    return std::make_unique<DistinctRowsOf<Code>>(codes, weights);
}

template std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const std::uint8_t>, std::span<const std::int64_t>);
template std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const std::uint16_t>, std::span<const std::int64_t>);
template std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const std::int32_t>, std::span<const std::int64_t>);
template std::unique_ptr<DistinctRows> distinct_rows(MatrixView<const std::uint64_t>, std::span<const std::int64_t>);

}  // namespace stablebn
