#include "builders/pin_mover.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "builders/requirement.h"
#include "domain/version.h"

namespace roost {
namespace {

using Lines = std::vector<std::string>;

// An index in memory and a resolver that tries everything: what uv and pip do, for a handful of packages.
class SmallIndex : public Resolver {
 public:
  struct Release {
    enum Kind { kPure, kCompiled, kSource, kYanked };
    Release(std::string number, std::vector<std::string> needed, Kind of_kind)
        : version(std::move(number)), needs(std::move(needed)), kind(of_kind) {}
    std::string version;
    std::vector<std::string> needs;
    Kind kind;
  };
  std::map<std::string, std::vector<Release>> packages;  // oldest first
  bool lowest_known = true;
  bool silent = false;
  int questions = 0;

  Result<Answer> ask(const Question& question) override {
    ++questions;
    Answer answer;
    if (silent) {
      answer.unreachable = true;
      return answer;
    }
    std::vector<Requirement> todo;
    for (const auto& line : question.requirements) todo.push_back(parse_requirement(line));
    std::map<std::string, const Release*> chosen;
    std::set<std::string> blamed;
    answer.found = solve(question, todo, 0, chosen, blamed);
    for (const auto& one : todo) {
      if (!answer.found && packages[one.name].empty()) answer.problem = one.name + " was not found in the package registry; ";
    }
    for (const auto& name : blamed) answer.problem += "because of " + name + " ";
    if (!answer.found) return answer;
    for (const auto& [name, release] : chosen) {
      answer.lock.push_back(name + "==" + release->version);
      answer.yanked = answer.yanked || release->kind == Release::kYanked;
      answer.compiled = answer.compiled || release->kind == Release::kCompiled;
    }
    return answer;
  }
  bool knows_lowest() const override { return lowest_known; }
  std::vector<std::string> versions(const std::string& name) override {
    std::vector<std::string> found;
    for (const auto& release : packages[name]) found.push_back(release.version);
    return found;
  }

 private:
  bool may(const Question& question, const std::string& name, const Release& release, const Requirement& asked) const {
    if (release.kind == Release::kYanked && !asked.is_exact()) return false;
    if (release.kind != Release::kSource) return !question.from_source.contains(name);
    if (question.from_source.contains(name)) return true;
    return !question.wheels_only && !question.only_binary.contains(name);
  }

  bool solve(const Question& question, const std::vector<Requirement>& todo, std::size_t at,
             std::map<std::string, const Release*>& chosen, std::set<std::string>& blamed) {
    if (at == todo.size()) return true;
    const Requirement& asked = todo[at];
    if (const auto it = chosen.find(asked.name); it != chosen.end()) {
      if (satisfies(*parse_version(it->second->version), asked.condition)) return solve(question, todo, at + 1, chosen, blamed);
      blamed.insert(asked.name);
      return false;
    }
    const bool direct = at < question.requirements.size();
    std::vector<const Release*> order;
    for (const auto& release : packages[asked.name]) order.push_back(&release);
    if (!(question.lowest && direct)) std::reverse(order.begin(), order.end());
    for (const Release* release : order) {
      if (!satisfies(*parse_version(release->version), asked.condition) || !may(question, asked.name, *release, asked)) continue;
      bool forbidden = false;
      for (const auto& line : question.constraints) {
        const Requirement one = parse_requirement(line);
        forbidden = forbidden || (one.name == asked.name && !satisfies(*parse_version(release->version), one.condition));
      }
      if (forbidden) continue;
      auto more = todo;
      for (const auto& need : release->needs) {
        if (question.dependencies) more.push_back(parse_requirement(need));
      }
      chosen[asked.name] = release;
      if (solve(question, more, at + 1, chosen, blamed)) return true;
      chosen.erase(asked.name);
    }
    blamed.insert(asked.name);
    return false;
  }
};

class PinMoverTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    index_.lowest_known = GetParam();
    const auto add = [&](const std::string& name, const std::string& version, SmallIndex::Release::Kind kind,
                         const Lines& needs = {}) { index_.packages[name].emplace_back(version, needs, kind); };
    using R = SmallIndex::Release;
    for (const char* version : {"1.13.0", "1.13.1", "2.0.0"}) add("torch", version, R::kCompiled);
    add("torchvision", "0.2.0", R::kYanked);
    add("torchvision", "0.14.0", R::kCompiled, {"torch==1.13.0"});
    add("torchvision", "0.14.1", R::kCompiled, {"torch==1.13.1"});
    add("torchvision", "0.15.0", R::kCompiled, {"torch==2.0.0"});
    add("scikit-learn", "0.22.1", R::kSource);
    for (const char* version : {"1.1.3", "1.2.0"}) add("scikit-learn", version, R::kCompiled);
    add("future", "0.17.1", R::kSource);
    for (const char* version : {"0.19.5", "0.20.0", "0.20.3", "0.21.0", "0.28.1"}) add("onlysource", version, R::kSource);
    add("future", "1.0.0", R::kPure);
    for (const char* version : {"4.1.0", "4.66.0"}) add("tqdm", version, R::kPure);
    for (const char* version : {"1.0", "1.2", "2.0"}) add("alpha", version, R::kPure);
    add("beta", "1.0", R::kPure, {"alpha<2"});
    add("gamma", "1.0", R::kPure, {"alpha>=2"});
  }

  Result<Settled> settle(const Lines& lines, Pins pins = Pins::kNearest, const Unbuildable& unbuildable = {}) {
    return settle_versions(index_, lines, pins, unbuildable, [](std::string_view) {});
  }
  Lines lock(const Lines& lines) {
    const auto settled = settle(lines);
    EXPECT_TRUE(settled) << settled.error().message;
    return settled ? settled->lock : Lines();
  }

  SmallIndex index_;
};

TEST_P(PinMoverTest, WhatCanBeHadIsKeptAndTakesOneQuestion) {
  EXPECT_EQ(lock({"torch==2.0.0", "torchvision"}), (Lines{"torch==2.0.0", "torchvision==0.15.0"}));
  EXPECT_EQ(index_.questions, 1);
}

TEST_P(PinMoverTest, APairIsMovedToAPair) {
  EXPECT_EQ(lock({"torch==1.6.0", "torchvision==0.7.0"}), (Lines{"torch==1.13.1", "torchvision==0.14.1"}));
}

TEST_P(PinMoverTest, TheNearestLineAboveAndNotTheNewest) {
  EXPECT_EQ(lock({"scikit-learn==0.22.1"}), (Lines{"scikit-learn==1.1.3"})) << "its source would have to be compiled";
  EXPECT_EQ(lock({"alpha==1.1"}), (Lines{"alpha==1.2"}));
  EXPECT_EQ(lock({"alpha<1"}), (Lines{"alpha==1.0"}));
}

TEST_P(PinMoverTest, BeyondTheNewestIsTheNewest) { EXPECT_EQ(lock({"tqdm==99.0"}), (Lines{"tqdm==4.66.0"})); }

TEST_P(PinMoverTest, AWithdrawnVersionIsNotTakenWhileAnotherFits) {
  EXPECT_EQ(lock({"torchvision==0.2.0"}), (Lines{"torch==1.13.1", "torchvision==0.14.1"}));
}

TEST_P(PinMoverTest, SourcesOfPythonAloneAreBuilt) {
  const auto settled = settle({"future==0.17.1", "tqdm"});
  ASSERT_TRUE(settled);
  EXPECT_EQ(settled->lock, (Lines{"future==0.17.1", "tqdm==4.66.0"}));
  EXPECT_TRUE(settled->from_source.contains("future"));
  EXPECT_EQ(settle({"future==0.17.1"}, Pins::kNearest, {{"future", {"0.17.1"}}})->lock, (Lines{"future==1.0.0"})) << "it was tried";
}

TEST_P(PinMoverTest, AMajorVersionIsNotCrossedWhereItHasAnother) {
  EXPECT_EQ(lock({"alpha==1.3"}), (Lines{"alpha==1.2"})) << "and not 2.0, which is the next above";
  EXPECT_EQ(lock({"alpha==1.1"}), (Lines{"alpha==1.2"}));
  EXPECT_EQ(lock({"alpha==0.5"}), (Lines{"alpha==1.0"})) << "nothing of 0 is left";
  EXPECT_EQ(lock({"alpha==1.3", "gamma"}), (Lines{"alpha==2.0", "gamma==1.0"})) << "unless others need it";
}

TEST_P(PinMoverTest, OfSourcesOnlyTheNextLineIsTriedAndThenTheNewest) {
  const auto tried = [&](const Lines& versions) {
    const auto settled = settle({"onlysource==0.19.5", "tqdm"}, Pins::kNearest, {{"onlysource", versions}});
    return settled ? settled->lock.front() : settled.error().message;
  };
  EXPECT_EQ(settle({"onlysource==0.19.5"})->lock, (Lines{"onlysource==0.19.5"}));
  EXPECT_EQ(tried({"0.19.5"}), "onlysource==0.20.3");
  EXPECT_EQ(tried({"0.19.5", "0.20.3"}), "onlysource==0.28.1");
  EXPECT_NE(tried({"0.19.5", "0.20.3", "0.28.1"}).find("building it from its source failed"), std::string::npos);
  EXPECT_EQ(tried({"0.19.5", "0.20.3", "0.28.1"}).find("no such package"), std::string::npos);
}

TEST_P(PinMoverTest, TellsWhetherAllOfItIsReadyMade) {
  EXPECT_TRUE(settle({"torch==2.0.0", "torchvision"})->wheels_only);
  EXPECT_TRUE(settle({"torch==1.6.0", "torchvision==0.7.0"})->wheels_only);
  const auto built = settle({"future==0.17.1", "tqdm"});
  EXPECT_TRUE(built->wheels_only) << "but for what is named as built";
  EXPECT_TRUE(built->from_source.contains("future"));
}

TEST_P(PinMoverTest, PinsThatContradictEachOtherGiveWay) {
  const Lines moved = lock({"torch==1.13.1", "torchvision==0.15.0"});
  EXPECT_EQ(moved, (Lines{"torch==2.0.0", "torchvision==0.15.0"}));
}

TEST_P(PinMoverTest, WhatCannotBeSaysWhy) {
  const auto conflict = settle({"beta", "gamma"});
  ASSERT_FALSE(conflict);
  EXPECT_NE(conflict.error().message.find("alpha"), std::string::npos);
  const auto none = settle({"nosuch==1.0"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "nosuch==1.0 cannot be had: there is no such package");
}

TEST_P(PinMoverTest, StrictMovesNothing) {
  const auto strict = settle({"alpha==1.1"}, Pins::kStrict);
  ASSERT_FALSE(strict);
  EXPECT_TRUE(strict.error().message.starts_with("alpha==1.1 cannot be had: there are 1.0, 1.2, 2.0;"));
  EXPECT_TRUE(settle({"scikit-learn==0.22.1"}, Pins::kStrict)) << "its source may be built";
  EXPECT_FALSE(settle({"torch==1.13.1", "torchvision==0.15.0"}, Pins::kStrict));
}

TEST_P(PinMoverTest, AnIndexThatIsSilentIsNoMissingPackage) {
  index_.silent = true;
  const auto settled = settle({"alpha==1.1"});
  ASSERT_FALSE(settled);
  EXPECT_EQ(settled.error().code, ErrorCode::kUnavailable);
}

INSTANTIATE_TEST_SUITE_P(WithAndWithoutLowest, PinMoverTest, ::testing::Bool());

TEST(RequirementTest, Parts) {
  const Requirement one = parse_requirement("Horovod[pytorch] == 0.19.5 ; python_version < '3.12'  # why");
  EXPECT_EQ(one.name, "horovod");
  EXPECT_EQ(one.with(">=0.19.5"), "horovod[pytorch]>=0.19.5 ; python_version < '3.12'");
  EXPECT_TRUE(one.is_exact());
  EXPECT_EQ(one.start(), "0.19.5");
  EXPECT_EQ(parse_requirement("a>=1.0,<2").start(), "1.0");
  EXPECT_EQ(parse_requirement("a<1.17").start(), "1.17");
  EXPECT_EQ(parse_requirement("a==1.0.0rc1").start(), "1.0.0");
  EXPECT_EQ(parse_requirement("a!=1").start(), "");
  EXPECT_TRUE(parse_requirement("git+https://host/x.git").is_url);
  EXPECT_EQ(parse_requirement("x @ https://host/x.whl").name, "x");
  EXPECT_EQ(same_line("2.13.0+cpu"), ">=2.13.0,==2.13.*");
}

}  // namespace
}  // namespace roost
