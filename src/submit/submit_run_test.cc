#include "submit/submit_run.h"

#include "records/manifest_records.h"
#include "records/test_database.h"

namespace roost {
namespace {

class Submit : public DatabaseFixture {
 protected:
  RunSpec spec() const {
    RunSpec asked;
    asked.experiment = "birds";
    asked.command = "python train.py";
    asked.compute = "gpu-cluster";
    return asked;
  }
  Result<Run> submit(const RunSpec& asked, const Status& files = {}) {
    Result<Run> run = fail(ErrorCode::kInternal, "it was not tried");
    const Status done = db_->write([&](Tx& tx) -> Status {
      run = submit_run(tx, files, curated_, "default", asked, "ada", 5);
      return run ? Status() : fail(run.error());
    });
    return run;
  }
  ErrorCode refusal(const RunSpec& asked, const Status& files = {}) {
    const auto run = submit(asked, files);
    EXPECT_FALSE(run);
    std::int64_t active = -1;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto all, active_runs(tx));
      active = static_cast<std::int64_t>(all.size());
      return {};
    });
    EXPECT_EQ(active, 0) << "refusals leave nothing behind";
    return run ? ErrorCode::kInternal : run.error().code;
  }

  CuratedEnvironments curated_;
};

TEST_F(Submit, WhatWasAskedForIsInTheRun) {
  RunSpec asked = spec();
  asked.experiment = "new-one";
  asked.git = {{"branch", "main"}, {"dirty", true}};
  asked.max_retries = 2;
  const auto run = submit(asked);
  ASSERT_TRUE(run) << run.error().message;
  const Run stored = reload(*run);
  EXPECT_EQ(stored.status, RunStatus::kStarting);
  EXPECT_EQ(stored.experiment, "new-one") << "made with its first run";
  EXPECT_EQ(stored.created_by, "ada");
  EXPECT_EQ(stored.max_retries, 2);
  EXPECT_EQ(stored.properties["azureml.git.branch"], "main");
  EXPECT_EQ(stored.properties["azureml.git.dirty"], "True");
  EXPECT_EQ(text_at(stored.spec, "command"), "python train.py");
}

TEST_F(Submit, AnInteractiveRunIsRunningAtOnce) {
  RunSpec asked;
  asked.experiment = "birds";
  asked.interactive = true;
  asked.compute.clear();
  const auto run = submit(asked);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->status, RunStatus::kRunning);
  EXPECT_EQ(run->type, kInteractiveType);
}

TEST_F(Submit, ItsInputsAndSnapshotMustBeThere) {
  RunSpec asked = spec();
  asked.snapshot = std::string(64, 'a');
  EXPECT_EQ(refusal(asked), ErrorCode::kFailedPrecondition);
  asked = spec();
  asked.inputs.push_back({"birds", std::string(64, 'b'), "download", "", "", ""});
  EXPECT_EQ(refusal(asked), ErrorCode::kFailedPrecondition);
  write([&](Tx& tx) { return store_manifest(tx, std::string(64, 'b'), {}, 1); });
  EXPECT_TRUE(submit(asked));
}

TEST_F(Submit, WhatCannotRunIsRefused) {
  RunSpec asked = spec();
  asked.compute = "nowhere";
  EXPECT_EQ(refusal(asked), ErrorCode::kNotFound);
  asked = spec();
  asked.node_count = 5;
  EXPECT_EQ(refusal(asked), ErrorCode::kInvalidArgument) << "the compute has four";
  asked = spec();
  asked.parent = "no-such-run";
  EXPECT_EQ(refusal(asked), ErrorCode::kNotFound);
  asked = spec();
  asked.environment = {{"name", "nobodys"}};
  EXPECT_EQ(refusal(asked), ErrorCode::kNotFound);
  EXPECT_EQ(refusal(spec(), fail(ErrorCode::kInvalidArgument, "the script is not in the snapshot")),
            ErrorCode::kInvalidArgument);
}

TEST_F(Submit, AComputeThatIsGoingTakesNoRuns) {
  write([&](Tx& tx) -> Status {
    ROOST_TRY(Compute compute, find_compute(tx, "default", "gpu-cluster"));
    compute.draining = true;
    return save_compute(tx, compute);
  });
  EXPECT_EQ(refusal(spec()), ErrorCode::kFailedPrecondition);
}

}  // namespace
}  // namespace roost
