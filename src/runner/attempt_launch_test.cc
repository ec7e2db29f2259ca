#include "runner/attempt_launch.h"

#include "runner/attempt_meet.h"
#include "runner/test_attempt.h"

namespace roost {
namespace {

class AttemptLaunchTest : public AttemptTest {
 protected:
  LaunchSpec spec_of(const Json& more) {
    attempt_ = std::make_unique<Attempt>(settings_, clock_, order(more));
    EXPECT_TRUE(make_folders(attempt_->code()));
    EXPECT_TRUE(meet_nodes(*attempt_).value());
    auto spec = make_launch_spec(*attempt_);
    EXPECT_TRUE(spec) << spec.error().message;
    return spec.value_or(LaunchSpec{});
  }
  std::unique_ptr<Attempt> attempt_;
};

TEST_F(AttemptLaunchTest, ProcessesFindTheServerTheirFoldersAndTheirInputs) {
  settings_.address = "127.0.0.1";
  const Json inputs = {{{"name", "birds"}}, {{"name", "PATH"}}, {{"name", "one"}, {"path", "in"}, {"file", "a.csv"}}};
  const LaunchSpec spec = spec_of({{"inputs", inputs}, {"variables", {{"TO", "$ROOST_NODE/x"}, {"PYTHONPATH", "mine"}}}});
  ASSERT_EQ(spec.processes.size(), 1U);
  auto set = spec.processes[0].variables;
  EXPECT_EQ(set["ROOST_URL"], url_);
  EXPECT_EQ(set["ROOST_SPOOL"], (attempt_->folder / "spool").string());
  EXPECT_EQ(set["ROOST_SERVER_FILE"], attempt_->server_copy().string());
  EXPECT_EQ(set["TO"], "here/x");
  EXPECT_TRUE(set["PYTHONPATH"].ends_with(":mine"));
  EXPECT_EQ(set["birds"], (attempt_->folder / "data/birds").string());
  EXPECT_EQ(set["AZUREML_DATAREFERENCE_one"], (attempt_->code() / "in/a.csv").string());
  EXPECT_EQ(set["AZUREML_DATAREFERENCE_PATH"], (attempt_->folder / "data/PATH").string());
  EXPECT_NE(set["PATH"], set["AZUREML_DATAREFERENCE_PATH"]) << "what has a meaning keeps it";
  EXPECT_EQ(set["ROOST_LAUNCHED"], "1000.000000");
  EXPECT_EQ(spec.folder, attempt_->code());
  EXPECT_EQ(spec.processes[0].output, attempt_->ranks[0].log);
}

TEST_F(AttemptLaunchTest, APlainCommandNeedsNoShell) {
  const LaunchSpec plain = spec_of({{"command", "sleep 3"}});
  EXPECT_EQ(plain.processes[0].program.back(), "3");
  EXPECT_EQ(plain.processes[0].otherwise.back(), "sleep 3");
  const LaunchSpec line = spec_of({{"command", "sleep 3 && echo"}});
  EXPECT_EQ(line.processes[0].program.back(), "sleep 3 && echo");
  EXPECT_TRUE(line.processes[0].otherwise.empty());
}

TEST_F(AttemptLaunchTest, EachRankHasItsOwn) {
  settings_.gpus = "4,5";
  settings_.machine_has_gpus = true;
  const LaunchSpec spec = spec_of({{"gang", gang(1, 2)}, {"variables", {{"ROOST_GPU_BINDING", "rank"}}}});
  ASSERT_EQ(spec.processes.size(), 2U);
  EXPECT_EQ(spec.processes[1].variables.at("RANK"), "1");
  EXPECT_EQ(spec.processes[0].variables.at("CUDA_VISIBLE_DEVICES"), "4");
  EXPECT_EQ(spec.processes[1].variables.at("CUDA_VISIBLE_DEVICES"), "5");
  EXPECT_NE(spec.processes[0].output, spec.processes[1].output);
}

TEST_F(AttemptLaunchTest, ALeaseIsAllThatIsSeenOfTheMachine) {
  settings_.gpus = "7";  // says nothing beside it
  const Json lease = {{"gpus", {"GPU-a", "GPU-b"}}, {"cpu_set", {1, 3}}};
  const LaunchSpec spec = spec_of({{"lease", lease}});
  EXPECT_EQ(spec.processes[0].variables.at("CUDA_VISIBLE_DEVICES"), "GPU-a,GPU-b");
  EXPECT_EQ(spec.processes[0].variables.at("OMP_NUM_THREADS"), "2");
  EXPECT_EQ(spec.cpu_set, (std::vector<int>{1, 3}));
  const LaunchSpec chosen = spec_of({{"lease", lease}, {"variables", {{"CUDA_VISIBLE_DEVICES", "1,GPU-z"}}}});
  EXPECT_EQ(chosen.processes[0].variables.at("CUDA_VISIBLE_DEVICES"), "GPU-b");
  const LaunchSpec none = spec_of({{"lease", {{"gpus", Json::array()}}}});
  EXPECT_EQ(none.processes[0].variables.at("CUDA_VISIBLE_DEVICES"), "");
}

TEST_F(AttemptLaunchTest, TheirOwnShareOfTheDataFolderIsShown) {
  const LaunchSpec spec = spec_of({});
  ASSERT_FALSE(spec.hidden.folders.empty());
  EXPECT_EQ(spec.mask, 022U);
}

}  // namespace
}  // namespace roost
