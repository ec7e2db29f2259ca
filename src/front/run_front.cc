#include "front/run_front.h"

#include <condition_variable>
#include <mutex>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/file_limit.h"
#include "base/files.h"
#include "base/log.h"
#include "front/front_server.h"
#include "front/front_file.h"
#include "front/table_watch.h"

namespace roost {
namespace {

// A connection of a client may need one to a replica.
std::size_t most_connections(std::size_t files) { return files > 512 ? (files - 256) / 2 : 128; }

Result<std::unique_ptr<FrontServer>> listen(const RunFrontOptions& options, FrontOptions front) {
  front.port = static_cast<std::uint16_t>(options.port);
  const auto before = read_front_file(options.data);
  const bool remembers = options.port == 0 && before && before->port != 0;
  if (remembers) front.port = before->port;
  auto made = FrontServer::listen(front);
  if (made || !remembers || made.error().code != ErrorCode::kFailedPrecondition) return made;
  log_warning("{}; another port is taken, and front.json says which", made.error().message);
  front.port = 0;
  return FrontServer::listen(std::move(front));
}

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

}  // namespace

Status run_front(const RunFrontOptions& options, const std::stop_token& stop) {
  if (options.port < 0 || options.port > 65'535) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--port {} is not a port", options.port));
  }
  const auto folder = options.data / "serving";
  ROOST_CHECK(make_folders(folder));
  ROOST_TRY(const Fd lock, lock_file(folder / "front.lock", "another front serves the data folder " + options.data.string()));
  FrontOptions front_options;
  front_options.address = options.address;
  front_options.tls = options.tls;
  front_options.key = random_hex(24);
  front_options.most_connections = most_connections(raise_file_limit());
  const std::string key = front_options.key;
  ROOST_TRY(const std::unique_ptr<FrontServer> front, listen(options, std::move(front_options)));
  // Connections may queue already; none is answered before the table is known.
  const TableWatch watch(folder / "routes.json", [&](RoutingTable table) { front->set_table(std::move(table)); });
  front->start();
  FrontFile file;
  file.address = options.address;
  file.port = front->port();
  file.key = key;
  file.is_tls = !options.tls.certificate.empty();
  ROOST_CHECK(write_front_file(options.data, file));
  log_info("the front listens on {}:{}", options.address, front->port());
  wait_for(stop);
  log_info("the front is stopping; what is under way is answered first");
  front->stop();
  return {};
}

}  // namespace roost
