#include "runner/output_keeper.h"

#include "base/log.h"

namespace roost {
namespace {

constexpr std::chrono::milliseconds kEvery{3000};
constexpr std::chrono::milliseconds kSettled{1000};

}  // namespace

OutputKeeper::OutputKeeper(const std::string& server_file, const std::string& token, std::string path,
                           std::filesystem::path root, int node_rank)
    : path_(std::move(path)),
      root_(std::move(root)),
      node_rank_(node_rank),
      server_(server_file, token, stopped_),
      thread_([this] { run(); }) {}

void OutputKeeper::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void OutputKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kEvery, [this] { return stopped_.load(); })) {
    lock.unlock();
    keep();
    lock.lock();
  }
}

void OutputKeeper::keep() {
  auto kept = collect_settled_outputs(server_, root_, root_ / "outputs", "outputs/", kSettled, known_);
  if (kept && !kept->empty()) {
    const Json body = {{"node_rank", node_rank_}, {"outputs", std::move(*kept)}};
    kept = server_.persist([&](ApiClient& api) { return api.post(path_, body); });
  }
  if (!kept && !stopped_) log_debug("outputs are not kept yet: {}", kept.error().message);
}

}  // namespace roost
