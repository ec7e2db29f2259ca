#include "domain/output_sets.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

// A run with this many nodes; times are seconds.
class Nodes {
 public:
  explicit Nodes(int nodes) : sets_(nodes) {}

  // A node has `text` in its file of the folder, written at `written`, and looks at `now`. Tells which texts make a set now.
  std::string look(int node, const std::string& text, double written, double now, const std::string& folder = "outputs") {
    FolderReport report{folder, us(now) - us(written), now - written >= 1, {}, {}};
    report.files = {{folder + "/part" + std::to_string(node), text, 1}};
    return text_of(sets_.look(node, {report}, false, us(now)));
  }
  std::string look(int node, double now) { return text_of(sets_.look(node, {}, false, us(now))); }
  std::string end(int node, double now) { return text_of(sets_.look(node, {}, true, us(now))); }

 private:
  static Micros us(double seconds) { return static_cast<Micros>(seconds * kSecond) + 1000 * kSecond; }
  static std::string text_of(const std::vector<OutputSet>& sets) {
    std::string text;
    for (const auto& set : sets) {
      for (const auto& file : set.files) text += file.digest + " ";
    }
    return text;
  }
  OutputSets sets_;
};

TEST(OutputSets, OneNodeRestsForAFewSeconds) {
  Nodes run(1);
  EXPECT_EQ(run.look(0, "a1", 0, 2), "");
  EXPECT_EQ(run.look(0, "a1", 0, 3), "a1 ");
  EXPECT_EQ(run.look(0, "a1", 0, 6), "");
  EXPECT_EQ(run.look(0, "a2", 7, 9), "");
  EXPECT_EQ(run.look(0, "a2", 7, 12), "a2 ");
}

TEST(OutputSets, NoPartOfSeveralNodesWithoutTheOthers) {
  Nodes run(2);
  EXPECT_EQ(run.look(0, "a1", 0, 3), "");
  EXPECT_EQ(run.look(1, "b1", 1, 4), "");
  EXPECT_EQ(run.look(0, "a1", 0, 12), "");  // of the other nothing was heard since
  EXPECT_EQ(run.look(1, "b1", 1, 12), "a1 b1 ");
  // The second is slow with its part, and is lost before it has written it.
  EXPECT_EQ(run.look(0, "a2", 30, 33), "");
  EXPECT_EQ(run.look(1, 34), "");
  EXPECT_EQ(run.look(0, "a2", 30, 36), "");
  EXPECT_EQ(run.look(1, "b?", 37.5, 38), "");
  for (double now = 39; now < 90; now += 3) EXPECT_EQ(run.look(0, "a2", 30, now), "");
}

TEST(OutputSets, ANodeThatIsBusyHoldsTheOthersUp) {
  Nodes run(2);
  EXPECT_EQ(run.look(0, "a1", 0, 3), "");
  for (double now = 4; now < 30; now += 3) {
    EXPECT_EQ(run.look(1, "b", now - 0.1, now), "");  // it writes for long
    EXPECT_EQ(run.look(0, "a1", 0, now + 1), "");
  }
  EXPECT_EQ(run.look(1, "b1", 30, 42), "");
  EXPECT_EQ(run.look(0, "a1", 0, 43), "a1 b1 ");
}

TEST(OutputSets, WhoeverSavesOftenRestsLongerBetweenCheckpointsThanInsideOne) {
  Nodes run(1);
  // Every 2 s, always the same file: never 3 s of rest.
  std::string kept;
  for (int i = 0; i < 10; ++i) kept += run.look(0, "a" + std::to_string(i), 2 * i, 2 * i + 1.9);
  EXPECT_EQ(kept, "a3 a4 a5 a6 a7 a8 a9 ");
}

TEST(OutputSets, APauseInsideACheckpointIsNotTakenForItsEnd) {
  Nodes run(2);
  std::string kept;
  for (int i = 0; i < 6; ++i) {
    const double at = 9 * i;
    const std::string n = std::to_string(i);
    // The first node writes, the second 2 s later; then nothing for 7 s.
    kept += run.look(0, "a" + n, at, at + 1.5);
    kept += run.look(1, at + 1.6);
    kept += run.look(1, "b" + n, at + 2, at + 8);
    kept += run.look(0, at + 8.1);
  }
  EXPECT_EQ(kept, "a1 b1 a2 b2 a3 b3 a4 b4 a5 b5 ");
}

TEST(OutputSets, FoldersAreSetsOfTheirOwn) {
  Nodes run(1);
  EXPECT_EQ(run.look(0, "old", 0, 4, "outputs/step-1"), "old ");
  EXPECT_EQ(run.look(0, "new", 4, 6, "outputs/step-2"), "");
  EXPECT_EQ(run.look(0, "new", 4, 8, "outputs/step-2"), "new ");
}

TEST(OutputSets, WhatIsThereWhenAllHaveEndedIsASet) {
  Nodes run(2);
  EXPECT_EQ(run.look(0, "a1", 0, 2), "");
  EXPECT_EQ(run.end(0, 3), "");
  EXPECT_EQ(run.end(1, 4), "a1 ");
}

}  // namespace
}  // namespace roost
