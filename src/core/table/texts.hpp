// Number the distinct texts of a column without copying them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/views.hpp"

namespace stablebn {

/// Some rows of a text column in the Arrow layout.
struct TextChunk {
    /// Text i is content[offsets[i] .. offsets[i + 1]).
    using Places32 = std::span<const std::int32_t>;
    using Places64 = std::span<const std::int64_t>;
    /// A text view of 16 bytes: the length and up to 12 bytes; for longer texts the first four bytes, a buffer number
    /// and an offset.
    struct View {
        std::int32_t length, prefix, content, place;
    };
    using Views = std::span<const View>;

    std::size_t rows = 0;
    std::variant<Places32, Places64, Views> texts;
    std::vector<std::span<const char>> contents;
    /// One bit per row, 0 for null, starting at a bit of the first byte; null pointer: no row is null.
    const std::uint8_t* validity = nullptr;
    std::size_t first_bit = 0;

    bool is_null(std::size_t row) const {
        const std::size_t bit = first_bit + row;
        return validity && !(validity[bit / 8] >> (bit % 8) & 1);
    }
};

/// Numbers texts in the order of their first occurrence: 1, 2, ...
class TextNumbers {
public:
    TextNumbers();

    std::size_t size() const { return texts_.size(); }
    /// The texts; their bytes are those of the input.
    const std::vector<std::string_view>& texts() const { return texts_; }

    /// Return the number of a text, a new one for a new text. Bytes up to `end` may be read.
    std::uint32_t number(std::string_view text, const char* end) {
        const Key key = text.size() <= 16 && text.data() + 16 <= end ? short_key(text.data(), text.size()) : key_of(text);
        for (std::size_t at = key.hash() >> shift_;; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& slot = slots_[at];
            if (slot.key == key && (text.size() <= 16 || text == texts_[slot.number - 1])) return slot.number;
            if (slot.number == 0) return add(at, key, text);
        }
    }

private:
    /// Hash key: the first 16 bytes of a text, padded with zeros, and its length; for longer texts a hash and the
    /// length.
    struct Key {
        std::uint64_t first, last, length;

        bool operator==(const Key&) const = default;
        std::uint64_t hash() const {
            // The high bits are the best mixed, and the table uses them.
            return ((std::rotl(first * 0x9E3779B97F4A7C15u, 29) ^ last) * 0xC2B2AE3D27D4EB4Fu + length) *
                   0x9E3779B97F4A7C15u;
        }
    };
    struct Slot {
        Key key{0, 0, ~std::uint64_t{0}};
        std::uint32_t number = 0;
    };

    /// The key of a text of up to 16 bytes, where 16 bytes are readable. Without a branch, because lengths vary.
    static Key short_key(const char* bytes, std::size_t length) {
        std::uint64_t words[2];
        std::memcpy(words, bytes, sizeof words);
        return {words[0] & MASKS[length], words[1] & MASKS[length + 17], length};
    }
    static Key key_of(std::string_view text);

    /// Masks for the first and second word, by the length of the text.
    static const std::array<std::uint64_t, 34> MASKS;

    std::uint32_t add(std::size_t at, const Key& key, std::string_view text);

    std::vector<Slot> slots_;
    int shift_;
    std::vector<std::string_view> texts_;
};

/// A text column as numbers of its distinct texts, 0 for null, in the smallest sufficient integers.
struct NumberedTexts {
    template <class T>
    using Numbers = std::vector<T, CacheAligned<T>>;

    std::variant<Numbers<std::uint8_t>, Numbers<std::uint16_t>, Numbers<std::int32_t>> numbers;
    std::vector<std::string_view> texts;
};

NumberedTexts number_texts(std::span<const TextChunk> chunks);

}  // namespace stablebn
