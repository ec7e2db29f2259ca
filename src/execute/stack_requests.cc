#include "execute/stack_requests.h"

#include "base/digest.h"

namespace roost {
namespace {

// How old an answer may be for somebody who asks now.
constexpr Micros kSharedFor = kSecond;

}  // namespace

std::string StackRequests::ask(const std::string& run, std::int64_t attempt, const std::vector<std::string>& nodes) {
  const std::lock_guard lock(mutex_);
  const std::set<std::string> asked(nodes.begin(), nodes.end());
  const Micros now = clock_.steady();
  for (auto& [id, request] : requests_) {
    if (request.run != run || request.attempt != attempt || request.asked != asked || now - request.at > kSharedFor) continue;
    ++request.waiting;
    return id;
  }
  const std::string id = random_hex(8);
  requests_[id] = {run, attempt, asked, asked, Json::object(), now, 1};
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

bool StackRequests::answer(const std::string& id, const std::string& node, Json processes) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(id);
  if (request == requests_.end() || request->second.open.erase(node) == 0) return false;
  request->second.nodes[node] = std::move(processes);
  return true;
}

StackRequests::Answer StackRequests::so_far(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(id);
  if (request == requests_.end()) return {};
  return {request->second.nodes, {request->second.open.begin(), request->second.open.end()}};
}

bool StackRequests::is_complete(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(id);
  return request == requests_.end() || request->second.open.empty();
}

void StackRequests::leave(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto request = requests_.find(id);
  if (request != requests_.end() && --request->second.waiting == 0) requests_.erase(request);
}

}  // namespace roost
