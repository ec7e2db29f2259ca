#include "runner/join.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "base/files.h"
#include "base/log.h"
#include "base/retry.h"
#include "client/api_client.h"
#include "confine/private_folder.h"
#include "net/router.h"
#include "net/url.h"
#include "runner/server_link.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr Micros kPatience = 300 * kSecond;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// As Slurm calls this node, else as it calls itself.
std::string host_name() {
  std::string name = variable("SLURMD_NODENAME");
  utsname info{};
  if (name.empty() && ::uname(&info) == 0) name = info.nodename;
  return name.substr(0, name.find('.'));
}

// The address of this node on the way to the server: the other nodes are on that network too.
std::string own_address(const Url& server) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(server.host.c_str(), server.port.c_str(), &hints, &found) != 0) return "127.0.0.1";
  std::string address = "127.0.0.1";
  const Fd socket(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  char host[NI_MAXHOST] = {};
  // Connecting a datagram socket sends nothing: it only chooses the way.
  if (socket && ::connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0 &&
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0 &&
      ::getnameinfo(reinterpret_cast<sockaddr*>(&own), size, host, sizeof host, nullptr, 0, NI_NUMERICHOST) == 0) {
    address = host;
  }
  ::freeaddrinfo(found);
  return address;
}

// mpirun and others would take the job for theirs to spread over: Roost does that.
void forget_slurm() {
  std::vector<std::string> names;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("SLURM") || text.starts_with("SRUN_") || text.starts_with("PMI")) {
      names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const auto& name : names) ::unsetenv(name.c_str());
}

Result<Json> ask(const JoinOptions& options, const Json& body) {
  const SystemClock clock;
  const auto may_pass = [](const Error& error) { return !is_given_up(error) && !is_refusal(error); };
  Retry retry({may_pass, kPatience}, Backoff({std::chrono::milliseconds(50), std::chrono::milliseconds(2000)}), clock);
  for (;;) {
    HttpClient::Options limits;
    limits.connect_timeout = std::chrono::milliseconds(5000);
    ApiClient api(ServerAddress{options.server, variable("ROOST_ALLOCATION_TOKEN"), options.ca_file}, limits);
    auto answer = api.post("/allocations/" + percent_encode(options.allocation) + "/nodes", body);
    if (answer) return answer;
    if (may_pass(answer.error())) log_warning("{}; trying again", answer.error().message);
    if (!retry.again(answer.error())) return answer;
  }
}

}  // namespace

Result<RunnerOptions> join_server(const JoinOptions& options) {
  ROOST_TRY(const Url url, parse_url(options.server));
  const auto joined = ask(options, {{"index", options.index}, {"rank", options.rank}, {"host", host_name()}});
  // The script wrote the certificate into that folder for this job: it goes with the job.
  const fs::path ca = options.ca_file;
  const bool ca_is_ours = !ca.empty() && ca.parent_path() == fs::path(options.folder);
  if (!joined && ca_is_ours) ::unlink(ca.c_str());
  if (!joined) return fail(joined.error());
  const Json& answer = *joined;
  RunnerOptions runner;
  runner.node = text_at(answer, "node");
  runner.token = text_at(answer, "token");
  runner.data_id = text_at(answer, "data_id");
  runner.gpus = options.gpus;
  runner.address = own_address(url);
  runner.joined = true;
  const fs::path folder = fs::path(options.folder) / "nodes" / runner.node;
  ROOST_CHECK(make_private_folder(folder.parent_path()));
  ROOST_CHECK(make_private_folder(folder));
  runner.folder = folder.string();
  runner.server_file = (folder / "server.json").string();
  Json file = {{"url", options.server}};
  if (ca_is_ours && ::rename(ca.c_str(), (folder / "ca.pem").c_str()) == 0) {
    file["ca_file"] = (folder / "ca.pem").string();
  } else if (!ca.empty()) {
    file["ca_file"] = ca.string();
  }
  ROOST_CHECK(write_file_atomic(runner.server_file, to_text(file) + "\n"));
  forget_slurm();
  return runner;
}

}  // namespace roost
