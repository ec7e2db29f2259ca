#include "runner/attempt.h"

#include <poll.h>

#include <chrono>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "domain/compute.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::chrono::milliseconds kCallPatience{120'000};  // with a server that answers, but not as it should

std::string name_of(const Attempt& attempt) { return fmt::format("{}-{}", attempt.run_id, attempt.number); }

}  // namespace

Attempt::Attempt(const NodeSettings& given, const Clock& time, Json the_order)
    : settings(given),
      clock(time),
      order(std::move(the_order)),
      run_id(text_at(order, "run")),
      number(integer_at(order, "attempt")),
      gang(parse_gang(object_at(order, "gang")).value_or(Gang{})),
      node_rank(static_cast<int>(integer_at(order, "node_rank"))),
      lease(order.contains("lease") ? std::optional(lease_from(order["lease"])) : std::nullopt),
      folder(given.folder / "runs" / name_of(*this)),
      shared(given.cache.parent_path() / "shared" / name_of(*this)),
      server(given.server_file, given.data_id, text_at(order, "token"), orders.abandoned(), given.spare_client.get()),
      streams(path("streams"), folder) {
  const Json secrets = object_at(order, "secrets");
  for (const auto& secret : secrets) {
    if (secret.is_string()) streams.mask(secret.get_ref<const std::string&>());
  }
  if (gang.kind == Gang::Kind::kMpi) mpi.emplace(folder / "mpi", given.mpi_helper);
}

std::vector<std::string> Attempt::gpus() const {
  if (lease) return lease->gpus;
  return settings.gpus.empty() ? std::vector<std::string>() : split(settings.gpus, ',');
}

std::string Attempt::path(const std::string& what) const {
  return fmt::format("/attempts/{}/{}/{}", percent_encode(run_id), number, what);
}

Result<Json> Attempt::call(const std::string& what, const Json& body) {
  return server.persist([&](ApiClient& api) { return api.post(path(what), body); }, {}, kCallPatience);
}

Result<Json> Attempt::tell(const std::string& what, const Json& body) {
  auto told = server.once([&](ApiClient& api) { return api.post(path(what), body); });
  if (!told && is_given_up(told.error())) orders.abandon();
  return told;
}

void Attempt::look_for_eviction() {
  if (is_evicted || !settings.is_evicted || !settings.is_evicted()) return;
  is_evicted = true;
  log_info("run {}: this node is taken away", run_id);
  // For a server that is not there to be told.
  (void)write_file_atomic(settings.folder / kEvictedMark, "");
  orders.cancel(settings.evict_grace ? settings.evict_grace() : 0);
}

bool Attempt::wait_until(const std::function<bool()>& is_there) {
  while (!is_there()) {
    look_for_eviction();
    if (orders.is_to_end()) return false;
    pollfd wait{orders.wake_fd(), POLLIN, 0};
    ::poll(&wait, 1, 1000);
    orders.drain();
  }
  return true;
}

}  // namespace roost
