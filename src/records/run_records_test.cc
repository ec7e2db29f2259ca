#include "records/run_records.h"

#include "records/change_hub.h"
#include "records/test_database.h"

namespace roost {
namespace {

class RunRecords : public DatabaseFixture {
 protected:
  std::vector<std::string> ids(const RunFilter& filter, std::optional<std::int64_t>* next = nullptr) {
    std::vector<std::string> out;
    write([&](Tx& tx) -> Status {
      RunFilter wanted = filter;
      wanted.workspace = "default";
      ROOST_TRY(const RunPage page, list_runs(tx, wanted));
      for (const auto& run : page.runs) out.push_back(run.id);
      if (next) *next = page.next;
      return {};
    });
    return out;
  }
};

TEST_F(RunRecords, EveryChangeOfStateLeavesAnEventAndIllegalOnesNothing) {
  Run run = add_run();
  write([&](Tx& tx) -> Status {
    Run copy = run;
    EXPECT_FALSE(move_run(tx, copy, RunStatus::kCompleted, "", 5));
    ROOST_TRY(const auto events, run_events(tx, run.seq));
    EXPECT_EQ(events.size(), 3U);
    EXPECT_EQ(events.front().to, "Starting");
    EXPECT_EQ(events.back().from, "Preparing");
    EXPECT_EQ(events.back().to, "Queued");
    return {};
  });
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
}

TEST_F(RunRecords, PagesNewestFirstWithoutGapsOrRepeats) {
  std::vector<std::string> expected;
  for (int i = 0; i < 25; ++i) expected.insert(expected.begin(), add_run(0, 1000 + i).id);
  RunFilter filter;
  filter.limit = 10;
  std::vector<std::string> all;
  for (;;) {
    std::optional<std::int64_t> next;
    for (const auto& id : ids(filter, &next)) all.push_back(id);
    if (!next) break;
    filter.before_seq = next;
  }
  EXPECT_EQ(all, expected);
}

TEST_F(RunRecords, FiltersByStatusTagNameAndTime) {
  Run old = add_run(0, 1000);
  Run fresh = add_run(0, 9000);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(replace_tags(tx, old, {{"team", "red"}, {"flag", nullptr}}));
    ROOST_CHECK(replace_tags(tx, fresh, {{"team", "blue"}}));
    return move_run(tx, fresh, RunStatus::kCanceled, "", 9001);
  });
  using Ids = std::vector<std::string>;
  RunFilter filter;
  filter.statuses = {"Queued"};
  EXPECT_EQ(ids(filter), Ids{old.id});
  filter.statuses = {"Queued", "Canceled"};
  EXPECT_EQ(ids(filter), (Ids{fresh.id, old.id}));
  filter = {};
  filter.tags = {"team=red"};
  EXPECT_EQ(ids(filter), Ids{old.id});
  filter.tags = {"team", "flag"};
  EXPECT_EQ(ids(filter), Ids{old.id});
  filter = {};
  filter.name = fresh.id.substr(3);
  EXPECT_EQ(ids(filter), Ids{fresh.id});
  filter = {};
  filter.created_after = 5000;
  EXPECT_EQ(ids(filter), Ids{fresh.id});
  filter = {};
  filter.created_before = 5000;
  EXPECT_EQ(ids(filter), Ids{old.id});
  filter = {};
  filter.experiment = "absent";
  EXPECT_TRUE(ids(filter).empty());
}

TEST_F(RunRecords, TheQueueIsByPriorityThenAge) {
  const Run first = add_run(0, 1);
  const Run second = add_run(0, 2);
  Run urgent = add_run(0, 3);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("UPDATE run SET priority = 5 WHERE seq = ?", urgent.seq));
    ROOST_TRY(const auto queue, waiting_runs(tx, "default", "gpu-cluster", 10));
    EXPECT_EQ(queue.size(), 3U);
    EXPECT_EQ(queue[0].id, urgent.id);
    EXPECT_EQ(queue[1].id, first.id);
    EXPECT_EQ(queue[2].id, second.id);
    return {};
  });
}

TEST(ChangeHub, TellsFollowersUntilTheyLeave) {
  ChangeHub hub;
  int told = 0;
  {
    const auto subscription = hub.subscribe("run/a", [&] { ++told; });
    hub.publish("run/a");
    hub.publish("run/b");
  }
  hub.publish("run/a");
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace roost
