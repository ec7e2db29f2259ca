#include "domain/resource_ask.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(ResourceAsk, MayLeaveAllOpen) {
  const auto ask = parse_resource_ask(Json::object());
  ASSERT_TRUE(ask);
  EXPECT_TRUE(ask->is_open());
  EXPECT_TRUE(resource_ask_json(*ask).is_null());
}

TEST(ResourceAsk, TellsNoGpusFromAnyGpus) {
  const auto ask = parse_resource_ask({{"gpus", 0}});
  ASSERT_TRUE(ask);
  EXPECT_FALSE(ask->is_open());
  EXPECT_EQ(resource_ask_json(*ask), (Json{{"gpus", 0}}));
  EXPECT_EQ(need_of(*ask, 1, std::nullopt, 4).spare_gpus, 0);
}

TEST(ResourceAsk, RefusesWhatIsNoCount) {
  for (const char* text : {R"({"gpus":-1})", R"({"gpus":1.5})", R"({"gpus":"2"})", R"({"cpus":0})", R"({"cpus":"all"})",
                           R"({"memory_mb":1})", R"({"memory_mb":1e30})", R"({"gpu":1})", R"({"gpus":99999})"}) {
    EXPECT_FALSE(parse_resource_ask(Json::parse(text))) << text;
  }
}

TEST(ResourceAsk, ReadsMemoryAsPeopleWriteIt) {
  EXPECT_EQ(parse_memory_mb("16g").value_or(0), 16 * 1024);
  EXPECT_EQ(parse_memory_mb("16").value_or(0), 16 * 1024);
  EXPECT_EQ(parse_memory_mb(" 1.5 GiB").value_or(0), 1536);
  EXPECT_EQ(parse_memory_mb("900m").value_or(0), 900);
  EXPECT_EQ(parse_memory_mb("1T").value_or(0), 1024 * 1024);
  for (const char* text : {"", "g", "-1g", "16x", "nan", "inf", "1m", "99999999t", "16g g"}) {
    EXPECT_FALSE(parse_memory_mb(text)) << text;
  }
}

TEST(ResourceAsk, SaysAmountsInWords) {
  EXPECT_EQ(amounts_text({2, 1, 16 * 1024}), "2 GPUs, 1 CPU and 16 GB of memory");
  EXPECT_EQ(amounts_text({1, 0, 0}), "1 GPU");
  EXPECT_EQ(amounts_text({0, 0, 1536}), "1.5 GB of memory");
  EXPECT_EQ(amounts_text({}), "nothing");
}

TEST(Amounts, NothingFitsEvenWhereThereIsLessThanNothing) {
  EXPECT_TRUE(Amounts().fits({-1, -1, -1}));
  EXPECT_FALSE((Amounts{1, 0, 0}).fits({0, 8, 8}));
  EXPECT_TRUE((Amounts{1, 2, 3}).fits({1, 2, 3}));
}

TEST(Need, IsWhatTheRunAsksWhateverTheSize) {
  const RunNeed need = need_of({2, 3, 100}, 2, 1, 4);
  EXPECT_EQ(need.each, (Amounts{2, 3, 100}));
  EXPECT_EQ(need.spare_gpus, 0);
}

TEST(Need, IsWhatTheSizePromisesIfTheMachineCanEverKeepIt) {
  EXPECT_EQ(need_of({}, 2, 2, 4).each.gpus, 2);
  EXPECT_EQ(need_of({}, 3, 2, 4).each.gpus, 0);
  EXPECT_EQ(need_of({}, 3, 2, 4).spare_gpus, 4);
}

TEST(Need, OfAWholeMachineIsWhatNobodyHas) {
  EXPECT_EQ(need_of({}, 1, std::nullopt, 4).spare_gpus, 4);
  EXPECT_EQ(need_of({}, 1, 0, 4).spare_gpus, 0);  // a size without GPUs
}

}  // namespace
}  // namespace roost
