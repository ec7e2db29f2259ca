#include <gtest/gtest.h>

#include "cli/show/queue_text.h"
#include "cli/show/run_page.h"
#include "cli/show/times.h"

namespace roost {
namespace {

const Style kPlain(false);
constexpr Micros kNow = 1'794'776'400'000'000;

Json after(std::int64_t seconds) { return format_time(kNow + seconds * kSecond); }

Json waits(const char* run, std::int64_t position, const char* reason) {
  return {{"run", run},         {"experiment", "birds"}, {"user", "ann"},       {"compute", "gpu"},
          {"nodes", 1},         {"priority", 0},         {"status", "Queued"},  {"waiting_since", after(-72)},
          {"position", position}, {"reason", reason},    {"estimated_start_at", nullptr},
          {"estimate_basis", nullptr}, {"node_names", Json::array()}};
}

Json runs(const char* run, Json nodes) {
  Json item = waits(run, 0, "");
  item.update({{"status", "Running"}, {"position", nullptr}, {"reason", nullptr}, {"waiting_since", nullptr},
               {"started_at", after(-600)}, {"node_names", std::move(nodes)}});
  return item;
}

TEST(Times, Roughly) {
  EXPECT_EQ(rough_duration(0), "0 s");
  EXPECT_EQ(rough_duration(59 * kSecond), "59 s");
  EXPECT_EQ(rough_duration(100 * kSecond), "2 min");
  EXPECT_EQ(rough_duration(5400 * kSecond), "2 h");
  EXPECT_EQ(rough_duration(3 * 86400 * kSecond), "3 days");
  EXPECT_EQ(time_until(kNow - 5 * kSecond, kNow), "now");
  EXPECT_EQ(time_until(kNow + 90 * kSecond, kNow), "in 2 min");
}

TEST(Queue, StartsByEarlierRunsOrByTimeLimits) {
  Json item = waits("a", 1, "behind 2 runs");
  EXPECT_EQ(start_text(item, kNow), "");
  EXPECT_EQ(wait_text(item, kNow), "behind 2 runs");
  item["estimated_start_at"] = after(240);
  item["estimate_basis"] = "by the median of 5 earlier runs";
  EXPECT_EQ(start_text(item, kNow), "in 4 min");
  EXPECT_EQ(wait_text(item, kNow), "behind 2 runs; likely starts in 4 min (by the median of 5 earlier runs)");
  item["estimate_basis"] = "by time limits, at the latest";
  EXPECT_EQ(start_text(item, kNow), "within 4 min");
  EXPECT_EQ(wait_text(nullptr, kNow), "");
}

TEST(Queue, TheTableLeavesOutWhatIsTheSameForAll) {
  Json items = {waits("a", 1, "starting 1 node"), waits("b", 2, "behind 1 run")};
  items[0]["estimated_start_at"] = after(0);
  EXPECT_EQ(queue_table(items, kNow, kPlain, 0),
            "#  RUN  STATUS    FOR  STARTS  WHY\n"
            "1  a    Queued  1 min     now  starting 1 node\n"
            "2  b    Queued  1 min       ?  behind 1 run\n");
  EXPECT_EQ(queue_table(items, kNow, kPlain, 36),
            "#  RUN  STATUS    FOR  STARTS\n"
            "1  a    Queued  1 min     now\n"
            "   starting 1 node\n"
            "2  b    Queued  1 min       ?\n"
            "   behind 1 run\n");
  items[1]["user"] = "bob";
  items[1]["nodes"] = 4;
  items[1]["priority"] = -5;
  EXPECT_EQ(queue_table(items, kNow, kPlain, 0),
            "#  RUN  STATUS  USER  NODES  PRIO    FOR  STARTS  WHY\n"
            "1  a    Queued  ann       1     0  1 min     now  starting 1 node\n"
            "2  b    Queued  bob       4    -5  1 min       ?  behind 1 run\n");
}

TEST(Queue, WhoHasTheNodesIsSaidInALineOrInTheTable) {
  Json items = {runs("a", {"gpu-0", "gpu-1"}), runs("b", Json::array({"gpu-2"})), waits("c", 1, "behind")};
  const Json computes = Json::array({{{"name", "gpu"}, {"max_nodes", 4}}, {{"name", "idle"}, {"max_nodes", 2}}});
  EXPECT_EQ(holders_text(items, computes, kNow, kPlain), "gpu  3 of 4 nodes in use by 2 runs\n");
  items[1]["estimated_end_at"] = after(50);
  EXPECT_EQ(holders_text(items, computes, kNow, kPlain),
            "gpu  3 of 4 nodes in use by 2 runs, the first likely ends in 50 s\n");
  EXPECT_EQ(queue_table(items, kNow, kPlain, 0),
            "#  RUN  STATUS      FOR  STARTS  WHY\n"
            "   a    Running  10 min          on gpu-0, gpu-1\n"
            "   b    Running  10 min          likely ends in 50 s; on gpu-2\n"
            "1  c    Queued    1 min       ?  behind\n");
}

TEST(Queue, TheRunsPageTellsWhyItWaitsAndAllItsNodes) {
  RunPageFacts facts;
  facts.run = {{"id", "birds_1"}, {"status", "Queued"}, {"node", "gpu-0"}, {"nodes", {"gpu-0", "gpu-1"}}};
  facts.wait = waits("birds_1", 3, "behind 2 runs");
  const std::string page = run_page(facts, kNow, 100, kPlain);
  EXPECT_NE(page.find("  waits  behind 2 runs\n"), std::string::npos) << page;
  EXPECT_NE(page.find("  nodes  gpu-0, gpu-1\n"), std::string::npos) << page;
}

}  // namespace
}  // namespace roost
