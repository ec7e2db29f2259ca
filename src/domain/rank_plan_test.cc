#include "domain/rank_plan.h"

#include <set>

#include <gtest/gtest.h>

namespace roost {
namespace {

std::vector<NodeFacts> facts(int nodes, bool one_machine = true) {
  std::vector<NodeFacts> all;
  for (int i = 0; i < nodes; ++i) {
    all.push_back({"node" + std::to_string(i), "10.0.0." + std::to_string(i + 1), "10.0.0.0/24", {6105, 7001, 7002, 7003, 7004},
                   one_machine ? "kernel" : "kernel" + std::to_string(i), "/shared"});
  }
  return all;
}

TEST(RankPlan, EveryRankExistsOnceAndEveryoneAgreesOnTheMaster) {
  for (int nodes = 1; nodes <= 12; ++nodes) {
    for (int per_node = 1; per_node <= 9; ++per_node) {
      const auto gang = gang_of({{"kind", "pytorch"}, {"process_count", nodes * per_node}, {"node_count", nodes}}, 1);
      ASSERT_TRUE(gang) << gang.error().message;
      std::set<int> ranks;
      for (int node = 0; node < nodes; ++node) {
        const auto plan = plan_ranks(*gang, facts(nodes), node, "run_1");
        ASSERT_EQ(plan.size(), static_cast<std::size_t>(per_node));
        std::set<int> local;
        for (const auto& process : plan) {
          ranks.insert(process.rank);
          local.insert(process.local_rank);
          const auto& v = process.variables;
          EXPECT_EQ(v.at("RANK"), std::to_string(process.rank));
          EXPECT_EQ(v.at("AZ_BATCHAI_TASK_INDEX"), v.at("RANK"));
          EXPECT_EQ(v.at("LOCAL_RANK"), std::to_string(process.local_rank));
          EXPECT_EQ(v.at("WORLD_SIZE"), std::to_string(nodes * per_node));
          EXPECT_EQ(v.at("LOCAL_WORLD_SIZE"), std::to_string(per_node));
          EXPECT_EQ(v.at("NODE_RANK"), std::to_string(node));
          EXPECT_EQ(v.at("GROUP_RANK"), std::to_string(node));
          EXPECT_EQ(v.at("MASTER_ADDR"), "10.0.0.1");
          EXPECT_EQ(v.at("MASTER_PORT"), "6105");
          EXPECT_EQ(std::stoi(v.at("RANK")) / per_node, node);
        }
        EXPECT_EQ(local.size(), static_cast<std::size_t>(per_node));
        EXPECT_EQ(*local.rbegin(), per_node - 1);
      }
      EXPECT_EQ(ranks.size(), static_cast<std::size_t>(nodes * per_node));
      EXPECT_EQ(*ranks.rbegin(), nodes * per_node - 1);
    }
  }
}

TEST(RankPlan, UnevenSplitsAreRefusedWithWhatWouldDo) {
  int refused = 0;
  for (int nodes = 1; nodes <= 8; ++nodes) {
    for (int processes = 1; processes <= 24; ++processes) {
      const auto gang = gang_of({{"kind", "pytorch"}, {"process_count", processes}, {"node_count", nodes}}, 1);
      EXPECT_EQ(gang.has_value(), processes % nodes == 0);
      refused += gang ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 50);
  const auto gang = gang_of({{"kind", "pytorch"}, {"process_count", 5}, {"node_count", 2}}, 1);
  ASSERT_FALSE(gang);
  EXPECT_NE(gang.error().message.find("5 cannot be shared out evenly over 2 nodes; ask for 4 or 6"), std::string::npos)
      << gang.error().message;
}

TEST(RankPlan, TheDefaultIsOneProcessPerNode) {
  const auto gang = gang_of({{"kind", "pytorch"}, {"node_count", 3}}, 1);
  ASSERT_TRUE(gang);
  EXPECT_EQ(gang->nodes, 3);
  EXPECT_EQ(gang->per_node, 1);
  EXPECT_TRUE(gang_of(Json(), 1)->is_single());
  EXPECT_EQ(gang_of(Json(), 4)->processes(), 4);
}

TEST(RankPlan, WithoutACountOfProcessesNoneIsToldItsPlaceOnTheNode) {
  const Json one_each = {{"kind", "pytorch"}, {"process_count", 2}, {"node_count", 2}};
  for (const auto& [gang, counted] : {std::pair(gang_of(Json(), 2), false), std::pair(gang_of(one_each, 1), true),
                                      std::pair(gang_of({{"kind", "pytorch"}, {"node_count", 2}}, 1), false),
                                      std::pair(gang_of({{"kind", "tensorflow"}, {"worker_count", 2}}, 2), true)}) {
    ASSERT_TRUE(gang);
    const auto sent = parse_gang(gang_json(*gang));
    ASSERT_TRUE(sent);
    const auto variables = plan_ranks(*sent, facts(2), 1, "r").front().variables;
    EXPECT_EQ(variables.contains("LOCAL_RANK"), counted);
    EXPECT_EQ(variables.contains("LOCAL_WORLD_SIZE"), counted);
    EXPECT_EQ(variables.at("RANK"), "1");
    EXPECT_EQ(variables.at("WORLD_SIZE"), "2");
    EXPECT_EQ(variables.at("NODE_RANK"), "1");
  }
}

TEST(RankPlan, WhatIsNoGangIsRefused) {
  EXPECT_FALSE(gang_of({{"kind", "spark"}}, 1));
  EXPECT_FALSE(gang_of({{"kind", "single"}}, 1));
  EXPECT_FALSE(gang_of({{"kind", "mpi"}, {"process_count_per_node", 0}}, 1));
  EXPECT_FALSE(gang_of({{"kind", "mpi"}, {"process_count_per_node", 50'000}, {"node_count", 3}}, 1));
  EXPECT_FALSE(gang_of({{"kind", "mpi"}, {"node_count", 2}}, 3)) << "two different node counts";
  EXPECT_FALSE(gang_of({{"kind", "mpi"}, {"wheels", 4}}, 1));
}

TEST(RankPlan, MpiLeavesTheRanksToMpi) {
  const auto gang = gang_of({{"kind", "mpi"}, {"process_count_per_node", 2}, {"node_count", 3}}, 1);
  ASSERT_TRUE(gang);
  const auto plan = plan_ranks(*gang, facts(3), 2, "run_1");
  ASSERT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan[1].rank, 5);
  EXPECT_FALSE(plan[1].variables.contains("RANK"));
  EXPECT_EQ(plan[1].variables.at("AZ_BATCH_MASTER_NODE"), "10.0.0.1:6105");
  EXPECT_EQ(plan[1].variables.at("AZ_BATCHAI_MPI_MASTER_NODE"), "10.0.0.1");
}

TEST(RankPlan, TheOlderContractMeetsAtAFileWhereNodesShareOne) {
  EXPECT_EQ(init_method(facts(2), "birds_1-1"), "file:///shared/birds_1-1/init");
  EXPECT_EQ(init_method(facts(2, false), "birds_1-1"), "tcp://10.0.0.1:6105");
}

TEST(RankPlan, TensorFlowNamesEveryProcessInItsCluster) {
  const auto gang = gang_of({{"kind", "tensorflow"}, {"worker_count", 3}, {"parameter_server_count", 1}}, 2);
  ASSERT_TRUE(gang);
  EXPECT_EQ(gang->per_node, 2);
  EXPECT_EQ(ports_needed(*gang), 3);
  const auto plan = plan_ranks(*gang, facts(2), 1, "r");
  const auto worker = Json::parse(plan[0].variables.at("TF_CONFIG"));
  const auto server = Json::parse(plan[1].variables.at("TF_CONFIG"));
  EXPECT_EQ(worker["task"], (Json{{"type", "worker"}, {"index", 2}}));
  EXPECT_EQ(server["task"], (Json{{"type", "ps"}, {"index", 0}}));
  EXPECT_EQ(worker["cluster"], server["cluster"]);
  EXPECT_EQ(worker["cluster"]["worker"], (Json{"10.0.0.1:7001", "10.0.0.1:7002", "10.0.0.2:7001"}));
  EXPECT_EQ(worker["cluster"]["ps"], (Json{"10.0.0.2:7002"}));
}

TEST(RankPlan, LogsHaveTheirRankInTheName) {
  EXPECT_EQ(rank_log(Gang{}, 0), "azureml-logs/70_driver_log.txt");
  const auto gang = gang_of({{"kind", "pytorch"}, {"process_count", 4}}, 1);
  EXPECT_EQ(rank_log(*gang, 3), "azureml-logs/70_driver_log_3.txt");
  EXPECT_EQ(rank_of_log("azureml-logs/70_driver_log_3.txt"), 3);
  EXPECT_EQ(log_of_run(*gang, "user_logs/std_log_process_2.txt"), "azureml-logs/70_driver_log_2.txt");
  EXPECT_EQ(log_of_run(*gang, "azureml-logs/70_driver_log.txt"), "azureml-logs/70_driver_log_0.txt");
  EXPECT_EQ(log_of_run(Gang{}, "user_logs/std_log.txt"), "azureml-logs/70_driver_log.txt");
  EXPECT_EQ(log_of_run(Gang{}, "user_logs/std_log_process_00.txt"), "azureml-logs/70_driver_log.txt");
  EXPECT_EQ(log_of_run(*gang, "logs/a.txt"), "logs/a.txt");
  EXPECT_EQ(rank_of_log("azureml-logs/70_driver_log.txt"), 0);
  EXPECT_EQ(rank_of_log("user_logs/std_log.txt"), 0);
  EXPECT_EQ(rank_of_log("user_logs/std_log_process_03.txt"), 3);
  EXPECT_EQ(rank_of_log("user_logs/std_log_process_11.txt"), 11);
  EXPECT_EQ(rank_of_log("user_logs/std_log_2.txt"), 2);
  EXPECT_EQ(rank_of_log("logs/x.txt"), -1);
  EXPECT_EQ(rank_of_log("azureml-logs/70_driver_log_x.txt"), -1);
  EXPECT_EQ(rank_of_log("azureml-logs/70_driver_log3.txt"), -1);
}

TEST(RankPlan, GpusAreSharedOutByLocalRank) {
  EXPECT_EQ(gpus_of_rank("4,5,6,7", 1, 2), "6,7");
  EXPECT_EQ(gpus_of_rank("4,5,6,7", 3, 4), "7");
  EXPECT_EQ(gpus_of_rank("4,5", 3, 4), "5") << "more processes than GPUs share them";
  EXPECT_EQ(gpus_of_rank("", 0, 2), "");
}

TEST(RankPlan, AGangAndItsNodesTravelAsJson) {
  const auto gang = gang_of({{"kind", "mpi"}, {"process_count_per_node", 2}, {"node_count", 3}}, 1);
  const auto back = parse_gang(gang_json(*gang));
  ASSERT_TRUE(back);
  EXPECT_EQ(gang_json(*back), gang_json(*gang));
  const auto node = parse_node_facts(node_facts_json(facts(1).front()));
  ASSERT_TRUE(node);
  EXPECT_EQ(node_facts_json(*node), node_facts_json(facts(1).front()));
  EXPECT_FALSE(parse_node_facts({{"name", "a"}, {"address", "b"}, {"ports", {0}}}));
  EXPECT_FALSE(parse_node_facts({{"name", "a"}, {"address", "b"}, {"ports", {"x"}}}));
}

}  // namespace
}  // namespace roost
