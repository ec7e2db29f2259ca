#include "records/purge_records.h"

#include <set>

#include "records/alert_records.h"
#include "records/bin_records.h"
#include "records/retention_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

class PurgeRecords : public DatabaseFixture {
 protected:
  Run add_ended(Micros created = 1000) {
    Run run = add_run(0, created);
    write([&](Tx& tx) { return move_run(tx, run, RunStatus::kCanceled, "", created + 1); });
    return run;
  }
  void put(const Run& run) {
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(put_run_in_bin(tx, run, "ann", 5000));
      return {};
    });
  }
  void request(const Run& run) {
    const Run fresh = reload(run);
    write([&](Tx& tx) { return request_purge(tx, fresh, "ann", 6000); });
  }
  // As the loop does it, so many rows at a time.
  void purge(std::int64_t limit = 1) {
    for (;;) {
      std::optional<PurgedRun> next;
      write([&](Tx& tx) -> Status {
        ROOST_TRY(next, next_purged(tx));
        if (!next) return purge_empty_experiments(tx);
        ROOST_TRY(const bool more, purge_some(tx, next->seq, limit));
        return more ? Status() : finish_purge(tx, *next, 7000);
      });
      if (!next) return;
    }
  }
  std::string trouble(const std::string& id) {
    std::string message = "none";
    write([&](Tx& tx) -> Status {
      const auto found = find_run(tx, id);
      if (!found) message = found.error().message;
      return {};
    });
    return message;
  }
  std::int64_t count(const char* sql) {
    std::int64_t found = -1;
    write([&](Tx& tx) -> Status {
      Rows rows = tx.query(sql);
      if (rows.next()) found = rows.integer(0);
      return rows.status();
    });
    return found;
  }
};

// Every table that has a column for a run has to be among the parts, or its rows would keep the run from going.
TEST_F(PurgeRecords, KnowsEveryTableThatRefersToARun) {
  const std::set<std::string> known = {"run_tag",      "event",      "attempt",     "metric",       "spool",       "system_sample",
                                       "artifact",     "model",      "run_input",   "attempt_part", "allocation",  "run_param",
                                       "system_block", "sweep",      "sweep_trial", "replica",      "purge",       "removed_part",
                                       "alert_rule",   "run_dataset", "run_model",  "run_process",  "logged_model_metric",
                                       "logged_model"};
  write([&](Tx& tx) -> Status {
    Rows rows = tx.query("SELECT DISTINCT t.name FROM sqlite_master t, pragma_foreign_key_list(t.name) f WHERE t.type = 'table'"
                         " AND f.\"table\" = 'run'");
    while (rows.next()) EXPECT_TRUE(known.contains(rows.text(0))) << rows.text(0) << ": add it to kParts in purge_records.cc";
    return rows.status();
  });
}

TEST_F(PurgeRecords, EverythingOfARunGoes) {
  Run gone = add_ended(1000);
  const Run kept = add_ended(2000);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(replace_tags(tx, gone, {{"a", "b"}}));
    ROOST_CHECK(tx.run("INSERT INTO metric (run, attempt, name, kind, count) VALUES (?, 1, 'loss', 'metric', 1)", gone.seq));
    ROOST_CHECK(tx.run("INSERT INTO metric_block SELECT id, 0, 1, x'00' FROM metric"));
    ROOST_CHECK(tx.run("INSERT INTO metric_value SELECT id, 0, 0, 0, '1' FROM metric"));
    ROOST_CHECK(tx.run("INSERT INTO artifact VALUES (?, 'outputs/a', 'd', 1, 1), (?, 'outputs/b', 'e', 1, 1)", gone.seq, gone.seq));
    ROOST_CHECK(tx.run("INSERT INTO removed_part VALUES (?, 'logs', 'r', 1)", gone.seq));
    return {};
  });
  put(gone);
  request(gone);
  const Run binned = reload(gone);
  write([&](Tx& tx) -> Status {
    const auto back = take_run_out_of_bin(tx, binned, "ann", 6500);
    EXPECT_FALSE(back) << "it is being deleted";
    return {};
  });
  purge();
  EXPECT_NE(trouble(gone.id).find("deleted for good by ann"), std::string::npos) << trouble(gone.id);
  EXPECT_EQ(trouble(kept.id), "none");
  for (const char* table : {"SELECT count(*) FROM metric", "SELECT count(*) FROM metric_block", "SELECT count(*) FROM artifact",
                            "SELECT count(*) FROM run_tag", "SELECT count(*) FROM purge"}) {
    EXPECT_EQ(count(table), 0) << table;
  }
}

// Were the newest row given out again, whoever has read up to it would miss what comes next.
TEST_F(PurgeRecords, NumbersAreNotGivenTwice) {
  const Run newest = add_ended();
  put(newest);
  const std::int64_t run = count("SELECT max(seq) FROM run");
  const std::int64_t event = count("SELECT max(seq) FROM event");
  request(newest);
  purge();
  EXPECT_NE(trouble(newest.id), "none");
  const Run next = add_ended(9000);
  EXPECT_GT(next.seq, run);
  EXPECT_GT(count("SELECT min(seq) FROM event WHERE run = (SELECT max(seq) FROM run)"), event);
  put(next);
  request(next);
  purge();
  EXPECT_EQ(count("SELECT count(*) FROM run"), 1) << "only the newest leaves an empty row";
}

TEST_F(PurgeRecords, AnExperimentGoesWithItsRuns) {
  const Run run = add_ended();
  write([&](Tx& tx) -> Status {
    ROOST_TRY(Experiment birds, find_experiment(tx, "default", "birds"));
    EXPECT_FALSE(request_purge(tx, birds, "ann", 1)) << "it is not in the bin";
    ROOST_CHECK(put_experiment_in_bin(tx, birds, "ann", 5000));
    ROOST_TRY(birds, find_experiment(tx, "default", "birds"));
    return request_purge(tx, birds, "ann", 6000);
  });
  purge();
  write([&](Tx& tx) -> Status {
    EXPECT_FALSE(find_experiment(tx, "default", "birds"));
    ROOST_CHECK(insert_experiment(tx, "default", "birds", 8000));
    return {};
  });
}

TEST_F(PurgeRecords, WhatASweepStillNeedsStays) {
  const Run sweep = add_ended(1000);
  const Run child = add_ended(2000);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("INSERT INTO sweep (run, workspace, spec_json, is_active, max_total, deadline) VALUES (?, 'default', '{}',"
                       " 1, 1, 0)",
                       sweep.seq));
    ROOST_CHECK(tx.run("INSERT INTO sweep_trial (sweep, number, parameters_json, origin, run) VALUES (?, 0, '{}', '', ?)",
                       sweep.seq, child.seq));
    return {};
  });
  put(child);
  const Run binned = reload(child);
  write([&](Tx& tx) -> Status {
    const Status refused = request_purge(tx, binned, "ann", 6000);
    EXPECT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("sweep"), std::string::npos);
    ROOST_TRY(const std::int64_t runs, request_purge_of_old(tx, "", 6000, "time", 6000));
    EXPECT_EQ(runs, 0);
    ROOST_CHECK(tx.run("UPDATE sweep SET is_active = 0"));
    ROOST_TRY(const std::int64_t later, request_purge_of_old(tx, "", 6000, "time", 6000));
    EXPECT_EQ(later, 1);
    return {};
  });
  purge();
  EXPECT_EQ(count("SELECT count(*) FROM sweep_trial"), 0);
}

TEST_F(PurgeRecords, AnAlertIsWrittenWithTheEndAndOnlyOnce) {
  write([&](Tx& tx) -> Status {
    Channel channel{"team", {"desktop", Json::object(), Json::object()}, 1, "ann"};
    ROOST_CHECK(save_channel(tx, channel));
    AlertRule all{0, "default", "", {}, "team", alert_bit(AlertEvent::kEnd) | alert_bit(AlertEvent::kFailure), 1, "ann"};
    ROOST_CHECK(insert_alert_rule(tx, all));
    AlertRule none{0, "default", "", {}, "nobody", 1, 1, "ann"};
    EXPECT_FALSE(insert_alert_rule(tx, none));
    return {};
  });
  const Run run = add_ended();
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(raise_end(tx, run, "", 1));
    ROOST_TRY(const auto due, due_alerts(tx, 9000, 10));
    EXPECT_EQ(due.size(), 1U);
    EXPECT_EQ(due.front().event, "end");
    EXPECT_EQ(due.front().run, run.id);
    return {};
  });
}

TEST_F(PurgeRecords, ARuleIsAboutOldRunsOfItsExperimentOnly) {
  const Run old = add_ended(1000);
  add_run(0, 2000);
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(tx.run("INSERT INTO artifact VALUES (?, 'outputs/a', 'd', 7, 1)", old.seq));
    RetentionRule rule{"default", "r", RunPart::kOutputs, "birds", "", 1, 1, "ann"};
    ROOST_CHECK(save_retention_rule(tx, rule));
    ROOST_TRY(const auto early, runs_for_rule(tx, rule, 1000, 10));
    EXPECT_TRUE(early.empty());
    ROOST_TRY(const auto due, runs_for_rule(tx, rule, 5 * kSecond, 10));
    EXPECT_EQ(due.size(), 1U);
    rule.tag = "keep=no";
    ROOST_TRY(const auto tagged, runs_for_rule(tx, rule, 5 * kSecond, 10));
    EXPECT_TRUE(tagged.empty());
    rule.tag.clear();
    ROOST_TRY(const RemovedRows went, remove_rows(tx, old.seq, RunPart::kOutputs, 10));
    EXPECT_EQ(went.bytes, 7);
    ROOST_CHECK(note_removed(tx, old, rule, "outputs", 6000));
    const Status gone = check_not_removed(tx, old, RunPart::kOutputs);
    EXPECT_FALSE(gone);
    EXPECT_NE(gone.error().message.find("\"r\""), std::string::npos);
    ROOST_TRY(const bool holds, rule_holds(tx, rule, old, 5 * kSecond));
    EXPECT_FALSE(holds) << "once is enough";
    return {};
  });
}

}  // namespace
}  // namespace roost
