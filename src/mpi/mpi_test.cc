#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/files.h"
#include "mpi/mpirun_line.h"

namespace roost::mpi {
namespace {

const Plan kPlan{{"node-a", "node-b", "node-c"}, {"10.0.0.0/24", "10.0.1.0/24", "10.0.1.0/24"}, 2};

std::string text_of(Flavour flavour) {
  std::string text;
  for (const auto& word : mpirun_line(flavour, "/usr/bin/mpirun", kPlan, "/x/agent", {"/x/roost-mpi", "rank"}).words) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(MpirunLine, KnowsTheKindsByTheirVersions) {
  EXPECT_EQ(flavour_of("mpirun (Open MPI) 4.1.4\n\nReport bugs to"), Flavour::kOpenMpi4);
  EXPECT_EQ(flavour_of("mpirun.openmpi (OpenRTE) 4.1.4"), Flavour::kOpenMpi4);
  EXPECT_EQ(flavour_of("mpirun (Open MPI) 5.0.11"), Flavour::kOpenMpi5);
  EXPECT_EQ(flavour_of("mpirun (PRRTE) 3.0.2"), Flavour::kOpenMpi5);
  EXPECT_EQ(flavour_of("HYDRA build details:\n    Version:   4.0.2"), Flavour::kMpich);
  EXPECT_EQ(flavour_of("Intel(R) MPI Library for Linux* OS, Version 2021.11"), Flavour::kIntel);
  EXPECT_EQ(flavour_of(""), Flavour::kUnknown);
}

TEST(MpirunLine, KnowsOpenMpiByItsFileToo) {
  EXPECT_EQ(flavour_of_file("/usr/bin/orterun"), Flavour::kOpenMpi4);
  EXPECT_EQ(flavour_of_file("orterun"), Flavour::kOpenMpi4);
  EXPECT_EQ(flavour_of_file("/opt/orterun/bin/mpirun"), Flavour::kUnknown);
  EXPECT_EQ(flavour_of_file("/usr/bin/mpiexec.hydra"), Flavour::kUnknown);
}

TEST(MpirunLine, OpenMpiLooksForNoOtherNetworkWhereThereIsNone) {
  Plan plan = kPlan;
  for (const auto flavour : {Flavour::kOpenMpi4, Flavour::kOpenMpi5, Flavour::kMpich}) {
    plan.only_tcp = false;
    auto words = mpirun_line(flavour, "mpirun", plan, "/x/agent", {}).words;
    EXPECT_EQ(std::count(words.begin(), words.end(), "ob1"), 0);
    plan.only_tcp = true;
    words = mpirun_line(flavour, "mpirun", plan, "/x/agent", {}).words;
    EXPECT_EQ(std::count(words.begin(), words.end(), "ob1"), flavour == Flavour::kMpich ? 0 : 1);
  }
}

TEST(MpirunLine, EveryKindNamesTheNodesInOrderAndTheAgent) {
  for (const auto flavour : {Flavour::kOpenMpi4, Flavour::kOpenMpi5, Flavour::kMpich, Flavour::kIntel}) {
    const std::string text = text_of(flavour);
    EXPECT_TRUE(text.starts_with("/usr/bin/mpirun ")) << text;
    EXPECT_TRUE(text.ends_with(" /x/roost-mpi rank")) << text;
    EXPECT_TRUE(has(text, " /x/agent ")) << text;
    EXPECT_TRUE(has(text, "node-a:2,node-b:2,node-c:2") || has(text, "-hosts node-a,node-b,node-c -ppn 2")) << text;
    EXPECT_TRUE(has(text, "-np 6") || has(text, "-n 6")) << text;
  }
}

TEST(MpirunLine, OpenMpiKeepsToTheNetworkBetweenTheNodes) {
  EXPECT_TRUE(has(text_of(Flavour::kOpenMpi4), "oob_tcp_if_include 10.0.0.0/24,10.0.1.0/24 "));
  EXPECT_TRUE(has(text_of(Flavour::kOpenMpi4), "btl_tcp_if_include 10.0.0.0/24,10.0.1.0/24 "));
  EXPECT_TRUE(has(text_of(Flavour::kOpenMpi5), "prte_if_include 10.0.0.0/24,10.0.1.0/24 "));
}

TEST(MpirunLine, OnlyNodesOfOneMachineOfferTheirLoopback) {
  EXPECT_FALSE(has(text_of(Flavour::kOpenMpi4), "retain_loopback"));
  const Plan plan{{"node-a", "node-b"}, {"127.0.0.0/8", "127.0.0.0/8"}, 1};
  const auto words = mpirun_line(Flavour::kOpenMpi4, "mpirun", plan, "agent", {}).words;
  EXPECT_NE(std::find(words.begin(), words.end(), "if_base_retain_loopback"), words.end());
  EXPECT_NE(std::find(words.begin(), words.end(), "127.0.0.0/8"), words.end());
}

TEST(MpirunLine, HydraForksNothingForOtherNodesOfTheSameMachine) {
  const Line line = mpirun_line(Flavour::kMpich, "mpirun", kPlan, "agent", {});
  EXPECT_EQ(line.variables.front(), (std::pair<std::string, std::string>("HYDRA_LAUNCHER_AUTOFORK", "0")));
}

TEST(MpiFiles, WordsMayBeEmptyAndHaveAnyCharacter) {
  EXPECT_EQ(split_nul(std::string("a\0\0b c\n\0", 8)), (std::vector<std::string>{"a", "", "b c\n"}));
  EXPECT_EQ(split_nul(""), std::vector<std::string>{});
}

TEST(MpiFiles, AFileAppearsWhole) {
  const std::string path = ::testing::TempDir() + "roost_mpi_file";
  ASSERT_TRUE(write_file(path, "exit 3 17\n"));
  EXPECT_EQ(read_file(path), "exit 3 17\n");
  EXPECT_FALSE(write_file("/no/such/folder/x", ""));
  EXPECT_EQ(read_file("/no/such/file"), std::nullopt);
}

}  // namespace
}  // namespace roost::mpi
