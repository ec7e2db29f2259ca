#include "score/script_servant.h"

#include <gtest/gtest.h>

#include "score/test_script.h"

namespace roost {
namespace {

TEST_F(ScriptTest, AnswersWithWhatRunReturns) {
  start(kEcho);
  EXPECT_TRUE(servant_->is_ready());
  const auto answer = ask("hi");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "\"hi\"");
  EXPECT_EQ(answer.headers.at("content-type"), "application/json");
  EXPECT_EQ(answer.headers.at("x-ms-run-function-failed"), "False");
  EXPECT_EQ(answer.headers.at("x-ms-server-version"), "roost/" ROOST_VERSION);
  EXPECT_FALSE(answer.headers.at("x-request-id").empty());
  EXPECT_EQ(answer.headers.at("x-ms-request-id"), answer.headers.at("x-request-id"));
  EXPECT_FALSE(answer.headers.contains("x-ms-client-request-id"));
  EXPECT_EQ(ask("", "/score?a=1&a=x", "GET").body, R"("{\"a\": [1, \"x\"]}")");
  EXPECT_EQ(ask("", "/", "GET").body, "Healthy");
  EXPECT_EQ(servant_->load().requests, 2U);
  EXPECT_NE(servant_->metrics().find("roost_score_requests_total{code=\"200\"} 2"), std::string::npos);
}

TEST_F(ScriptTest, KeepsTheIdsOfTheCaller) {
  start("def init():\n  pass\ndef run(data, request_headers):\n  return request_headers\n");
  const auto answer = ask("x", "/score", "POST",
                          {{"x-request-id", "mine"}, {"x-ms-client-request-id", "client"}, {"TraceId", "trace"},
                           {"x-roost-replica-key", "secret"}});
  EXPECT_EQ(answer.headers.at("x-request-id"), "mine");
  EXPECT_EQ(answer.headers.at("x-ms-client-request-id"), "client");
  EXPECT_EQ(answer.headers.at("x-ms-request-id"), "client");
  EXPECT_EQ(answer.headers.at("traceid"), "trace");
  const auto seen = parse_json(answer.body, "the headers");
  EXPECT_EQ(text_at(*seen, "X-Request-Id"), "mine");
  EXPECT_EQ(answer.body.find("secret"), std::string::npos);
  const auto refused = ask("x", "/score", "POST", {{"x-ms-request-id", std::string(101, 'a')}});
  EXPECT_EQ(refused.status, 431);
  EXPECT_EQ(message_of(refused), "x-ms-request-id and x-ms-client-request-id must not exceed 100 characters");
}

TEST_F(ScriptTest, PassesOnWhatTheScriptMakesItself) {
  start(R"(
from azureml.contrib.services.aml_response import AMLResponse
def init():
  pass
def run(data):
  headers = {"X-Mine": "a, b", "x-request-id": "its own", "Content-Length": "7", "Content-Type": "text/csv"}
  return AMLResponse(b"1,2", 418, headers)
)");
  const auto answer = ask("x", "/score", "POST", {{"x-request-id", "mine"}});
  EXPECT_EQ(answer.status, 418);
  EXPECT_EQ(answer.body, "1,2");
  EXPECT_EQ(answer.headers.at("content-type"), "text/csv");
  EXPECT_EQ(answer.headers.at("x-mine"), "a, b");
  EXPECT_EQ(answer.headers.at("x-request-id"), "mine");
}

TEST_F(ScriptTest, AnswersOptionsItselfUnlessTheRequestIsRaw) {
  options_.cors_origins = "http://a.example, http://b.example";
  start(kEcho);
  const auto answer = ask("", "/score", "OPTIONS",
                          {{"Origin", "http://b.example"}, {"Access-Control-Request-Method", "POST"},
                           {"Access-Control-Request-Headers", "content-type"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(answer.headers.at("access-control-allow-origin"), "http://b.example");
  EXPECT_EQ(answer.headers.at("access-control-allow-methods"), "GET, POST");
  EXPECT_EQ(answer.headers.at("access-control-allow-headers"), "content-type");
  EXPECT_EQ(answer.headers.at("vary"), "Origin");
  EXPECT_FALSE(ask("x", "/score", "POST", {{"Origin", "http://c.example"}}).headers.contains("access-control-allow-origin"));
  EXPECT_EQ(ask("", "/score", "HEAD").status, 405);
  EXPECT_EQ(ask("", "/score", "PUT").status, 405);
}

TEST_F(ScriptTest, GivesOptionsToARawScript) {
  start(R"(
from azureml.contrib.services.aml_request import rawhttp
def init():
  pass
@rawhttp
def run(request):
  return [request.method, request.full_path, request.headers.get("x-a")]
)");
  EXPECT_EQ(ask("", "/score?b=1&a=%20", "OPTIONS", {{"X-A", "1"}}).body, R"(["OPTIONS", "/score?b=1&a=%20", "1"])");
}

TEST_F(ScriptTest, DescribesItself) {
  start(kEcho);
  const auto two = parse_json(ask("", "/swagger.json", "GET").body, "the swagger");
  EXPECT_EQ(text_at(*two, "swagger"), "2.0");
  const auto three = ask("", "/swagger.json?version=3", "GET", {{"X-Roost-Prefix", "/endpoints/birds"}});
  const Json paths = object_at(*parse_json(three.body, "the swagger"), "paths");
  EXPECT_TRUE(paths.contains("/endpoints/birds/score") && paths.contains("/endpoints/birds/"));
  const auto none = ask("", "/swagger.json?version=4", "GET");
  EXPECT_EQ(none.status, 404);
  EXPECT_EQ(message_of(none), "Swagger version [4] is not valid. Supported versions: [2, 3, 3.1].");
}

TEST_F(ScriptTest, SaysWhatImportAndInitRaised) {
  auto started = try_start("import nothing_of_this_name\n");
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().message.starts_with(
      "importing score.py raised ModuleNotFoundError: No module named 'nothing_of_this_name'\nTraceback"))
      << started.error().message;
  started = try_start("def run(data):\n  pass\ndef init():\n  raise OSError('no weights')\n");
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().message.starts_with("init() of score.py raised OSError: no weights\n"));
  EXPECT_FALSE(servant_->is_ready());
  started = try_start("import os\nos._exit(9)\n");
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("exited with code 9"), std::string::npos) << started.error().message;
}

TEST_F(ScriptTest, RefusesWhatIsNotThere) {
  options_.entry_script = "nothing.py";
  const auto no_script = make_script_servant(options_);
  ASSERT_FALSE(no_script);
  EXPECT_NE(no_script.error().message.find("nothing.py"), std::string::npos);
  write("score.py", kEcho);
  options_.entry_script = "score.py";
  options_.python = "no-python-of-this-name";
  EXPECT_FALSE(make_script_servant(options_));
}

TEST_F(ScriptTest, GivesWorkersTheirPlaceAndVariables) {
  options_.source_directory = "src";
  options_.entry_script = "score.py";  // relative to the source folder
  options_.model_dir = "azureml-models/birds/3";
  write("src/score.py",
        "import os\ndef init():\n  pass\ndef run(data):\n"
        "  return [os.getcwd(), os.environ['AZUREML_MODEL_DIR'], os.environ['AZUREML_ENTRY_SCRIPT'],"
        " os.environ['AZUREML_SOURCE_DIRECTORY'], os.environ['AML_APP_ROOT'], os.environ.get('ROOST_REPLICA')]\n");
  auto made = make_script_servant(options_);
  ASSERT_TRUE(made) << made.error().message;
  servant_ = std::move(*made);
  ASSERT_TRUE(servant_->start());
  servant_->add_routes(web_.router);
  web_.start();
  const std::string root = std::filesystem::canonical(folder_);
  EXPECT_EQ(*parse_json(ask("x").body, "the answer"),
            Json({root, "azureml-models/birds/3", "src/score.py", "src", folder_.string(), ""}));
}

TEST(TakeVariables, ReadsTheNumberOfWorkers) {
  ScriptServantOptions options;
  ::setenv("WORKER_COUNT", "4", 1);
  ASSERT_TRUE(take_variables(options));
  EXPECT_EQ(options.workers, 4);
  ::setenv("WORKER_COUNT", "many", 1);
  EXPECT_FALSE(take_variables(options));
  ::unsetenv("WORKER_COUNT");
}

}  // namespace
}  // namespace roost
