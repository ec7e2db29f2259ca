#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace roost {

// What Slurm's programs print, read and put into words. Only formats that Roost asks for by itself are
// read (squeue -o, sinfo -o, sbatch --parsable): these are the same in 22.05 and 24.11, where the JSON
// of the two is not.

enum class SlurmPhase { kPending, kStarting, kRunning, kEnding, kOver };

struct SlurmJob {
  std::string name;
  std::int64_t index = -1;  // of an array's element
  std::string id;           // "12", or "12_3" for an element
  SlurmPhase phase = SlurmPhase::kPending;
  std::string state;   // PENDING, TIMEOUT, ...
  std::string reason;  // Resources, TimeLimit, ..., "None"
  std::int64_t nodes = 0;
  std::string hosts;   // n[1-2]
  std::optional<std::int64_t> starts;  // seconds since the epoch, as Slurm expects it
};

inline constexpr const char* kSqueueFormat = "%j|%K|%i|%T|%r|%D|%N|%S";
// Lines that are none are left out: others' jobs may be called anything.
std::vector<SlurmJob> parse_squeue(std::string_view text);

SlurmPhase slurm_phase(std::string_view state);

// "12" and "12;cluster".
Result<std::string> parse_job_id(std::string_view text);

struct SlurmHost {
  std::string name;
  std::string state;  // without the marks that follow it (idle~, down*)
  bool usable = true;
};
inline constexpr const char* kSinfoFormat = "%N|%T";
std::vector<SlurmHost> parse_sinfo(std::string_view text);

// From `scontrol show config`.
std::optional<std::int64_t> parse_boot_time(std::string_view text);

// Why a job waits, for the person who waits: "waiting for 2 nodes to become free (Slurm: Resources)".
std::string pending_words(std::string_view reason, std::int64_t nodes);

// Why a job ended, if its end was not of Roost's doing.
std::string end_words(const SlurmJob& job);

struct SlurmProblem {
  bool waiting_helps = false;  // false: the same job would be refused again
  std::string words;
};
// What to make of the error output of a Slurm command.
SlurmProblem explain_slurm_error(std::string_view errors);

}  // namespace roost
