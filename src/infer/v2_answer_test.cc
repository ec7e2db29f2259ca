#include "infer/v2_answer.h"

#include <gtest/gtest.h>

#include "infer/classification.h"
#include "infer/test_models.h"
#include "infer/v2_documents.h"

namespace roost {
namespace {

TEST(V2Answer, JsonOnly) {
  InferRequest request{"a\"b", {}, {{"scores", false, 0}, {"labels", false, 0}}};
  InferAnswer answer{{make_tensor<float>("scores", DataType::kFp32, {1, 3}, {0.5F, 1, 2.25F}), make_strings("labels", {1}, {"cat"})}};
  const auto response = print_v2_answer(two_inputs(), request, answer);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, R"({"id":"a\"b","model_name":"pair","model_version":"1","outputs":[)"
                            R"({"name":"scores","datatype":"FP32","shape":[1,3],"data":[0.5,1.0,2.25]},)"
                            R"({"name":"labels","datatype":"BYTES","shape":[1],"data":["cat"]}]})");
  EXPECT_EQ(response->content_type, "application/json");
  EXPECT_FALSE(response->headers.contains("Inference-Header-Content-Length"));
}

TEST(V2Answer, BinaryBehindTheJsonInTheOrderAsked) {
  InferRequest request{"", {}, {{"labels", true, 0}, {"scores", false, 0}, {"more", true, 0}}};
  InferAnswer answer{{make_strings("labels", {2}, {"cat", ""}), make_tensor<float>("scores", DataType::kFp32, {1}, {0.5F}),
                      make_tensor<std::int16_t>("more", DataType::kInt16, {0}, {})}};
  const auto response = print_v2_answer(two_inputs(), request, answer);
  ASSERT_TRUE(response) << response.error().message;
  const auto length = std::stoul(response->headers.at("Inference-Header-Content-Length"));
  EXPECT_EQ(response->body.substr(length), std::string("\3\0\0\0cat\0\0\0\0", 11));
  const Json json = Json::parse(response->body.substr(0, length));
  EXPECT_EQ(json["outputs"][0]["parameters"]["binary_data_size"], 11);
  EXPECT_EQ(json["outputs"][1]["data"], Json::array({0.5}));
  EXPECT_EQ(json["outputs"][2]["parameters"]["binary_data_size"], 0);
  EXPECT_EQ(response->content_type, "application/octet-stream");
}

TEST(V2Answer, HalvesNeedBinary) {
  const InferAnswer answer{{make_tensor<std::uint16_t>("y", DataType::kFp16, {1}, {0x3C00})}};
  const auto response = print_v2_answer(of_type(DataType::kFp16), {"", {}, {{"y", false, 0}}}, answer);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(response.error().message.find("binary_data"), std::string::npos);
  EXPECT_TRUE(print_v2_answer(of_type(DataType::kFp16), {"", {}, {{"y", true, 0}}}, answer));
}

TEST(Classification, HighestFirst) {
  const auto rows = classify(make_tensor<float>("y", DataType::kFp32, {2, 3}, {0.1F, 0.7F, 0.2F, NAN, -1, -2}), 2);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->shape, (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(rows->strings, (std::vector<std::string>{"0.700000:1", "0.200000:2", "-1.000000:1", "-2.000000:2"}));
  const auto whole = classify(make_tensor<std::int64_t>("y", DataType::kInt64, {2}, {5, INT64_MAX}), 10);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->strings, (std::vector<std::string>{"9223372036854775807:1", "5:0"}));
  EXPECT_EQ(classify(make_tensor<float>("y", DataType::kFp32, {0, 3}, {}), 2)->shape, (std::vector<std::int64_t>{0, 0}));
  EXPECT_FALSE(classify(make_strings("y", {1}, {"a"}), 1));
}

TEST(V2Answer, ErrorsAsTritonHasThem) {
  EXPECT_EQ(v2_error({ErrorCode::kInvalidArgument, "no \"x\""}).status, 400);
  EXPECT_EQ(v2_error({ErrorCode::kInvalidArgument, "no \"x\""}).body, R"({"error":"no \"x\""})");
  EXPECT_EQ(v2_error({ErrorCode::kNotFound, ""}).status, 404);
  EXPECT_EQ(v2_error({ErrorCode::kMethodNotAllowed, ""}).status, 405);
  EXPECT_EQ(v2_error({ErrorCode::kTooLarge, ""}).status, 413);
  EXPECT_EQ(v2_error({ErrorCode::kInternal, ""}).status, 500);
  EXPECT_EQ(v2_error({ErrorCode::kUnimplemented, ""}).status, 501);
  EXPECT_EQ(v2_error({ErrorCode::kResourceExhausted, ""}).status, 503);
  EXPECT_EQ(v2_error({ErrorCode::kUnavailable, ""}).headers.at("Retry-After"), "1");
  EXPECT_EQ(v2_error({ErrorCode::kDeadlineExceeded, ""}).status, 504);
}

TEST(V2Documents, AsClientsReadThem) {
  EXPECT_NE(to_text(v2_server_document()).find("binary_tensor_data"), std::string::npos);
  const Json model = v2_model_document(two_inputs(), {"1", "2"});
  EXPECT_EQ(model["versions"], Json({"1", "2"}));
  EXPECT_EQ(model["inputs"][1], Json({{"name", "words"}, {"datatype", "BYTES"}, {"shape", {-1}}}));
  const Json config = v2_config_document(two_inputs(), {8, 500});
  EXPECT_EQ(config["input"][1]["data_type"], "TYPE_STRING");
  EXPECT_EQ(config["dynamic_batching"]["max_queue_delay_microseconds"], 500);
  V2Statistics statistics;
  statistics.name = "m";
  statistics.success = {3, 100};
  EXPECT_EQ(v2_statistics_document({statistics})["model_stats"][0]["inference_stats"]["success"], Json({{"count", 3}, {"ns", 100}}));
  EXPECT_EQ(v2_index_document({{"m", "1", false, "why"}}),
            Json::array({{{"name", "m"}, {"version", "1"}, {"state", "UNAVAILABLE"}, {"reason", "why"}}}));
}

}  // namespace
}  // namespace roost
