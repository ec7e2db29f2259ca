#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "domain/check_vm_size.h"
#include "domain/compute.h"
#include "domain/like.h"
#include "domain/names.h"
#include "domain/run.h"
#include "domain/run_spec.h"
#include "domain/sdk_python.h"
#include "domain/spool_record.h"
#include "domain/vm_sizes.h"

namespace roost {
namespace {

TEST(Like, PercentIsAnyTextAndUnderscoreOneCharacter) {
  EXPECT_TRUE(is_like("adam", "a%m"));
  EXPECT_TRUE(is_like("größe", "gr__e"));
  EXPECT_TRUE(is_like("", "%"));
  EXPECT_TRUE(is_like("a%b", "a%b"));
  EXPECT_TRUE(is_like("abcabd", "%abd"));
  EXPECT_FALSE(is_like("adam", "a_m"));
  EXPECT_FALSE(is_like("Adam", "adam"));
  EXPECT_FALSE(is_like("a", ""));
  EXPECT_TRUE(is_like(std::string(10'000, 'a'), "%a%a%a%"));
  EXPECT_FALSE(is_like(std::string(10'000, 'a'), "%a%a%b%"));
}

std::string message_of(const Json& body) {
  const auto parsed = parse_run_spec(body);
  return parsed ? "" : parsed.error().message;
}

TEST(RunSpec, RoundTrips) {
  const Json body = {{"experiment", "birds"}, {"script", "train.py"}, {"arguments", {"--lr", "0.1"}},
                     {"tags", {{"team", "a"}, {"flag", nullptr}}}, {"priority", 5}};
  const auto spec = parse_run_spec(body);
  ASSERT_TRUE(spec) << spec.error().message;
  const auto again = parse_run_spec(run_spec_json(*spec));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(run_spec_json(*again), run_spec_json(*spec));
}

TEST(RunSpec, SaysWhatIsWrong) {
  const Json good = {{"experiment", "birds"}, {"command", "true"}};
  EXPECT_EQ(message_of(good), "");
  const auto with = [&](const char* key, Json value) {
    Json body = good;
    body[key] = std::move(value);
    return message_of(body);
  };
  EXPECT_NE(with("script", "train.py").find("not both"), std::string::npos);
  EXPECT_NE(with("experiment", "../x").find("../x"), std::string::npos);
  EXPECT_NE(with("priority", 1e9).find("priority"), std::string::npos);
  EXPECT_NE(with("priority", "high").find("priority"), std::string::npos);
  EXPECT_NE(with("snapshot", "abc").find("snapshot"), std::string::npos);
  EXPECT_NE(with("environment_variables", {{"A B", "x"}}).find("A B"), std::string::npos);
  EXPECT_NE(with("tags", {{"a", 1}}).find("tags"), std::string::npos);
  EXPECT_NE(with("comand", "x").find("comand"), std::string::npos);
  EXPECT_NE(message_of({{"experiment", "b"}, {"script", "../t.py"}}).find("../t.py"), std::string::npos);
  EXPECT_NE(message_of({{"command", "true"}}).find("experiment"), std::string::npos);
  EXPECT_NE(message_of(Json::array()).find("object"), std::string::npos);
}

TEST(Names, Limits) {
  EXPECT_TRUE(check_experiment_name("Tutorial-pytorch-birds"));
  EXPECT_FALSE(check_experiment_name(""));
  EXPECT_FALSE(check_experiment_name(std::string(10'000, 'a')));
  EXPECT_FALSE(check_experiment_name("caf\xC3\xA9"));
  EXPECT_FALSE(check_compute_name("gpu\ncluster"));
  EXPECT_TRUE(check_compute_name("gpu-cluster"));
  EXPECT_TRUE(check_artifact_path("outputs/caf\xC3\xA9.pt"));
  EXPECT_FALSE(check_artifact_path("outputs/../../x"));
}

TEST(VmSizes, MapsOnWhatTheMachineHasAndSaysSo) {
  const Resources machine = {2, 24'000, 0};
  std::vector<std::string> notices;
  const auto got = node_resources("Standard_NC6", machine, notices);
  EXPECT_EQ(got.cpus, 2);
  EXPECT_EQ(got.gpus, 0);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_NE(notices[0].find("K80"), std::string::npos);
  notices.clear();
  node_resources("STANDARD_D2_V2", machine, notices);
  EXPECT_TRUE(notices.empty());
  node_resources("STANDARD_X99", machine, notices);
  EXPECT_EQ(notices.size(), 1U);
}

TEST(VmSizes, AnUnknownOneIsRefusedWithItsNeighbours) {
  for (const char* known : {"Standard_D2_v2", "STANDARD_D12", "standard_e4ds_v4", "STANDARD_F72S_V2", "local"}) {
    EXPECT_TRUE(check_vm_size(known)) << known;
  }
  const auto refused = check_vm_size("STANDARD_NC5");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("STANDARD_NC6,"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(check_vm_size(""));
}

TEST(SdkPython, OneThatIsTooOldIsRefusedBeforeAnythingIsBuilt) {
  const auto asks = [](const std::string& python) {
    return check_sdk_python({{"python", {{"condaDependencies", {{"dependencies", {python}}}}}}});
  };
  for (const char* fine : {"python", "python=3", "python=3.6.2", "python=3.14", "python>=2.7", "python=3.8.*"}) {
    EXPECT_TRUE(asks(fine)) << fine;
  }
  for (const char* old : {"python=2.7", "python==3.5.2", "python=3.5.*", "python=2"}) EXPECT_FALSE(asks(old)) << old;
}

TEST(Compute, ReadsIdleTimeAlsoAsText) {
  const auto compute = parse_compute({{"name", "gpu-cluster"}, {"idle_seconds_before_scaledown", "300"}});
  ASSERT_TRUE(compute);
  EXPECT_EQ(compute->idle_seconds, 300);
  EXPECT_EQ(compute->vm_size, "STANDARD_NC6");
  EXPECT_FALSE(parse_compute({{"name", "gpu-cluster"}, {"min_nodes", 5}, {"max_nodes", 2}}));
  EXPECT_FALSE(parse_compute({{"name", "gpu-cluster"}, {"idle_seconds_before_scaledown", "soon"}}));
  EXPECT_FALSE(parse_compute({{"name", "gpu-cluster"}, {"vm_priority", "urgent"}}));
}

TEST(SpoolRecord, FastAndSlowWayAgree) {
  SpoolRecord fast;
  ASSERT_TRUE(parse_spool_line(R"(["scalar","loss",0.25,7,1763240000.5])", fast));
  EXPECT_EQ(fast.name, "loss");
  EXPECT_EQ(fast.number, 0.25);
  EXPECT_EQ(fast.step, 7);
  EXPECT_EQ(fast.at, 1'763'240'000'500'000);
  SpoolRecord slow;
  ASSERT_TRUE(parse_spool_line(R"([ "scalar", "loss", 0.25, 7, 1763240000.5 ])", slow));
  EXPECT_EQ(slow.name, fast.name);
  EXPECT_EQ(slow.number, fast.number);
  EXPECT_EQ(slow.at, fast.at);
  ASSERT_TRUE(parse_spool_line(R"(["scalar","l\"oss","NaN",null,1])", slow));
  EXPECT_FALSE(slow.whole);
  EXPECT_EQ(slow.name, "l\"oss");
  EXPECT_TRUE(std::isnan(slow.number));
  EXPECT_FALSE(slow.step);
}

TEST(SpoolRecord, IntegersAreToldFromOtherNumbers) {
  SpoolRecord record;
  for (const char* blank : {"", " "}) {  // both ways
    const auto whole = [&](const std::string& value) {
      const bool read = parse_spool_line(fmt::format(R"([{}"scalar","n",{},null,1])", blank, value), record).has_value();
      return read ? record.whole : std::optional<std::int64_t>(-99);
    };
    EXPECT_EQ(whole("10"), 10);
    EXPECT_EQ(whole("-3"), -3);
    EXPECT_EQ(whole("1152921504606846977"), 1152921504606846977);
    EXPECT_EQ(whole("10.0"), std::nullopt);
    EXPECT_EQ(whole("1e3"), std::nullopt);
    EXPECT_EQ(whole("18446744073709551615"), std::nullopt);
  }
}

TEST(SpoolRecord, ReadsParametersAndHistograms) {
  SpoolRecord record;
  for (const char* value : {"0.5", "\"adam\"", "true", "null"}) {
    ASSERT_TRUE(parse_spool_line(fmt::format(R"(["param","lr",{},null,1])", value), record)) << value;
    EXPECT_EQ(record.kind, "param");
    EXPECT_EQ(to_text(record.value), value);
  }
  ASSERT_TRUE(parse_spool_line(R"(["histogram","h",{"edges":[0,0.5,1],"counts":[3,4]},2,1])", record));
  EXPECT_EQ(record.step, 2);
}

TEST(SpoolRecord, RefusesWhatIsNotOne) {
  SpoolRecord record;
  for (const char* bad : {"", "x", "[]", R"(["scalar","a",nan,null,1])", R"(["scalar","",1,null,1])",
                          R"(["scalar","a",1,null,1e300])", R"(["scalar","a",1,1.5,1])", R"(["odd","a",1,null,1])",
                          R"(["list","a",1,null,1])", R"(["scalar","a",[1],null,1])", R"(["row","a",[1],null,1])",
                          R"(["scalar","a",1e999,null,1])", R"(["param","lr",[1],null,1])",
                          R"(["histogram","h",{"edges":[0,1],"counts":[1,2]},0,1])",
                          R"(["histogram","h",{"edges":[0,"1"],"counts":[1]},0,1])",
                          R"(["histogram","h",{"edges":[0],"counts":[]},0,1])"}) {
    EXPECT_FALSE(parse_spool_line(bad, record)) << bad;
  }
}

TEST(StageSeconds, SumsEachStateAndStopsAtTheEnd) {
  const std::vector<RunEvent> events = {{1, 0, "", "Queued", 1 * kSecond, ""},
                                        {2, 1, "", "Running", 3 * kSecond, ""},
                                        {3, 1, "", "Queued", 4 * kSecond, ""},
                                        {4, 2, "", "Completed", 9 * kSecond, ""}};
  EXPECT_EQ(stage_seconds(events, 100 * kSecond), Json({{"Queued", 7.0}, {"Running", 1.0}}));
}

TEST(RunSpecTest, AnInteractiveRunSurvivesItsJsonAndHasNothingToStart) {
  const auto spec = parse_run_spec({{"experiment", "talk"}, {"interactive", true}});
  ASSERT_TRUE(spec) << spec.error().message;
  const Json once = run_spec_json(*spec);
  const auto again = parse_run_spec(once);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(run_spec_json(*again), once);
  EXPECT_FALSE(parse_run_spec({{"experiment", "talk"}, {"interactive", true}, {"compute", "local"}}));
}

TEST(RunSpecTest, TheNodesOfADistributedRunAreItsNodes) {
  const auto spec = parse_run_spec(
      {{"experiment", "e"}, {"command", "true"}, {"distributed", {{"kind", "pytorch"}, {"node_count", 2}}}});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->node_count, 2);
  EXPECT_FALSE(parse_run_spec({{"experiment", "e"},
                               {"command", "true"},
                               {"distributed", {{"kind", "pytorch"}, {"process_count", 3}, {"node_count", 2}}}}));
}

}  // namespace
}  // namespace roost
