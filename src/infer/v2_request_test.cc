#include "infer/v2_request.h"

#include <gtest/gtest.h>

#include <cmath>

#include "infer/test_models.h"

namespace roost {
namespace {

Result<InferRequest> parse(const ModelSignature& model, const std::string& json, const std::string& binary = "") {
  const auto body = std::make_shared<std::string>(json + binary);
  return parse_v2_request(binary.empty() ? "" : std::to_string(json.size()), body, model);
}

std::string why(const Result<InferRequest>& request) {
  if (request) return "it was taken";
  EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  return request.error().message;
}

TEST(V2Request, FlatAndNestedJson) {
  for (const char* data : {"[1, 2.5, -3, 4e2]", "[[1, 2.5], [-3, 4e2]]", "[[[1, 2.5, -3, 4e2]]]"}) {
    const auto request = parse(one_input(), fmt::format(R"({{"id": "7", "inputs": [{{"data": {}, "name": "x", "shape": [2, 2],
        "datatype": "FP32"}}]}})", data));
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->id, "7");
    EXPECT_EQ(values_of<float>(request->inputs[0]), (std::vector<float>{1, 2.5, -3, 400}));
    ASSERT_EQ(request->outputs.size(), 1U);
    EXPECT_EQ(request->outputs[0].name, "y");
    EXPECT_FALSE(request->outputs[0].binary);
  }
}

TEST(V2Request, BinaryViewsTheBodyAligned) {
  const std::string binary = bytes_of(std::vector<float>{1, 2});
  for (int spaces = 0; spaces < 8; ++spaces) {
    const std::string json = std::string(static_cast<std::size_t>(spaces), ' ') +
                             R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":8}}]})";
    const auto body = std::make_shared<std::string>(json + binary);
    const auto request = parse_v2_request(std::to_string(json.size()), body, one_input());
    ASSERT_TRUE(request) << request.error().message;
    const Tensor& x = request->inputs[0];
    EXPECT_GE(x.data.data(), body->data());
    EXPECT_LE(x.data.data() + x.data.size(), body->data() + body->size());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(x.data.data()) % 4, 0U);
    EXPECT_EQ(values_of<float>(x), (std::vector<float>{1, 2}));
  }
}

TEST(V2Request, MixedAndInAnotherOrder) {
  const std::string words("\2\0\0\0hi\0\0\0\0", 10);
  const auto request = parse(two_inputs(), R"({"inputs":[
      {"name":"words","shape":[2],"datatype":"BYTES","parameters":{"binary_data_size":10}},
      {"name":"ids","shape":[1,3],"datatype":"INT64","data":[1,-9223372036854775808,9223372036854775807]}],
      "outputs":[{"name":"labels","parameters":{"binary_data":true}},{"name":"scores","parameters":{"classification":2}}]})", words);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->inputs[0].name, "ids");
  EXPECT_EQ(values_of<std::int64_t>(request->inputs[0]), (std::vector<std::int64_t>{1, INT64_MIN, INT64_MAX}));
  EXPECT_EQ(request->inputs[1].strings, (std::vector<std::string>{"hi", ""}));
  ASSERT_EQ(request->outputs.size(), 2U);
  EXPECT_TRUE(request->outputs[0].binary);
  EXPECT_FALSE(request->outputs[1].binary);
  EXPECT_EQ(request->outputs[1].classes, 2U);
}

TEST(V2Request, TwoBinaryBlocksAreBothAligned) {
  ModelSignature model = {"m", "1", {{"a", DataType::kUint8, {-1}}, {"b", DataType::kFp64, {-1}}, {"c", DataType::kInt16, {-1}}}, {}};
  const std::string binary = "abc" + bytes_of(std::vector<double>{0.5, -2}) + bytes_of(std::vector<std::int16_t>{-7});
  const auto request = parse(model, R"({"inputs":[{"name":"a","shape":[3],"datatype":"UINT8","parameters":{"binary_data_size":3}},
      {"name":"b","shape":[2],"datatype":"FP64","parameters":{"binary_data_size":16}},
      {"name":"c","shape":[1],"datatype":"INT16","parameters":{"binary_data_size":2}}]})", binary);
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->inputs[0].data, "abc");
  EXPECT_EQ(values_of<double>(request->inputs[1]), (std::vector<double>{0.5, -2}));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(request->inputs[1].data.data()) % 8, 0U);
  EXPECT_EQ(values_of<std::int16_t>(request->inputs[2]), std::vector<std::int16_t>{-7});
}

TEST(V2Request, BinaryOutputsUnlessOneSaysOtherwise) {
  const std::string inputs = R"("inputs":[{"name":"ids","shape":[0,0],"datatype":"INT64","data":[]},
      {"name":"words","shape":[0],"datatype":"BYTES","data":[]}])";
  auto request = parse(two_inputs(), R"({"parameters":{"binary_data_output":true},)" + inputs + "}");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->outputs[0].binary && request->outputs[1].binary);
  request = parse(two_inputs(), R"({"outputs":[{"name":"labels"},{"name":"scores","parameters":{"binary_data":false}}],
      "parameters":{"binary_data_output":true},)" + inputs + "}");
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_TRUE(request->outputs[0].binary);
  EXPECT_FALSE(request->outputs[1].binary);
}

TEST(V2Request, ZeroSizeInBinary) {
  const std::string json = R"({"inputs":[{"name":"x","shape":[0,2],"datatype":"FP32","parameters":{"binary_data_size":0}}]})";
  const auto request = parse_v2_request(std::to_string(json.size()), std::make_shared<std::string>(json), one_input());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->inputs[0].shape, (std::vector<std::int64_t>{0, 2}));
}

TEST(V2Request, RawBodyOfTheOnlyInput) {
  const auto body = std::make_shared<std::string>(bytes_of(std::vector<float>{1, 2, 3, 4, 5, 6}));
  auto request = parse_v2_request("0", body, one_input());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->inputs[0].shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_TRUE(request->outputs[0].binary);
  request = parse_v2_request("0", std::make_shared<std::string>("hello"), of_type(DataType::kBytes));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->inputs[0].strings, std::vector<std::string>{"hello"});
  EXPECT_NE(why(parse_v2_request("0", std::make_shared<std::string>("12345"), one_input())).find("came with 5 bytes"), std::string::npos);
  EXPECT_NE(why(parse_v2_request("0", body, two_inputs())).find("models with one input"), std::string::npos);
}

TEST(V2Request, WordsThatAreNumbers) {
  const auto request = parse(of_type(DataType::kFp64), R"({"inputs":[{"name":"x","shape":[5],"datatype":"FP64",
      "data":[NaN, "Infinity", -Infinity, 1e-400, 5]}]})");
  ASSERT_TRUE(request) << request.error().message;
  const auto values = values_of<double>(request->inputs[0]);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], HUGE_VAL);
  EXPECT_EQ(values[2], -HUGE_VAL);
  EXPECT_EQ(values[3], 0);
}

struct Refusal {
  const char* json;
  const char* text;
};

TEST(V2Request, RefusalsSayWhatIsWrong) {
  const std::vector<Refusal> cases = {
      {"", "expected an object, found the end"},
      {"[]", "expected an object"},
      {"{}", "no \"inputs\""},
      {R"({"inputs":[]})", "input 'x' is missing: the model expects FP32 [-1,2]"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32"}]})", "neither \"data\" nor"},
      {R"({"inputs":[{"name":"z","shape":[1,2],"datatype":"FP32","data":[1,2]}]})", "has no input 'z'; it has 'x'"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"INT32","data":[1,2]}]})", "input 'x' is INT32 [1,2], the model expects FP32 [-1,2]"},
      {R"({"inputs":[{"name":"x","shape":[2],"datatype":"FP32","data":[1,2]}]})", "is FP32 [2], the model expects FP32 [-1,2]: another number"},
      {R"({"inputs":[{"name":"x","shape":[1,3],"datatype":"FP32","data":[1,2,3]}]})", "is FP32 [1,3], the model expects FP32 [-1,2]"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2,3]}]})", "which is 2 elements; its data has 3"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[[1,2],[3]]}]})", "the list at [1] has 1 elements, where the others have 2"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,"a"]}]})", "input 'x': [1] is \"a\", not a number"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,1e39]}]})", "[1] is 1e39, which FP32 cannot hold"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,null]}]})", "[1] is null, not a number"},
      {R"({"inputs":[{"name":"x","shape":[1,-2],"datatype":"FP32","data":[1,2]}]})", "has the part -2"},
      {R"({"inputs":[{"name":"x","shape":[4611686018427387904,2],"datatype":"FP32","data":[1,2]}]})", "which is 9223372036854775808 elements"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP8","data":[1,2]}]})", "datatype 'FP8'"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]},{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}]})", "given twice"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}],"outputs":[{"name":"w"}]})", "has no output 'w'; it has 'y'"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}],"outputs":[{"name":"y"},{"name":"y"}]})", "asked for twice"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2],"parameters":{"binary_data_size":8}}]})", "has both"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":8}}]})", "8 bytes of binary data, and 0 are left"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":-8}}]})", "not negative"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"shared_memory_region":"r"}}]})", "shared memory"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}]} x)", "expected nothing more"},
      {R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[01,2]}]})", "is wrong at byte"},
  };
  for (const Refusal& one : cases) {
    EXPECT_NE(why(parse(one_input(), one.json)).find(one.text), std::string::npos) << one.json << "\n" << why(parse(one_input(), one.json));
  }
}

TEST(V2Request, RefusesBinaryThatDoesNotAddUp) {
  const std::string json = R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":8}}]})";
  EXPECT_NE(why(parse(one_input(), json, "1234567")).find("and 7 are left"), std::string::npos);
  EXPECT_NE(why(parse(one_input(), json, "123456789")).find("1 bytes of binary data that belong to no input"), std::string::npos);
  EXPECT_NE(why(parse_v2_request("999", std::make_shared<std::string>(json), one_input())).find("only"), std::string::npos);
  EXPECT_NE(why(parse_v2_request("12x", std::make_shared<std::string>(json), one_input())).find("not a number"), std::string::npos);
  const std::string words = R"({"inputs":[{"name":"x","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":6}}]})";
  EXPECT_NE(why(parse(of_type(DataType::kBytes), words, std::string("\xff\xff\xff\xff""ab", 6))).find("says it has 4294967295 bytes, and 2 are left"), std::string::npos);
  EXPECT_NE(why(parse(of_type(DataType::kBytes), words, std::string("\2\0\0\0ab", 6) )).find("taken"), std::string::npos);
}

TEST(V2Request, SixteenBitsInBinaryOnly) {
  for (const DataType type : {DataType::kFp16, DataType::kBf16}) {
    const std::string name(data_type_name(type));
    EXPECT_NE(why(parse(of_type(type), fmt::format(R"({{"inputs":[{{"name":"x","shape":[1],"datatype":"{}","data":[1]}}]}})", name)))
                  .find("no JSON form: send it as binary"), std::string::npos);
    const auto request = parse(of_type(type), fmt::format(R"({{"inputs":[{{"name":"x","shape":[1],"datatype":"{}",
        "parameters":{{"binary_data_size":2}}}}]}})", name), "ab");
    ASSERT_TRUE(request) << request.error().message;
    EXPECT_EQ(request->inputs[0].data, "ab");
  }
}

TEST(V2Request, DeepListsAreRefused) {
  const std::string deep(100000, '[');
  EXPECT_NE(why(parse(one_input(), R"({"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":)" + deep)).find("deeper than 64"), std::string::npos);
}

}  // namespace
}  // namespace roost
