#include "records/bin_records.h"

#include "records/run_table.h"
#include "records/test_database.h"

namespace roost {
namespace {

class BinRecords : public DatabaseFixture {
 protected:
  Run add_ended(Micros created = 1000, std::optional<std::string> parent = std::nullopt) {
    Run run = add_run(0, created);
    write([&](Tx& tx) -> Status {
      if (parent) ROOST_CHECK(tx.run("UPDATE run SET parent = ? WHERE seq = ?", *parent, run.seq));
      return move_run(tx, run, RunStatus::kCanceled, "", created + 1);
    });
    run.parent = std::move(parent);
    return run;
  }

  std::vector<std::string> listed(InBin bin = InBin::kLeftOut) {
    std::vector<std::string> ids;
    write([&](Tx& tx) -> Status {
      RunFilter filter;
      filter.workspace = "default";
      filter.bin = bin;
      ROOST_TRY(const RunPage page, list_runs(tx, filter));
      for (const auto& run : page.runs) ids.push_back(run.id);
      return {};
    });
    return ids;
  }

  Json table(const char* query) {
    Json found;
    write([&](Tx& tx) -> Status {
      RunTableRequest request;
      request.workspace = "default";
      ROOST_TRY(request.query, parse_run_query(query));
      ROOST_TRY(request.order, parse_run_order("-created"));
      ROOST_TRY(found, query_runs(tx, request, 10'000));
      return {};
    });
    return found;
  }

  std::vector<std::string> put(const Run& run, Micros at = 5000) {
    std::vector<std::string> ids;
    const Run fresh = reload(run);
    write([&](Tx& tx) -> Status {
      ROOST_TRY(ids, put_run_in_bin(tx, fresh, "ann", at));
      return {};
    });
    return ids;
  }
  std::vector<std::string> take(const Run& run) {
    std::vector<std::string> ids;
    const Run fresh = reload(run);
    write([&](Tx& tx) -> Status {
      ROOST_TRY(ids, take_run_out_of_bin(tx, fresh, "ann", 6000));
      return {};
    });
    return ids;
  }
  Experiment birds() {
    Experiment found;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(found, find_experiment(tx, "default", "birds"));
      return {};
    });
    return found;
  }
  void put_birds(Micros at) {
    const Experiment experiment = birds();
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(put_experiment_in_bin(tx, experiment, "ann", at));
      return {};
    });
  }
  void take_birds() {
    const Experiment experiment = birds();
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(take_experiment_out_of_bin(tx, experiment, "ann", 9000));
      return {};
    });
  }
};

using Ids = std::vector<std::string>;

TEST_F(BinRecords, WhatIsInItIsLeftOutUnlessAskedFor) {
  const Run kept = add_ended(1000);
  const Run gone = add_ended(2000);
  EXPECT_EQ(put(gone), Ids{gone.id});
  EXPECT_EQ(listed(), Ids{kept.id});
  EXPECT_EQ(listed(InBin::kOnly), Ids{gone.id});
  EXPECT_EQ(listed(InBin::kToo), (Ids{gone.id, kept.id}));
  EXPECT_EQ(table("")["total"], 1);
  EXPECT_EQ(table("is:any")["total"], 1);
  EXPECT_EQ(table("is:deleted")["total"], 1);
  EXPECT_EQ(table("is:deleted")["items"][0]["id"], gone.id);
  EXPECT_EQ(table("is:deleted or is:any")["total"], 2);
  EXPECT_EQ(birds().run_count, 1);
  EXPECT_EQ(reload(gone).deleted, 5000);
  EXPECT_FALSE(check_not_in_bin(reload(gone)));
}

TEST_F(BinRecords, ASecondTimeChangesNothing) {
  const Run run = add_ended();
  put(run, 5000);
  EXPECT_EQ(put(run, 7000), Ids{});
  EXPECT_EQ(reload(run).deleted, 5000);
  EXPECT_EQ(birds().run_count, 0);
  EXPECT_EQ(take(run), Ids{run.id});
  EXPECT_EQ(take(run), Ids{});
  EXPECT_EQ(birds().run_count, 1);
  EXPECT_FALSE(is_in_bin(reload(run)));
}

TEST_F(BinRecords, WhatIsBelowGoesAndComesWithIt) {
  const Run parent = add_ended(1000);
  const Run early = add_ended(2000, parent.id);
  const Run child = add_ended(3000, parent.id);
  const Run grandchild = add_ended(4000, child.id);
  put(early, 4500);
  EXPECT_EQ(table("is:top")["items"][0]["children"], 1);
  EXPECT_EQ(put(parent).size(), 3U);
  EXPECT_EQ(listed(), Ids{});
  EXPECT_EQ(take(parent).size(), 3U);
  EXPECT_EQ(listed(), (Ids{grandchild.id, child.id, parent.id})) << "what was deleted before stays in the bin";
}

TEST_F(BinRecords, WhatLiesAboveComesOutToo) {
  const Run parent = add_ended(1000);
  const Run child = add_ended(2000, parent.id);
  const Run other = add_ended(3000, parent.id);
  put(parent);
  EXPECT_EQ(take(child).size(), 2U);
  EXPECT_EQ(listed(), (Ids{child.id, parent.id}));
  EXPECT_TRUE(is_in_bin(reload(other)));
}

TEST_F(BinRecords, WhatHasNotEndedIsRefusedByName) {
  const Run parent = add_ended(1000);
  Run child = add_run(0, 2000);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("UPDATE run SET parent = ? WHERE seq = ?", parent.id, child.seq));
    const auto refused = put_run_in_bin(tx, parent, "ann", 5000);
    EXPECT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("roost cancel " + child.id), std::string::npos) << refused.error().message;
    EXPECT_FALSE(put_experiment_in_bin(tx, experiment_, "ann", 5000));
    return {};
  });
  EXPECT_EQ(listed().size(), 2U);
}

TEST_F(BinRecords, AnExperimentTakesItsRunsAlongAndBack) {
  const Run before = add_ended(1000);
  const Run with = add_ended(2000);
  put(before, 3000);
  put_birds(5000);
  EXPECT_EQ(listed(), Ids{});
  EXPECT_TRUE(is_in_bin(birds()));
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const auto shown, list_experiments(tx, "default", "", 10));
    EXPECT_TRUE(shown.empty());
    ROOST_TRY(const auto binned, list_experiments(tx, "default", "", 10, InBin::kOnly));
    EXPECT_EQ(binned.size(), 1U);
    EXPECT_FALSE(open_experiment(tx, "default", "birds", 1)) << "a run in it would be out of sight";
    return {};
  });
  take_birds();
  EXPECT_EQ(listed(), Ids{with.id});
  EXPECT_FALSE(is_in_bin(birds()));
  EXPECT_EQ(birds().run_count, 1);
}

TEST_F(BinRecords, ARunThatComesOutBringsItsExperiment) {
  const Run one = add_ended(1000);
  add_ended(2000);
  put_birds(5000);
  take(one);
  EXPECT_EQ(listed(), Ids{one.id});
  EXPECT_FALSE(is_in_bin(birds()));
}

}  // namespace
}  // namespace roost
