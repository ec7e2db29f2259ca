#include "mlflow/filter.h"

#include <gtest/gtest.h>

#include <map>

namespace roost::mlflow {
namespace {

std::vector<FilterTerm> good(std::string_view text, FilterOf of = FilterOf::kRuns) {
  auto parsed = parse_filter(text, of);
  EXPECT_TRUE(parsed) << text << ": " << (parsed ? "" : parsed.error().message);
  return parsed ? *parsed : std::vector<FilterTerm>{};
}

TEST(Filter, TakesWhatClientsSend) {
  for (const char* text : {"",
                           "  ",
                           "metrics.loss < 1",
                           "metric.`val/loss` >= -1e-6",
                           "params.\"a b\" = 'x'",
                           "parameters.lr LIKE '%e-%'",
                           "tags.mlflow.parentRunId = 'abc'",
                           "tag.x IS NULL",
                           "tags.x is not null AND params.y = \"it's\"",
                           "attributes.status = 'RUNNING' and attribute.start_time > 1664067852747",
                           "run_id IN ('a', 'b')",
                           "run_id not in ('a')",
                           "status != 'FAILED'",
                           "attr.`Run name` ILIKE 'A%'",
                           "Created > 5",
                           "dataset.name = 'd' AND datasets.context IN ('train')",
                           "metrics.loss>.5",
                           "metrics.loss=-.5AND metrics.b<1",
                           "AND metrics.a > 1 and",
                           "run.user_id = 'u'",
                           "end_time <= 5"}) {
    good(text);
  }
  good("attribute.name LIKE '%x%' AND tags.k = 'v' AND last_update_time > 5", FilterOf::kExperiments);
  good("name = 'RM' AND tag.`mlflow.prompt.is_prompt` != 'true'", FilterOf::kModels);
  good("name='a' and run_id IN ('x','y') and version_number > 3", FilterOf::kVersions);
  good("name = 'sk' AND metrics.val > 0.5", FilterOf::kLoggedModels);
}

TEST(Filter, RefusesWhatMlflowRefuses) {
  for (const char* text : {"metrics.loss",
                           "metrics.loss <",
                           "metrics.loss < 'a'",
                           "metrics.loss == 1",
                           "metrics.loss <> 1",
                           "metrics. < 1",
                           "params.x = 1",
                           "params.x > 'a'",
                           "params.x = abc",
                           "params.x = 'a' OR params.y = 'b'",
                           "NOT params.x = 'a'",
                           "(params.x = 'a')",
                           "metrics.a BETWEEN 1 AND 2",
                           "metrics.a > 1; DROP TABLE run",
                           "nothing.x = 'a'",
                           "foo = 'a'",
                           "status = RUNNING",
                           "start_time = 'a'",
                           "start_time LIKE 'a'",
                           "run_id IN 'a'",
                           "run_id IN ()",
                           "run_id IN ('a'",
                           "run_id IN ('a',)",
                           "run_name IN ('a')",
                           "params.x IN ('a')",
                           "metrics.a > inf",
                           "metrics.a > nan",
                           "metrics.a > 1 metrics.b > 1",
                           "metrics.a IS NULL",
                           "params.`x = 'a'",
                           "tags.x = 'a",
                           "\xff",
                           "and and",
                           "1 = metrics.a",
                           "metrics.a > 1e999"}) {
    const auto parsed = parse_filter(text, FilterOf::kRuns);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(parse_filter("metrics.a > 1", FilterOf::kExperiments));
  EXPECT_FALSE(parse_filter(std::string(200'000, ' '), FilterOf::kRuns));
  std::string many = "metrics.a > 1";
  for (int i = 0; i < 1001; ++i) many += " and metrics.a > 1";
  EXPECT_FALSE(parse_filter(many, FilterOf::kRuns));
}

TEST(Filter, KeysAreReadWithAndWithoutQuotes) {
  const auto terms = good("metrics.`a b` > 1 AND params.x.y = 'v' AND tags.\"k\" = 'w' AND `status` = 'FINISHED'");
  ASSERT_EQ(terms.size(), 4u);
  EXPECT_EQ(terms[0].key.name, "a b");
  EXPECT_EQ(terms[1].key.name, "x.y");
  EXPECT_EQ(terms[2].key.name, "k");
  EXPECT_EQ(terms[3].key.name, "status");
  EXPECT_EQ(terms[3].texts, std::vector<std::string>{"FINISHED"});
}

TEST(Order, FieldsAndDirections) {
  const auto order = parse_order({"metrics.`a b` DESC", "attributes.start_time", "params.x asc"}, FilterOf::kRuns);
  ASSERT_TRUE(order);
  EXPECT_TRUE((*order)[0].descending);
  EXPECT_EQ((*order)[1].key.name, "start_time");
  EXPECT_FALSE((*order)[2].descending);
  for (const char* bad : {"", "metrics.a DOWN", "nothing.x", "metrics.a DESC ASC", "dataset.name", "foo"}) {
    EXPECT_FALSE(parse_order({bad}, FilterOf::kRuns)) << bad;
  }
  EXPECT_FALSE(parse_order({"metrics.a", "metric.a DESC"}, FilterOf::kRuns));
}

class Subject final : public FilterSubject {
 public:
  std::map<std::string, std::string> texts;
  std::map<std::string, double> numbers;
  std::optional<std::string> text(const FilterKey& key) const override {
    const auto found = texts.find(key.name);
    return found == texts.end() ? std::nullopt : std::optional(found->second);
  }
  std::optional<double> number(const FilterKey& key) const override {
    const auto found = numbers.find(key.name);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
};

TEST(Filter, WhatIsNotThereNeverMatches) {
  Subject subject;
  subject.texts = {{"name", "Alpha"}, {"k", "v"}};
  const auto holds = [&](const char* text) { return matches(subject, good(text, FilterOf::kModels)); };
  EXPECT_TRUE(holds("name = 'Alpha'"));
  EXPECT_FALSE(holds("name = 'alpha'"));
  EXPECT_TRUE(holds("name ILIKE 'al%'"));
  EXPECT_FALSE(holds("name LIKE 'al%'"));
  EXPECT_TRUE(holds("tags.k != 'w'"));
  EXPECT_FALSE(holds("tags.other != 'w'"));
  EXPECT_TRUE(holds("tags.other IS NULL"));
  EXPECT_TRUE(holds("tag.`mlflow.prompt.is_prompt` != 'true'"));
  EXPECT_FALSE(holds("creation_timestamp != 5"));
}

}  // namespace
}  // namespace roost::mlflow
