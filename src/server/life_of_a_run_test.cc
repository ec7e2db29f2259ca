// The whole life of a run through every room, as rooms.cc puts them together, but with an engine, a builder, a runner
// and a clock that are toys: no process, no connection, no time that passes.
#include <gtest/gtest.h>

#include <atomic>

#include "base/fake_clock.h"
#include "compute/control_loop.h"
#include "compute/provisioning.h"
#include "compute/toy_engine.h"
#include "domain/run_spec.h"
#include "execute/finish_part.h"
#include "execute/node_orders.h"
#include "execute/part_news.h"
#include "execute/placement.h"
#include "execute/run_watch.h"
#include "prepare/environment_builds.h"
#include "prepare/toy_builder.h"
#include "records/test_database.h"
#include "registry/environments.h"
#include "schedule/scheduler.h"
#include "submit/submit_run.h"

namespace roost {
namespace {

class LifeOfARun : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    access_ = std::make_unique<Access>(*db_, clock_, "secret");
    auto toy = std::make_unique<ToyEngine>();
    toy_ = toy.get();
    engines_.add(std::move(toy));
    provisioning_ = std::make_unique<Provisioning>(
        ProvisionParts{*db_, *access_, engines_, nodes_, wake_, clock_, serving_});
    sealer_.emplace(*Sealer::open_or_make(folder_ / "secrets.key"));
    execute_.emplace(ExecuteParts{*db_, *access_, *sealer_, changes_, nodes_, *provisioning_, stacks_, shells_, wake_, clock_, serving_,
                                  [](const LogTails::Name&) { return LogTails::Tail(); },
                                  [](const std::string&, std::int64_t) {}, ExecuteSettings()});
    placement_ = std::make_unique<RunPlacement>(*execute_);
    scheduler_.emplace(ScheduleParts{*db_, *placement_, changes_, clock_, serving_,
                                     [](const Compute&) { return true; }, 0});
    watch_.emplace(*execute_);
    loop_ = std::make_unique<ControlLoop>(
        serving_, nodes_, wake_, clock_,
        LoopDuties{{{"watching nodes", [this] { watch_->watch_nodes(); }},
                    {"watching parts", [this] { watch_->watch_parts(); }}},
                   {"scheduling", [this] {
                      for (const auto& growth : scheduler_->cycle()) {
                        provisioning_->add_nodes(growth.compute, growth.nodes);
                      }
                    }}});
    auto opened = EnvironmentCache::open(folder_ / "environments");
    ASSERT_TRUE(opened) << opened.error().message;
    cache_ = std::move(*opened);
    settings_.python = "/bin/sh";
    builds_ = std::make_unique<EnvironmentBuilds>(
        BuildParts{*db_, *cache_, builder_, settings_, changes_, wake_, clock_,
                   [](const std::string&, const std::string&) { return true; }});
  }
  void TearDown() override {
    builds_.reset();
    cache_.reset();
    DatabaseFixture::TearDown();
  }

  Run submit(const Json& more = Json::object()) {
    Json body = {{"experiment", "birds"}, {"command", "python train.py"}, {"compute", "gpu-cluster"}};
    body.update(more);
    const auto spec = parse_run_spec(body);
    EXPECT_TRUE(spec) << spec.error().message;
    Run run;
    std::optional<BuildRequest> build;
    EnvironmentLook look(*cache_);
    look.look_at_program(settings_.python);
    const auto work = [&](Tx& tx) -> Status {
      ROOST_TRY(run, submit_run(tx, {}, curated_, "default", *spec, "ada", clock_.now()));
      ROOST_TRY(build, prepare_environment(tx, run, settings_, look, clock_.now()));
      return {};
    };
    Status done = db_->write(work);
    while (!done && look.is_incomplete()) {
      look.look_at_missing(clock_.now());
      done = db_->write(work);
    }
    EXPECT_TRUE(done) << done.error().message;
    if (build) builds_->request(*build, run.id);
    return run;
  }
  // The control loop comes round.
  void turn() {
    clock_.pass(kSecond / 4);
    loop_->turn();
  }
  // The node that came up for the run that waits; its runner calls.
  std::string node_comes() {
    for (const auto& [node, is_alive] : toy_->nodes) {
      if (!is_alive || runners_.contains(node)) continue;
      EXPECT_TRUE(node_came(*execute_, node, 0));
      runners_.emplace(node, NodeOrders(*execute_, node));
      return node;
    }
    ADD_FAILURE() << "no node was started";
    return "";
  }
  // The types of the orders that the node's runner is sent now.
  std::vector<std::string> orders(const std::string& node) {
    std::string lines;
    runners_.at(node).next(lines);
    std::vector<std::string> types;
    for (std::size_t from = 0; from < lines.size(); from = lines.find('\n', from) + 1) {
      const Json order = stored_json(lines.substr(from, lines.find('\n', from) - from));
      types.push_back(text_at(order, "type"));
      if (types.back() == "start") work_ = order["order"];
    }
    return types;
  }
  // The run of the last order has ended there.
  Status report(std::int64_t exit_code, bool stopped = false) {
    FinishReport report;
    report.outcome = "exited";
    RankEnd rank;
    rank.exit_code = exit_code;
    rank.stopped = stopped;
    report.ranks.push_back(rank);
    ROOST_CHECK(finish_part(*execute_, attempt(), report, [](Tx&, const Run&) { return Status(); }));
    return {};
  }
  AttemptName attempt() const { return {text_at(work_, "run"), integer_at(work_, "attempt")}; }
  // From the queue to Running; the node that has it.
  std::string bring_up() {
    turn();
    const std::string node = node_comes();
    turn();
    EXPECT_EQ(orders(node), (std::vector<std::string>{"hello", "start"}));
    EXPECT_TRUE(part_started(*execute_, attempt(), 0, 0));
    return node;
  }
  std::vector<std::string> history(const Run& run) {
    std::vector<std::string> states;
    write([&](Tx& tx) -> Status {
      ROOST_TRY(const auto events, run_events(tx, run.seq));
      for (const auto& event : events) states.push_back(event.to);
      return {};
    });
    return states;
  }

  FakeClock clock_;
  ServingTime serving_{clock_};
  NodeWatch nodes_{serving_};
  Changes changes_;
  Wake wake_;
  StackRequests stacks_{clock_};
  ShellSessions shells_{clock_, changes_.hub()};
  std::unique_ptr<Access> access_;
  std::optional<Sealer> sealer_;
  Engines engines_;
  ToyEngine* toy_ = nullptr;
  std::unique_ptr<Provisioning> provisioning_;
  std::optional<ExecuteParts> execute_;
  std::unique_ptr<RunPlacement> placement_;
  std::optional<Scheduler> scheduler_;
  std::optional<RunWatch> watch_;
  std::unique_ptr<ControlLoop> loop_;
  std::unique_ptr<EnvironmentCache> cache_;
  BuildSettings settings_;
  CuratedEnvironments curated_;
  ToyBuilder builder_;
  std::unique_ptr<EnvironmentBuilds> builds_;
  std::map<std::string, NodeOrders> runners_;
  Json work_;  // what the last order to start said
};

TEST_F(LifeOfARun, FromSubmitToCompleted) {
  const Run run = submit();
  const std::string node = bring_up();
  EXPECT_EQ(text_at(work_, "command"), "python train.py");
  EXPECT_EQ(reload(run).status, RunStatus::kRunning);
  ASSERT_TRUE(part_exited(*execute_, attempt(), 0, 0));
  ASSERT_TRUE(report(0));
  EXPECT_EQ(history(run), (std::vector<std::string>{"Starting", "Preparing", "Queued", "Provisioning", "Running",
                                                    "Finalizing", "Completed"}));
  turn();
  EXPECT_TRUE(toy_->nodes.at(node)) << "the node stays for the next run";
  const Run next = submit();
  turn();
  EXPECT_EQ(orders(node), std::vector<std::string>{"start"});
  EXPECT_EQ(attempt().run, next.id);
}

TEST_F(LifeOfARun, OfALostNodeTheRunIsTriedAgainOnAnother) {
  const Run run = submit({{"max_retries", 1}});
  const std::string lost = bring_up();
  toy_->nodes[lost] = false;
  turn();
  EXPECT_FALSE(toy_->nodes.contains(lost)) << "what it left is cleaned up";
  const AttemptName given_up = attempt();
  turn();
  const std::string other = node_comes();
  EXPECT_NE(other, lost);
  turn();
  orders(other);
  EXPECT_EQ(attempt().attempt, 2);
  EXPECT_EQ(part_started(*execute_, given_up, 0, 0).error().code, ErrorCode::kGivenUp) << "the lost one may come back";
  ASSERT_TRUE(part_started(*execute_, attempt(), 0, 0));
  ASSERT_TRUE(report(0));
  const Run done = reload(run);
  EXPECT_EQ(done.status, RunStatus::kCompleted);
  EXPECT_EQ(done.attempt, 2);
}

TEST_F(LifeOfARun, APreemptedRunGoesOnElsewhereAtNoCost) {
  const Run run = submit();
  const std::string taken = bring_up();
  write([&](Tx& tx) -> Status {
    ROOST_TRY(Node node, find_node(tx, taken));
    Preempted preempted;
    return placement_->preempt(tx, node, "its place is needed", clock_.now(), preempted);
  });
  EXPECT_EQ(orders(taken), std::vector<std::string>{"cancel"});
  ASSERT_TRUE(report(0, true));
  EXPECT_EQ(reload(run).status, RunStatus::kQueued);
  EXPECT_EQ(orders(taken), std::vector<std::string>{"leave"});
  turn();
  const std::string other = node_comes();
  turn();
  orders(other);
  ASSERT_TRUE(part_started(*execute_, attempt(), 0, 0));
  ASSERT_TRUE(report(0));
  EXPECT_EQ(reload(run).status, RunStatus::kCompleted);
}

TEST_F(LifeOfARun, AScriptThatFailsEndsTheRunWithItsExitCode) {
  const Run run = submit({{"max_retries", 3}});
  bring_up();
  ASSERT_TRUE(report(3));
  const Run failed = reload(run);
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.attempt, 1) << "only lost nodes are tried again";
}

TEST_F(LifeOfARun, AFailedBuildFailsTheRunBeforeItCostsANode) {
  builder_.error = "there is no package nosuch";
  write([&](Tx& tx) -> Status {
    const Json definition = {
        {"python", {{"condaDependencies", {{"dependencies", {{{"pip", {"nosuch"}}}}}}}}}};
    ROOST_CHECK(register_environment(tx, curated_, "default", "mine", definition, clock_.now()));
    return {};
  });
  std::atomic<int> changed = 0;
  const auto told = changes_.hub().subscribe("runs", [&] {
    ++changed;
    changed.notify_all();
  });
  const Run run = submit({{"environment", {{"name", "mine"}}}});
  for (int seen = changed; reload(run).status == RunStatus::kPreparing; seen = changed) changed.wait(seen);
  builds_->stop();
  const Run failed = reload(run);
  EXPECT_EQ(failed.status, RunStatus::kFailed);
  EXPECT_NE(text_at(failed.error, "message").find("there is no package nosuch"), std::string::npos);
  turn();
  EXPECT_TRUE(toy_->nodes.empty());
}

}  // namespace
}  // namespace roost
