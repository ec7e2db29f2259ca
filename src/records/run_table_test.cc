#include "records/run_table.h"

#include "records/test_database.h"

namespace roost {
namespace {

class RunTable : public DatabaseFixture {
 protected:
  Json table(const std::string& query, const std::string& order = "-created", std::int64_t offset = 0,
             std::int64_t limit = 100) {
    Json answer;
    write([&](Tx& tx) -> Status {
      RunTableRequest request;
      request.workspace = "default";
      ROOST_TRY(request.query, parse_run_query(query));
      ROOST_TRY(request.order, parse_run_order(order));
      request.offset = offset;
      request.limit = limit;
      request.columns = RowColumns::all();
      ROOST_TRY(answer, query_runs(tx, request, 100'000));
      return {};
    });
    return answer;
  }
  std::vector<std::string> names(const std::string& query, const std::string& order = "-created",
                                 std::int64_t offset = 0, std::int64_t limit = 100) {
    std::vector<std::string> out;
    const Json answer = table(query, order, offset, limit);
    for (const Json& row : answer["items"]) out.push_back(row["display_name"]);
    return out;
  }
  void change(const Run& run, const std::string& set) {
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(tx.run("UPDATE run SET " + set + " WHERE seq = ?", run.seq));
      return {};
    });
  }
  void metric(const Run& run, std::int64_t attempt, const std::string& name, std::optional<double> last) {
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(tx.run("INSERT INTO metric (run, attempt, name, kind, count, last_number, last_json)"
                         " VALUES (?, ?, ?, 'scalar', 1, ?, ?)",
                         run.seq, attempt, name, last, last ? "1" : "\"NaN\""));
      return {};
    });
  }
  // Runs a, b, c with losses 0.5, 0.1 and none; b had another loss in an attempt before.
  void SetUp() override {
    DatabaseFixture::SetUp();
    for (const char* name : {"a", "b", "c"}) {
      runs_.push_back(add_run());
      change(runs_.back(), std::string("attempt = 2, display_name = '") + name + "'");
    }
    metric(runs_[0], 2, "loss", 0.5);
    metric(runs_[1], 1, "loss", 0.9);
    metric(runs_[1], 2, "loss", 0.1);
    metric(runs_[2], 2, "loss", std::nullopt);
  }
  std::vector<Run> runs_;
};
using Names = std::vector<std::string>;

TEST_F(RunTable, MetricsAreThoseOfTheNewestAttempt) {
  EXPECT_EQ(names("metrics.loss>0.3"), Names{"a"});
  EXPECT_EQ(names("metrics.loss>0.3 or metrics.loss>5"), Names{"a"});  // by a walk, not run by run
  EXPECT_EQ(names("metrics.loss"), (Names{"c", "b", "a"}));
  EXPECT_EQ(names("", "metrics.loss"), (Names{"b", "a", "c"}));
  EXPECT_EQ(names("", "-metrics.loss"), (Names{"a", "b", "c"}));
  EXPECT_EQ(names("", "-metrics.loss", 1, 1), Names{"b"});
  const Json rows = table("")["items"];
  EXPECT_EQ(rows[0]["metrics"], (Json{{"loss", "NaN"}}));
  EXPECT_EQ(rows[1]["metrics"], (Json{{"loss", 0.1}}));
}

TEST_F(RunTable, RowsTellSinceWhenAMetricIsNoNumberAndLeaveNotesOut) {
  write([&](Tx& tx) { return tx.run("UPDATE metric SET odd_count = 3, odd_step = 17 WHERE run = ? AND attempt = 2", runs_[2].seq); });
  change(runs_[2], "tags_json = '{\"mlflow.note.content\":\"a page of text\",\"kept\":\"1\"}'");
  const Json rows = table("")["items"];
  EXPECT_EQ(rows[0]["odd"], (Json{{"loss", 17}}));
  EXPECT_EQ(rows[1]["odd"], Json::object());
  EXPECT_EQ(rows[0]["tags"], (Json{{"kept", "1"}}));
}

TEST_F(RunTable, ArchivedRunsAreLeftOutUnlessAskedFor) {
  change(runs_[1], "archived = 1");
  EXPECT_EQ(names(""), (Names{"c", "a"}));
  EXPECT_EQ(names("is:archived"), Names{"b"});
  EXPECT_EQ(names("is:any"), (Names{"c", "b", "a"}));
  EXPECT_EQ(names("-is:archived"), (Names{"c", "a"}));
  EXPECT_EQ(table("name=b")["total"], 0);
}

TEST_F(RunTable, TermsCombine) {
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(replace_tags(tx, runs_[0], {{"team", "Red"}, {"flag", nullptr}}));
    return replace_tags(tx, runs_[1], {{"team", "blue"}});
  });
  EXPECT_EQ(names("tags.team=Red"), Names{"a"});
  EXPECT_EQ(names("tags.team:red"), Names{"a"});
  EXPECT_EQ(names("tags.team!=Red"), Names{"b"});
  EXPECT_EQ(names("-tags.team"), Names{"c"});
  EXPECT_EQ(names("tags.flag or name=c"), (Names{"c", "a"}));
  EXPECT_EQ(names("(tags.flag or name=c) status:active -name=c"), Names{"a"});
  EXPECT_EQ(names("BIRDS"), (Names{"c", "b", "a"}));
  EXPECT_EQ(names("experiment:bird").size(), 0U);
  EXPECT_EQ(names("", "tags.team"), (Names{"a", "b", "c"}));
}

TEST_F(RunTable, SortsByEveryColumn) {
  change(runs_[0], "started = 10, ended = 500, compute = 'zebra', created_by = 'Zoe'");
  change(runs_[1], "started = 20, ended = 30, status = 'Failed', created_by = 'adam'");
  EXPECT_EQ(names("", "duration"), (Names{"b", "a", "c"}));
  EXPECT_EQ(names("", "-started"), (Names{"b", "a", "c"}));
  EXPECT_EQ(names("", "-compute"), (Names{"a", "c", "b"}));
  EXPECT_EQ(names("", "user"), (Names{"b", "a", "c"}));
  EXPECT_EQ(names("", "-status")[0], "b");
  EXPECT_EQ(names("", "name", 1), (Names{"b", "c"}));
  EXPECT_EQ(names("", "created", 0, 2), (Names{"a", "b"}));
  EXPECT_EQ(names("", "experiment").size(), 3U);
  EXPECT_EQ(names("", "name", 5).size(), 0U);
  EXPECT_EQ(names("", "name", 0, 0).size(), 0U);
}

TEST_F(RunTable, GroupsWithNullForThoseThatLackIt) {
  write([&](Tx& tx) -> Status {
    ROOST_CHECK(replace_tags(tx, runs_[0], {{"team", "red"}}));
    RunColumn by{RunColumn::kTag, "team"};
    ROOST_TRY(const Json groups, group_runs(tx, "default", {}, by, 5));
    EXPECT_EQ(groups["items"].size(), 2U);
    EXPECT_TRUE(groups["items"][0]["value"].is_null());
    EXPECT_EQ(groups["items"][0]["count"], 2);
    EXPECT_EQ(groups["items"][1]["statuses"], (Json{{"Queued", 1}}));
    by.kind = RunColumn::kMetric;
    EXPECT_FALSE(group_runs(tx, "default", {}, by, 5));
    ROOST_TRY(const Json columns, list_run_columns(tx, "default"));
    EXPECT_EQ(columns["tags"], Json({"team"}));
    return {};
  });
}

TEST_F(RunTable, RowsByIdLeaveOutWhatIsNotThere) {
  write([&](Tx& tx) -> Status {
    ROOST_TRY(const Json rows, run_rows(tx, "default", {runs_[1].id, "absent", runs_[0].id}));
    EXPECT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0]["id"], runs_[1].id);
    ROOST_TRY(const Json others, run_rows(tx, "other", {runs_[1].id}));
    EXPECT_TRUE(others.empty());
    return {};
  });
}

}  // namespace
}  // namespace roost
