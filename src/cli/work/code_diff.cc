#include "cli/work/code_diff.h"

#include <fmt/format.h>

#include "base/text.h"
#include "cli/show/run_diff.h"
#include "cli/show/run_text.h"
#include "cli/show/text_diff.h"
#include "net/router.h"

namespace roost {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 20;

Result<Json> get_snapshot(ApiClient& client, const std::string& digest) {
  if (digest.empty()) return Json::object();
  return client.get("/snapshots/" + percent_encode(digest));
}

std::uint64_t size_of(const Json& entry) {
  const Json& size = child(entry, "size");
  return size.is_number_unsigned() ? size.get<std::uint64_t>() : 0;
}

// What a diff shows of an entry: a file's bytes, a link's target.
Result<std::string> content(ApiClient& client, const Json& entry) {
  if (entry.is_null()) return std::string();
  if (const std::string link = text_field(entry, "link"); !link.empty()) return "-> " + link + "\n";
  const std::string digest = text_field(entry, "digest");
  if (digest.empty()) return std::string();
  ClientRequest request;
  request.target = "/blobs/" + percent_encode(digest);
  ROOST_TRY(ClientResponse response, client.send(std::move(request)));
  return std::move(response.body);
}

std::string sizes(const Json& a, const Json& b) {
  if (a.is_null()) return human_bytes(size_of(b));
  if (b.is_null()) return human_bytes(size_of(a));
  return human_bytes(size_of(a)) + " -> " + human_bytes(size_of(b));
}

Status compare(ApiClient& client, const Difference& entry, FileDifference& file) {
  if (size_of(entry.a) > kMostBytes || size_of(entry.b) > kMostBytes) {
    file.note = "large, " + sizes(entry.a, entry.b);
    return {};
  }
  ROOST_TRY(const std::string before, content(client, entry.a));
  ROOST_TRY(const std::string after, content(client, entry.b));
  if (is_binary(before) || is_binary(after)) {
    file.note = "binary, " + sizes(entry.a, entry.b);
    return {};
  }
  const std::string none = "/dev/null";
  file.diff = unified_diff(before, after, entry.a.is_null() ? none : "a/" + file.path,
                           entry.b.is_null() ? none : "b/" + file.path);
  return {};
}

}  // namespace

Result<std::vector<FileDifference>> code_differences(ApiClient& client, const std::string& digest_a,
                                                     const std::string& digest_b) {
  std::vector<FileDifference> files;
  if (digest_a == digest_b) return files;
  ROOST_TRY(const Json snapshot_a, get_snapshot(client, digest_a));
  ROOST_TRY(const Json snapshot_b, get_snapshot(client, digest_b));
  for (const Difference& entry : entry_differences(snapshot_a, snapshot_b)) {
    FileDifference file;
    file.path = entry.name;
    const std::string mode_a = text_field(entry.a, "mode");
    const std::string mode_b = text_field(entry.b, "mode");
    const bool same_content = text_field(entry.a, "digest") == text_field(entry.b, "digest") &&
                              text_field(entry.a, "link") == text_field(entry.b, "link");
    if (entry.a.is_null() || entry.b.is_null()) {
      file.change = entry.a.is_null() ? "added" : "removed";
    } else {
      file.change = same_content ? "mode" : "changed";
    }
    if (mode_a != mode_b && file.change != "added" && file.change != "removed") {
      file.note = fmt::format("mode {} -> {}", mode_a, mode_b);
    }
    if (!same_content || file.change != "mode") ROOST_CHECK(compare(client, entry, file));
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace roost
