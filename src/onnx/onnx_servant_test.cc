#include "onnx/onnx_servant.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/json.h"
#include "onnx/test_onnx.h"
#include "onnx/test_onnx_model.h"

namespace roost {
namespace {

class OnnxServantTest : public testing::Test {
 protected:
  void SetUp() override { ROOST_NEEDS_ONNXRUNTIME(library); }

  // Makes and starts it; the error is what either said.
  Status start(std::vector<OnnxModelSource> models, OnnxServantOptions options = {}) {
    options.models = std::move(models);
    ROOST_TRY(servant_, make_onnx_servant(std::move(options)));
    servant_->add_routes(router_);
    return servant_->start();
  }
  void start_adding(OnnxServantOptions options = {}) {
    const Status started =
        start({{"adder", "3", folder_.write("adder.onnx", adding_model().bytes())}}, std::move(options));
    ASSERT_TRUE(started) << started.error().message;
  }
  Response call(const std::string& method, const std::string& path, std::string body = "",
                std::map<std::string, std::string> headers = {}) {
    const auto match = router_.find(method, path);
    if (match.route == nullptr) {
      Response none;
      none.status = 404;
      return none;
    }
    Request request;
    request.method = method;
    request.path = path;
    request.parameters = match.parameters;
    request.body = std::move(body);
    request.headers = std::move(headers);
    return match.route->handler(request);
  }
  Response score(const std::string& body) {
    return call("POST", "/score", body, {{"content-type", "application/json"}});
  }
  static Json json(const Response& response) { return stored_json(response.body); }

  TestFolder folder_;
  std::unique_ptr<Servant> servant_;
  Router router_;
};

TEST_F(OnnxServantTest, AnswersPlainJson) {
  start_adding();
  const Response answer = score(R"({"data": [[1, 2], [3, 4]]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(json(answer), Json::parse(R"({"result": [[2, 4], [6, 8]]})"));
  EXPECT_EQ(score(R"({"data": [[1, 2, 3]]})").status, 400);
  EXPECT_EQ(score("{").status, 400);
}

TEST_F(OnnxServantTest, KnowsWhichRequestsAreQuick) {
  start_adding();
  const std::string data = R"({"data": [[1, 2]]})";
  for (int i = 0; i < 300; ++i) ASSERT_EQ(score(data).status, 200);  // it was held up at the most a few times
  const auto is_quick = [&](std::string body, std::map<std::string, std::string> headers = {}) {
    Request request;
    request.body = std::move(body);
    request.headers = std::move(headers);
    return router_.find("POST", "/score").route->is_quick(request);
  };
  EXPECT_TRUE(is_quick(data));
  EXPECT_FALSE(is_quick(std::string(100'000, ' ')));
  EXPECT_FALSE(is_quick(data, {{"content-encoding", "gzip"}}));
  EXPECT_TRUE(router_.find("POST", "/v2/models/adder/infer").route->is_quick != nullptr);
  EXPECT_TRUE(router_.find("GET", "/v2/models/adder").route->is_quick == nullptr);
}

TEST_F(OnnxServantTest, AnswersOnnxRuntimeServersJson) {
  start_adding();
  // 1.0F and 2.0F
  const Response answer = score(
      R"({"inputs": {"x": {"dims": ["1", "2"], "dataType": 1, "rawData": "AACAPwAAAEA="}}, "outputFilter": ["y"]})");
  EXPECT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(json(answer)["outputs"]["y"]["rawData"], "AAAAQAAAgEA=") << answer.body;  // 2.0F and 4.0F
}

TEST_F(OnnxServantTest, AnswersTheInferenceProtocol) {
  start_adding();
  const std::string body =
      R"({"id": "7", "inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]}]})";
  for (const char* path : {"/v2/models/adder/infer", "/v2/models/adder/versions/3/infer"}) {
    const Response answer = call("POST", path, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(json(answer)["id"], "7");
    EXPECT_EQ(json(answer)["model_version"], "3");
    EXPECT_EQ(json(answer)["outputs"][0]["data"], Json::parse("[2, 4]"));
  }
  const Response unknown = call("POST", "/v2/models/none/infer", body);
  EXPECT_EQ(unknown.status, 404);
  EXPECT_NE(json(unknown)["error"].get<std::string>().find("adder"), std::string::npos);
  EXPECT_EQ(call("POST", "/v2/models/adder/versions/4/infer", body).status, 404);
  EXPECT_EQ(call("POST", "/v2/models/adder/infer", "{}").status, 400);
}

TEST_F(OnnxServantTest, AnswersBytesWithBytes) {
  start_adding();
  const std::string head =
      R"({"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "parameters": {"binary_data_size": 8}}], "parameters": {"binary_data_output": true}})";
  const std::vector<float> values = {1.5F, -2};
  std::string body = head;
  body.append(reinterpret_cast<const char*>(values.data()), 8);
  const Response answer =
      call("POST", "/v2/models/adder/infer", body, {{"inference-header-content-length", std::to_string(head.size())}});
  ASSERT_EQ(answer.status, 200) << answer.body;
  ASSERT_GE(answer.body.size(), 8U);
  std::vector<float> doubled(2);
  std::memcpy(doubled.data(), answer.body.data() + answer.body.size() - 8, 8);
  EXPECT_EQ(doubled, (std::vector<float>{3, -4}));
}

TEST_F(OnnxServantTest, DescribesItself) {
  start_adding();
  EXPECT_EQ(call("GET", "/").body, "Healthy");
  EXPECT_EQ(call("GET", "/v2/health/live").status, 200);
  EXPECT_EQ(call("GET", "/v2/health/ready").status, 200);
  EXPECT_EQ(json(call("GET", "/v2"))["name"].is_string(), true);
  const Json model = json(call("GET", "/v2/models/adder"));
  EXPECT_EQ(model["versions"], Json::parse(R"(["3"])"));
  EXPECT_EQ(model["inputs"][0]["shape"], Json::parse("[-1, 2]"));
  EXPECT_EQ(call("GET", "/v2/models/adder/ready").status, 200);
  EXPECT_EQ(call("GET", "/v2/models/none/ready").status, 400);
  EXPECT_EQ(call("GET", "/v2/models/adder/config").status, 200);
  const Response swagger = call("GET", "/swagger.json", "", {{"x-roost-prefix", "/endpoints/adder"}});
  EXPECT_TRUE(json(swagger)["paths"].contains("/endpoints/adder/score")) << swagger.body;
}

TEST_F(OnnxServantTest, CountsWhatItDid) {
  start_adding();
  EXPECT_EQ(score(R"({"data": [[1, 2], [3, 4]]})").status, 200);
  EXPECT_EQ(score(R"({"data": [["a"]]})").status, 400);
  const std::string text = servant_->metrics();
  EXPECT_NE(text.find("roost_inference_request_success{model=\"adder\",version=\"3\"} 1\n"), std::string::npos) << text;
  EXPECT_NE(text.find("roost_inference_request_failure{model=\"adder\",version=\"3\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("roost_inference_count{model=\"adder\",version=\"3\"} 2\n"), std::string::npos);
  EXPECT_NE(text.find("roost_inference_pending_request_count{model=\"adder\",version=\"3\"} 0\n"), std::string::npos);
  const Json stats = json(call("GET", "/v2/models/adder/stats"))["model_stats"][0];
  EXPECT_EQ(stats["inference_count"], 2);
  EXPECT_EQ(stats["inference_stats"]["success"]["count"], 1);
  EXPECT_EQ(stats["inference_stats"]["fail"]["count"], 1);
  EXPECT_EQ(servant_->load().requests, 3U);
  EXPECT_EQ(servant_->load().errors, 0U);
}

TEST_F(OnnxServantTest, ServesSeveralModelsAndVersions) {
  TestModel tripling;
  tripling.node("Add", {"x", "x"}, {"v"}).node("Add", {"v", "x"}, {"y"});
  tripling.input("x", ort::kFloat, {"batch", 2}).output("y", ort::kFloat, {"batch", 2});
  folder_.write("models/adder/9/model.onnx", adding_model().bytes());
  folder_.write("models/adder/10/model.onnx", tripling.bytes());
  folder_.write("models/other/1/model.onnx", adding_model().bytes());
  const auto found = find_onnx_models(folder_.path() + "/models");
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 3U);
  ASSERT_TRUE(start(*found));
  const std::string body = R"({"inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]}]})";
  const auto data = [&](const char* path) { return json(call("POST", path, body))["outputs"][0]["data"]; };
  EXPECT_EQ(data("/v2/models/adder/infer"), Json::parse("[3, 6]"));  // the highest version
  EXPECT_EQ(data("/v2/models/adder/versions/9/infer"), Json::parse("[2, 4]"));
  EXPECT_EQ(data("/v2/models/other/infer"), Json::parse("[2, 4]"));
  EXPECT_EQ(json(call("POST", "/v2/repository/index")).size(), 3U);
  EXPECT_EQ(json(call("GET", "/v2/models/stats"))["model_stats"].size(), 3U);
}

TEST_F(OnnxServantTest, UnloadsAndLoadsAgainUnderRequests) {
  start_adding();
  EXPECT_EQ(call("POST", "/v2/repository/models/none/load").status, 404);
  EXPECT_EQ(call("POST", "/v2/repository/models/adder/unload").status, 200);
  EXPECT_FALSE(servant_->is_ready());
  const Response away = score(R"({"data": [[1, 2]]})");
  EXPECT_EQ(away.status, 503);
  EXPECT_EQ(away.headers.at("Retry-After"), "1");
  EXPECT_EQ(json(call("POST", "/v2/repository/index"))[0]["state"], "UNAVAILABLE");
  EXPECT_EQ(call("POST", "/v2/repository/models/adder/load").status, 200);
  std::atomic<bool> over = false;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      while (!over) EXPECT_EQ(score(R"({"data": [[1, 2]]})").status, 200);
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(call("POST", "/v2/repository/models/adder/load").status, 200);
  // One that cannot be loaded leaves what is there.
  folder_.write("adder.onnx", "broken");
  EXPECT_GE(call("POST", "/v2/repository/models/adder/load").status, 400);
  over = true;
  threads.clear();
  EXPECT_EQ(score(R"({"data": [[1, 2]]})").status, 200);
}

TEST_F(OnnxServantTest, PutsRequestsOfManyClientsTogether) {
  start_adding();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const Response answer = score(R"({"data": [[)" + std::to_string(t) + "," + std::to_string(i) + "]]}");
        EXPECT_EQ(json(answer)["result"], Json::array({Json::array({2 * t, 2 * i})})) << answer.body;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(json(call("GET", "/v2/models/adder/stats"))["model_stats"][0]["inference_count"], 400);
}

TEST_F(OnnxServantTest, RefusesAfterTheEnd) {
  start_adding();
  servant_->stop();
  const Response refused = score(R"({"data": [[1, 2]]})");
  EXPECT_EQ(refused.status, 503);
  EXPECT_TRUE(json(refused).contains("message"));
}

TEST_F(OnnxServantTest, LetsBrowsersInThatMay) {
  OnnxServantOptions options;
  options.cors_origins = "http://a.example, http://b.example";
  start_adding(options);
  const auto asked = [&](const char* origin) {
    return call("OPTIONS", "/score", "", {{"origin", origin}, {"access-control-request-headers", "content-type"}});
  };
  EXPECT_EQ(asked("http://b.example").headers.at("Access-Control-Allow-Origin"), "http://b.example");
  EXPECT_EQ(asked("http://b.example").headers.at("Access-Control-Allow-Headers"), "content-type");
  EXPECT_FALSE(asked("http://c.example").headers.contains("Access-Control-Allow-Origin"));
}

TEST_F(OnnxServantTest, CutsOffWhatTakesTooLong) {
  TestModel model;
  for (int i = 0; i < 400; ++i) {
    model.node("MatMul", {i == 0 ? "x" : "v" + std::to_string(i), "x"}, {i == 399 ? "y" : "v" + std::to_string(i + 1)});
  }
  model.input("x", ort::kFloat, {"n", "n"}).output("y", ort::kFloat, {"n", "n"});
  OnnxServantOptions options;
  options.timeout = std::chrono::milliseconds(50);
  options.batching.max_batch = 1;
  options.intra_op_threads = 1;
  ASSERT_TRUE(start({{"slow", "1", folder_.write("slow.onnx", model.bytes())}}, options));
  const std::string head =
      R"({"inputs": [{"name": "x", "shape": [600, 600], "datatype": "FP32", "parameters": {"binary_data_size": 1440000}}]})";
  const Response late = call("POST", "/v2/models/slow/infer", head + std::string(1440000, '\0'),
                             {{"inference-header-content-length", std::to_string(head.size())}});
  EXPECT_EQ(late.status, 504) << late.body;
  EXPECT_EQ(servant_->load().errors, 1U);
}

TEST_F(OnnxServantTest, SaysWhyItCannotStart) {
  const Status broken = start({{"bad", "1", folder_.write("bad.onnx", "nothing")}});
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("model bad version 1"), std::string::npos) << broken.error().message;
  EXPECT_FALSE(make_onnx_servant({}));
}

}  // namespace
}  // namespace roost
