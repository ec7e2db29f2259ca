#include "compute/slurm/slurm_text.h"

#include <algorithm>
#include <charconv>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

std::optional<std::int64_t> to_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

// 2026-11-16T06:45:02, in the time zone of the cluster, which is taken for ours.
std::optional<std::int64_t> to_time(std::string_view text) {
  std::tm time{};
  const std::string whole(text);
  const char* end = ::strptime(whole.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
  if (!end || *end != '\0') return std::nullopt;
  time.tm_isdst = -1;
  return ::mktime(&time);
}

struct Words {
  std::string_view key;
  std::string_view text;
};

// By the beginning of Slurm's reason, the longer one first where two begin alike.
constexpr Words kReasons[] = {
    {"None", "Slurm has not looked at the job yet"},
    {"Priority", "behind other jobs of the cluster"},
    {"Dependency", "waiting for another job"},
    {"BeginTime", "Slurm lets the job begin a little later"},
    {"JobHeldUser", "held by its owner; 'scontrol release' lets it go"},
    {"JobHeldAdmin", "held by an administrator of the cluster"},
    {"PartitionNodeLimit", "partition limit: the partition gives no job that many nodes"},
    {"PartitionTimeLimit", "partition limit: the partition gives no job that much time"},
    {"PartitionConfig", "partition limit: the partition has not the nodes that the run asks for"},
    {"PartitionInactive", "the partition is closed for now"},
    {"PartitionDown", "the partition is down"},
    {"ReqNodeNotAvail", "the nodes that the run asks for are down or reserved"},
    {"NodeDown", "a node that the run asks for is down"},
    {"Licenses", "waiting for a licence"},
    {"Reservation", "waiting for its reservation"},
    {"BadConstraints", "no node of the cluster has what the run asks for"},
    {"InvalidAccount", "the account is not valid"},
    {"AccountNotAllowed", "the account may not use the partition"},
    {"InvalidQOS", "the QOS is not valid"},
    {"QOSNotAllowed", "the QOS may not be used with this account or partition"},
    {"QOS", "a limit of the QOS is reached"},
    {"Assoc", "a limit of the account is reached"},
    {"MaxCpuPerAccount", "a limit of the account is reached"},
    {"AccountingPolicy", "a limit of the account is reached"},
    {"Prolog", "the cluster prepares the nodes"},
    {"Cleaning", "Slurm clears up after the job's last try"},
    {"launch failed requeued held", "held by Slurm, because the job could not be started on its node"},
    {"NodeFail", "a node failed"},
};

struct Refusal {
  std::string_view key;
  bool waiting_helps;
  std::string_view text;
};

constexpr Refusal kErrors[] = {
    {"invalid partition", false, "there is no such partition"},
    {"invalid account", false, "the account does not exist or may not use the partition"},
    {"invalid qos", false, "the QOS does not exist or may not be used by this account"},
    {"(gres) specification", false, "the cluster has no such gres"},
    {"invalid feature", false, "no node has the constraint's feature"},
    {"reservation is invalid", false, "there is no such reservation"},
    {"node count specification invalid", false, "the partition does not have that many nodes"},
    {"requested node configuration is not available", false, "no nodes of the partition have what the run asks for"},
    {"more processors requested than permitted", false, "more CPUs than the partition gives a job"},
    {"memory specification can not be satisfied", false, "more memory than the nodes have"},
    {"requested time limit is invalid", false, "the time limit is longer than the partition allows"},
    {"time limit exceeds", false, "the time limit is longer than the partition allows"},
    {"accounting/qos policy", true, "a limit of the account or QOS is reached"},
    {"access/permission denied", false, "Slurm does not let this user do that"},
    {"user's group not permitted", false, "the partition is not open to this user's group"},
    {"invalid user id", false, "the cluster does not know the user"},
    {"expired credential", true, "the clocks of this machine and the cluster differ; synchronise them (chrony, ntp)"},
    {"rewound credential", true, "the clocks of this machine and the cluster differ; synchronise them (chrony, ntp)"},
    {"cannot stat file", true, "Slurm has no configuration on this machine (SLURM_CONF)"},
    {"munge", true, "munge does not answer on this machine; start munged"},
    {"protocol authentication error", true, "munge is down, or its key is another than the cluster's"},
    {"invalid authentication credential", true, "munge's key is another than the cluster's, or the clocks differ"},
    {"unable to contact slurm controller", true, "slurmctld does not answer"},
    {"zero bytes were transmitted", true, "slurmctld closed the connection; its munge may be down or its clock differ"},
    {"socket timed out", true, "slurmctld does not answer in time"},
    {"unable to accept job", true, "slurmctld takes no more jobs for now"},
    {"did not answer within", true, "slurmctld does not answer in time"},
    {"cannot start", true, "Slurm's programs are not installed on this machine, or not on the server's PATH"},
    {"unable to process configuration file", true, "Slurm has no configuration on this machine (SLURM_CONF)"},
    {"could not establish a configuration source", true, "Slurm has no configuration on this machine (SLURM_CONF)"},
    {"connection refused", true, "the login node does not answer"},
    {"could not resolve hostname", true, "the login node's name is not known"},
    {"permission denied (publickey", true, "the login node does not accept this server's ssh key"},
    {"command not found", true, "Slurm's programs are not installed on the login node"},
};

constexpr std::string_view kEnded[] = {"BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE",  "FAILED",
                                       "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",   "TIMEOUT",
                                       "LAUNCH_FAILED", "RECONFIG_FAIL"};

}  // namespace

SlurmPhase slurm_phase(std::string_view state) {
  if (state == "CONFIGURING" || state == "POWER_UP_NODE") return SlurmPhase::kStarting;
  if (state == "RUNNING" || state == "SUSPENDED" || state == "STOPPED" || state == "SIGNALING" || state == "RESIZING") {
    return SlurmPhase::kRunning;
  }
  if (state == "COMPLETING" || state == "STAGE_OUT") return SlurmPhase::kEnding;
  for (const auto& ended : kEnded) {
    if (state.starts_with(ended)) return SlurmPhase::kOver;
  }
  return SlurmPhase::kPending;  // PENDING, REQUEUED, RESV_DEL_HOLD, and what later versions may add
}

std::vector<SlurmJob> parse_squeue(std::string_view text) {
  std::vector<SlurmJob> jobs;
  for (const auto& line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != 8 || fields[0].empty() || fields[2].empty()) continue;
    SlurmJob job;
    job.name = fields[0];
    job.index = to_integer(fields[1]).value_or(-1);
    job.id = fields[2];
    job.state = fields[3];
    job.phase = slurm_phase(job.state);
    job.reason = fields[4];
    job.nodes = to_integer(fields[5]).value_or(0);
    job.hosts = fields[6];
    job.starts = to_time(fields[7]);
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Result<std::string> parse_job_id(std::string_view text) {
  const std::string first = split(trim(text), ';').front();
  if (to_integer(first).value_or(0) > 0) return first;
  return fail(ErrorCode::kInternal, fmt::format("sbatch answered \"{}\" instead of a job's number", printable(text)));
}

std::vector<SlurmHost> parse_sinfo(std::string_view text) {
  std::vector<SlurmHost> hosts;
  for (const auto& line : split(text, '\n')) {
    const auto fields = split(line, '|');
    if (fields.size() != 2 || fields[0].empty()) continue;
    SlurmHost host;
    host.name = fields[0];
    host.state = lower(fields[1].substr(0, fields[1].find_first_of("*~#!%$@^-+")));
    host.usable = host.state != "down" && host.state != "fail" && host.state != "failing" && host.state != "error" &&
                  host.state != "unknown" && fields[1].find('*') == std::string::npos;
    hosts.push_back(std::move(host));
  }
  return hosts;
}

std::optional<std::int64_t> parse_boot_time(std::string_view text) {
  for (const auto& line : split(text, '\n')) {
    if (!line.starts_with("BOOT_TIME")) continue;
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) return to_time(trim(std::string_view(line).substr(equals + 1)));
  }
  return std::nullopt;
}

std::string pending_words(std::string_view reason, std::int64_t nodes) {
  reason = trim(reason);
  if (reason == "Resources") {
    return fmt::format("waiting for {} to become free (Slurm: Resources)", nodes == 1 ? "a node" : fmt::format("{} nodes", nodes));
  }
  for (const auto& known : kReasons) {
    if (!reason.starts_with(known.key)) continue;
    return reason == "None" ? std::string(known.text) : fmt::format("{} (Slurm: {})", known.text, printable(reason));
  }
  if (reason.empty()) return "waiting in Slurm's queue";
  return fmt::format("waiting in Slurm's queue (Slurm: {})", printable(reason));
}

std::string end_words(const SlurmJob& job) {
  const std::string state = split(job.state, ' ').front();
  if (state == "TIMEOUT" || job.reason == "TimeLimit") return fmt::format("Slurm ended job {} at its time limit", job.id);
  if (state == "PREEMPTED") return fmt::format("Slurm preempted job {}", job.id);
  if (state == "NODE_FAIL" || state == "BOOT_FAIL") return fmt::format("a node of Slurm job {} failed", job.id);
  if (state.starts_with("CANCELLED")) return fmt::format("Slurm job {} was canceled outside of Roost", job.id);
  if (state == "OUT_OF_MEMORY") return fmt::format("Slurm job {} used more memory than it asked for", job.id);
  if (state == "DEADLINE") return fmt::format("Slurm ended job {} at its deadline", job.id);
  return fmt::format("Slurm job {} ended ({}{}{})", job.id, state, job.reason.empty() || job.reason == "None" ? "" : ", ",
                     job.reason == "None" ? "" : job.reason);
}

SlurmProblem explain_slurm_error(std::string_view errors) {
  const std::string text = lower(errors);
  // The last line is what it came to; those before may say more.
  std::string last;
  for (const auto& line : split(errors, '\n')) {
    if (!trim(line).empty()) last = trim(line);
  }
  if (const std::size_t at = last.rfind("failed: "); at != std::string::npos) last = last.substr(at + 8);
  for (const auto& known : kErrors) {
    if (text.find(known.key) == std::string::npos) continue;
    return {known.waiting_helps, fmt::format("{} (\"{}\")", known.text, printable(last, 200))};
  }
  return {true, last.empty() ? "Slurm gave no reason" : fmt::format("Slurm says: {}", printable(last, 300))};
}

}  // namespace roost
