#include "infer/json_reader.h"

#include <gtest/gtest.h>

#include "infer/json_number.h"

namespace roost {
namespace {

TEST(JsonReader, SkipsValidValuesAndRefusesOthers) {
  for (const char* good : {"1", "-0.5e+3", "\"a\\u00e4\\n\"", "true", "null", "[]", "[1,[2,{\"a\":[]}]]", "{\"a\":1,\"b\":{}}", " [ 1 , 2 ] "}) {
    JsonReader reader(good, "it");
    EXPECT_TRUE(reader.skip() && reader.end()) << good;
  }
  for (const char* bad : {"", "-", "01", "1.", ".5", "1e", "+1", "tru", "[1,]", "[1 2]", "{\"a\"}", "{a:1}", "{\"a\":1,}", "\"a", "\"\\x\"",
                          "\"\\ud800\"", "\"\\udc00\"", "\"\\u12\"", "\"\x01\"", "\"\xff\"", "[", "{", "[}", "nan", "1 1"}) {
    JsonReader reader(bad, "it");
    EXPECT_FALSE(reader.skip() && reader.end()) << bad;
  }
}

TEST(JsonReader, StringsWithEscapes) {
  JsonReader reader(R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")", "it");
  EXPECT_EQ(reader.string(), "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(JsonReader, DepthIsLimited) {
  JsonReader reader(std::string_view("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["), "it");
  EXPECT_EQ(reader.skip().error().message, "it is nested deeper than 64 levels");
}

TEST(JsonReader, ErrorsSayWhere) {
  JsonReader reader(R"({"a": 1, b})", "the body");
  EXPECT_EQ(reader.skip().error().message, "the body is wrong at byte 9: expected a name in quotes, found 'b}'");
}

template <class T>
std::pair<NumberProblem, T> number(std::string_view text) {
  const char* at = text.data();
  T value{};
  const NumberProblem problem = read_number(at, text.data() + text.size(), value);
  return {problem, value};
}

TEST(JsonNumber, WholeNumbers) {
  EXPECT_EQ(number<std::uint8_t>("255").second, 255);
  EXPECT_EQ(number<std::uint8_t>("256").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<std::uint8_t>("-1").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<std::uint8_t>("-0").first, NumberProblem::kNone);
  EXPECT_EQ(number<std::int32_t>("3.0").second, 3);
  EXPECT_EQ(number<std::int32_t>("1e3").second, 1000);
  EXPECT_EQ(number<std::int32_t>("3.5").first, NumberProblem::kNotWhole);
  EXPECT_EQ(number<std::int64_t>("9223372036854775807").second, INT64_MAX);
  EXPECT_EQ(number<std::int64_t>("9223372036854775808").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<std::int64_t>("9.3e18").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<std::int64_t>("-9.223372036854775808e18").second, INT64_MIN);
  EXPECT_EQ(number<std::uint64_t>("18446744073709551615").second, UINT64_MAX);
  EXPECT_EQ(number<std::uint64_t>("1.8446744073709551616e19").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<std::uint64_t>("1e999").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<std::int32_t>("NaN").first, NumberProblem::kNotANumber);
}

TEST(JsonNumber, Floats) {
  EXPECT_EQ(number<float>("0.1").second, 0.1F);
  EXPECT_EQ(number<float>("16777217").second, 16777216.0F);
  EXPECT_EQ(number<float>("3.4028235e38").second, 3.4028235e38F);
  EXPECT_EQ(number<float>("1e39").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<float>("1e-60").second, 0.0F);
  EXPECT_EQ(number<double>("1e-320").second, 1e-320);
  EXPECT_EQ(number<double>("1e309").first, NumberProblem::kTooLarge);
  EXPECT_EQ(number<double>("\"-Infinity\"").second, -std::numeric_limits<double>::infinity());
  for (const char* bad : {"", "-", "abc", "\"NaN", "\"1\"", "01", "1.e3", "inf", "nan", "null", "true"}) {
    EXPECT_EQ(number<double>(bad).first, NumberProblem::kNotANumber) << bad;
  }
}

}  // namespace
}  // namespace roost
