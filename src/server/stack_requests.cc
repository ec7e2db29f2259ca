#include "server/stack_requests.h"

#include <chrono>

#include "base/digest.h"

namespace roost {

std::string StackRequests::ask(const std::string& run, std::int64_t attempt, const std::vector<std::string>& nodes) {
  const std::lock_guard lock(mutex_);
  const std::string id = random_hex(8);
  requests_[id] = {run, attempt, {nodes.begin(), nodes.end()}, Json::object()};
  return id;
}

std::vector<StackRequests::Question> StackRequests::asked_of(const std::string& node) {
  const std::lock_guard lock(mutex_);
  std::vector<Question> asked;
  for (const auto& [id, request] : requests_) {
    if (request.open.contains(node)) asked.push_back({id, request.run, request.attempt});
  }
  return asked;
}

void StackRequests::answer(const std::string& id, const std::string& node, Json processes) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(id);
  if (request == requests_.end() || request->second.open.erase(node) == 0) return;
  request->second.nodes[node] = std::move(processes);
  changed_.notify_all();
}

StackRequests::Answer StackRequests::wait(const std::string& id, double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return requests_[id].open.empty(); });
  Request request = std::move(requests_[id]);
  requests_.erase(id);
  return {std::move(request.nodes), {request.open.begin(), request.open.end()}};
}

}  // namespace roost
