#include <unistd.h>

#include "prepare/environment_cache.h"
#include "prepare/prepare_environment.h"
#include "records/test_database.h"

namespace roost {
namespace {

namespace fs = std::filesystem;

class Prepare : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    reopen();
    settings_.python = "/usr/bin/python3";
  }
  void reopen() {
    auto opened = EnvironmentCache::open(folder_ / "environments");
    ASSERT_TRUE(opened) << opened.error().message;
    cache_ = std::move(*opened);
  }

  Run submitted(const Json& environment) {
    Run run;
    run.id = new_run_id("birds", 1000);
    run.workspace = "default";
    run.experiment = "birds";
    run.experiment_row = experiment_.row;
    run.compute = "gpu-cluster";
    run.created = 1000;
    run.spec = {{"script", "a.py"}, {"environment", environment}};
    run.environment = environment;
    write([&](Tx& tx) { return insert_run(tx, run); });
    return run;
  }

  std::optional<BuildRequest> prepare(Run& run) {
    EnvironmentLook look(*cache_);
    const Run before = run;
    for (;;) {
      std::optional<BuildRequest> request;
      const Status done = db_->write([&](Tx& tx) -> Status {
        run = before;
        ROOST_TRY(request, prepare_environment(tx, run, settings_, look, 5));
        return {};
      });
      if (done || !look.is_incomplete()) {
        EXPECT_TRUE(done) << done.error().message;
        return request;
      }
      look.look_at_missing(5);
    }
  }

  void put(const std::string& digest) {
    const fs::path place = cache_->new_folder(digest);
    ASSERT_TRUE(make_folders(place));
    BuiltEnvironment built;
    built.builder = "venv";
    built.python = "/usr/bin/python3";
    built.lock = {"torch==2.0"};
    ASSERT_TRUE(cache_->keep(digest, place, built, 7));
  }

  std::unique_ptr<EnvironmentCache> cache_;
  BuildSettings settings_;
};

Json packages(const std::string& requirement) {
  return {{"definition",
           {{"python", {{"condaDependencies", {{"dependencies", {{{"pip", {requirement}}}}}}}}}}}};
}

TEST_F(Prepare, AnInterpreterThatExistsIsQueuedAtOnce) {
  Run run = submitted(Json::object());
  EXPECT_FALSE(prepare(run));
  EXPECT_EQ(run.status, RunStatus::kQueued);
  EXPECT_EQ(run.environment["python"], "/usr/bin/python3");
  Run other = submitted({{"python", "/no/such/python"}});
  EXPECT_FALSE(prepare(other));
  EXPECT_EQ(other.status, RunStatus::kFailed);
  EXPECT_EQ(other.error["code"], "environment_failed");
}

TEST_F(Prepare, AUserManagedRunSaysThatItIsNotIsolated) {
  Run run = submitted({{"definition", {{"python", {{"userManagedDependencies", true}}}}}});
  EXPECT_FALSE(prepare(run));
  EXPECT_EQ(run.environment["isolated"], false);
}

TEST_F(Prepare, LimitsAndArgumentsWithoutEffect) {
  const Json docker = {{"arguments", {"--memory", "1g", "--cpus=2", "--privileged"}}};
  Run run = submitted({{"definition", {{"docker", docker}}}});
  EXPECT_FALSE(prepare(run));
  EXPECT_EQ(run.environment["limits"], (Json{{"memory", 1ULL << 30}, {"cpus", 2.0}}));
  ASSERT_EQ(run.notices.size(), 1U);
  EXPECT_NE(to_text(run.notices).find("--privileged"), std::string::npos);
  Run bad = submitted({{"definition", {{"docker", {{"arguments", {"--memory", "lots"}}}}}}});
  EXPECT_FALSE(prepare(bad));
  EXPECT_EQ(bad.status, RunStatus::kFailed);
}

TEST_F(Prepare, PackagesWaitForABuildOnce) {
  Run first = submitted(packages("torch"));
  const auto request = prepare(first);
  ASSERT_TRUE(request);
  EXPECT_EQ(first.status, RunStatus::kPreparing);
  EXPECT_EQ(build_of(reload(first), settings_)->digest, request->digest) << "as after a restart";
  put(request->digest);
  const auto built = cache_->find(request->digest, 8);
  write([&](Tx& tx) { return settle_built(tx, first, *built, 8); });
  EXPECT_EQ(first.status, RunStatus::kQueued);
  EXPECT_EQ(first.environment["lock"], Json({"torch==2.0"}));
  Run second = submitted(packages("torch"));
  EXPECT_FALSE(prepare(second)) << "the cache has it";
  EXPECT_EQ(second.status, RunStatus::kQueued);
  Run third = submitted(packages("numpy"));
  EXPECT_TRUE(prepare(third)) << "another definition";
}

TEST_F(Prepare, ALockIsTheVeryBuildItCameFromOrAnother) {
  Run first = submitted(packages("torch"));
  put(prepare(first)->digest);
  Json locked = packages("torch");
  locked["lock"] = {"torch==2.0"};
  Run same = submitted(locked);
  EXPECT_FALSE(prepare(same));
  locked["lock"] = {"torch==1.9"};
  Run other = submitted(locked);
  const auto request = prepare(other);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->lock, (std::vector<std::string>{"torch==1.9"}));
}

TEST_F(Prepare, PinsOfTheSubmitGoBeforeTheDefinitionsAndTheServers) {
  settings_.pins = Pins::kNearest;
  Json environment = packages("torch==1.6.0");
  Run run = submitted(environment);
  EXPECT_EQ(prepare(run)->plan.pins, Pins::kNearest);
  environment["definition"]["pins"] = "strict";
  Run defined = submitted(environment);
  EXPECT_EQ(prepare(defined)->plan.pins, Pins::kStrict);
  environment["pins"] = "nearest";
  Run asked = submitted(environment);
  EXPECT_EQ(prepare(asked)->plan.pins, Pins::kNearest);
}

TEST_F(Prepare, ABuildThatDiedLeavesNothing) {
  const std::string good(64, 'a');
  put(good);
  const fs::path half = cache_->new_folder(std::string(64, 'b'));
  ASSERT_TRUE(make_folders(half / "bin"));
  ASSERT_TRUE(write_file_atomic(folder_ / "environments" / (std::string(64, 'c') + ".json"), "{ not json"));
  reopen();
  EXPECT_FALSE(fs::exists(half));
  EXPECT_TRUE(cache_->find(good, 9));
  EXPECT_EQ(cache_->list().size(), 1U);
  EXPECT_FALSE(cache_->take_out(std::string(64, 'b')));
}

TEST_F(Prepare, ARemovedEnvironmentIsTakenOutFirstAndItsFilesGoLater) {
  Run first = submitted(packages("torch"));
  const std::string digest = prepare(first)->digest;
  put(digest);
  const fs::path place = cache_->find(digest, 9)->folder;

  EnvironmentLook look(*cache_);
  EXPECT_FALSE(look.cached(digest)) << "it was not looked at";
  look.look_at_missing(9);
  EXPECT_TRUE(look.cached(digest));
  auto taken = cache_->take_out(digest);
  ASSERT_TRUE(taken) << taken.error().message;
  EXPECT_FALSE(look.cached(digest)) << "whoever looked before must not use it now";
  EXPECT_TRUE(fs::exists(place));
  Run second = submitted(packages("torch"));
  EXPECT_TRUE(prepare(second)) << "it has to be built again";

  cache_->put_back(*taken);
  EXPECT_TRUE(look.cached(digest)) << "the removal failed";
  reopen();
  taken = cache_->take_out(digest);
  ASSERT_TRUE(taken) << "a crash before its files went leaves it whole";
  put(digest);
  ASSERT_TRUE(cache_->remove_files(*taken));
  EXPECT_FALSE(fs::exists(place));
  reopen();
  EXPECT_TRUE(cache_->find(digest, 9)) << "built again meanwhile: another folder, the same index";
  taken = cache_->take_out(digest);
  ASSERT_TRUE(taken && cache_->remove_files(*taken));
  reopen();
  EXPECT_TRUE(cache_->list().empty());
}

}  // namespace
}  // namespace roost
