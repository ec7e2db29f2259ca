#include <gtest/gtest.h>

#include "cli/show/rank_choice.h"
#include "cli/show/rank_prefix.h"
#include "cli/show/rank_table.h"
#include "cli/show/run_page.h"
#include "cli/work/run_spec.h"

namespace roost {
namespace {

const Style kPlain(false);
const Json kGang = {{"id", "ddp_1"}, {"spec", {{"distributed", {{"kind", "pytorch"}, {"process_count", 12}, {"node_count", 2}}}}}};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Json rank_item(int rank, const char* role, Json exit_code, Json signal) {
  return {{"rank", rank}, {"node", "node-" + std::to_string(rank / 2)}, {"state", "ended"}, {"role", role},
          {"exit_code", std::move(exit_code)}, {"signal", std::move(signal)}};
}

TEST(RankPrefix, MarksEveryLineInOneWidth) {
  RankPrefix pipe(12, false, kPlain);
  EXPECT_EQ(pipe.mark(3, "a\nb\n"), "[3]  a\n[3]  b\n");
  EXPECT_EQ(pipe.mark(11, "c\n"), "[11] c\n");
  RankPrefix terminal(4, true, Style(true));
  EXPECT_EQ(terminal.mark(0, "a\n"), "\033[36m[rank 0]\033[0m a\n");
  EXPECT_EQ(terminal.mark(1, "10%\r 50%\r100%\n"), "\033[32m[rank 1]\033[0m 100%\n");
}

TEST(RankPrefix, AnOpenLineGoesOnOrIsEnded) {
  RankPrefix prefix(2, false, kPlain);
  EXPECT_EQ(prefix.mark(0, "half"), "[0] half");
  EXPECT_EQ(prefix.mark(0, " whole\n"), " whole\n");
  EXPECT_EQ(prefix.mark(0, "cut"), "[0] cut");
  EXPECT_EQ(prefix.mark(1, "x\n"), "\n[1] x\n");
  EXPECT_EQ(prefix.finish(), "");
  EXPECT_EQ(prefix.mark(1, "end"), "[1] end");
  EXPECT_EQ(prefix.finish(), "\n");
}

TEST(RankChoice, FromWhatWasWritten) {
  auto choice = parse_ranks("5,0,5", kGang).value();
  EXPECT_EQ(choice.ranks, (std::vector<int>{0, 5}));
  EXPECT_EQ(choice.query(), "ranks=0,5");
  choice.offsets[5] = 17;
  EXPECT_EQ(choice.query(), "ranks=0,5&offsets=0,17");
  EXPECT_EQ(all_ranks(kGang).query(), "ranks=all");
  EXPECT_EQ(parse_ranks("12", kGang).error().message, "run ddp_1 has 12 ranks, 0 to 11; there is no rank 12");
  for (const char* wrong : {"x", "1,", "-1", "1-3", ""}) EXPECT_FALSE(parse_ranks(wrong, kGang)) << wrong;
  const Json single = {{"id", "one_1"}, {"spec", Json::object()}};
  EXPECT_TRUE(has(parse_ranks("1", single).error().message, "has one process, rank 0"));
  EXPECT_EQ(log_of_rank(kGang, 3), "azureml-logs/70_driver_log_3.txt");
  EXPECT_EQ(log_of_rank(single, 0), "azureml-logs/70_driver_log.txt");
}

TEST(RankTable, NamesTheCauseTheVictimsAndTheStopped) {
  const Json ranks = {rank_item(0, "victim", 1, nullptr), rank_item(1, "victim", nullptr, 6),
                      rank_item(2, "stopped", nullptr, 15), rank_item(3, "root_cause", 1, nullptr)};
  const Json run = {{"id", "r"}, {"status", "Failed"}, {"error", {{"code", "script_failed"}, {"rank", 3}, {"node", "node-1"},
                    {"message", "rank 3 on node-1 ended with exit code 1: ValueError: x"},
                    {"traceback", {"Traceback (most recent call last):", "ValueError: x"}}, {"last_lines", {"never shown"}}}}};
  const std::string page = run_page({run, nullptr, ranks, nullptr}, 0, 100, kPlain);
  EXPECT_TRUE(has(page, "     3  node-1  ended  exit code 1           root cause\n")) << page;
  EXPECT_TRUE(has(page, "     1  node-0  ended  SIGABRT (aborted)     victim\n")) << page;
  EXPECT_TRUE(has(page, "Error  script_failed  of rank 3  on node-1\n")) << page;
  EXPECT_TRUE(has(page, "  ranks 0 and 1 failed because of it\n")) << page;
  EXPECT_TRUE(has(page, "  rank 2 still ran and had to be ended\n")) << page;
  EXPECT_TRUE(has(page, "  │ ValueError: x\n") && !has(page, "never shown")) << page;
}

TEST(RankTable, OfVeryManyOnlyThoseThatMatter) {
  Json ranks = Json::array();
  for (int i = 0; i < 64; ++i) ranks.push_back(rank_item(i, i == 40 ? "root_cause" : "stopped", nullptr, 15));
  const std::string table = rank_table(ranks, 100, kPlain);
  EXPECT_TRUE(has(table, "    40  node-20") && has(table, "  63 other ranks\n")) << table;
  EXPECT_EQ(ranks_text({0, 1, 2, 4, 6, 7}), "ranks 0 to 2, 4, 6 and 7");
}

TEST(RunSpec, CountsNodesAndProcesses) {
  RunRequest request;
  request.experiment = "e";
  request.command = {"true"};
  EXPECT_FALSE(make_spec(request)->contains("distributed"));
  request.nodes = 2;
  request.processes = 4;
  EXPECT_EQ((*make_spec(request))["distributed"], Json({{"kind", "pytorch"}, {"node_count", 2}, {"process_count", 4}}));
  request.processes = 5;
  EXPECT_TRUE(has(make_spec(request).error().message, "ask for 4 or 6"));
  request.processes.reset();
  request.per_node = 3;
  EXPECT_EQ((*make_spec(request))["distributed"]["process_count"], 6);
  request.mpi = true;
  EXPECT_EQ((*make_spec(request))["distributed"], Json({{"kind", "mpi"}, {"node_count", 2}, {"process_count_per_node", 3}}));
  request.processes = 4;
  EXPECT_TRUE(has(make_spec(request).error().message, "give one of them"));
  request.per_node.reset();
  EXPECT_EQ((*make_spec(request))["distributed"]["process_count_per_node"], 2);
  request.nodes = 0;
  EXPECT_TRUE(has(make_spec(request).error().message, "--nodes 0"));
}

}  // namespace
}  // namespace roost
