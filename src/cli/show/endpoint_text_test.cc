#include <gtest/gtest.h>

#include "cli/show/endpoint_text.h"
#include "cli/show/run_text.h"

namespace roost {
namespace {

const Style kPlain(false);
constexpr Micros kNow = 1'794'776'400'000'000;  // 2026-11-15T21:00:00Z

Json deployment(const char* name, const char* model, const char* state) {
  return {{"name", name},
          {"state", state},
          {"error", nullptr},
          {"models", {{{"id", model}}}},
          {"ready", 1},
          {"wanted", 2},
          {"replicas", {{"min", 1}, {"max", 4}}},
          {"replicas_now",
           {{{"run", std::string("endpoint-birds_1_") + name},
             {"state", "ready"},
             {"node", "local-0"},
             {"started_at", "2026-11-15T20:57:00.000000Z"},
             {"restarts", 0}}}}};
}

Json sample() {
  return {{"name", "birds"},
          {"state", "Healthy"},
          {"error", nullptr},
          {"scoring_uri", "http://127.0.0.1:8423/endpoints/birds/score"},
          {"auth", "key"},
          {"compute", "local"},
          {"traffic", {{"blue", 90}, {"green", 10}}},
          {"shadow", {{"green", 50}}},
          {"revision", 7},
          {"created_at", "2026-11-15T20:00:00.000000Z"},
          {"updated_at", "2026-11-15T20:58:00.000000Z"},
          {"created_by", "anna"},
          {"deployments", {deployment("blue", "birds:3", "Healthy"), deployment("green", "birds:4", "Transitioning")}}};
}

void expect_parts(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(EndpointText, Table) {
  const std::string text = endpoint_table(Json::array({sample()}), kNow).text(kPlain, 0);
  expect_parts(text, {"ENDPOINT", "birds", "Healthy", "birds:3 90 %, birds:4 10 %, shadow 50 %", "2 min ago"});
}

TEST(EndpointText, Page) {
  const Json statistics = {{"deployments",
                            {{{"name", "blue"}, {"requests_per_second", 12.34}, {"p50_ms", 1.04}, {"p99_ms", 3.0}, {"errors", 2}}}}};
  const std::string text = endpoint_page(sample(), statistics, kNow, kPlain, 0);
  expect_parts(text, {"birds  Healthy", "blue 90 %, green 10 %", "1/2 (1 to 4)", "12.3", "1.0 ms", "3.0 ms",
                      "endpoint-birds_1_green", "3 min ago", "1 h ago by anna", "roost endpoints keys birds -q"});
  EXPECT_EQ(text.find("RESTARTS"), std::string::npos) << "none were restarted";
}

TEST(EndpointText, TheLineThatCallsIt) {
  Json endpoint = sample();
  EXPECT_EQ(call_line(endpoint),
            "curl -H \"Authorization: Bearer $(roost endpoints keys birds -q)\" -H 'Content-Type: application/json' "
            "-d @request.json http://127.0.0.1:8423/endpoints/birds/score");
  endpoint["auth"] = "none";
  EXPECT_EQ(call_line(endpoint).find("Authorization"), std::string::npos);
}

TEST(EndpointText, ErrorsAreToldOnce) {
  Json endpoint = sample();
  EXPECT_EQ(endpoint_error(endpoint, ""), "");
  const Json error = {{"code", "CrashLoop"},
                      {"message", "the entry script cannot be imported"},
                      {"details", {{{"code", "x"}, {"message", "ImportError: no module named torch"}}}}};
  endpoint["deployments"][1]["error"] = error;
  endpoint["error"] = {{"code", "CrashLoop"}, {"message", "the entry script cannot be imported"}, {"details", Json::array()}};
  EXPECT_EQ(endpoint_error(endpoint, "green"), "the entry script cannot be imported\nImportError: no module named torch");
  EXPECT_EQ(endpoint_error(endpoint, "").substr(0, 7), "green: ");
}

TEST(EndpointText, DeploymentsByName) {
  EXPECT_EQ(text_field(find_deployment(sample(), "green"), "state"), "Transitioning");
  EXPECT_TRUE(find_deployment(sample(), "red").is_null());
}

}  // namespace
}  // namespace roost
