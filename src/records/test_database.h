#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "base/digest.h"
#include "base/files.h"
#include "base/inside_write.h"
#include "db/database.h"
#include "domain/compute.h"
#include "domain/run.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"

namespace roost {

// A real database in a temporary folder with a workspace, an experiment and a compute in it.
class DatabaseFixture : public testing::Test {
 protected:
  using Run = roost::Run;  // testing::Test has a function of that name

  void SetUp() override {
    // In memory where there is such a folder: what a commit waits for on a disk says nothing about the code.
    std::error_code none;
    const bool has_memory = std::filesystem::is_directory("/dev/shm", none) && ::access("/dev/shm", W_OK) == 0;
    folder_ = std::filesystem::path(has_memory ? "/dev/shm" : testing::TempDir()) / ("roost-records-" + random_hex(4));
    ASSERT_TRUE(make_folders(folder_));
    auto opened = Database::open(folder_ / "roost.db");
    ASSERT_TRUE(opened) << opened.error().message;
    db_ = std::move(*opened);
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(insert_workspace(tx, "default", 1));
      ROOST_TRY(experiment_, insert_experiment(tx, "default", "birds", 1));
      Compute compute;
      compute.workspace = "default";
      compute.name = "gpu-cluster";
      return insert_compute(tx, compute);
    });
  }
  void TearDown() override {
    db_.reset();
    ASSERT_TRUE(remove_tree(folder_));
    EXPECT_EQ(caught_inside_write(), 0) << "something but SQL inside a write";
  }

  void write(const std::function<Status(Tx&)>& work) {
    const Status done = db_->write(work);
    ASSERT_TRUE(done) << done.error().message;
  }

  // A run in state Queued.
  Run add_run(std::int64_t max_retries = 0, Micros created = 1000) {
    Run run;
    run.id = new_run_id("birds", created);
    run.workspace = "default";
    run.experiment = "birds";
    run.experiment_row = experiment_.row;
    run.compute = "gpu-cluster";
    run.created = created;
    run.max_retries = max_retries;
    run.spec = {{"command", "true"}, {"max_run_duration_seconds", nullptr}};
    run.environment = Json::object();
    write([&](Tx& tx) -> Status {
      ROOST_CHECK(insert_run(tx, run));
      ROOST_CHECK(move_run(tx, run, RunStatus::kPreparing, "", created));
      return move_run(tx, run, RunStatus::kQueued, "", created);
    });
    return run;
  }

  Node add_node(const std::string& id) {
    Node node;
    node.id = id;
    node.workspace = "default";
    node.compute = "gpu-cluster";
    node.state = NodeState::kIdle;
    write([&](Tx& tx) { return insert_node(tx, node, "hash of " + id); });
    return node;
  }

  Run reload(const Run& run) {
    Run found;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(found, find_run(tx, run.id));
      return {};
    });
    return found;
  }

  std::filesystem::path folder_;
  std::unique_ptr<Database> db_;
  Experiment experiment_;
};

}  // namespace roost
