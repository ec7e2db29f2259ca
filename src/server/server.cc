#include "server/server.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "base/file_limit.h"
#include "base/log.h"
#include "base/refusal_log.h"
#include "base/text.h"
#include "compute/gpu_inventory.h"
#include "compute/machine.h"
#include "confine/confinement.h"
#include "confine/private_folder.h"
#include "execute/attempts.h"
#include "execute/conclude_attempt.h"
#include "net/http_server.h"
#include "observe/system_samples.h"
#include "prepare/prepare_environment.h"
#include "records/attempt_records.h"
#include "records/compute_records.h"
#include "records/run_records.h"
#include "records/workspace_records.h"
#include "server/app.h"
#include "server/call_limits.h"
#include "server/data_folder.h"
#include "server/data_id.h"
#include "server/default_compute.h"
#include "server/front_process.h"
#include "server/garbage_job.h"
#include "server/rooms.h"
#include "server/routes/routes.h"
#include "server/secrets.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

Router routes_and_pages(App& app) {
  Router router = all_routes(app);
  add_endpoint_proxy_routes(router, app);
  add_mlflow_routes(router, app);
  add_studio_routes(router);
  return router;
}

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Made on first start; whoever has it can make the tokens of nodes and runs.
Result<std::string> read_or_make_secret(const fs::path& file) {
  if (auto text = read_file(file)) return std::string(trim(*text));
  const std::string secret = random_hex(32);
  ROOST_CHECK(write_file_atomic(file, secret + "\n", 0600));
  return secret;
}

// Closed to other users from the first moment; logs and working folders have no secrets of the server, but of runs.
Status make_data_folder(const fs::path& data) {
  for (const auto& folder : {data, data / "nodes"}) {
    const Status made = make_private_folder(folder);
    if (made || made.error().code != ErrorCode::kPermissionDenied) {
      ROOST_CHECK(made);
      continue;
    }
    // A folder of somebody else's that we may use, as on a volume of a container.
    std::error_code error;
    if (!fs::is_directory(folder, error)) return made;
    log_warning("{}; others on this machine may be able to read it", made.error().message);
  }
  return {};
}

Status ensure_default_workspace(App& app) {
  return app.db->write([&](Tx& tx) -> Status {
    if (find_workspace(tx, "default")) return {};
    ROOST_CHECK(insert_workspace(tx, "default", app.clock.now()));
    return insert_default_compute(tx, "default", app.machine, app.clock.now());
  });
}

// However many connections come, files can be opened: a server without a free descriptor can neither answer
// nor look after its nodes.
std::size_t connections_for(std::size_t files) {
  const std::size_t kept = std::max<std::size_t>(64, files / 4);
  return std::clamp<std::size_t>(files > kept ? files - kept : 0, 16, 16'384);
}

std::string printable_host(const std::string& address) {
  if (address == "0.0.0.0") return "127.0.0.1";
  if (address == "::") return "[::1]";
  return address.find(':') == std::string::npos ? address : "[" + address + "]";
}

}  // namespace

class Server::Parts {
 public:
  Status start(ServerConfig config) {
    ROOST_CHECK(check_exposure(config));
    file_limit_ = raise_file_limit();
    ROOST_CHECK(make_data_folder(config.data));
    std::error_code error;
    app_.config = std::move(config);
    app_.config.data = fs::canonical(app_.config.data, error);
    if (error) return fail_errno(error.value(), "open the data folder");
    const fs::path& data = app_.config.data;
    ROOST_TRY(lock_, lock_file(data / "lock",
                               fmt::format("another Roost server is using the data folder {}; stop it "
                                           "with 'roost down --data {}' or choose another --data",
                                           data.string(), data.string())));
    ROOST_CHECK(open_parts());
    ROOST_CHECK(listen());
    ROOST_CHECK(write_server_file());
    // Before the first request, which may wake them.
    build_rooms(app_);
    deciders_ = std::make_unique<Deciders>(app_);
    ROOST_CHECK(app_.builds->resume());
    http_->start();
    deciders_->start();
    for (const auto& engine : app_.engines->all()) engine->begin();
    const std::string_view notice = confinement_notice(find_confinement());
    if (!notice.empty()) log_warning("{}", notice);
    return {};
  }

  ~Parts() {
    stop_deciding();
    if (app_.builds) app_.builds->stop();
    if (http_) http_->stop();
    if (app_.garbage) app_.garbage->stop();
    if (wrote_server_file_) ::unlink((app_.config.data / "server.json").c_str());
  }

  void wait(const std::function<bool()>& interrupted) {
    std::unique_lock lock(mutex_);
    auto next_look = steady_clock::now();
    while (!stop_requested_ && !interrupted()) {
      changed_.wait_for(lock, milliseconds(100));
      if (steady_clock::now() < next_look) continue;
      look_after_disk();
      next_look = steady_clock::now() + std::chrono::seconds(1);
    }
    const bool end_runs = stop_requested_ && !keep_runs_;
    lock.unlock();
    if (end_runs) end_everything();
  }

  const std::string& url() const { return app_.url; }

 private:
  // Nothing here waits for the database: it is what is watched.
  void look_after_disk() {
    app_.reserve->tend();
    const auto limit = std::chrono::duration<double>(app_.config.writer_stall_seconds);
    const auto stalled = app_.db->stalled(std::chrono::duration_cast<std::chrono::nanoseconds>(limit));
    if (stalled && !stall_logged_) {
      log_error("{} has been writing to the database for {} s without getting on; /healthz fails until it does",
                stalled->activity, std::chrono::duration_cast<std::chrono::seconds>(stalled->since).count());
    } else if (!stalled && stall_logged_) {
      log_warning("the database is written to again");
    }
    stall_logged_ = stalled.has_value();
  }

  Status open_parts() {
    const fs::path& data = app_.config.data;
    app_.started = app_.clock.now();
    app_.inventory = find_machine();
    if (app_.config.gpus) {
      app_.inventory.gpus = *app_.config.gpus;
    } else {
      for (const auto& gpu : find_gpus()) app_.inventory.gpus.push_back(gpu.id);
    }
    const Amounts machine = app_.inventory.amounts();
    app_.machine = {static_cast<int>(machine.cpus), static_cast<int>(machine.memory_mb), static_cast<int>(machine.gpus)};
    app_.python = find_default_python(app_.config.python);
    ROOST_TRY(app_.curated, CuratedEnvironments::built_in());
    if (!app_.config.curated_environments.empty()) {
      ROOST_TRY(const std::string yaml, read_file(app_.config.curated_environments));
      ROOST_CHECK(app_.curated.add(yaml, app_.config.curated_environments));
    }
    ROOST_CHECK(check_data_folder(data));
    keep_out_of_snapshots(data);
    app_.reserve = std::make_unique<DiskReserve>(data / "reserve", static_cast<std::uint64_t>(app_.config.reserve_mb) << 20);
    ROOST_TRY(app_.db, Database::open(data / "roost.db", app_.reserve.get()));
    app_.reserve->tend();  // before the first run can fill the disk
    // No reason not to start, for example on a full disk: the next start tries again.
    if (const Status moved = move_old_samples(*app_.db); !moved) {
      log_warning("samples of an earlier version are not shown: {}", moved.error().message);
    }
    ROOST_TRY(app_.data_id, open_data_id(data / "id", *app_.db));
    ROOST_TRY(app_.blobs, BlobStore::open(data / "blobs", app_.clock, real_files(),
                                           std::chrono::seconds(app_.config.blob_lease_seconds)));
    app_.logs = std::make_unique<LogStore>(data / "logs");
    ROOST_TRY(std::string secret, read_or_make_secret(data / "secret"));
    app_.access = std::make_unique<Access>(*app_.db, app_.clock, std::move(secret));
    ROOST_CHECK(app_.access->ensure_owner_token(data / "owner.token"));
    ROOST_TRY(Sealer sealer, Sealer::open_or_make(data / "secrets.key"));
    app_.sealer = std::make_unique<Sealer>(std::move(sealer));
    if (const Status sealed = reseal_secrets(app_); !sealed) log_warning("secrets keep their old key: {}", sealed.error().message);
    std::error_code error;
    app_.program = fs::read_symlink("/proc/self/exe", error).string();
    app_.build_settings = app_.config.environments;
    app_.build_settings.python = app_.python;
    app_.build_settings.tools = (data / "tools").string();
    if (app_.build_settings.cache.empty()) app_.build_settings.cache = (data / "packages").string();
    ROOST_TRY(app_.environments, EnvironmentCache::open(data / "environments"));
    app_.request_stop = [this](bool keep_runs) {
      const std::lock_guard lock(mutex_);
      stop_requested_ = true;
      keep_runs_ = keep_runs;
      changed_.notify_all();
    };
    return ensure_default_workspace(app_);
  }

  Result<std::shared_ptr<void>> admit(const Request& request, const Route& route) {
    refused_.sum_up();
    if (route.operation == kCallEndpoint) return std::shared_ptr<void>();  // who calls is the front's affair
    const std::string caller = caller_name(app_, request);
    const bool is_node = is_machine(app_, request);
    auto admitted = limits_->admit(caller, is_node, route.body.stream);
    if (!admitted) {
      const std::string name = is_node ? "a run or node" : caller.starts_with("at ") ? "somebody" : "a token";
      refused_.refused(caller, fmt::format("{} from {}", name, request.peer),
                       fmt::format("request {} ({}): {}", request.id, route.operation, admitted.error().message));
    }
    return admitted;
  }

  Status listen() {
    HttpServerOptions options;
    options.address = app_.config.address;
    options.port = app_.config.port;
    options.worker_threads = app_.config.worker_threads;
    options.lanes = lanes(app_.config.worker_threads);
    limits_.emplace(CallLimits::Most{app_.config.caller_requests, app_.config.caller_uploads});
    options.admit = [this](const Request& request, const Route& route) {
      return admit(request, route);
    };
    options.error_body = error_body;
    options.most_connections = connections_for(file_limit_);
    // Where few files can be opened, no address gets more than half of what there is.
    options.address_connections =
        std::min(static_cast<std::size_t>(app_.config.address_connections), options.most_connections / 2);
    options.extra_head = fmt::format("{}: {}\r\n", kDataIdHeader, app_.data_id);
    options.observed = [this](const std::string& operation, int status, double seconds) {
      app_.statistics.request(operation, status, seconds);
    };
    if (app_.config.tls_self_signed) {
      app_.config.tls_certificate = (app_.config.data / "tls.crt").string();
      app_.config.tls_key = (app_.config.data / "tls.key").string();
      if (!fs::exists(app_.config.tls_certificate) || !fs::exists(app_.config.tls_key)) {
        ROOST_CHECK(make_self_signed(app_.config.tls_certificate, app_.config.tls_key,
                                     {"localhost", "127.0.0.1", "::1", app_.config.address}));
      }
    }
    options.tls = {app_.config.tls_certificate, app_.config.tls_key};
    auto bound = options.port == 0 ? listen_at_any_port(options) : HttpServer::listen(options, routes_and_pages(app_));
    if (!bound && app_.config.any_port_if_taken) bound = listen_at_any_port(options);
    if (!bound) return fail(bound.error());
    http_ = std::move(*bound);
    app_.url = fmt::format("{}://{}:{}", options.tls.certificate.empty() ? "http" : "https",
                           printable_host(app_.config.address), http_->port());
    return {};
  }

  // The one of last time if it is still free: browsers, notebooks and runners in jobs of Slurm know the server by it.
  Result<std::unique_ptr<HttpServer>> listen_at_any_port(HttpServerOptions options) {
    const fs::path kept = app_.config.data / "port";
    options.port = 0;
    if (const auto text = read_file(kept)) std::from_chars(text->data(), text->data() + text->size(), options.port);
    auto bound = HttpServer::listen(options, routes_and_pages(app_));
    if (!bound && options.port != 0) {
      options.port = 0;
      bound = HttpServer::listen(options, routes_and_pages(app_));
    }
    if (bound) ROOST_CHECK(write_file_atomic(kept, fmt::format("{}\n", (*bound)->port())));
    return bound;
  }

  Status write_server_file() {
    const fs::path& data = app_.config.data;
    Json file = {{"url", app_.url}, {"token_file", (data / "owner.token").string()}, {"pid", ::getpid()},
                 {"data_id", app_.data_id}};
    // Also a given certificate: clients on this machine may not know who signed it.
    if (!app_.config.tls_certificate.empty()) file["ca_file"] = app_.config.tls_certificate;
    ROOST_CHECK(write_file_atomic(data / "server.json", to_text(file) + "\n"));
    wrote_server_file_ = true;
    return {};
  }

  // `roost down`: cancels what is active, waits for it, then ends the nodes.
  void end_everything() {
    deciders_->stop_endpoints();
    app_.front->end();
    cancel_all();
    const auto until = steady_clock::now() + std::chrono::seconds(app_.config.cancel_grace_seconds + 5);
    while (steady_clock::now() < until && count_running() > 0) {
      std::this_thread::sleep_for(milliseconds(20));
    }
    stop_deciding();
    std::vector<Node> nodes;
    (void)app_.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(nodes, list_nodes(tx));
      for (auto& node : nodes) {
        node.state = NodeState::kLeaving;
        ROOST_CHECK(save_node(tx, node));
      }
      return {};
    });
    for (const auto& node : nodes) app_.changes.node_changed(node.id);
    const auto leave_until = steady_clock::now() + std::chrono::seconds(3);
    for (const auto& node : nodes) {
      if (app_.provisioning->is_for_one_run(node)) continue;
      while (app_.provisioning->look(node) == NodeHandles::Look::kAlive && steady_clock::now() < leave_until) {
        std::this_thread::sleep_for(milliseconds(10));
      }
      app_.provisioning->end(node);
    }
    (void)write_concluding(*app_.execute, [&](Tx& tx, const LogTails& tails) -> Status {
      for (const auto& node : nodes) {
        ROOST_TRY(auto parts, ::roost::open_parts(tx, node.id));
        for (auto& part : parts) {
          ROOST_TRY(Run run, run_by_row(tx, part.run));
          ROOST_CHECK(lose_part(tx, part, "the server was stopped", app_.clock.now()));
          ROOST_CHECK(conclude_attempt(*app_.execute, tx, tails, run, app_.clock.now()));
        }
        ROOST_CHECK(remove_node(tx, node.id));
      }
      return {};
    });
    for (const auto& engine : app_.engines->all()) engine->end_all();
  }

  void cancel_all() {
    std::vector<Run> runs;
    (void)app_.db->write([&](Tx& tx) -> Status {
      ROOST_TRY(runs, active_runs(tx));
      for (auto& run : runs) {
        if (run.status == RunStatus::kFinalizing) continue;  // it ends by itself
        ROOST_CHECK(request_cancel(tx, run, "the server was stopped by 'roost down'", app_.clock.now()));
      }
      return {};
    });
    for (const auto& run : runs) {
      app_.changes.run_changed(run.id);
      app_.changes.nodes_changed(*app_.db, run);
    }
  }

  std::int64_t count_running() {
    std::int64_t found = 0;
    (void)app_.db->read([&](Tx& tx) -> Status {
      ROOST_TRY(found, count_open_attempts(tx));
      return {};
    });
    return found;
  }

  void stop_deciding() {
    if (deciders_) deciders_->stop();
    if (!app_.engines) return;
    for (const auto& engine : app_.engines->all()) engine->stop();
  }

  // Declared in the order they need each other; destroyed the other way round.
  Fd lock_;
  App app_;
  std::optional<CallLimits> limits_;
  RefusalLog refused_{app_.clock};
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<Deciders> deciders_;
  std::size_t file_limit_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_requested_ = false;
  bool keep_runs_ = false;
  bool wrote_server_file_ = false;
  bool stall_logged_ = false;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(ServerConfig config) {
  auto parts = std::make_unique<Parts>();
  ROOST_CHECK(parts->start(std::move(config)));
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

const std::string& Server::url() const { return parts_->url(); }

void Server::wait(const std::function<bool()>& interrupted) { parts_->wait(interrupted); }

std::string route_listing() {
  App app;
  std::string out;
  const Router router = all_routes(app);
  for (const auto& route : router.routes()) {
    out += fmt::format("{} {} {} {}\n", route.method, route.pattern, route.operation, route.need);
  }
  return out;
}

}  // namespace roost
