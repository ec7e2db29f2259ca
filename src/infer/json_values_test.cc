#include "infer/json_values.h"

#include <gtest/gtest.h>

#include <cmath>

#include "infer/json_print.h"
#include "infer/test_models.h"
#include "wire/half.h"

namespace roost {
namespace {

using Shape = std::vector<std::int64_t>;

Result<JsonValues> read(std::string_view text, DataType type = DataType::kFp32) {
  JsonReader reader(text, "the body");
  return read_values(reader, type, "input 'x'", 1000000);
}
std::string why(std::string_view text, DataType type = DataType::kFp32) {
  const auto values = read(text, type);
  return values ? "it was taken" : values.error().message;
}

TEST(JsonValues, ShapesOfLists) {
  EXPECT_EQ(read("5")->shape, Shape{});
  EXPECT_EQ(read("[]")->shape, Shape{0});
  EXPECT_EQ(read("[[],[]]")->shape, (Shape{2, 0}));
  EXPECT_EQ(read(" [ [ 1 , 2 , 3 ] , [ 4 , 5 , 6 ] ] ")->shape, (Shape{2, 3}));
  EXPECT_EQ(read("[[[1]],[[2]]]")->shape, (Shape{2, 1, 1}));
}

TEST(JsonValues, RaggedListsSayWhere) {
  EXPECT_EQ(why("[[1,2],[3]]"), "input 'x': the list at [1] has 1 elements, where the others have 2");
  EXPECT_EQ(why("[[[1],[2]],[[3],[4,5]]]"), "input 'x': the list at [1][1] has 2 elements, where the others have 1");
  EXPECT_EQ(why("[[1],2]"), "input 'x': a value at [1], where the others have lists");
  EXPECT_EQ(why("[1,[2]]"), "input 'x': a list at [1], where the others have values");
  EXPECT_EQ(why("[[],[[]]]"), "input 'x': the list at [1] has 1 elements, where the others have 0");
  EXPECT_EQ(why("[[],1]"), "input 'x': a value at [1], where the others have lists");
}

TEST(JsonValues, WrongValuesSayWhich) {
  EXPECT_EQ(why("[[1,2],[3,300]]", DataType::kUint8), "input 'x': [1][1] is 300, which UINT8 cannot hold");
  EXPECT_EQ(why("[1.5]", DataType::kInt64), "input 'x': [0] is 1.5, INT64 holds whole numbers only");
  EXPECT_EQ(why("[null]"), "input 'x': [0] is null, not a number");
  EXPECT_EQ(why("[{\"a\":1}]"), "input 'x': [0] is {\"a\":1}, not a number");
  EXPECT_EQ(why("[2]", DataType::kBool), "input 'x': [0] is 2, not a boolean");
  EXPECT_EQ(why("[1]", DataType::kBytes), "input 'x': [0] is 1, not a string");
  EXPECT_EQ(why("[1,]"), "the body is wrong at byte 3: expected a value, found ']'");
  EXPECT_EQ(why("[1"), "the body is wrong at byte 2: expected ',' or ']', found the end");
  EXPECT_EQ(why(""), "the body is wrong at byte 0: expected a value, found the end");
  EXPECT_NE(why(std::string(1000, '[')).find("too deep"), std::string::npos);
}

TEST(JsonValues, Booleans) {
  const auto values = read("[true,false,1,0,1.0]", DataType::kBool);
  ASSERT_TRUE(values) << values.error().message;
  EXPECT_EQ(values->data, std::string("\1\0\1\0\1", 5));
}

TEST(JsonValues, HalvesAreRounded) {
  const auto values = read("[1, 65504, 0.333251953125, -2, 1e-8]", DataType::kFp16);
  ASSERT_TRUE(values) << values.error().message;
  Tensor tensor{"x", DataType::kFp16, {5}, values->data, {}, nullptr};
  EXPECT_EQ(values_of<std::uint16_t>(tensor), (std::vector<std::uint16_t>{0x3C00, 0x7BFF, 0x3555, 0xC000, 0}));
}

TEST(Halves, GoThereAndBack) {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(half), wide = bfloat_to_float(half);
    if (!std::isnan(value)) {
      EXPECT_EQ(float_to_half(value), half);
    } else {
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value))));
    }
    EXPECT_TRUE(std::isnan(wide) || float_to_bfloat(wide) == half) << bits;
  }
  EXPECT_EQ(float_to_half(65520.0F), 0x7C00);          // ties to even, which is infinity
  EXPECT_EQ(float_to_half(65519.996F), 0x7BFF);
  EXPECT_EQ(float_to_half(1.00048828125F), 0x3C00);    // half way, to even
  EXPECT_EQ(float_to_half(1.00146484375F), 0x3C02);
  EXPECT_TRUE(std::isnan(bfloat_to_float(float_to_bfloat(NAN))));
}

std::string printed(const Tensor& tensor, JsonLists lists = JsonLists::kNested) {
  std::string out;
  const Status status = append_json_values(out, tensor, lists);
  return status ? out : status.error().message;
}

TEST(JsonPrint, ShortestNumbersInLists) {
  EXPECT_EQ(printed(make_tensor<float>("y", DataType::kFp32, {2, 2}, {0.1F, 3, -0.0F, 1e20F})), "[[0.1,3.0],[-0.0,1e+20]]");
  EXPECT_EQ(printed(make_tensor<double>("y", DataType::kFp64, {3}, {NAN, HUGE_VAL, -HUGE_VAL})), "[NaN,Infinity,-Infinity]");
  EXPECT_EQ(printed(make_tensor<std::int8_t>("y", DataType::kInt8, {2, 1}, {-128, 127}), JsonLists::kFlat), "[-128,127]");
  EXPECT_EQ(printed(make_tensor<std::uint64_t>("y", DataType::kUint64, {}, {UINT64_MAX})), "18446744073709551615");
  EXPECT_EQ(printed(make_tensor<std::uint16_t>("y", DataType::kFp16, {1}, {0x3555})), "[0.33325195]");
  EXPECT_EQ(printed(make_tensor<std::uint8_t>("y", DataType::kBool, {2}, {0, 1})), "[false,true]");
  EXPECT_EQ(printed(make_strings("y", {2}, {"a\"\n\x01", "\xc3\xa4"})), "[\"a\\\"\\n\\u0001\",\"\xc3\xa4\"]");
  EXPECT_EQ(printed(make_tensor<float>("y", DataType::kFp32, {2, 0, 5}, {})), "[[],[]]");
  EXPECT_EQ(printed(make_tensor<float>("y", DataType::kFp32, {2, 0, 5}, {}), JsonLists::kFlat), "[]");
}

TEST(JsonPrint, RefusesWhatJsonCannotHold) {
  EXPECT_NE(printed(make_strings("y", {1}, {"\xff"})).find("not UTF-8"), std::string::npos);
  EXPECT_NE(printed(make_tensor<float>("y", DataType::kFp32, {1 << 30, 0}, {})).find("empty lists"), std::string::npos);
  EXPECT_NE(printed(make_tensor<float>("y", DataType::kFp32, {1024, 1024, 1024, 0}, {})).find("empty lists"), std::string::npos);
  EXPECT_NE(printed(make_tensor<float>("y", DataType::kFp32, {3}, {1})).find("does not have the data"), std::string::npos);
}

}  // namespace
}  // namespace roost
