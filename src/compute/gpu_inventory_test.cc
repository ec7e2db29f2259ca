#include "compute/gpu_inventory.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(GpuInventory, ReadsWholeGpus) {
  const auto gpus = gpus_of_listing(
      "GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-5c0a)\n"
      "GPU 1: Tesla V100 (UUID: GPU-77aa)\n");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].id, "GPU-5c0a");
  EXPECT_EQ(gpus[0].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(gpus[1].id, "GPU-77aa");
  EXPECT_EQ(gpus[1].index, 1);
}

TEST(GpuInventory, ReadsTheInstancesInPlaceOfADividedGpu) {
  const auto gpus = gpus_of_listing(
      "GPU 0: NVIDIA A100 (UUID: GPU-5c0a)\n"
      "  MIG 3g.20gb     Device  0: (UUID: MIG-1111)\n"
      "  MIG 1g.5gb      Device  1: (UUID: MIG-2222)\n"
      "GPU 1: NVIDIA A100 (UUID: GPU-77aa)\n");
  ASSERT_EQ(gpus.size(), 3U);
  EXPECT_EQ(gpus[0].id, "MIG-1111");
  EXPECT_EQ(gpus[1].id, "MIG-2222");
  EXPECT_EQ(gpus[1].index, 0);
  EXPECT_EQ(gpus[2].id, "GPU-77aa");
}

TEST(GpuInventory, WhatIsNoListingHasNone) {
  EXPECT_TRUE(gpus_of_listing("").empty());
  EXPECT_TRUE(gpus_of_listing("NVIDIA-SMI has failed because it couldn't communicate with the driver.\n").empty());
  EXPECT_TRUE(gpus_of_listing("GPU 0: (UUID: \n").empty());
}

}  // namespace
}  // namespace roost
