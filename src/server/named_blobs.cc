#include "server/named_blobs.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/digest.h"
#include "domain/manifest.h"
#include "records/blob_records.h"

namespace roost {
namespace {

constexpr std::size_t kStep = 100;

// Whatever looks like a digest in what is left of a manifest.
void add_digests_in(std::string_view text, DigestSet& named) {
  std::size_t length = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char at = i < text.size() ? text[i] : '\0';
    if ((at >= '0' && at <= '9') || (at >= 'a' && at <= 'f')) {
      ++length;
      continue;
    }
    if (length == 64) named.add(text.substr(i - 64, 64));
    length = 0;
  }
}

}  // namespace

Status find_named_blobs(const GarbageParts& parts, DigestSet& named, const std::function<void(std::string)>& tell) {
  std::vector<std::string> snapshots;
  ROOST_CHECK(parts.db.read([&](Tx& tx) -> Status {
    ROOST_CHECK(each_named_file(tx, [&](const std::string& digest) { named.add(digest); }));
    ROOST_TRY(snapshots, manifest_digests(tx));
    return {};
  }));
  for (const auto& digest : snapshots) {
    named.add(digest);
    const auto text = parts.blobs.read(digest);
    if (!text && text.error().code != ErrorCode::kNotFound) return fail(text.error());
    const auto manifest = text ? parse_manifest(*text) : Result<Manifest>(fail(text.error()));
    if (manifest) {
      for (const auto& entry : manifest->entries) {
        if (entry.is_file()) named.add(entry.digest);
      }
      continue;
    }
    tell(fmt::format("the snapshot {} cannot be read: {}", digest, manifest.error().message));
    add_digests_in(text ? *text : parts.blobs.read_damaged(digest).value_or(""), named);
  }
  named.seal();
  return {};
}

Status drop_unused_snapshots(const GarbageParts& parts, Micros grace) {
  const Micros lease = std::chrono::microseconds(parts.blobs.lease()).count();
  const Micros oldest = parts.clock.now() - std::max(grace, lease);
  std::vector<std::string> unused;
  ROOST_CHECK(parts.db.read([&](Tx& tx) -> Status {
    ROOST_TRY(unused, unused_manifests(tx, oldest));
    return {};
  }));
  for (std::size_t start = 0; start < unused.size(); start += kStep) {
    ROOST_CHECK(parts.db.write([&](Tx& tx) -> Status {
      for (std::size_t i = start; i < std::min(unused.size(), start + kStep); ++i) {
        if (parts.blobs.is_leased(unused[i])) continue;
        ROOST_CHECK(drop_unused_manifest(tx, unused[i], oldest));
      }
      return {};
    }));
  }
  return {};
}

}  // namespace roost
