#include "front/table_watch.h"

#include <sys/stat.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "base/report_error.h"

namespace roost {
namespace {

// "" if there is none.
std::string identity_of(const std::filesystem::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return "";
  return fmt::format("{}.{}.{}.{}.{}", info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace

TableWatch::TableWatch(std::filesystem::path file, Changed changed, std::chrono::milliseconds every)
    : file_(std::move(file)), changed_(std::move(changed)) {
  look();
  thread_ = std::jthread([this, every](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    while (!stop.stop_requested()) {
      std::unique_lock lock(mutex);
      never.wait_for(lock, stop, every, [] { return false; });
      if (!stop.stop_requested()) take_turn("routing table", [this] { look(); });
    }
  });
}

TableWatch::~TableWatch() = default;

void TableWatch::look() {
  const std::string identity = identity_of(file_);
  if (identity == seen_ && !identity.empty()) return;
  std::string complaint;
  if (identity.empty()) {
    complaint = file_.string() + " is not there; the server writes it";
  } else {
    const auto text = read_file(file_);
    auto table = text ? parse_routing_table(*text) : Result<RoutingTable>(fail(text.error()));
    if (table) {
      log_info("routing table {}: {} endpoints", table->generation, table->endpoints.size());
      changed_(*std::move(table));
    } else {
      complaint = fmt::format("{}: {}; the one before it stays", file_.string(), table.error().message);
    }
  }
  seen_ = identity;
  if (!complaint.empty() && complaint != told_) log_error("{}", complaint);
  told_ = complaint;
}

}  // namespace roost
