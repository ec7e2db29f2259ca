#include "infer/plain_json.h"

#include <gtest/gtest.h>

#include "infer/test_models.h"

namespace roost {
namespace {

using Shape = std::vector<std::int64_t>;

Shape shape_of(const char* body, const ModelSignature& model = one_input()) {
  const auto plain = parse_plain_request(body, model);
  EXPECT_TRUE(plain) << plain.error().message;
  return plain ? plain->request.inputs[0].shape : Shape{-99};
}
std::string why(const std::string& body, const ModelSignature& model = one_input()) {
  const auto plain = parse_plain_request(body, model);
  return plain ? "it was taken" : plain.error().message;
}

TEST(PlainJson, ShapesArePeoplesLists) {
  EXPECT_EQ(shape_of(R"({"data": [[1, 2], [3, 4], [5, 6]]})"), (Shape{3, 2}));
  EXPECT_EQ(shape_of(R"({"data": [1, 2], "method": "predict"})"), (Shape{1, 2}));
  EXPECT_EQ(shape_of(R"({"inputs": [[1, 2]]})"), (Shape{1, 2}));
  EXPECT_EQ(shape_of(R"({"data": []})"), (Shape{0, 2}));
  EXPECT_EQ(shape_of(R"({"data": 4})", of_type(DataType::kInt32)), Shape{1});
  ModelSignature any = of_type(DataType::kFp32);
  any.inputs[0].shape.clear();
  EXPECT_EQ(shape_of(R"({"data": [[[1]]]})", any), (Shape{1, 1, 1}));
}

TEST(PlainJson, InputsByName) {
  const auto plain = parse_plain_request(R"({"data": {"words": ["a", "\u00e4"], "ids": [[1, 2], [3, 4]]}, "outputs": ["labels"]})", two_inputs());
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_TRUE(plain->under_name);
  EXPECT_EQ(values_of<std::int64_t>(plain->request.inputs[0]), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(plain->request.inputs[1].strings, (std::vector<std::string>{"a", "\xc3\xa4"}));
  ASSERT_EQ(plain->request.outputs.size(), 1U);
  EXPECT_EQ(plain->request.outputs[0].name, "labels");
}

TEST(PlainJson, RefusalsSayWhatToDo) {
  EXPECT_EQ(why(R"({"x": [[1, 2]]})"), "the request has no \"data\" (it has 'x'): send {\"data\": [[...]]}");
  EXPECT_EQ(why(R"({"data": [1]})", two_inputs()),
            "the model 'pair' has 2 inputs: give them by name, {\"data\": {\"ids\": [...], \"words\": [...]}}");
  EXPECT_EQ(why(R"({"data": [[1, 2], [3]]})"), "input 'x': the list at [1] has 1 elements, where the others have 2");
  EXPECT_EQ(why(R"({"data": [[1, 2, 3]]})"), "input 'x' is FP32 [1,3], the model expects FP32 [-1,2]");
  EXPECT_EQ(why(R"({"data": {"ids": [[1]]}})", two_inputs()), "input 'words' is missing: the model expects BYTES [-1], and got 'ids'");
  EXPECT_EQ(why(R"({"data": {"z": [[1]]}})"), "the model 'birds' has no input 'z'; it has 'x'");
  EXPECT_EQ(why(R"({"data": [[1, 2]], "inputs": [[1, 2]]})"), "the request has its inputs twice");
  EXPECT_EQ(why(R"({"data": {"x": [[1, 2]], "x": [[1, 2]]}})"), "input 'x' is given twice");
  EXPECT_EQ(why("[[1, 2]]"), "the request body is wrong at byte 0: expected an object, found '[[1, 2]]'");
  EXPECT_EQ(why(R"({"data": [[1, 2]]} {})"), "the request body is wrong at byte 19: expected nothing more, found '{}'");
}

TEST(PlainJson, Answers) {
  const Tensor y = make_tensor<float>("y", DataType::kFp32, {1, 2}, {0.5F, 1}), label = make_strings("label", {1}, {"cat"});
  EXPECT_EQ(print_plain_answer({{y}}, false), R"({"result":[[0.5,1.0]]})");
  EXPECT_EQ(print_plain_answer({{y}}, true), R"({"outputs":{"y":[[0.5,1.0]]}})");
  EXPECT_EQ(print_plain_answer({{y, label}}, false), R"({"outputs":{"y":[[0.5,1.0]],"label":["cat"]}})");
}

}  // namespace
}  // namespace roost
