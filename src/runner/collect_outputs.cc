#include "runner/collect_outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/frames.h"
#include "base/text.h"
#include "domain/names.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::uint64_t kSmall = 256 * 1024;
constexpr std::size_t kBatchBytes = 4 << 20;
constexpr std::size_t kBatchDigests = 5000;

struct Output {
  std::string path;
  fs::path file;
  std::string digest;
  std::uint64_t size = 0;
};

bool is_below(const fs::path& file, const fs::path& root) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  if (error) return false;
  const auto relative = real.lexically_relative(fs::canonical(root, error));
  return !error && !relative.empty() && *relative.begin() != "..";
}

Result<std::vector<Output>> find_outputs(const fs::path& root, const fs::path& folder,
                                         const std::string& prefix) {
  std::vector<Output> found;
  std::vector<std::string> refused;
  std::error_code error;
  // A run in an image could name files by links that it cannot read itself.
  if (fs::is_symlink(folder, error) && !is_below(folder, root)) return found;
  for (auto it = fs::recursive_directory_iterator(folder, error);
       !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    std::error_code unreadable;
    if (!it->is_regular_file(unreadable)) continue;
    if (it->is_symlink(unreadable) && !is_below(it->path(), root)) continue;
    Output output{prefix + it->path().lexically_relative(folder).string(), it->path(), "", 0};
    if (check_artifact_path(output.path)) {
      found.push_back(std::move(output));
    } else {
      refused.push_back(printable(output.path));
    }
  }
  if (error) return fail_errno(error.value(), "read the outputs folder");
  if (!refused.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} output file(s) have names that cannot be stored, the first is \"{}\"",
                            refused.size(), refused.front()));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return found;
}

Status put_large(ServerLink& server, const Output& output) {
  ROOST_CHECK(server.persist([&](ApiClient& api) -> Result<Json> {
    const std::string target = "/blobs/" + output.digest;
    ROOST_TRY(const Json state, api.get(target + "/upload"));
    const auto received = state.value("received", std::uint64_t{0});
    const Fd fd(::open(output.file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return fail(ErrorCode::kInternal, errno_error(errno, "read " + output.path).message);
    if (::lseek(fd.get(), static_cast<off_t>(received), SEEK_SET) < 0) {
      return fail(ErrorCode::kInternal, errno_error(errno, "read " + output.path).message);
    }
    ClientRequest request;
    request.method = "PUT";
    request.target = fmt::format("{}?offset={}", target, received);
    request.body_length = output.size > received ? output.size - received : 0;
    std::uint64_t left = request.body_length;
    request.body_source = [&]() -> Result<std::string> {
      std::string piece(std::min<std::uint64_t>(left, 1 << 20), '\0');
      if (piece.empty()) return piece;
      const ssize_t got = ::read(fd.get(), piece.data(), piece.size());
      if (got <= 0) return fail(ErrorCode::kInternal, "the output " + output.path + " became shorter");
      piece.resize(static_cast<std::size_t>(got));
      left -= piece.size();
      return piece;
    };
    auto answer = api.send(std::move(request));
    if (!answer) return fail(answer.error());
    return Json();
  }));
  return {};
}

Status put_small(ServerLink& server, const std::vector<const Output*>& outputs) {
  std::string body;
  const auto flush = [&]() -> Status {
    if (body.empty()) return {};
    ROOST_CHECK(server.persist([&](ApiClient& api) {
      return api.send_bytes("POST", "/blobs", kFramesType, body);
    }));
    body.clear();
    return {};
  };
  for (const Output* output : outputs) {
    ROOST_TRY(const std::string bytes, read_file(output->file));
    append_frame(body, {{"digest", output->digest}}, bytes);
    if (body.size() >= kBatchBytes) ROOST_CHECK(flush());
  }
  return flush();
}

}  // namespace

namespace {

std::int64_t modified_ns(const fs::path& file) {
  struct stat info {};
  if (::stat(file.c_str(), &info) != 0) return 0;
  return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

// Digest and size; of a known file that looks the same, without reading it.
Status read_facts(Output& output, KnownOutputs& known) {
  std::error_code error;
  output.size = fs::file_size(output.file, error);
  const std::int64_t modified = modified_ns(output.file);
  KnownOutput& before = known[output.path];
  if (before.digest.empty() || before.size != output.size || before.modified_ns != modified) {
    ROOST_TRY(before.digest, sha256_file(output.file));
    before.size = output.size = fs::file_size(output.file, error);
    before.modified_ns = modified;
  }
  output.digest = before.digest;
  return {};
}

Result<Json> upload(ServerLink& server, std::vector<Output>& outputs, KnownOutputs& known) {
  Json list = Json::array();
  for (auto& output : outputs) {
    ROOST_CHECK(read_facts(output, known));
    list.push_back({{"path", output.path}, {"digest", output.digest}, {"size", output.size}});
  }
  for (std::size_t start = 0; start < outputs.size(); start += kBatchDigests) {
    const std::size_t end = std::min(outputs.size(), start + kBatchDigests);
    Json digests = Json::array();
    for (std::size_t i = start; i < end; ++i) digests.push_back(outputs[i].digest);
    ROOST_TRY(const Json answer, server.persist([&](ApiClient& api) {
      return api.post("/blobs/missing", {{"digests", digests}});
    }));
    auto missing = answer.value("missing", std::set<std::string>());
    std::vector<const Output*> small;
    for (std::size_t i = start; i < end; ++i) {
      if (missing.erase(outputs[i].digest) == 0) continue;  // there, or twice in this folder
      if (outputs[i].size > kSmall) {
        ROOST_CHECK(put_large(server, outputs[i]));
      } else {
        small.push_back(&outputs[i]);
      }
    }
    ROOST_CHECK(put_small(server, small));
  }
  return list;
}

}  // namespace

Result<Json> collect_outputs(ServerLink& server, const fs::path& root, const fs::path& folder,
                             const std::string& prefix, KnownOutputs& known) {
  ROOST_TRY(std::vector<Output> outputs, find_outputs(root, folder, prefix));
  return upload(server, outputs, known);
}

Result<Json> collect_settled_outputs(ServerLink& server, const fs::path& root, const fs::path& folder,
                                     const std::string& prefix, std::chrono::milliseconds settled,
                                     KnownOutputs& known) {
  ROOST_TRY(std::vector<Output> outputs, find_outputs(root, folder, prefix));
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto latest = std::chrono::duration_cast<std::chrono::nanoseconds>(now - settled).count();
  std::erase_if(outputs, [&](const Output& output) {
    const std::int64_t modified = modified_ns(output.file);
    const auto before = known.find(output.path);
    return modified > latest || (before != known.end() && before->second.modified_ns == modified);
  });
  auto uploaded = upload(server, outputs, known);
  if (!uploaded) {
    for (const auto& output : outputs) known.erase(output.path);
  }
  return uploaded;
}

}  // namespace roost
