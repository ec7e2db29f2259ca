#include "runner/attempt_launch.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "domain/visible_gpus.h"
#include "runner/attempt_confine.h"
#include "runner/attempt_inputs.h"
#include "runner/attempt_mpi.h"
#include "runner/command_line.h"
#include "runner/image_root.h"
#include "runner/own_program.h"
#include "runner/plain_command.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

// A replica of an endpoint, whose command is this program.
bool is_replica(const Attempt& attempt) { return object_at(attempt.order, "variables").contains("ROOST_REPLICA"); }

// What a replica in an image sees besides: this program, and where the server is now.
Status add_program(const Attempt& attempt, std::vector<ImageBind>& binds) {
  ROOST_TRY(ProgramInImage program, program_in_image(own_program(), attempt.folder));
  for (auto& bind : program.binds) binds.push_back(std::move(bind));
  std::error_code error;
  const fs::path server = attempt.server_copy().parent_path();
  if (fs::exists(server, error)) binds.push_back({server, "", true});
  return {};
}

// The file system of a run in an image: what it was given, and nothing else of this machine.
Result<ImageRoot> image_root(const Attempt& attempt) {
  std::vector<ImageBind> binds = {{attempt.code()},
                                  {attempt.folder / "packages"},
                                  {attempt.folder / "spool"},
                                  {attempt.folder / "stacks"},
                                  {attempt.folder / "bin", "", true},
                                  {attempt.settings.sdk, "", true}};
  if (!attempt.gang.is_single()) binds.push_back({attempt.shared});
  if (!attempt.server.ca_file().empty()) binds.push_back({attempt.server.ca_file(), "", true, true});
  if (attempt.gang.nodes > 1 || attempt.mpi) binds.push_back({attempt.folder / "hosts", "/etc/hosts", true, true});
  if (attempt.mpi) {
    binds.push_back({attempt.mpi->folder()});
    binds.push_back({attempt.settings.mpi_helper.parent_path(), "", true});
  }
  if (is_replica(attempt)) ROOST_CHECK(add_program(attempt, binds));
  for (const auto& input : array_at(attempt.order, "inputs")) {
    const fs::path place = input_path(attempt, input);
    // One below another is there already.
    if (!place.string().starts_with(attempt.code().string() + "/")) binds.push_back({place});
  }
  ROOST_TRY(ImageRoot root, make_image_root(attempt.order["image"], attempt.folder / "image", std::move(binds)));
  for (const auto& bind : root.binds) {
    const bool ours = !bind.read_only && !bind.is_file && !bind.source.starts_with((attempt.folder / "image").string());
    if (ours && !bind.source.starts_with("/dev/")) ROOST_CHECK(give_to_user(root, bind.source));
  }
  return root;
}

// What every process of this node has in its environment.
Result<Variables> common_variables(Attempt& attempt) {
  const bool in_image = attempt.order.contains("image");
  Variables variables = in_image ? image_variables(attempt.order["image"], kImageHome) : inherited_variables();
  if (!attempt.server.client()) log_debug("the server is away; its address is added once it is back");
  for (const char* name : {"ROOST_URL", "AZUREML_SERVICE_ENDPOINT", "AZUREML_RUN_HISTORY_SERVICE_ENDPOINT"}) {
    variables[name] = attempt.server.url();
  }
  if (!attempt.server.ca_file().empty()) variables["ROOST_CA_FILE"] = attempt.server.ca_file();
  if (!in_image || is_replica(attempt)) variables["ROOST_SERVER_FILE"] = attempt.server_copy().string();
  if (!in_image) {
    add_own_program(own_program(), variables);
  } else if (is_replica(attempt)) {
    ROOST_TRY(const ProgramInImage program, program_in_image(own_program(), attempt.folder));
    variables["ROOST_PROGRAM"] = program.start;
    if (!program.onnxruntime.empty()) variables["ROOST_ONNXRUNTIME"] = program.onnxruntime;
  }
  variables["ROOST_SPOOL"] = (attempt.folder / "spool").string();
  variables["ROOST_STACKS"] = (attempt.folder / "stacks").string();
  variables["ROOST_NODE"] = attempt.settings.node;
  variables["ROOST_NODE_ADDRESS"] = attempt.settings.address;
  const fs::path& sdk = attempt.settings.sdk;
  variables["PYTHONPATH"] = fmt::format("{}:{}", (sdk / "in_run").string(), sdk.string());
  variables["PYTHONFAULTHANDLER"] = std::string("1");  // a crash in native code shows the Python lines that led to it
  add_input_paths(attempt, variables);
  const std::vector<std::string> gpus = attempt.gpus();
  if (attempt.lease || attempt.settings.machine_has_gpus) variables["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(gpus, ","));
  if (!attempt.gang.is_single()) add_network_variables(attempt.settings.address, variables);
  if (attempt.gang.kind == Gang::Kind::kPyTorch) {
    // torchrun would have its workers meet in its own store, where a restart finds what is left of the round before.
    variables.try_emplace("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1");
  }
  if (attempt.mpi) add_mpi_variables(attempt.nodes, variables);
  if (attempt.gang.per_node > 1 || (attempt.lease && !attempt.lease->cpu_set.empty())) {
    // Each process would start a thread per core otherwise.
    const bool has_own = attempt.lease && !attempt.lease->cpu_set.empty();
    const long cores = has_own ? static_cast<long>(attempt.lease->cpu_set.size()) : std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
    variables.try_emplace("OMP_NUM_THREADS", std::to_string(std::max(1L, cores / attempt.gang.per_node)));
  }
  const Json ordered = object_at(attempt.order, "variables");
  for (const auto& item : ordered.items()) {
    if (!item.value().is_string()) continue;
    const auto value = expand_variables(item.value().get<std::string>(), variables);
    if (item.key() == "PYTHONPATH") {
      variables["PYTHONPATH"] += ":" + value;
    } else {
      variables[item.key()] = value;
    }
  }
  // The server's certificate, for MLflow's client if it is to log there.
  if (!attempt.server.ca_file().empty() && variables["MLFLOW_TRACKING_URI"].starts_with(attempt.server.url())) {
    variables.try_emplace("MLFLOW_TRACKING_SERVER_CERT_PATH", attempt.server.ca_file());
  }
  // What a run says itself chooses among the GPUs that it has.
  if (attempt.lease && ordered.contains("CUDA_VISIBLE_DEVICES")) {
    const auto chosen = narrow_gpus(gpus, variables["CUDA_VISIBLE_DEVICES"]);
    variables["CUDA_VISIBLE_DEVICES"] = fmt::format("{}", fmt::join(chosen, ","));
  }
  // Secrets are what they are: a "$" in a password stands for nothing else.
  const Json secrets = object_at(attempt.order, "secrets");
  for (const auto& item : secrets.items()) {
    if (item.value().is_string()) variables[item.key()] = item.value().get<std::string>();
  }
  add_bare_names(attempt, variables);
  // Where pip puts what it installs, and since when an environment is one that the run made itself (in_run/roost_pip.py).
  variables["ROOST_PACKAGES"] = (attempt.folder / "packages").string();
  variables["ROOST_LAUNCHED"] = fmt::format("{:.6f}", static_cast<double>(attempt.clock.now()) / kSecond);
  const std::string python = text_at(attempt.order, "python");
  const fs::path pip = sdk / "in_run" / "bin" / "pip";
  if (!in_image) {
    ROOST_CHECK(prefer_python(python, attempt.folder / "bin", pip, variables));
    prefer_programs(attempt.folder / "packages" / "bin", variables);
    return variables;
  }
  if (python.empty() && attempt.order.contains("script")) {
    return fail(ErrorCode::kFailedPrecondition, "the image has no python3 on its PATH to start the script with");
  }
  ROOST_CHECK(link_python(python, attempt.folder / "bin", pip, variables));
  prefer_programs(attempt.folder / "packages" / "bin", variables);
  return variables;
}

}  // namespace

Result<LaunchSpec> make_launch_spec(Attempt& attempt) {
  LaunchSpec spec;
  spec.folder = attempt.code();
  ROOST_TRY(const Variables common, common_variables(attempt));
  // MPI tells by the host name who shares memory with whom.
  if (attempt.gang.nodes > 1 || attempt.mpi) {
    spec.host_name = attempt.settings.node;
    spec.hosts = attempt.folder / "hosts";
    ROOST_CHECK(write_scratch_file(spec.hosts, hosts_file(attempt.nodes, read_file("/etc/hosts").value_or(""))));
  }
  if (attempt.order.contains("image")) {
    ROOST_TRY(spec.image, image_root(attempt));
  } else {
    ROOST_TRY(spec.hidden, hidden_folders(attempt));
    spec.mask = attempt.settings.mask;
  }
  if (attempt.lease) spec.cpu_set = attempt.lease->cpu_set;
  for (const auto& rank : attempt.ranks) {
    LaunchProcess process;
    process.output = rank.log;
    process.variables = common;
    for (const auto& [name, value] : rank.process.variables) process.variables[name] = value;
    // By default a rank sees all GPUs of its node, because scripts choose theirs by LOCAL_RANK.
    if (!attempt.gpus().empty() && process.variables["ROOST_GPU_BINDING"] == "rank") {
      process.variables["CUDA_VISIBLE_DEVICES"] =
          gpus_of_rank(process.variables["CUDA_VISIBLE_DEVICES"], rank.process.local_rank, attempt.gang.per_node);
    }
    process.variables["AZUREML_DRIVERLOG_PATH"] = rank_log(attempt.gang, rank.process.rank);
    process.variables["PWD"] = spec.folder.string();
    process.program = order_program(attempt.order, process.variables);
    // mpirun is given the line as it is.
    auto words = attempt.mpi ? std::nullopt : plain_words(text_at(attempt.order, "command"), process.variables);
    if (words) process.otherwise = std::exchange(process.program, std::move(*words));
    spec.processes.push_back(std::move(process));
  }
  if (attempt.mpi) {
    ROOST_TRY(spec.processes, mpi_processes(attempt, spec.processes, common));
  }
  return spec;
}

}  // namespace roost
