#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "onnx/ort_abi.h"

// Writes small ONNX models for tests, byte by byte: a model file is a protobuf message, and so few fields are needed
// that no library is.
namespace roost {

class ProtoWriter {
 public:
  ProtoWriter& number(int field, std::uint64_t value) {
    varint(static_cast<std::uint64_t>(field) << 3U);
    varint(value);
    return *this;
  }
  ProtoWriter& text(int field, std::string_view bytes) {
    varint((static_cast<std::uint64_t>(field) << 3U) | 2U);
    varint(bytes.size());
    bytes_.append(bytes);
    return *this;
  }
  ProtoWriter& message(int field, const ProtoWriter& other) { return text(field, other.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};

class TestModel {
 public:
  using Size = std::variant<std::int64_t, std::string>;  // fixed, or the name of one that varies
  using Shape = std::vector<Size>;

  TestModel& input(std::string_view name, ort::ElementType type, const Shape& shape) {
    return value(11, name, type, shape);
  }
  TestModel& output(std::string_view name, ort::ElementType type, const Shape& shape) {
    return value(12, name, type, shape);
  }

  struct Attribute {
    std::string name;
    std::int64_t value;
  };
  TestModel& node(std::string_view op, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
                  const std::vector<Attribute>& attributes = {}) {
    ProtoWriter node;
    for (const auto& input : inputs) node.text(1, input);
    for (const auto& output : outputs) node.text(2, output);
    node.text(4, op);
    for (const auto& [name, integer] : attributes) {
      node.message(5, ProtoWriter().text(1, name).number(3, static_cast<std::uint64_t>(integer)).number(20, 2));
    }
    graph_.message(1, node);
    return *this;
  }

  template <class T>
  TestModel& weights(std::string_view name, ort::ElementType type, const std::vector<std::int64_t>& shape,
                     const std::vector<T>& values) {
    std::string raw(values.size() * sizeof(T), '\0');
    std::memcpy(raw.data(), values.data(), raw.size());
    graph_.message(5, tensor(name, type, shape).text(9, raw));
    return *this;
  }
  // Weights in a file beside the model.
  TestModel& weights_in(std::string_view file, std::string_view name, ort::ElementType type,
                        const std::vector<std::int64_t>& shape) {
    ProtoWriter made = tensor(name, type, shape);
    made.message(13, ProtoWriter().text(1, "location").text(2, file)).number(14, 1);
    graph_.message(5, made);
    return *this;
  }

  std::string bytes() const {
    ProtoWriter graph = graph_;
    graph.text(2, "test");
    return ProtoWriter()
        .number(1, 8)
        .text(2, "roost-test")
        .message(7, graph)
        .message(8, ProtoWriter().text(1, "").number(2, 17))
        .bytes();
  }

 private:
  static ProtoWriter tensor(std::string_view name, ort::ElementType type, const std::vector<std::int64_t>& shape) {
    ProtoWriter tensor;
    for (const std::int64_t size : shape) tensor.number(1, static_cast<std::uint64_t>(size));
    tensor.number(2, static_cast<std::uint64_t>(type)).text(8, name);
    return tensor;
  }
  TestModel& value(int field, std::string_view name, ort::ElementType type, const Shape& shape) {
    ProtoWriter sizes;
    for (const Size& size : shape) {
      ProtoWriter written;
      if (std::holds_alternative<std::int64_t>(size)) {
        written.number(1, static_cast<std::uint64_t>(std::get<std::int64_t>(size)));
      } else {
        written.text(2, std::get<std::string>(size));
      }
      sizes.message(1, written);
    }
    const ProtoWriter tensor = ProtoWriter().number(1, static_cast<std::uint64_t>(type)).message(2, sizes);
    graph_.message(field, ProtoWriter().text(1, name).message(2, ProtoWriter().message(1, tensor)));
    return *this;
  }

  ProtoWriter graph_;
};

// y = x + x, rows of two.
inline TestModel adding_model() {
  TestModel model;
  model.node("Add", {"x", "x"}, {"y"}).input("x", ort::kFloat, {"batch", 2}).output("y", ort::kFloat, {"batch", 2});
  return model;
}

}  // namespace roost
