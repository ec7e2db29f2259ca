#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace roost {

enum class EntryKind : std::uint8_t { kFile, kExecutable, kSymlink, kEmptyFolder };

// "100644", "100755", "120000", "040000"
std::string_view entry_mode(EntryKind kind);

struct ManifestEntry {
  std::string path;  // relative; that of an empty folder ends in '/', as in the text
  EntryKind kind = EntryKind::kFile;
  std::uint64_t size = 0;  // files only
  std::string digest;      // files only
  std::string target;      // symlinks only

  bool is_file() const { return kind == EntryKind::kFile || kind == EntryKind::kExecutable; }
  bool operator==(const ManifestEntry&) const = default;
};

// The tree of a snapshot: entries sorted bytewise by path, folders only where they are empty.
struct Manifest {
  std::vector<ManifestEntry> entries;
  std::uint64_t size = 0;  // of all files together

  bool operator==(const Manifest&) const = default;
};

inline constexpr std::uint64_t kMaxFileSize = std::uint64_t{1} << 50;
inline constexpr std::uint64_t kMaxSnapshotSize = std::uint64_t{1}
                                                  << 53;  // exact in any JSON reader
inline constexpr std::size_t kMaxManifestEntries = 10'000'000;

// The canonical text: one JSON array a line, each line ended by '\n', no blanks, only those
// characters escaped that JSON demands. The empty tree is the empty text. The snapshot's digest is
// its SHA-256.
std::string manifest_text(const Manifest& manifest);

// Reads untrusted text. What it returns passes check_manifest() and gives the same text again, byte
// for byte; anything else is kInvalidArgument with the number of the line and the reason.
Result<Manifest> parse_manifest(std::string_view text);

// Whether the entries can be written below any folder and stay there: sorted, no path twice, no
// path that is a file and a folder at once, nothing absolute, no "..", no symlink that leads out.
Status check_manifest(const Manifest& manifest);

// Why a symlink of the manifest may not be stored, or nothing. Targets must be relative and stay in
// the tree; one that goes through another symlink may not go up again behind it, because where ".."
// leads there cannot be told from the text. The entries must be sorted.
std::optional<std::string> symlink_problem(const Manifest& manifest, const ManifestEntry& link);

std::size_t count_files(const Manifest& manifest);

// The "entries" of get_snapshot: {"path","mode","size","digest"} or {"path","mode","link"} or, for
// an empty folder, {"path","mode"}; and back, from untrusted JSON.
Json entries_json(const Manifest& manifest);
Result<Manifest> manifest_from_entries(const Json& entries);

}  // namespace roost
