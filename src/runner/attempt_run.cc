#include "runner/attempt_run.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/log.h"
#include "net/router.h"
#include "runner/collect_outputs.h"
#include "runner/command_line.h"
#include "runner/image_root.h"
#include "runner/launch.h"
#include "runner/stage_inputs.h"
#include "runner/stream_files.h"

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace roost {
namespace {

constexpr milliseconds kLook{100};         // how often spools and ./logs are looked at
constexpr milliseconds kBetweenShips{15};  // a script that prints much is shipped in pieces
constexpr milliseconds kAfterFailure{250};

void drain(int fd) {
  char buffer[4096];
  while (::read(fd, buffer, sizeof buffer) > 0) {
  }
}

}  // namespace

struct AttemptRun::Outcome {
  std::string outcome = "exited";
  std::string message;
  std::optional<int> exit_code;
  std::optional<int> signal;
  Micros exited = 0;
  Json outputs = Json::array();
};

AttemptRun::AttemptRun(const NodeSettings& settings, Json order)
    : settings_(settings),
      order_(std::move(order)),
      run_id_(order_.value("run", "")),
      attempt_(order_.value("attempt", std::int64_t{0})),
      folder_(settings.folder / "runs" / fmt::format("{}-{}", run_id_, attempt_)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      server_(settings.server_file, order_.value("token", ""), abandoned_),
      streams_(std::make_unique<StreamFiles>(
          fmt::format("/attempts/{}/{}/streams", percent_encode(run_id_), attempt_))) {}

AttemptRun::~AttemptRun() = default;

void AttemptRun::cancel(int grace_seconds) {
  cancel_grace_ = grace_seconds;
  ::eventfd_write(wake_.get(), 1);
}

void AttemptRun::abandon() {
  abandoned_ = true;
  ::eventfd_write(wake_.get(), 1);
}

bool AttemptRun::is_fenced(const Error& error) const {
  return error.code == ErrorCode::kFailedPrecondition || error.code == ErrorCode::kUnauthenticated ||
         error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kNotFound;
}

Result<Json> AttemptRun::call(const std::string& what, const Json& body) {
  const std::string path = fmt::format("/attempts/{}/{}/{}", percent_encode(run_id_), attempt_, what);
  return server_.persist([&](ApiClient& api) { return api.post(path, body); });
}

void AttemptRun::run() {
  log_info("run {} attempt {}: staging", run_id_, attempt_);
  Outcome outcome;
  if (const Status staged = stage(); !staged) {
    outcome.outcome = "staging_failed";
    outcome.message = staged.error().message;
    outcome.exited = SystemClock().now();
  } else {
    follow(outcome);
  }
  // What lies outside goes before the end is told: a next run may want the same place.
  for (const auto& made : outside_) remove(made);
  if (!abandoned_) report(outcome);
  remove(folder_);
}

void AttemptRun::remove(const fs::path& folder) {
  if (const Status removed = remove_tree(folder); !removed) {
    log_warning("run {}: {}", run_id_, removed.error().message);
  }
}

Status AttemptRun::stage() {
  ROOST_CHECK(remove_tree(folder_));
  const fs::path code = folder_ / "code";
  ROOST_CHECK(make_folders(folder_ / "spool"));
  if (order_.contains("snapshot") && order_["snapshot"].is_string()) {
    ROOST_CHECK(stage_snapshot(server_, order_["snapshot"], settings_.cache, code));
  }
  ROOST_CHECK(stage_data());
  for (const char* name : {"outputs", "logs"}) ROOST_CHECK(make_folders(code / name));
  const Fd log(::open((folder_ / "driver.log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!log) return fail_errno(errno, "make the log file");
  streams_->add_file("azureml-logs/70_driver_log.txt", folder_ / "driver.log");
  streams_->add_folder("logs/", code / "logs", false);
  streams_->add_folder("spool/", folder_ / "spool", true);
  return {};
}

// The path of an input: given, or a folder of this attempt, which goes with it.
fs::path AttemptRun::input_path(const Json& input) const {
  const Json path = input.value("path", Json());
  if (!path.is_string()) return folder_ / "data" / input.value("name", "");
  return folder_ / "code" / path.get<std::string>();  // an absolute path stays as it is
}

Status AttemptRun::stage_data() {
  for (const auto& input : order_.value("inputs", Json::array())) {
    const fs::path place = input_path(input);
    std::error_code error;
    if (fs::exists(place, error) && !fs::is_empty(place, error)) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the input {} should go to {}, which exists already on the node; choose "
                              "another path",
                              input.value("name", ""), place.string()));
    }
    if (!place.string().starts_with(folder_.string() + "/")) outside_.push_back(place);
    ROOST_CHECK(stage_snapshot(server_, input.value("content", ""), settings_.cache, place));
  }
  return {};
}

// The file system of a run in an image: what it was given, and nothing else of this machine.
Result<ImageRoot> AttemptRun::image_root() const {
  std::vector<ImageBind> binds = {{folder_ / "code"}, {folder_ / "spool"}, {folder_ / "bin", "", true},
                                  {settings_.sdk, "", true}};
  if (!server_.ca_file().empty()) binds.push_back({server_.ca_file(), "", true, true});
  for (const auto& input : order_.value("inputs", Json::array())) {
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

Result<LaunchSpec> AttemptRun::launch_spec() {
  LaunchSpec spec;
  const bool in_image = order_.contains("image");
  spec.folder = folder_ / "code";
  spec.output = folder_ / "driver.log";
  spec.variables = in_image ? image_variables(order_["image"], kImageHome) : inherited_variables();
  if (!server_.client()) log_debug("the server is away; its address is added once it is back");
  for (const char* name : {"ROOST_URL", "AZUREML_SERVICE_ENDPOINT", "AZUREML_RUN_HISTORY_SERVICE_ENDPOINT",
                           "MLFLOW_TRACKING_URI"}) {
    spec.variables[name] = server_.url();
  }
  if (!server_.ca_file().empty()) spec.variables["ROOST_CA_FILE"] = server_.ca_file();
  if (!in_image) spec.variables["ROOST_SERVER_FILE"] = settings_.server_file;
  spec.variables["ROOST_SPOOL"] = (folder_ / "spool").string();
  spec.variables["ROOST_NODE"] = settings_.node;
  spec.variables["PYTHONPATH"] = settings_.sdk.string();
  for (const auto& input : order_.value("inputs", Json::array())) {
    spec.variables["AZUREML_DATAREFERENCE_" + input.value("name", "")] = input_path(input).string();
  }
  if (settings_.machine_has_gpus) spec.variables["CUDA_VISIBLE_DEVICES"] = settings_.gpus;
  const Json variables = order_.value("variables", Json::object());
  for (const auto& item : variables.items()) {
    const auto value = expand_variables(item.value().get<std::string>(), spec.variables);
    if (item.key() == "PYTHONPATH") {
      spec.variables["PYTHONPATH"] += ":" + value;
    } else {
      spec.variables[item.key()] = value;
    }
  }
  const std::string python = order_.value("python", "");
  if (in_image) {
    if (python.empty() && order_.contains("script")) {
      return fail(ErrorCode::kFailedPrecondition, "the image has no python3 on its PATH to start the script with");
    }
    ROOST_CHECK(link_python(python, folder_ / "bin", spec.variables));
    ROOST_TRY(spec.image, image_root());
  } else {
    ROOST_CHECK(prefer_python(python, folder_ / "bin", spec.variables));
  }
  spec.program = order_program(order_, spec.variables);
  return spec;
}

void AttemptRun::follow(Outcome& outcome) {
  const auto specified = launch_spec();
  if (!specified) {
    outcome.outcome = "launch_failed";
    outcome.message = specified.error().message;
    outcome.exited = SystemClock().now();
    return;
  }
  const LaunchSpec& spec = *specified;
  // The watch goes when the file does.
  const int watch = settings_.output_watch.get();
  ::inotify_add_watch(watch, spec.output.c_str(), IN_MODIFY);
  auto launched = Launched::start(spec);
  if (!launched) {
    outcome.outcome = "launch_failed";
    outcome.message = launched.error().message;
    outcome.exited = SystemClock().now();
    return;
  }
  log_info("run {} attempt {}: started", run_id_, attempt_);
  if (const auto told = call("started", Json::object()); !told && is_fenced(told.error())) abandon();

  std::optional<steady_clock::time_point> kill_at;
  auto next_ship = steady_clock::now();
  for (;;) {
    if (abandoned_) {
      launched->kill();
    } else if (cancel_grace_ >= 0 && !kill_at) {
      log_info("run {}: canceled", run_id_);
      launched->terminate();
      kill_at = steady_clock::now() + std::chrono::seconds(cancel_grace_);
    }
    if (kill_at && steady_clock::now() >= *kill_at) {
      launched->kill();
      kill_at = steady_clock::time_point::max();
    }
    if (const auto end = launched->poll_end()) {
      outcome.exited = SystemClock().now();
      outcome.exit_code = end->exit_code;
      outcome.signal = end->signal;
      if (end->launch_errno != 0) {
        outcome.outcome = "launch_failed";
        outcome.message = errno_error(end->launch_errno, "start " + spec.program[0]).message;
      }
      return;
    }
    bool more = false;
    if (steady_clock::now() >= next_ship) {
      const auto shipped = streams_->ship(server_);
      next_ship = steady_clock::now() + (shipped ? kBetweenShips : kAfterFailure);
      if (!shipped && is_fenced(shipped.error())) abandon();
      more = shipped && shipped->more;
      if (more) next_ship = steady_clock::now();
    }
    pollfd waits[] = {{launched->ended_fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0},
                      {watch, POLLIN, 0}};
    milliseconds timeout = more ? milliseconds(0) : kLook;
    if (kill_at && *kill_at != steady_clock::time_point::max()) {
      const auto left = std::chrono::duration_cast<milliseconds>(*kill_at - steady_clock::now());
      timeout = std::clamp(left + milliseconds(1), milliseconds(0), timeout);
    }
    // While a ship is not due, more output must not wake us again and again.
    const auto until_ship = std::chrono::ceil<milliseconds>(next_ship - steady_clock::now());
    const bool pause = until_ship > milliseconds(0);
    ::poll(waits, pause ? 2 : 3, static_cast<int>((pause ? std::min(until_ship, timeout) : timeout).count()));
    drain(wake_.get());
    if (!pause) drain(watch);
  }
}

bool AttemptRun::ship_all() {
  milliseconds pause{10};
  while (!abandoned_) {
    const auto shipped = streams_->ship(server_);
    if (shipped && shipped->bytes == 0) return true;
    if (shipped) continue;
    if (is_fenced(shipped.error())) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, milliseconds(1000));
  }
  return false;
}

void AttemptRun::report(Outcome& outcome) {
  if (!ship_all()) return;
  const fs::path outputs = folder_ / "code" / "outputs";
  std::error_code ignored;
  if (fs::exists(outputs, ignored) && !fs::is_empty(outputs, ignored)) {
    if (const auto told = call("exited", {{"exited_at_us", outcome.exited}});
        !told && is_fenced(told.error())) {
      return;
    }
    auto collected = collect_outputs(server_, folder_ / "code", outputs, "outputs/");
    if (collected) {
      outcome.outputs = std::move(*collected);
    } else if (!abandoned_ && outcome.outcome == "exited") {
      outcome.outcome = "outputs_failed";
      outcome.message = "the outputs could not be kept: " + collected.error().message;
    }
  }
  Json body = {{"outcome", outcome.outcome},
               {"message", outcome.message},
               {"exit_code", outcome.exit_code ? Json(*outcome.exit_code) : Json()},
               {"signal", outcome.signal ? Json(*outcome.signal) : Json()},
               {"exited_at_us", outcome.exited},
               {"outputs", outcome.outputs}};
  while (!abandoned_) {
    body["streams"] = streams_->lengths();
    const auto told = call("finished", body);
    if (told || told.error().code != ErrorCode::kDataMismatch) {
      if (!told) log_warning("run {}: {}", run_id_, told.error().message);
      return;
    }
    // The server lacks something that was shipped, or the file grew: ship again and ask again.
    if (!ship_all()) return;
  }
}

}  // namespace roost
