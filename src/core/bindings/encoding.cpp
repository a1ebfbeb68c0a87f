// Bindings for encoding columns as codes and numbers. Columns are many, and threads share them.
#include <nanobind/stl/vector.h>

#include <memory>
#include <string_view>
#include <utility>

#include "bindings/binding.hpp"
#include "table/encoding.hpp"
#include "table/texts.hpp"

namespace stablebn {

namespace {

using Indices = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Approximate nanoseconds per value, to decide on threads.
constexpr double COPYING = 0.3, NUMBERING = 3;

/// Call a function with the integers of an array, whatever their type.
template <class Function>
void with_integers(const Indices& array, Function&& function) {
    const auto call = [&]<class T>(T) { function(std::span(static_cast<const T*>(array.data()), array.shape(0))); };
    const auto type = array.dtype();
    if (type == nb::dtype<std::int8_t>()) return call(std::int8_t{});
    if (type == nb::dtype<std::uint8_t>()) return call(std::uint8_t{});
    if (type == nb::dtype<std::int16_t>()) return call(std::int16_t{});
    if (type == nb::dtype<std::uint16_t>()) return call(std::uint16_t{});
    if (type == nb::dtype<std::int32_t>()) return call(std::int32_t{});
    if (type == nb::dtype<std::uint32_t>()) return call(std::uint32_t{});
    if (type == nb::dtype<std::int64_t>()) return call(std::int64_t{});
    if (type == nb::dtype<std::uint64_t>()) return call(std::uint64_t{});
    throw std::invalid_argument("expected an array of integers");
}

/// Apply a function to each of several contiguous arrays.
template <class Arrays, class Function>
void for_each_array(const Arrays& arrays, double nanoseconds, int threads, Function&& function) {
    double values = 0;
    for (const auto& array : arrays) values += static_cast<double>(array.shape(0));
    const Unlocked unlocked;
    Pool::with_threads(threads)->share(arrays.size(), nanoseconds * values, function);
}

std::vector<std::vector<std::int64_t>> occurring(const std::vector<Indices>& indices,
                                                 const std::vector<std::int64_t>& leasts,
                                                 const std::vector<std::size_t>& sizes, int threads) {
    std::vector<std::vector<std::int64_t>> found(indices.size());
    for_each_array(indices, COPYING, threads, [&](std::size_t part) {
        const auto occurs = std::make_unique<bool[]>(sizes[part]);
        with_integers(indices[part],
                      [&](auto own) { mark_occurring(own, leasts[part], std::span(occurs.get(), sizes[part])); });
        for (std::size_t place = 0; place < sizes[part]; ++place) {
            if (occurs[place]) found[part].push_back(static_cast<std::int64_t>(place));
        }
    });
    return found;
}

template <class Code>
void translate_all(const std::vector<Indices>& indices, const std::vector<std::int64_t>& leasts,
                   const std::vector<Vector<Code>>& codes, const std::vector<WritableVector<Code>>& out, int threads) {
    for_each_array(indices, COPYING, threads, [&](std::size_t part) {
        with_integers(indices[part],
                      [&](auto own) { translate(own, leasts[part], span_of(codes[part]), out[part].data()); });
    });
}

void copy_numbers(const std::vector<Vector<double>>& numbers, const std::vector<WritableVector<double>>& out,
                  int threads) {
    for_each_array(numbers, 8 * COPYING, threads, [&](std::size_t part) {
        // Replace -0.0 by 0.0: -0.0 + 0.0 is 0.0.
        std::ranges::transform(span_of(numbers[part]), out[part].data(), [](double own) { return own + 0.0; });
    });
}

/// Some rows of a text column, with references to the arrays that own the memory.
struct HeldChunk {
    TextChunk chunk;
    std::vector<Vector<std::uint8_t>> contents;
    nb::object texts, validity;
};

HeldChunk chunk_of(const nb::tuple& arrays) {
    HeldChunk held{{}, nb::cast<std::vector<Vector<std::uint8_t>>>(arrays[1]), arrays[0], arrays[2]};
    TextChunk& chunk = held.chunk;
    if (nb::isinstance<Vector<std::int32_t>>(held.texts)) {
        chunk.texts = span_of(nb::cast<Vector<std::int32_t>>(held.texts));
    } else if (nb::isinstance<Vector<std::int64_t>>(held.texts)) {
        chunk.texts = span_of(nb::cast<Vector<std::int64_t>>(held.texts));
    } else {
        const auto bytes = nb::cast<Vector<std::uint8_t>>(held.texts);
        chunk.texts = TextChunk::Views(reinterpret_cast<const TextChunk::View*>(bytes.data()),
                                       bytes.shape(0) / sizeof(TextChunk::View));
    }
    for (const auto& content : held.contents) {
        chunk.contents.emplace_back(reinterpret_cast<const char*>(content.data()), content.shape(0));
    }
    if (!held.validity.is_none()) {
        chunk.validity = nb::cast<Vector<std::uint8_t>>(held.validity).data();
        chunk.first_bit = nb::cast<std::size_t>(arrays[3]);
    }
    chunk.rows = nb::cast<std::size_t>(arrays[4]);
    return held;
}

nb::object array_of_numbers(NumberedTexts& found) {
    return std::visit(
        []<class Numbers>(Numbers& numbers) -> nb::object {
            using Number = typename Numbers::value_type;
            auto* owned = new Numbers(std::move(numbers));
            nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Numbers*>(p); });
            return nb::cast(nb::ndarray<nb::numpy, Number, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
        },
        found.numbers);
}

nb::list numbered_texts(const std::vector<std::vector<nb::tuple>>& columns, int threads) {
    std::vector<std::vector<HeldChunk>> held;
    std::vector<std::vector<TextChunk>> chunks;
    double rows = 0;
    for (const auto& column : columns) {
        auto& own = held.emplace_back();
        auto& seen = chunks.emplace_back();
        for (const auto& arrays : column) {
            seen.push_back(own.emplace_back(chunk_of(arrays)).chunk);
            rows += static_cast<double>(seen.back().rows);
        }
    }
    std::vector<NumberedTexts> found(columns.size());
    {
        const Unlocked unlocked;
        Pool::with_threads(threads)->share(columns.size(), NUMBERING * rows,
                                           [&](std::size_t column) { found[column] = number_texts(chunks[column]); });
    }
    nb::list answer;
    for (auto& own : found) {
        nb::list texts;
        for (const std::string_view text : own.texts) texts.append(nb::str(text.data(), text.size()));
        answer.append(nb::make_tuple(array_of_numbers(own), texts));
    }
    return answer;
}

/// Numbers Python objects in the order of their first occurrence.
class ObjectNumbers {
public:
    const std::vector<PyObject*>& objects() const { return objects_; }

    std::size_t operator[](PyObject* object) {
        // Object addresses are multiples of 16.
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        std::size_t at = address / 16 * 0x9E3779B97F4A7C15u >> 32;
        for (;; ++at) {
            Slot& slot = slots_[at & (slots_.size() - 1)];
            if (slot.object == object) return slot.number;
            if (slot.object) continue;
            slot = {object, objects_.size()};
            objects_.push_back(object);
            return slot.number;
        }
    }

    static constexpr std::size_t MOST = 1 << 12;

private:
    struct Slot {
        PyObject* object = nullptr;
        std::size_t number = 0;
    };
    std::vector<Slot> slots_ = std::vector<Slot>(4 * MOST);
    std::vector<PyObject*> objects_;
};

/// A buffer view of an array of objects, released at the end.
class ObjectView {
public:
    explicit ObjectView(nb::handle array) {
        if (PyObject_GetBuffer(array.ptr(), &view_, PyBUF_STRIDED_RO | PyBUF_FORMAT)) throw nb::python_error();
    }
    ~ObjectView() { PyBuffer_Release(&view_); }
    ObjectView(const ObjectView&) = delete;
    ObjectView& operator=(const ObjectView&) = delete;

    bool holds_objects() const { return view_.ndim == 1 && std::string_view(view_.format) == "O"; }
    std::size_t size() const { return static_cast<std::size_t>(view_.shape[0]); }
    PyObject* operator[](std::size_t row) const {
        const char* place = static_cast<const char*>(view_.buf) + view_.strides[0] * static_cast<Py_ssize_t>(row);
        return *reinterpret_cast<PyObject* const*>(place);
    }

private:
    Py_buffer view_;
};

/// The number of each object and the objects, if these are few; else None.
nb::object numbered_objects(nb::handle array) {
    const ObjectView view(array);
    if (!view.holds_objects()) throw std::invalid_argument("expected a row of objects");
    ObjectNumbers known;
    std::vector<std::uint16_t> numbers(view.size());
    for (std::size_t row = 0; row < view.size(); ++row) {
        PyObject* object = view[row];
        // NumPy has null pointers where nothing was written, and shows None.
        numbers[row] = static_cast<std::uint16_t>(known[object ? object : Py_None]);
        if (known.objects().size() == ObjectNumbers::MOST) return nb::none();
    }
    nb::list objects;
    for (PyObject* object : known.objects()) objects.append(nb::handle(object));
    return nb::make_tuple(array_of(std::move(numbers), {view.size()}), objects);
}

}  // namespace

void bind_encoding(nb::module_& m) {
    m.def("occurring", &occurring, nb::arg("indices"), nb::arg("leasts"), nb::arg("sizes"), nb::arg("threads"),
          "For each array the numbers below its size that occur, counted from its least.");
    m.def("translate", &translate_all<std::uint8_t>, nb::arg("indices"), nb::arg("leasts"), nb::arg("codes"),
          nb::arg("out"), nb::arg("threads"), "Write the code of each index, for each array.");
    m.def("translate", &translate_all<std::uint16_t>, nb::arg("indices"), nb::arg("leasts"), nb::arg("codes"),
          nb::arg("out"), nb::arg("threads"));
    m.def("translate", &translate_all<std::int32_t>, nb::arg("indices"), nb::arg("leasts"), nb::arg("codes"),
          nb::arg("out"), nb::arg("threads"));
    m.def("copy_numbers", &copy_numbers, nb::arg("numbers"), nb::arg("out"), nb::arg("threads"),
          "Write each array of numbers elsewhere, -0.0 as 0.0.");
    m.def("numbered_texts", &numbered_texts, nb::arg("columns"), nb::arg("threads"),
          "For each column, of chunks of text as Arrow has them, the numbers of its texts and their list from 1; 0: null.");
    m.def("numbered_objects", &numbered_objects, nb::arg("array"),
          "The numbers of Python's objects, told apart by identity, and these objects; None: they are too many.");
}

}  // namespace stablebn
