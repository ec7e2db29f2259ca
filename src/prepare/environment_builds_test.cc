#include "prepare/environment_builds.h"

#include <atomic>

#include "base/fake_clock.h"
#include "prepare/toy_builder.h"
#include "records/test_database.h"

namespace roost {
namespace {

class Builds : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    auto opened = EnvironmentCache::open(folder_ / "environments");
    ASSERT_TRUE(opened) << opened.error().message;
    cache_ = std::move(*opened);
    settings_.python = "/bin/sh";
    builds_ = make();
  }
  void TearDown() override {
    builds_.reset();
    cache_.reset();
    DatabaseFixture::TearDown();
  }
  std::unique_ptr<EnvironmentBuilds> make() {
    return std::make_unique<EnvironmentBuilds>(
        BuildParts{*db_, *cache_, builder_, settings_, changes_, wake_, clock_,
                   [this](const std::string& run, const std::string& log) {
                     const std::lock_guard lock(mutex_);
                     logs_[run] = log;
                     return true;
                   }});
  }

  // A run in Preparing that waits for this package, and the build it waits for.
  std::pair<Run, BuildRequest> waiting(const std::string& package) {
    Run run;
    run.id = new_run_id("birds", 1000);
    run.workspace = "default";
    run.experiment = "birds";
    run.experiment_row = experiment_.row;
    run.compute = "gpu-cluster";
    run.created = 1000;
    run.spec = {{"script", "a.py"}};
    run.environment = {
        {"definition", {{"python", {{"condaDependencies", {{"dependencies", {{{"pip", {package}}}}}}}}}}}};
    std::optional<BuildRequest> request;
    EnvironmentLook look(*cache_);
    look.look_at_program("/bin/sh");
    const Run asked = run;
    const auto prepare = [&](Tx& tx) -> Status {
      run = asked;
      ROOST_CHECK(insert_run(tx, run));
      ROOST_TRY(request, prepare_environment(tx, run, settings_, look, 5));
      return {};
    };
    while (!db_->write(prepare) && look.is_incomplete()) look.look_at_missing(5);
    EXPECT_TRUE(request);
    return {run, request.value_or(BuildRequest())};
  }
  // What the run is once it is something else than Preparing.
  Run settled(const Run& run) {
    std::atomic<int> changes = 0;
    const auto told = changes_.hub().subscribe("run/" + run.id, [&] {
      ++changes;
      changes.notify_all();
    });
    for (;;) {
      const int seen = changes;
      Run now = reload(run);
      if (now.status != RunStatus::kPreparing) return now;
      changes.wait(seen);
    }
  }

  FakeClock clock_;
  std::unique_ptr<EnvironmentCache> cache_;
  BuildSettings settings_;
  ToyBuilder builder_;
  Changes changes_;
  Wake wake_;
  std::mutex mutex_;
  std::map<std::string, std::string> logs_;
  std::unique_ptr<EnvironmentBuilds> builds_;
};

TEST_F(Builds, OneBuildServesAllWhoWaitForIt) {
  builder_.waits = true;
  const auto [first, request] = waiting("torch");
  const auto [second, same] = waiting("torch");
  ASSERT_EQ(request.digest, same.digest);
  builds_->request(request, first.id);
  builds_->request(same, second.id);
  builder_.go_on();
  EXPECT_EQ(settled(first).status, RunStatus::kQueued);
  EXPECT_EQ(settled(second).status, RunStatus::kQueued);
  EXPECT_EQ(builder_.builds, 1);
  EXPECT_EQ(builds_->state(request.digest)->status, "built");
}

TEST_F(Builds, ABuildThatFailsFailsItsRunsWithItsWords) {
  builder_.error = "there is no package nosuch";
  const auto [run, request] = waiting("nosuch");
  builds_->request(request, run.id);
  const Run failed = settled(run);
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_NE(text_at(failed.error, "message").find("there is no package nosuch"), std::string::npos);
  EXPECT_EQ(builds_->state(request.digest)->status, "failed");
  builds_->stop();
  const std::lock_guard lock(mutex_);
  EXPECT_NE(logs_[run.id].find("there is no package nosuch"), std::string::npos) << "its log ends with the reason";
}

TEST_F(Builds, ABuildThatNobodyWaitsForEnds) {
  builder_.waits = true;
  const auto [run, request] = waiting("torch");
  builds_->request(request, run.id);
  builds_->leave(run.id);
  while (builds_->state(request.digest)) std::this_thread::yield();
  EXPECT_EQ(reload(run).status, RunStatus::kPreparing) << "whoever made it leave says what becomes of it";
}

TEST_F(Builds, AServerThatStopsLeavesItsRunsToTheNext) {
  builder_.waits = true;
  const auto [run, request] = waiting("torch");
  builds_->request(request, run.id);
  builds_->stop();
  EXPECT_EQ(reload(run).status, RunStatus::kPreparing);
  builder_.go_on();
  builds_ = make();
  ASSERT_TRUE(builds_->resume());
  EXPECT_EQ(settled(run).status, RunStatus::kQueued);
}

}  // namespace
}  // namespace roost
