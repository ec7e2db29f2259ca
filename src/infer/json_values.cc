#include "infer/json_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "infer/json_number.h"
#include "wire/half.h"

namespace roost {
namespace {

// Walks the lists; Leaf reads one value at the reader's position.
template <class Leaf>
class Lists {
 public:
  Lists(JsonReader& reader, Leaf& leaf, const std::string& name) : reader_(reader), leaf_(leaf), name_(name) {}

  Status read() { return reader_.peek() == '[' ? list(0) : value(); }
  std::vector<std::int64_t> shape() const { return shape_; }

 private:
  // The lists before this level are open, and place_ says where in them we are.
  Status list(std::size_t level) {
    if (level == shape_.size()) {
      if (has_value_) return refuse(fmt::format("a list at {}, where the others have values", place()));
      if (level == JsonReader::kMaxDepth) return refuse("the lists are nested too deep");
      shape_.push_back(-1);
    }
    reader_.take('[');
    place_.push_back(0);
    if (!reader_.take(']')) {
      do {
        if (reader_.peek() == '[') {
          ROOST_CHECK(list(level + 1));
        } else {
          if (level + 1 != shape_.size()) return refuse(fmt::format("a value at {}, where the others have lists", place()));
          ROOST_CHECK(value());
        }
        ++place_.back();
      } while (reader_.take(','));
      if (!reader_.take(']')) return reader_.wrong("',' or ']'");
    }
    const std::int64_t count = place_.back();
    place_.pop_back();
    if (shape_[level] >= 0 && shape_[level] != count) {
      return refuse(fmt::format("the list at {} has {} elements, where the others have {}", place(), count, shape_[level]));
    }
    shape_[level] = count;
    return {};
  }

  Status value() {
    has_value_ = true;
    std::string why;
    if (leaf_.read(reader_, why)) return {};
    if (why.empty()) return reader_.wrong("a value");
    return refuse(fmt::format("{}{}", place_.empty() ? "" : place() + " ", why));
  }

  tl::unexpected<Error> refuse(std::string_view why) const {
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", name_, why));
  }
  std::string place() const {
    if (place_.empty()) return "the top";
    std::string out;
    for (const std::int64_t part : place_) out += fmt::format("[{}]", part);
    return out;
  }

  JsonReader& reader_;
  Leaf& leaf_;
  const std::string& name_;
  std::vector<std::int64_t> shape_;
  std::vector<std::int64_t> place_;
  bool has_value_ = false;
};

// "is 300, which UINT8 cannot hold"; "" if there is no JSON value at all.
std::string why_not(JsonReader& reader, DataType type, NumberProblem problem) {
  const auto text = reader.skip();
  if (!text) return "";
  const std::string shown = printable(*text, 40);
  if (problem == NumberProblem::kTooLarge) return fmt::format("is {}, which {} cannot hold", shown, data_type_name(type));
  if (problem == NumberProblem::kNotWhole) return fmt::format("is {}, {} holds whole numbers only", shown, data_type_name(type));
  if (type == DataType::kBytes) return fmt::format("is {}, not a string", shown);
  return fmt::format("is {}, not a {}", shown, type == DataType::kBool ? "boolean" : "number");
}

template <class T>
bool read_at(JsonReader& reader, DataType type, T& value, std::string& why) {
  const char* at = reader.position();
  const NumberProblem problem = read_number(at, reader.limit(), value);
  if (problem != NumberProblem::kNone) {
    why = why_not(reader, type, problem);
    return false;
  }
  reader.move_to(at);
  return true;
}

template <class T>
struct Numbers {
  DataType type;
  std::vector<T> values;
  bool read(JsonReader& reader, std::string& why) {
    T value{};
    if (!read_at(reader, type, value, why)) return false;
    values.push_back(value);
    return true;
  }
};

struct Halves {
  DataType type;
  std::vector<std::uint16_t> values;
  bool read(JsonReader& reader, std::string& why) {
    float value = 0;
    if (!read_at(reader, type, value, why)) return false;
    values.push_back(type == DataType::kFp16 ? float_to_half(value) : float_to_bfloat(value));
    return true;
  }
};

struct Booleans {
  DataType type;
  std::vector<std::uint8_t> values;
  bool read(JsonReader& reader, std::string& why) {
    const char first = reader.peek();
    const char* const at = reader.position();
    std::uint8_t value = first == 't' || first == '1';
    const bool is_word = first == 't' || first == 'f';
    if (is_word && !reader.boolean()) return false;
    if (!is_word && !read_at(reader, type, value, why)) return false;
    if (value > 1) {
      reader.move_to(at);
      why = why_not(reader, type, NumberProblem::kNotANumber);
      return false;
    }
    values.push_back(value);
    return true;
  }
};

struct Strings {
  DataType type;
  std::vector<std::string> values;
  bool read(JsonReader& reader, std::string& why) {
    if (reader.peek() != '"') {
      why = why_not(reader, type, NumberProblem::kNotANumber);
      return false;
    }
    if (values.size() == kMaxStrings) {
      why = fmt::format("is one string more than the {} that a tensor may have", kMaxStrings);
      return false;
    }
    auto text = reader.string();
    if (!text) return false;
    values.push_back(std::move(*text));
    return true;
  }
};

template <class Leaf>
Result<JsonValues> read_leaves(JsonReader& reader, DataType type, const std::string& name, std::uint64_t expected) {
  Leaf leaf{type, {}};
  // A value and its comma are two bytes at least.
  const auto possible = static_cast<std::uint64_t>(reader.limit() - reader.position()) / 2 + 1;
  leaf.values.reserve(std::min({expected, possible, kMaxStrings}));
  Lists<Leaf> lists(reader, leaf, name);
  ROOST_CHECK(lists.read());
  JsonValues out;
  out.shape = lists.shape();
  out.count = leaf.values.size();
  if constexpr (std::is_same_v<Leaf, Strings>) {
    out.strings = std::move(leaf.values);
  } else {
    const auto kept = std::make_shared<decltype(leaf.values)>(std::move(leaf.values));
    out.data = {reinterpret_cast<const char*>(kept->data()), kept->size() * sizeof(kept->front())};
    out.owner = kept;
  }
  return out;
}

}  // namespace

Result<JsonValues> read_values(JsonReader& reader, DataType type, const std::string& name, std::uint64_t expected) {
  switch (type) {
    case DataType::kBool: return read_leaves<Booleans>(reader, type, name, expected);
    case DataType::kUint8: return read_leaves<Numbers<std::uint8_t>>(reader, type, name, expected);
    case DataType::kUint16: return read_leaves<Numbers<std::uint16_t>>(reader, type, name, expected);
    case DataType::kUint32: return read_leaves<Numbers<std::uint32_t>>(reader, type, name, expected);
    case DataType::kUint64: return read_leaves<Numbers<std::uint64_t>>(reader, type, name, expected);
    case DataType::kInt8: return read_leaves<Numbers<std::int8_t>>(reader, type, name, expected);
    case DataType::kInt16: return read_leaves<Numbers<std::int16_t>>(reader, type, name, expected);
    case DataType::kInt32: return read_leaves<Numbers<std::int32_t>>(reader, type, name, expected);
    case DataType::kInt64: return read_leaves<Numbers<std::int64_t>>(reader, type, name, expected);
    case DataType::kFp16:
    case DataType::kBf16: return read_leaves<Halves>(reader, type, name, expected);
    case DataType::kFp32: return read_leaves<Numbers<float>>(reader, type, name, expected);
    case DataType::kFp64: return read_leaves<Numbers<double>>(reader, type, name, expected);
    case DataType::kBytes: return read_leaves<Strings>(reader, type, name, expected);
  }
  die("every data type has its reader");
}

}  // namespace roost
