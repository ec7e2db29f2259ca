#include "domain/visible_gpus.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

const std::vector<Gpu> kMachine = {{"GPU-aaaa-1", "A100", 0, 0}, {"GPU-aaab-2", "A100", 0, 1},
                                   {"MIG-1", "A100 MIG", 0, 2}, {"MIG-2", "A100 MIG", 0, 2}};

std::vector<std::string> ids(std::string_view variable) {
  std::vector<std::string> all;
  for (const auto& gpu : visible_gpus(kMachine, variable)) all.push_back(gpu.id);
  return all;
}

using Ids = std::vector<std::string>;

TEST(VisibleGpus, ReadsNumbersAndUuidsInTheirOrder) {
  EXPECT_EQ(ids("1,0"), (Ids{"GPU-aaab-2", "GPU-aaaa-1"}));
  EXPECT_EQ(ids("GPU-aaab-2, MIG-2"), (Ids{"GPU-aaab-2", "MIG-2"}));
}

TEST(VisibleGpus, TakesAUniqueBeginning) {
  EXPECT_EQ(ids("GPU-aaaa"), (Ids{"GPU-aaaa-1"}));
  EXPECT_EQ(ids("GPU-aaa"), Ids());
}

TEST(VisibleGpus, ANumberOfADividedGpuIsAllItsInstances) { EXPECT_EQ(ids("2"), (Ids{"MIG-1", "MIG-2"})); }

TEST(VisibleGpus, TheFirstThatNamesNothingEndsTheList) {
  EXPECT_EQ(ids(""), Ids());
  EXPECT_EQ(ids("-1"), Ids());
  EXPECT_EQ(ids("0,-1,1"), (Ids{"GPU-aaaa-1"}));
  EXPECT_EQ(ids("0,7,1"), (Ids{"GPU-aaaa-1"}));
  EXPECT_EQ(ids("0,0"), (Ids{"GPU-aaaa-1"}));
}

TEST(NarrowGpus, CountsAmongTheOnesThatAreGiven) {
  EXPECT_EQ(narrow_gpus({"GPU-x", "GPU-y"}, "1"), (Ids{"GPU-y"}));
  EXPECT_EQ(narrow_gpus({"GPU-x", "GPU-y"}, "GPU-z"), Ids());
}

}  // namespace
}  // namespace roost
