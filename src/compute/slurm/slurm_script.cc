#include "compute/slurm/slurm_script.h"

#include <fmt/format.h>

#include "base/text.h"

namespace roost {
namespace {

// On each node. Without curl, wget and python3 nothing can be fetched: then the program must be there.
constexpr const char* kNodePart = R"sh(
roost_fetch() {  # URL FILE
  if command -v curl >/dev/null; then
    curl -fsS ${ROOST_CA:+--cacert "$ROOST_CA"} -H "Authorization: Bearer $ROOST_ALLOCATION_TOKEN" -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q ${ROOST_CA:+--ca-certificate="$ROOST_CA"} --header="Authorization: Bearer $ROOST_ALLOCATION_TOKEN" -O "$2" "$1"
  else
    python3 - "$1" "$2" <<'PYTHON'
import os, shutil, ssl, sys, urllib.request
ca = os.environ.get("ROOST_CA") or None
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + os.environ["ROOST_ALLOCATION_TOKEN"]})
context = ssl.create_default_context(cafile=ca) if sys.argv[1].startswith("https") else None
with urllib.request.urlopen(request, context=context) as answer, open(sys.argv[2], "wb") as file:
    shutil.copyfileobj(answer, file)
PYTHON
  fi
}

roost_node() {
  cd /
  if ! (umask 077 && mkdir -p "$ROOST_FOLDER/bin"); then
    echo "roost: $(uname -n): cannot make $ROOST_FOLDER" >&2
    return 1
  fi
  if [ -n "$ROOST_CA_TEXT" ]; then
    export ROOST_CA=$ROOST_FOLDER/ca-$ROOST_PROGRAM_DIGEST.$$.pem
    printf '%s' "$ROOST_CA_TEXT" >"$ROOST_CA"
  fi
  local program=$ROOST_PROGRAM
  if [ "$(stat -Lc %s "$program" 2>/dev/null)" != "$ROOST_PROGRAM_SIZE" ] || [ ! -x "$program" ]; then
    program=$ROOST_FOLDER/bin/roost-$ROOST_PROGRAM_DIGEST
    if [ ! -x "$program" ]; then
      roost_fetch "$ROOST_URL/api/v1/program" "$program.$$" && chmod 700 "$program.$$" &&
        mv "$program.$$" "$program" || { echo "roost: $(uname -n): cannot fetch $ROOST_URL/api/v1/program" >&2; return 1; }
    fi
  fi
  exec "$program" runner --join "$ROOST_ALLOCATION" --index "${SLURM_ARRAY_TASK_ID:--1}" --rank "${SLURM_PROCID:-0}" \
    --server "$ROOST_URL" --ca "${ROOST_CA:-}" --folder "$ROOST_FOLDER" --gpus "${CUDA_VISIBLE_DEVICES:-}"
}
)sh";

std::string assignment(const char* name, std::string_view value) {
  return fmt::format("export {}={}\n", name, shell_quote(value));
}

}  // namespace

std::vector<std::string> sbatch_words(const SlurmSubmission& job) {
  std::vector<std::string> words = {"sbatch", "--parsable", "--job-name=" + job.name, "--comment=" + job.title,
                                    fmt::format("--nodes={}", job.nodes), "--ntasks-per-node=1",
                                    // Roost itself decides on another try, and hears of a node's end from the others.
                                    "--no-requeue", "--no-kill",
                                    // Anything less has slurmd ask a login shell first, which may take long; who
                                    // calls sbatch keeps its environment small.
                                    "--export=ALL",
                                    "--chdir=/", "--input=/dev/null", "--output=/dev/null"};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{}={}", option, value));
  };
  add("--partition", job.options.partition);
  add("--account", job.options.account);
  add("--qos", job.options.qos);
  const ResourceAsk& asked = job.resources;
  if (asked.gpus) {
    if (*asked.gpus > 0) words.push_back(fmt::format("--gpus-per-node={}", *asked.gpus));
  } else {
    add("--gres", job.options.gres);
  }
  add("--constraint", job.options.constraint);
  add("--mem", asked.memory_mb > 0 ? fmt::format("{}M", asked.memory_mb) : job.options.memory);
  add("--reservation", job.options.reservation);
  const std::int64_t cpus = asked.cpus > 0 ? asked.cpus : job.options.cpus;
  if (cpus > 0) words.push_back(fmt::format("--cpus-per-task={}", cpus));
  if (job.options.whole_node() && asked.is_open()) words.push_back("--exclusive");
  if (job.minutes > 0) words.push_back(fmt::format("--time={}", job.minutes));
  if (job.elements > 0) words.push_back(fmt::format("--array=0-{}", job.elements - 1));
  return words;
}

std::string job_script(const SlurmSubmission& job) {
  std::string text = "#!/bin/bash\n";
  text += assignment("ROOST_URL", job.url);
  text += assignment("ROOST_ALLOCATION", job.name);
  text += assignment("ROOST_ALLOCATION_TOKEN", job.token);
  text += assignment("ROOST_PROGRAM", job.program);
  text += assignment("ROOST_PROGRAM_SIZE", std::to_string(job.program_size));
  text += assignment("ROOST_PROGRAM_DIGEST", job.program_digest.substr(0, 16));
  text += assignment("ROOST_CA_TEXT", job.ca);
  text += job.folder.empty() ? "export ROOST_FOLDER=${TMPDIR:-/tmp}/roost-$(id -u)\n" : assignment("ROOST_FOLDER", job.folder);
  text += "export HOME=~ PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin${PATH:+:$PATH} LANG=C.UTF-8\n";
  text += kNodePart;
  if (job.nodes == 1) {
    text += "roost_node\n";
  } else {
    // A runner that ends badly is told to the others by the server, with the reason.
    text += fmt::format(
        "exec srun --nodes={0} --ntasks={0} --ntasks-per-node=1 ${{SLURM_CPUS_PER_TASK:+--cpus-per-task=$SLURM_CPUS_PER_TASK}} \\\n"
        "  --export=ALL --kill-on-bad-exit=0 --no-kill --input=none --output=none bash -c \"$(declare -f roost_fetch roost_node); "
        "roost_node\"\n",
        job.nodes);
  }
  return text;
}

}  // namespace roost
