#include <algorithm>

#include <gtest/gtest.h>

#include "compute/slurm/slurm_script.h"
#include "compute/slurm/slurm_text.h"

namespace roost {
namespace {

TEST(Squeue, ReadsWhatSlurmPrints) {
  // As 22.05 printed it; 24.11 prints the same for this format, with states and reasons of its own.
  const auto jobs = parse_squeue(
      "roost-a|N/A|6|FAILED|BadConstraints|1||2026-11-16T06:45:02\n"
      "roost-b|3|10_3|PENDING|None|1||N/A\n"
      "roost-c|N/A|8|RUNNING|None|4|n[1-2,4]|2026-11-16T06:45:02\n"
      "roost-d|N/A|9|POWER_UP_NODE|None|1|n5|2026-11-16T06:45:02\n"
      "a|name|with|bars|in|it|and|more|fields\n"
      "cut off");
  ASSERT_EQ(jobs.size(), 4U);
  EXPECT_EQ(jobs[0].phase, SlurmPhase::kOver);
  EXPECT_EQ(jobs[1].index, 3);
  EXPECT_EQ(jobs[1].id, "10_3");
  EXPECT_EQ(jobs[1].phase, SlurmPhase::kPending);
  EXPECT_FALSE(jobs[1].starts);
  EXPECT_EQ(jobs[2].hosts, "n[1-2,4]");
  EXPECT_EQ(jobs[2].nodes, 4);
  EXPECT_EQ(jobs[3].phase, SlurmPhase::kStarting);
}

TEST(Squeue, KnowsEveryState) {
  for (const char* over : {"BOOT_FAIL", "CANCELLED", "CANCELLED by 0", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL",
                           "OUT_OF_MEMORY", "PREEMPTED", "REVOKED", "TIMEOUT"}) {
    EXPECT_EQ(slurm_phase(over), SlurmPhase::kOver) << over;
  }
  EXPECT_EQ(slurm_phase("COMPLETING"), SlurmPhase::kEnding);
  EXPECT_EQ(slurm_phase("CONFIGURING"), SlurmPhase::kStarting);
  EXPECT_EQ(slurm_phase("SUSPENDED"), SlurmPhase::kRunning);
  EXPECT_EQ(slurm_phase("EXPEDITING"), SlurmPhase::kPending);
}

TEST(Sbatch, AnswersWithANumber) {
  EXPECT_EQ(parse_job_id("12\n").value_or(""), "12");
  EXPECT_EQ(parse_job_id("12;cluster\n").value_or(""), "12");
  EXPECT_FALSE(parse_job_id(""));
  EXPECT_FALSE(parse_job_id("Submitted batch job 12"));
}

TEST(Sinfo, TellsWhichNodesAreGone) {
  const auto hosts = parse_sinfo("n1|mixed\nn2|down*\nn3|idle~\nn4|allocated#\nn5|idle*\n");
  ASSERT_EQ(hosts.size(), 5U);
  EXPECT_TRUE(hosts[0].usable);
  EXPECT_FALSE(hosts[1].usable);
  EXPECT_EQ(hosts[1].state, "down");
  EXPECT_TRUE(hosts[2].usable);
  EXPECT_TRUE(hosts[3].usable);
  EXPECT_FALSE(hosts[4].usable);  // does not answer
}

TEST(Scontrol, TellsWhenTheControllerStarted) {
  const auto at = parse_boot_time("Configuration data as of 2026-11-16T07:40:00\nAuthType                = auth/munge\n"
                                  "BOOT_TIME               = 2026-11-16T07:33:22\n");
  ASSERT_TRUE(at);
  EXPECT_EQ(parse_boot_time("BOOT_TIME = 2026-11-16T07:33:23").value_or(0) - *at, 1);
  EXPECT_FALSE(parse_boot_time("BOOT_TIME"));
  EXPECT_FALSE(parse_boot_time("BOOT_TIME = (null)"));
}

TEST(Reasons, AreInWords) {
  EXPECT_EQ(pending_words("Resources", 2), "waiting for 2 nodes to become free (Slurm: Resources)");
  EXPECT_EQ(pending_words("Resources", 1), "waiting for a node to become free (Slurm: Resources)");
  EXPECT_NE(pending_words("PartitionNodeLimit", 9).find("partition limit"), std::string::npos);
  EXPECT_NE(pending_words("QOSMaxCpuPerUserLimit", 1).find("limit of the QOS"), std::string::npos);
  EXPECT_NE(pending_words("AssocGrpNodeLimit", 1).find("limit of the account"), std::string::npos);
  EXPECT_NE(pending_words("SomethingNew", 1).find("SomethingNew"), std::string::npos);
}

TEST(Errors, TellWhetherWaitingHelps) {
  const auto partition = explain_slurm_error(
      "sbatch: error: invalid partition specified: nope\n"
      "sbatch: error: Batch job submission failed: Invalid partition name specified\n");
  EXPECT_FALSE(partition.waiting_helps);
  EXPECT_EQ(partition.words, "there is no such partition (\"Invalid partition name specified\")");
  EXPECT_FALSE(explain_slurm_error("sbatch: error: Batch job submission failed: Invalid account or account/partition "
                                   "combination specified").waiting_helps);
  EXPECT_FALSE(explain_slurm_error("sbatch: error: Batch job submission failed: Invalid qos specification").waiting_helps);
  const auto down = explain_slurm_error(
      "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)");
  EXPECT_TRUE(down.waiting_helps);
  EXPECT_NE(down.words.find("slurmctld does not answer"), std::string::npos);
  const auto munge = explain_slurm_error(
      "sbatch: error: If munged is up, restart with --num-threads=10\n"
      "sbatch: error: Munge encode failed: Failed to connect to \"/run/munge.socket\": Connection refused\n"
      "sbatch: error: Batch job submission failed: Protocol authentication error\n");
  EXPECT_TRUE(munge.waiting_helps);
  EXPECT_NE(munge.words.find("munge does not answer"), std::string::npos);
  EXPECT_NE(explain_slurm_error("sbatch: error: Batch job submission failed: Expired credential").words.find("clocks"),
            std::string::npos);
  EXPECT_TRUE(explain_slurm_error("something else").waiting_helps);
}

TEST(SlurmScript, AsksForWhatTheRunAsksFor) {
  SlurmSubmission job;
  job.options.gres = "gpu:1";
  job.options.memory = "4G";
  const auto has = [](const SlurmSubmission& one, const std::string& word) {
    const auto words = sbatch_words(one);
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  EXPECT_TRUE(has(job, "--gres=gpu:1"));
  EXPECT_TRUE(has(job, "--mem=4G"));
  job.resources = {2, 8, 16 * 1024};
  for (const char* word : {"--gpus-per-node=2", "--cpus-per-task=8", "--mem=16384M"}) EXPECT_TRUE(has(job, word)) << word;
  EXPECT_FALSE(has(job, "--gres=gpu:1"));
  EXPECT_FALSE(has(job, "--exclusive"));
  job.options = {};
  job.resources = {};
  EXPECT_TRUE(has(job, "--exclusive"));
}

}  // namespace
}  // namespace roost
