#include <gtest/gtest.h>

#include "base/base64.h"
#include "infer/ort_json.h"
#include "infer/ort_protobuf.h"
#include "infer/score_request.h"
#include "infer/test_models.h"
#include "wire/proto_wire.h"

namespace roost {
namespace {

ModelSignature every_type() {
  ModelSignature model{"all", "1", {}, {}};
  for (int i = 0; i <= static_cast<int>(DataType::kBytes); ++i) {
    const auto type = static_cast<DataType>(i);
    model.inputs.push_back({std::string(data_type_name(type)), type, {-1}});
    model.outputs.push_back(model.inputs.back());
  }
  return model;
}

// One tensor of each type, each with three elements.
InferAnswer every_tensor() {
  InferAnswer out;
  for (const TensorSpec& spec : every_type().inputs) {
    if (spec.type == DataType::kBytes) {
      out.outputs.push_back(make_strings(spec.name, {3}, {"a", "", std::string("\0\xff", 2)}));
      continue;
    }
    std::string bytes(element_size(spec.type) * 3, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(spec.type == DataType::kBool ? i % 2 : 0x40 + i * 7);
    const auto kept = std::make_shared<std::string>(bytes);
    out.outputs.push_back({spec.name, spec.type, {3}, *kept, {}, kept});
  }
  return out;
}

void expect_same(const std::vector<Tensor>& got, const std::vector<Tensor>& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i].name, wanted[i].name);
    EXPECT_EQ(got[i].type, wanted[i].type);
    EXPECT_EQ(got[i].shape, wanted[i].shape);
    EXPECT_EQ(got[i].data, wanted[i].data) << got[i].name;
    EXPECT_EQ(got[i].strings, wanted[i].strings);
    EXPECT_TRUE(got[i].data.empty() || reinterpret_cast<std::uintptr_t>(got[i].data.data()) % element_size(got[i].type) == 0);
  }
}

// An answer is a request with another number for its map.
std::string as_request(const InferAnswer& answer, bool raw) {
  std::string out;
  EXPECT_TRUE(each_field(print_ort_protobuf(answer, raw), [&](const ProtoField& field) -> Status {
    append_bytes_head(out, 2, field.bytes.size());
    out += field.bytes;
    return {};
  }));
  return out;
}

TEST(OrtForms, EveryTypeThereAndBack) {
  const InferAnswer answer = every_tensor();
  for (const bool raw : {false, true}) {
    std::string json = print_ort_json(answer, raw);
    json.replace(2, 7, "inputs");
    const auto from_json = parse_ort_json(json, every_type());
    ASSERT_TRUE(from_json) << from_json.error().message;
    EXPECT_EQ(from_json->raw, raw);
    expect_same(from_json->request.inputs, answer.outputs);
    const auto from_proto = parse_ort_protobuf(std::make_shared<std::string>(as_request(answer, raw)), every_type());
    ASSERT_TRUE(from_proto) << from_proto.error().message;
    EXPECT_EQ(from_proto->raw, raw);
    expect_same(from_proto->request.inputs, answer.outputs);
  }
}

TEST(OrtJson, AsTheNotebookSendsIt) {
  const std::string raw = base64_encode(bytes_of(std::vector<float>{1, 2}));
  const auto request = parse_ort_json(fmt::format(R"({{"inputs": {{"x": {{"dims": ["1", "2"], "dataType": 1, "rawData": "{}"}}}},
      "outputFilter": ["y"]}})", raw), one_input());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(values_of<float>(request->request.inputs[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(request->request.outputs[0].name, "y");
  EXPECT_EQ(print_ort_json({{make_tensor<float>("y", DataType::kFp32, {1, 2}, {1, 2})}}, true),
            fmt::format(R"({{"outputs":{{"y":{{"dims":["1","2"],"dataType":1,"rawData":"{}"}}}}}})", raw));
}

TEST(OrtJson, ListsInEitherSpelling) {
  const auto request = parse_ort_json(R"({"inputs": {"ids": {"dims": [1, 3], "data_type": "INT64", "int64_data": ["1", 2, "-3"]},
      "words": {"stringData": ["YQ==", ""], "dataType": 8, "dims": ["2"]}}, "output_filter": ["labels"]})", two_inputs());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_FALSE(request->raw);
  EXPECT_EQ(values_of<std::int64_t>(request->request.inputs[0]), (std::vector<std::int64_t>{1, 2, -3}));
  EXPECT_EQ(request->request.inputs[1].strings, (std::vector<std::string>{"a", ""}));
}

TEST(OrtJson, RefusalsSayWhatIsWrong) {
  const auto why = [](const std::string& tensor) {
    const auto request = parse_ort_json(fmt::format(R"({{"inputs": {{"x": {}}}}})", tensor), one_input());
    return request ? "it was taken" : request.error().message;
  };
  const auto has = [&](const std::string& tensor, const char* text) { EXPECT_NE(why(tensor).find(text), std::string::npos) << why(tensor); };
  has(R"({"dims":[1,2],"dataType":1,"rawData":"!"})", "'!' is not base64");
  has(R"({"dims":[1,2],"dataType":1,"rawData":"AAAA"})", "came with 3 bytes");
  has(R"({"dims":[1,2],"dataType":1,"rawData":7})", "expected a string");
  has(R"({"dims":[1,2],"dataType":1,"int64Data":[1,2]})", "its data is floatData or rawData, not int64Data");
  has(R"({"dims":[1,2],"dataType":1,"floatData":[1,"x"]})", "[1] is \"x\", not a number");
  has(R"({"dims":[1,2],"dataType":1})", "came with 0 bytes");
  has(R"({"dims":[1,2],"dataType":14})", "'14', which no tensor here can be");
  has(R"({"dims":[1,2]})", "no dataType");
  has(R"({"dims":["1","x"],"dataType":1})", "'x' is not a whole number");
  has(R"({"dims":[1,-2],"dataType":1})", "has the part -2");
  has(R"({"dims":[1,2],"dataType":1,"floatData":[1,2],"rawData":"AAAA"})", "both rawData and floatData");
  has(R"({"dims":[2],"dataType":1,"floatData":[1,2]})", "is FP32 [2], the model expects FP32 [-1,2]");
  has(R"({"dims":[1,2],"dataType":7,"int64Data":[1,2]})", "is INT64 [1,2], the model expects FP32 [-1,2]");
  has("[]", "expected an object");
}

TEST(OrtProtobuf, BrokenMessagesAreRefused) {
  const std::string good = as_request({{make_tensor<float>("x", DataType::kFp32, {1, 2}, {1, 2})}}, true);
  ASSERT_TRUE(parse_ort_protobuf(std::make_shared<std::string>(good), one_input()));
  for (std::size_t size = 0; size < good.size(); ++size) {
    const auto request = parse_ort_protobuf(std::make_shared<std::string>(good.substr(0, size)), one_input());
    ASSERT_FALSE(request) << size;
    EXPECT_EQ(request.error().code, ErrorCode::kInvalidArgument);
  }
  for (const std::string& bad : {std::string("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), std::string("\x13\x14"), std::string("\0\0", 2),
                                 std::string("\x12\xff\xff\xff\xff\x0f")}) {
    EXPECT_FALSE(parse_ort_protobuf(std::make_shared<std::string>(bad), one_input()));
  }
}

TEST(ScoreRequest, ContentTypeAndAcceptChoose) {
  const ModelSignature model = one_input();
  const auto parse = [&](const char* type, const char* accept, const std::string& body) {
    return parse_score_request(type, accept, std::make_shared<std::string>(body), model);
  };
  const std::string plain = R"({"data": [[1, 2]]})", proto = as_request({{make_tensor<float>("x", DataType::kFp32, {1, 2}, {1, 2})}}, true);
  const std::string ort = R"({"inputs": {"x": {"dims": [1, 2], "dataType": 1, "floatData": [1, 2]}}})";
  EXPECT_EQ(parse("application/json", "", plain)->form, ScoreForm::kPlain);
  EXPECT_EQ(parse("Application/JSON; charset=utf-8", "*/*", ort)->form, ScoreForm::kOrtJson);
  EXPECT_EQ(parse("application/json", "", R"({"inputs": {"x": [[1, 2]]}})")->form, ScoreForm::kPlain);
  EXPECT_TRUE(parse("application/json", "", R"({"inputs": {"x": [[1, 2]]}})")->under_name);
  EXPECT_EQ(parse("application/json", "application/octet-stream", ort)->answer_form, ScoreForm::kOrtProtobuf);
  EXPECT_EQ(parse("application/json", "application/octet-stream", plain)->answer_form, ScoreForm::kPlain);
  for (const char* type : {"application/x-protobuf", "application/vnd.google.protobuf", "application/octet-stream"}) {
    EXPECT_EQ(parse(type, "*/*", proto)->answer_form, ScoreForm::kOrtProtobuf);
    EXPECT_EQ(parse(type, "application/json", proto)->answer_form, ScoreForm::kOrtJson);
  }
  EXPECT_NE(parse("", "", plain).error().message.find("no Content-Type"), std::string::npos);
  EXPECT_NE(parse("text/csv", "", plain).error().message.find("'text/csv'"), std::string::npos);
  EXPECT_EQ(parse("", "", plain).error().code, ErrorCode::kInvalidArgument);
}

TEST(ScoreRequest, AnswersAndErrors) {
  ScoreRequest request;
  const InferAnswer answer{{make_tensor<float>("y", DataType::kFp32, {1, 2}, {1, 2})}};
  EXPECT_EQ(print_score_answer(request, answer)->body, R"({"result":[[1.0,2.0]]})");
  request.answer_form = ScoreForm::kOrtProtobuf;
  EXPECT_EQ(print_score_answer(request, answer)->content_type, "application/octet-stream");
  EXPECT_EQ(score_error({ErrorCode::kInvalidArgument, "no"}).body, R"({"message":"no"})");
  EXPECT_EQ(score_error({ErrorCode::kResourceExhausted, "full"}).status, 503);
}

}  // namespace
}  // namespace roost
