#include "domain/log_names.h"

#include <gtest/gtest.h>

namespace roost {
namespace {

TEST(LogNames, GoBothWays) {
  for (const auto& [stored, plain] : {std::pair("azureml-logs/70_driver_log.txt", "output"), {"azureml-logs/70_driver_log_12.txt", "output_12"},
                                      {"azureml-logs/20_image_build_log.txt", "build"}, {"azureml-logs/60_mpi_log_node_2.txt", "mpi_node_2"},
                                      {"azureml-logs/hyperdrive.txt", "sweep"}, {"logs/output", "logs/output"},
                                      {"logs/train.txt", "logs/train.txt"}, {"azureml-logs/70_driver_log_x.txt", "azureml-logs/70_driver_log_x.txt"}}) {
    EXPECT_EQ(plain_log_name(stored), plain);
    EXPECT_EQ(stored_log_name(plain), stored);
    EXPECT_EQ(stored_log_name(stored), stored);
  }
  EXPECT_EQ(stored_log_name("outputs"), "outputs");
  EXPECT_EQ(stored_log_name("output_"), "output_");
}

}  // namespace
}  // namespace roost
