#include "table/texts.hpp"

#include <algorithm>
#include <limits>

namespace stablebn {

namespace {

constexpr int FIRST_BITS = 6;
constexpr std::size_t BESIDE = 12;

/// A text, and the end of the readable bytes around it.
struct Found {
    std::string_view text;
    const char* end;
};

template <class Place>
Found text_at(std::span<const Place> places, const TextChunk& chunk, std::size_t row) {
    const auto content = chunk.contents[0];
    const auto length = static_cast<std::size_t>(places[row + 1] - places[row]);
    return {{content.data() + places[row], length}, content.data() + content.size()};
}

Found text_at(TextChunk::Views views, const TextChunk& chunk, std::size_t row) {
    const auto& view = views[row];
    const auto length = static_cast<std::size_t>(view.length);
    if (length <= BESIDE) {
        return {{reinterpret_cast<const char*>(&view.prefix), length},
                reinterpret_cast<const char*>(views.data() + views.size())};
    }
    const auto content = chunk.contents[static_cast<std::size_t>(view.content)];
    return {{content.data() + view.place, length}, content.data() + content.size()};
}

/// The position in the rows of all chunks.
struct Place {
    std::size_t chunk = 0, row = 0, written = 0;
};

/// Number texts until all are numbered, or a number is too large for its type.
template <class Number, class Texts>
bool number_chunk(const TextChunk& chunk, Texts texts, TextNumbers& known, Number* out, Place& place) {
    // State that changes per row is kept in locals, because written bytes might alias anything else.
    std::size_t row = place.row;
    Number* next = out + place.written;
    bool fits = true;
    for (; row < chunk.rows; ++row) {
        std::uint32_t number = 0;
        if (!chunk.is_null(row)) {
            const Found found = text_at(texts, chunk, row);
            number = known.number(found.text, found.end);
            fits = number <= static_cast<std::uint32_t>(std::numeric_limits<Number>::max());
            if (!fits) break;
        }
        *next++ = static_cast<Number>(number);
    }
    place.row = row;
    place.written = static_cast<std::size_t>(next - out);
    return fits;
}

template <class Number>
bool number_rest(std::span<const TextChunk> chunks, TextNumbers& known, Number* out, Place& place) {
    for (; place.chunk < chunks.size(); ++place.chunk, place.row = 0) {
        const TextChunk& chunk = chunks[place.chunk];
        if (!std::visit([&](auto texts) { return number_chunk(chunk, texts, known, out, place); }, chunk.texts)) {
            return false;
        }
    }
    return true;
}

template <class To, class From>
NumberedTexts::Numbers<To> widened(const NumberedTexts::Numbers<From>& numbers, std::size_t written) {
    NumberedTexts::Numbers<To> wide(numbers.size());
    for (std::size_t i = 0; i < written; ++i) wide[i] = static_cast<To>(numbers[i]);
    return wide;
}

}  // namespace

const std::array<std::uint64_t, 34> TextNumbers::MASKS = [] {
    std::array<std::uint64_t, 34> masks{};
    for (std::size_t length = 0; length <= 16; ++length) {
        char bytes[16] = {};
        std::fill_n(bytes, length, static_cast<char>(0xFF));
        std::memcpy(&masks[length], bytes, 8);
        std::memcpy(&masks[length + 17], bytes + 8, 8);
    }
    return masks;
}();

TextNumbers::Key TextNumbers::key_of(std::string_view text) {
    char bytes[16] = {};
    if (text.size() <= 16) {
        std::copy(text.begin(), text.end(), bytes);
        return short_key(bytes, text.size());
    }
    Key key{0, 0, text.size()};
    for (std::size_t at = 0; at < text.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + at, std::min<std::size_t>(8, text.size() - at));
        key.first = std::rotl((key.first ^ word) * 0x9E3779B97F4A7C15u, 29);
    }
    return key;
}

TextNumbers::TextNumbers() : slots_(std::size_t{1} << FIRST_BITS), shift_(64 - FIRST_BITS) {}

std::uint32_t TextNumbers::add(std::size_t at, const Key& key, std::string_view text) {
    texts_.push_back(text);
    const auto number = static_cast<std::uint32_t>(texts_.size());
    slots_[at] = {key, number};
    if (2 * texts_.size() > slots_.size()) {
        const std::vector<Slot> old = std::move(slots_);
        slots_ = std::vector<Slot>(2 * old.size());
        --shift_;
        for (const Slot& slot : old) {
            if (slot.number == 0) continue;
            std::size_t free = slot.key.hash() >> shift_;
            while (slots_[free].number) free = (free + 1) & (slots_.size() - 1);
            slots_[free] = slot;
        }
    }
    return number;
}

NumberedTexts number_texts(std::span<const TextChunk> chunks) {
    std::size_t rows = 0;
    for (const auto& chunk : chunks) rows += chunk.rows;
    TextNumbers known;
    Place place;
    NumberedTexts found;
    NumberedTexts::Numbers<std::uint8_t> bytes(rows);
    if (number_rest(chunks, known, bytes.data(), place)) {
        found.numbers = std::move(bytes);
    } else {
        auto pairs = widened<std::uint16_t>(bytes, place.written);
        bytes = {};
        if (number_rest(chunks, known, pairs.data(), place)) {
            found.numbers = std::move(pairs);
        } else {
            auto quads = widened<std::int32_t>(pairs, place.written);
            pairs = {};
            number_rest(chunks, known, quads.data(), place);
            found.numbers = std::move(quads);
        }
    }
    found.texts = known.texts();
    return found;
}

}  // namespace stablebn
