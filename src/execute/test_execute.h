#pragma once

#include <set>

#include <map>
#include <string>

#include "base/fake_clock.h"
#include "execute/execute_parts.h"
#include "execute/placement.h"
#include "records/test_database.h"

namespace roost {

// Nodes of which a test says what became of them.
class ToyHandles final : public NodeHandles {
 public:
  Look look(const Node& node) override {
    const auto known = looks.find(node.id);
    return known == looks.end() ? Look::kAlive : known->second;
  }
  bool was_evicted(const Node& node) override { return evicted == node.id; }
  void end(const Node& node) override { ended.push_back(node.id); }
  bool adopt(Node&, std::int64_t) override { return false; }
  bool is_for_one_run(const Node&) override { return for_one_run; }
  bool left_processes(const std::string& node) override { return with_processes.contains(node); }
  std::set<std::string> with_processes;  // nodes
  void gone(const Node& node, const std::string& reason) override { lost[node.id] = reason; }

  std::map<std::string, Look> looks;
  std::string evicted;
  bool for_one_run = false;
  std::vector<std::string> ended;
  std::map<std::string, std::string> lost;  // with the reason
};

// Everything that looking after runs needs, on a clock that a test turns.
class ExecuteFixture : public DatabaseFixture {
 protected:
  void SetUp() override {
    DatabaseFixture::SetUp();
    access_ = std::make_unique<Access>(*db_, clock_, "secret");
    sealer_.emplace(*Sealer::open_or_make(folder_ / "secrets.key"));
    const auto read_tail = [this](const LogTails::Name& name) {
      const auto known = logs_.find(name.log);
      return known == logs_.end() ? LogTails::Tail() : LogTails::Tail{known->second, {known->second}};
    };
    const auto attempt_over = [this](const std::string&, std::int64_t attempt) { over_.push_back(attempt); };
    execute_.emplace(ExecuteParts{*db_, *access_, *sealer_, changes_, nodes_, handles_, stacks_, shells_, wake_, clock_, serving_, read_tail,
                                  attempt_over, ExecuteSettings()});
    placement_ = std::make_unique<RunPlacement>(*execute_);
  }

  // The run has these nodes, and its processes run.
  Run started(Run run, const std::vector<std::string>& ids) {
    write([&](Tx& tx) -> Status {
      std::vector<Node> all;
      for (const auto& id : ids) {
        Node node;
        node.id = id;
        node.workspace = "default";
        node.compute = "gpu-cluster";
        node.enter(NodeState::kIdle, clock_.now());
        ROOST_CHECK(insert_node(tx, node, "hash of " + id));
        all.push_back(node);
      }
      return placement_->start(tx, run, all, clock_.now());
    });
    for (const auto& id : ids) nodes_.heard(id);
    return run;
  }
  // The server serves for so long; what has to be done meanwhile is done a few times a second.
  void serve(Micros time, const std::function<void()>& watch = [] {}) {
    for (Micros passed = 0; passed < time; passed += kSecond / 4) {
      clock_.pass(kSecond / 4);
      serving_.tick();
      watch();
    }
  }
  bool has_node(const std::string& id) {
    bool found = false;
    write([&](Tx& tx) -> Status {
      found = find_node(tx, id).has_value();
      return {};
    });
    return found;
  }

  FakeClock clock_;
  ServingTime serving_{clock_};
  NodeWatch nodes_{serving_};
  Changes changes_;
  Wake wake_;
  StackRequests stacks_{clock_};
  ShellSessions shells_{clock_, changes_.hub()};
  ToyHandles handles_;
  std::unique_ptr<Access> access_;
  std::optional<Sealer> sealer_;
  std::map<std::string, std::string> logs_;  // what ranks printed, by name
  std::vector<std::int64_t> over_;           // attempts that are
  std::optional<ExecuteParts> execute_;
  std::unique_ptr<RunPlacement> placement_;
};

}  // namespace roost
