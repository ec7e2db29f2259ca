#include "domain/run_query.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace roost {
namespace {

template <class T>
T only(std::string_view text) {
  auto query = parse_run_query(text);
  EXPECT_TRUE(query) << text << ": " << query.error().message;
  const T* term = query ? std::get_if<T>(&query->root.term) : nullptr;
  EXPECT_NE(term, nullptr) << text;
  return term ? *term : T{};
}

std::string error_of(std::string_view text) {
  const auto query = parse_run_query(text);
  return query ? "no error" : query.error().message;
}

TEST(RunQuery, NothingIsEverything) {
  EXPECT_TRUE(only<AllOf>("").nodes.empty());
  EXPECT_TRUE(only<AllOf>("  \t").nodes.empty());
}

TEST(RunQuery, WordsAndPhrasesAreText) {
  EXPECT_EQ(only<TextTerm>("Birds").text, "birds");
  EXPECT_EQ(only<TextTerm>("\"Two Words\"").text, "two words");
  EXPECT_EQ(only<TextTerm>("\"status:failed\"").text, "status:failed");
  EXPECT_EQ(only<TextTerm>("GRÖSSE").text, "grösse");
}

TEST(RunQuery, StatusesInAnyCase) {
  EXPECT_EQ(only<StatusTerm>("status:FAILED,cancelled").any,
            (std::vector{RunStatus::kFailed, RunStatus::kCanceled}));
  EXPECT_EQ(only<StatusTerm>("status:ended").any.size(), 3U);
  EXPECT_EQ(only<StatusTerm>("status=active").any.size(), all_statuses().size() - 3);
}

TEST(RunQuery, Facts) {
  EXPECT_EQ(only<FactTerm>("experiment:a,\"b c\"").any, (std::vector<std::string>{"a", "b c"}));
  EXPECT_TRUE(only<FactTerm>("name:x").part);
  EXPECT_FALSE(only<FactTerm>("name=x").part);
  EXPECT_FALSE(only<FactTerm>("user:x").part);
}

TEST(RunQuery, TakesMlflowsSpelling) {
  const auto metric = only<LabelTerm>("metrics.loss < 1");
  EXPECT_EQ(metric.match, Match::kLess);
  EXPECT_EQ(metric.number, 1);
  EXPECT_EQ(only<LabelTerm>("metric.`val/loss` >= .5").name, "val/loss");
  const auto param = only<LabelTerm>("params.opt = 'adam w'");
  EXPECT_EQ(param.value, "adam w");
  EXPECT_EQ(param.match, Match::kEqual);
  EXPECT_EQ(only<LabelTerm>("tags.team like \"re%\"").match, Match::kLike);
  EXPECT_EQ(only<LabelTerm>("param.opt ILIKE 'A%'").match, Match::kAnyCaseLike);
  EXPECT_EQ(only<StatusTerm>("attributes.status = 'FINISHED'").any, std::vector{RunStatus::kCompleted});
  EXPECT_EQ(only<FactTerm>("attributes.run_id IN ('a', 'B')").any, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(only<PlainTerm>("run_name like 'My%'").fact, RunFact::kName);
  EXPECT_EQ(only<MomentTerm>("start_time >= 1700000000000").from, 1'700'000'000'000'000);
  EXPECT_EQ(only<AllOf>("metrics.loss < 1 and params.opt = \"adam\"").nodes.size(), 2U);
  // Words that mean nothing to it stay text.
  EXPECT_EQ(only<AllOf>("like in adam").nodes.size(), 3U);
  EXPECT_NE(error_of("metrics.loss like 'a'").find("number"), std::string::npos);
  EXPECT_NE(error_of("id in ('a'").find("not closed"), std::string::npos);
  EXPECT_NE(error_of("metrics.loss <").find("missing"), std::string::npos);
}

TEST(RunQuery, TagsParamsMetrics) {
  EXPECT_EQ(only<LabelTerm>("tags.key").match, Match::kPresent);
  const auto tag = only<LabelTerm>("tags.\"my key\"=\"a b\"");
  EXPECT_EQ(tag.name, "my key");
  EXPECT_EQ(tag.value, "a b");
  EXPECT_EQ(tag.match, Match::kEqual);
  EXPECT_EQ(only<LabelTerm>("tags.key:part").match, Match::kPart);
  const auto param = only<LabelTerm>("params.lr>=0.01");
  EXPECT_EQ(param.match, Match::kAtLeast);
  EXPECT_EQ(param.number, 0.01);
  const auto metric = only<LabelTerm>("metrics.val/loss<-1e-3");
  EXPECT_EQ(metric.name, "val/loss");
  EXPECT_EQ(metric.number, -1e-3);
  EXPECT_EQ(only<AnyOf>("params.opt=adam,sgd").nodes.size(), 2U);
}

TEST(RunQuery, TimesAndSpans) {
  const Micros day = *parse_time("2026-11-01");
  EXPECT_EQ(only<MomentTerm>("created>=2026-11-01").from, day);
  EXPECT_EQ(only<MomentTerm>("created>2026-11-01").from, day + 86'400 * kSecond);
  EXPECT_EQ(only<MomentTerm>("created:<2026-11-01T12:00:00Z").before, day + 43'200 * kSecond);
  EXPECT_EQ(only<MomentTerm>("ended:2026-11-01").before, day + 86'400 * kSecond);
  EXPECT_EQ(only<SpanTerm>("duration>1h30m").length, 5400 * kSecond);
  EXPECT_EQ(only<SpanTerm>("age<0.5d").length, 43'200 * kSecond);
}

TEST(RunQuery, NotAndOrParentheses) {
  EXPECT_EQ(only<NoneOf>("-tags.draft").nodes.size(), 1U);
  EXPECT_EQ(only<NoneOf>("NOT status:failed").nodes.size(), 1U);
  EXPECT_EQ(only<NoneOf>("user!=ann").nodes.size(), 1U);
  EXPECT_EQ(only<TextTerm>("--a").text, "a");
  EXPECT_EQ(only<AllOf>("a b and c").nodes.size(), 3U);
  const auto either = only<AnyOf>("a b or c");
  ASSERT_EQ(either.nodes.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<AllOf>(either.nodes[0].term)) << "blanks bind more than or";
  EXPECT_TRUE(std::holds_alternative<AnyOf>(only<AllOf>("a (b or c)").nodes[1].term));
  EXPECT_EQ(only<TextTerm>("orange").text, "orange");
  EXPECT_EQ(only<TextTerm>("\"or\"").text, "or");
}

TEST(RunQuery, ArchivedOnlyWhenAsked) {
  EXPECT_FALSE(parse_run_query("a is:top")->archived_too);
  EXPECT_EQ(parse_run_query("a is:any")->bin, InBin::kLeftOut);
  EXPECT_EQ(parse_run_query("a (b or is:deleted)")->bin, InBin::kToo);
  EXPECT_TRUE(parse_run_query("a (b or is:archived)")->archived_too);
  EXPECT_TRUE(parse_run_query("IS:ANY")->archived_too);
}

TEST(RunQuery, ErrorsTellTermPlaceAndRemedy) {
  EXPECT_TRUE(error_of("größe status:faild")
                  .starts_with("the query at character 7, \"status:faild\": there is no status \"faild\"; they are "))
      << error_of("größe status:faild");
  const struct {
    const char* query;
    const char* says;
  } cases[] = {{"lr=0.1", "params.lr"},
               {"http://x", "quotes"},
               {"metrics.loss<low", "not a number"},
               {"metrics.", "name after metrics."},
               {"tags.a>3", "a tag is text"},
               {"created<2d", "age<2d"},
               {"created>yesterday", "2026-11-01"},
               {"duration>90", "30s"},
               {"duration:90s", "duration<2h"},
               {"is:new", "is:archived"},
               {"status>failed", "status:failed"},
               {"status:", "a value is missing"},
               {"status:failed,", "a value is missing"},
               {"=3", "a field is missing"},
               {"(a", "not closed"},
               {"a)", "opened"},
               {"a or", "a term is missing"},
               {"or a", "a term is missing"},
               {"not", "a term is missing"},
               {"a -", "a term is missing"},
               {"()", "a term is missing"},
               {"\"open", "quote is not closed"},
               {"\"\"", "nothing between"},
               {"metrics.x=!3", "no comparison"},
               {"a \xff", "UTF-8"}};
  for (const auto& [query, says] : cases) {
    EXPECT_NE(error_of(query).find(says), std::string::npos) << query << " gives: " << error_of(query);
  }
}

TEST(RunQuery, LargeQueriesAreRefused) {
  EXPECT_NE(error_of(std::string(2001, 'x')).find("at most 2000"), std::string::npos);
  EXPECT_NE(error_of(fmt::format("{}a{}", std::string(21, '('), std::string(21, ')'))).find("parentheses"), std::string::npos);
  std::string many;
  for (int i = 0; i < 51; ++i) many += "a ";
  EXPECT_NE(error_of(many).find("at most 50"), std::string::npos);
}

}  // namespace
}  // namespace roost
