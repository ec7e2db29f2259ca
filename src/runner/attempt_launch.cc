// What the processes of an attempt are started with: their variables, their file system, their programs.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "runner/attempt_run.h"
#include "runner/command_line.h"
#include "runner/image_root.h"
#include "runner/plain_command.h"
#include "runner/scratch_file.h"

namespace fs = std::filesystem;

namespace roost {

// The path of an input: given, or a folder of this attempt, which goes with it.
fs::path AttemptRun::input_path(const Json& input) const {
  const std::string path = text_at(input, "path");
  if (path.empty()) return folder_ / "data" / text_at(input, "name");
  if (path.starts_with('/')) return path;
  // Without "..": what is made and what the script opens must be one, whatever links the snapshot has.
  const fs::path place = (folder_ / "code" / path).lexically_normal();
  return place.has_filename() ? place : place.parent_path();
}

// What the script is told: the folder, or the one file in it that was meant.
std::string AttemptRun::told_path(const Json& input) const {
  const std::string file = text_at(input, "file");
  return file.empty() ? input_path(input).string() : (input_path(input) / file).string();
}

void AttemptRun::add_input_paths(Variables& variables) const {
  for (const auto& input : array_at(order_, "inputs")) {
    const std::string name = text_at(input, "name");
    variables["AZUREML_DATAREFERENCE_" + name] = told_path(input);
    if (text_at(input, "mode") == "direct") variables["ROOST_DATASET_" + name] = text_at(input, "dataset");
  }
}

// Azure's scripts find an input by its bare name. What has a meaning already keeps it.
void AttemptRun::add_bare_names(Variables& variables) const {
  for (const auto& input : array_at(order_, "inputs")) {
    const std::string name = text_at(input, "name");
    const bool is_reserved = name.starts_with("LD_") || name.starts_with("PYTHON") || name.starts_with("ROOST_") ||
                             name.starts_with("AZUREML_");
    if (is_reserved) continue;
    const bool is_direct = text_at(input, "mode") == "direct";
    variables.try_emplace(name, is_direct ? text_at(input, "dataset") : told_path(input));
  }
}

// The file system of a run in an image: what it was given, and nothing else of this machine.
Result<ImageRoot> AttemptRun::image_root() const {
  std::vector<ImageBind> binds = {{folder_ / "code"},   {folder_ / "packages"},     {folder_ / "spool"},
                                  {folder_ / "stacks"}, {folder_ / "bin", "", true}, {settings_.sdk, "", true}};
  if (!gang_.is_single()) binds.push_back({shared_});
  if (!server_.ca_file().empty()) binds.push_back({server_.ca_file(), "", true, true});
  if (gang_.nodes > 1 || mpi_) binds.push_back({folder_ / "hosts", "/etc/hosts", true, true});
  if (mpi_) {
    binds.push_back({mpi_->folder()});
    binds.push_back({settings_.mpi_helper.parent_path(), "", true});
  }
  for (const auto& input : array_at(order_, "inputs")) {
    const fs::path place = input_path(input);
    // One below another is there already.
    if (!place.string().starts_with((folder_ / "code").string() + "/")) binds.push_back({place});
  }
  ROOST_TRY(ImageRoot root, make_image_root(order_["image"], folder_ / "image", std::move(binds)));
  for (const auto& bind : root.binds) {
    const bool ours = !bind.read_only && !bind.is_file && !bind.source.starts_with((folder_ / "image").string());
    if (ours && !bind.source.starts_with("/dev/")) ROOST_CHECK(give_to_user(root, bind.source));
  }
  return root;
}

// What every process of this node has in its environment.
Result<Variables> AttemptRun::common_variables() {
  const bool in_image = order_.contains("image");
  Variables variables = in_image ? image_variables(order_["image"], kImageHome) : inherited_variables();
  if (!server_.client()) log_debug("the server is away; its address is added once it is back");
  for (const char* name : {"ROOST_URL", "AZUREML_SERVICE_ENDPOINT", "AZUREML_RUN_HISTORY_SERVICE_ENDPOINT"}) {
    variables[name] = server_.url();
  }
  if (!server_.ca_file().empty()) variables["ROOST_CA_FILE"] = server_.ca_file();
  if (!in_image) variables["ROOST_SERVER_FILE"] = server_copy().string();
  variables["ROOST_SPOOL"] = (folder_ / "spool").string();
  variables["ROOST_STACKS"] = (folder_ / "stacks").string();
  variables["ROOST_NODE"] = settings_.node;
  variables["PYTHONPATH"] = fmt::format("{}:{}", (settings_.sdk / "in_run").string(), settings_.sdk.string());
  variables["PYTHONFAULTHANDLER"] = std::string("1");  // a crash in native code shows the Python lines that led to it
  add_input_paths(variables);
  if (settings_.machine_has_gpus) variables["CUDA_VISIBLE_DEVICES"] = settings_.gpus;
  if (!gang_.is_single()) add_network_variables(settings_.address, variables);
  if (gang_.kind == Gang::Kind::kPyTorch) {
    // torchrun would have its workers meet in its own store, where a restart finds what is left of the round before.
    variables.try_emplace("TORCH_DISABLE_SHARE_RDZV_TCP_STORE", "1");
  }
  if (mpi_) add_mpi_variables(nodes_, variables);
  if (gang_.per_node > 1) {
    // Each process would start a thread per core otherwise.
    const long cores = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
    variables.try_emplace("OMP_NUM_THREADS", std::to_string(std::max(1L, cores / gang_.per_node)));
  }
  const Json ordered = object_at(order_, "variables");
  for (const auto& item : ordered.items()) {
    if (!item.value().is_string()) continue;
    const auto value = expand_variables(item.value().get<std::string>(), variables);
    if (item.key() == "PYTHONPATH") {
      variables["PYTHONPATH"] += ":" + value;
    } else {
      variables[item.key()] = value;
    }
  }
  add_bare_names(variables);
  // Where pip puts what it installs, and since when an environment is one that the run made itself (in_run/roost_pip.py).
  variables["ROOST_PACKAGES"] = (folder_ / "packages").string();
  variables["ROOST_LAUNCHED"] = fmt::format("{:.6f}", static_cast<double>(SystemClock().now()) / kSecond);
  const std::string python = text_at(order_, "python");
  const fs::path pip = settings_.sdk / "in_run" / "bin" / "pip";
  if (!in_image) {
    ROOST_CHECK(prefer_python(python, folder_ / "bin", pip, variables));
    prefer_programs(folder_ / "packages" / "bin", variables);
    return variables;
  }
  if (python.empty() && order_.contains("script")) {
    return fail(ErrorCode::kFailedPrecondition, "the image has no python3 on its PATH to start the script with");
  }
  ROOST_CHECK(link_python(python, folder_ / "bin", pip, variables));
  prefer_programs(folder_ / "packages" / "bin", variables);
  return variables;
}

Result<LaunchSpec> AttemptRun::launch_spec() {
  LaunchSpec spec;
  spec.folder = folder_ / "code";
  ROOST_TRY(const Variables common, common_variables());
  // MPI tells by the host name who shares memory with whom.
  if (gang_.nodes > 1 || mpi_) {
    spec.host_name = settings_.node;
    spec.hosts = folder_ / "hosts";
    ROOST_CHECK(write_scratch_file(spec.hosts, hosts_file(nodes_, read_file("/etc/hosts").value_or(""))));
  }
  if (order_.contains("image")) {
    ROOST_TRY(spec.image, image_root());
  } else {
    ROOST_TRY(spec.hidden, hidden_folders());
    spec.mask = settings_.mask;
  }
  for (const auto& rank : ranks_) {
    LaunchProcess process;
    process.output = rank.log;
    process.variables = common;
    for (const auto& [name, value] : rank.process.variables) process.variables[name] = value;
    // By default a rank sees all GPUs of its node, because scripts choose theirs by LOCAL_RANK.
    if (!settings_.gpus.empty() && process.variables["ROOST_GPU_BINDING"] == "rank") {
      process.variables["CUDA_VISIBLE_DEVICES"] =
          gpus_of_rank(settings_.gpus, rank.process.local_rank, gang_.per_node);
    }
    process.variables["AZUREML_DRIVERLOG_PATH"] = rank_log(gang_, rank.process.rank);
    process.variables["PWD"] = spec.folder.string();
    process.program = order_program(order_, process.variables);
    // mpirun is given the line as it is.
    auto words = mpi_ ? std::nullopt : plain_words(text_at(order_, "command"), process.variables);
    if (words) process.otherwise = std::exchange(process.program, std::move(*words));
    spec.processes.push_back(std::move(process));
  }
  if (mpi_) {
    ROOST_TRY(spec.processes, mpi_processes(spec.processes, common));
  }
  return spec;
}

}  // namespace roost
