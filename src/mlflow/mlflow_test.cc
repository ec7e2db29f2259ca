#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mlflow/artifact_uri.h"
#include "mlflow/error_form.h"
#include "mlflow/label_names.h"
#include "mlflow/run_wire.h"
#include "mlflow/wire_fields.h"

namespace roost::mlflow {
namespace {

WireFields fields(const char* text) { return WireFields(stored_json(text)); }

TEST(WireFields, TakesNumbersAsClientsSendThem) {
  const WireFields wire =
      fields(R"({"a": 3, "b": "-4", "c": 3.7, "d": null, "e": "NaN", "f": true, "g": "x", "h": 18446744073709551615})");
  EXPECT_EQ(wire.integer("a").value(), 3);
  EXPECT_EQ(wire.integer("b").value(), -4);
  EXPECT_EQ(wire.integer("c").value(), 3);
  EXPECT_EQ(wire.integer("d").value(), std::nullopt);
  EXPECT_TRUE(std::isnan(wire.required_number("e").value()));
  EXPECT_EQ(wire.required_number("f").value(), 1.0);
  EXPECT_FALSE(wire.integer("g"));
  EXPECT_FALSE(wire.integer("h"));
  EXPECT_FALSE(wire.required_number("g"));
  EXPECT_FALSE(wire.required_number("d"));
  EXPECT_FALSE(wire.text("a"));
}

TEST(WireFields, AQueryThatRepeatsAFieldIsAList) {
  const WireFields query(
      std::multimap<std::string, std::string>{{"run_id", "a"}, {"run_id", "b"}, {"max_results", "7"}});
  EXPECT_EQ(query.texts("run_id").value(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(query.integer("max_results").value(), 7);
  EXPECT_EQ(max_results(query, 10, 5).error().code, ErrorCode::kInvalidArgument);
}

TEST(WireFields, PageTokensComeBackAsTheyWere) {
  const WireFields next(Json{{"page_token", page_token(25'000)}});
  EXPECT_EQ(page_offset(next).value(), 25'000);
  for (const char* bad : {"x", "!!!", "eyJvZmZzZXQiOiAtMX0=", "MTI="}) {
    EXPECT_FALSE(page_offset(WireFields(Json{{"page_token", bad}}))) << bad;
  }
}

TEST(LabelNames, ArePathsThatStayThemselves) {
  for (const char* good : {"loss", "train/loss", "a b", "système", "a.b:c-d_e"})
    EXPECT_TRUE(check_label_name(good, "metric")) << good;
  for (const char* bad : {"", "/a", "a/", "a//b", "../a", "a/./b", "a\nb", "a#b"})
    EXPECT_FALSE(check_label_name(bad, "metric")) << bad;
  EXPECT_TRUE(check_label_name(std::string(250, 'a'), "metric"));
  EXPECT_FALSE(check_label_name(std::string(251, 'a'), "metric"));
  EXPECT_EQ(cut("äöü", 2), "äö");
}

TEST(RunWire, IsJsonWithNonFiniteNumbersAsStrings) {
  WireRun run;
  run.id = "r";
  run.name = "with \"quotes\" and ü";
  run.metrics = {{"a", 1.0, 5'000, 2}, {"b", std::numeric_limits<double>::infinity(), 0, 0}};
  run.tags = {{"k", "v\n"}};
  run.datasets.push_back({"d", "1", "local", "{}", "", "", {{"mlflow.data.context", "train"}}});
  std::string text;
  append_run(text, run);
  const Json read = stored_json(text);
  ASSERT_TRUE(read.is_object()) << text;
  EXPECT_EQ(read["info"]["run_name"], run.name);
  EXPECT_EQ(read["data"]["metrics"][0]["value"], 1.0);
  EXPECT_EQ(read["data"]["metrics"][0]["timestamp"], 5);
  EXPECT_EQ(read["data"]["metrics"][1]["value"], "Infinity");
  EXPECT_EQ(read["data"]["tags"][0]["value"], "v\n");
  EXPECT_EQ(read["inputs"]["dataset_inputs"][0]["tags"][0]["value"], "train");
}

TEST(SourceUri, LeadsToWhatRoostHasAndNowhereElse) {
  const auto run = parse_source_uri("mlflow-artifacts:/3/abc/artifacts/a/model");
  ASSERT_TRUE(run);
  EXPECT_EQ(run->kind, SourceUri::kRunFiles);
  EXPECT_EQ(run->owner, "abc");
  EXPECT_EQ(run->path, "a/model");
  EXPECT_EQ(parse_source_uri("runs:/abc/model").value().path, "model");
  EXPECT_EQ(parse_source_uri("models:/m-1f").value().kind, SourceUri::kLoggedModel);
  EXPECT_EQ(parse_source_uri("models:/a name/12").value().version, 12);
  EXPECT_EQ(parse_source_uri("mlflow-artifacts:/3/models/m-1f/artifacts").value().owner, "m-1f");
  EXPECT_EQ(parse_source_uri("mlflow-artifacts:/registry/a%20b/2/net").value().owner, "a b");
  EXPECT_EQ(parse_source_uri("s3://bucket/key").value().kind, SourceUri::kElsewhere);
  for (const char* bad : {"", "/etc", "a/b", "file:///x", "C:\\x", "s3://b/../x", "runs:/abc/%2e%2e/x", "runs:/abc/%25252e%252e/x", "runs:/abc",
                          "models:/x", "models:/x/latest", "mlflow-artifacts://host/3/abc/artifacts/x", "mlflow-artifacts:/3/abc/x", "runs:/a/b\\..\\c"}) {
    EXPECT_FALSE(parse_source_uri(bad)) << bad;
  }
}

TEST(ErrorForm, NothingAClientMaySendAgainForIsAnsweredForGood) {
  EXPECT_EQ(error_form(ErrorCode::kNotFound).code, "RESOURCE_DOES_NOT_EXIST");
  EXPECT_EQ(error_form(ErrorCode::kAlreadyExists).status, 400);
  EXPECT_EQ(error_form(ErrorCode::kTooLarge).status, 413);
}

}  // namespace
}  // namespace roost::mlflow
