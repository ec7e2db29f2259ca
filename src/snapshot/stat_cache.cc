#include "snapshot/stat_cache.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/digest.h"
#include "base/files.h"

namespace roost {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr char kMagic[8] = {'r', 'o', 'o', 's', 't', 's', 't', '1'};

// The file: one Header, `count` Records, then names and targets. In the byte order of the machine,
// since it never leaves it.
struct Header {
  char magic[8];
  std::uint64_t checksum;  // of everything behind it
  std::uint64_t count;
  std::uint64_t amlignore;
  unsigned char snapshot[32];  // all zeros if none
};
using Record = StatCache::Record;
static_assert(sizeof(Header) == 64 && sizeof(Record) == 96);
constexpr std::size_t kChecked = offsetof(Header, count);

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::array<unsigned char, 16> hash128(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  std::array<unsigned char, 16> out{};
  std::memcpy(out.data(), &hash.low64, 8);
  std::memcpy(out.data() + 8, &hash.high64, 8);
  return out;
}

// to_hex() with a table of pairs: it is called for every file of a scan.
std::string hex_of(const unsigned char (&raw)[32]) {
  static constexpr auto kPairs = [] {
    std::array<std::array<char, 2>, 256> pairs{};
    constexpr char kDigits[] = "0123456789abcdef";
    for (std::size_t i = 0; i < 256; ++i) pairs[i] = {kDigits[i >> 4], kDigits[i & 15]};
    return pairs;
  }();
  char out[64];
  for (std::size_t i = 0; i < 32; ++i) std::memcpy(out + 2 * i, kPairs[raw[i]].data(), 2);
  return std::string(out, sizeof out);
}

void unhex(std::string_view digest, unsigned char (&raw)[32]) {
  const auto value = [](char c) {
    return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
  };
  for (std::size_t i = 0; i < 32; ++i) {
    raw[i] = static_cast<unsigned char>(value(digest[2 * i]) << 4 | value(digest[2 * i + 1]));
  }
}

}  // namespace

FileStamp stamp_of(const struct stat& info) {
  FileStamp stamp;
  stamp.size = static_cast<std::uint64_t>(info.st_size);
  stamp.mtime = info.st_mtim.tv_sec * kSecondNs + info.st_mtim.tv_nsec;
  stamp.ctime = info.st_ctim.tv_sec * kSecondNs + info.st_ctim.tv_nsec;
  stamp.inode = info.st_ino;
  stamp.device = info.st_dev;
  stamp.mode = info.st_mode;
  return stamp;
}

std::int64_t file_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now.tv_sec * kSecondNs + now.tv_nsec;
}

RulesHash hash_rules(std::string_view text) { return hash128(text); }

RulesHash StatCache::Record::rules() const {
  RulesHash out{};
  std::memcpy(out.data(), digest, out.size());
  return out;
}

std::string StatCache::Record::hex_digest() const { return hex_of(digest); }

StatCache StatCache::read(const std::filesystem::path& file) {
  StatCache cache;
  // Read and not mapped: a mapped file that something truncates would end the process.
  auto bytes = read_file(file);
  if (!bytes || !cache.load(std::move(*bytes))) return StatCache();
  return cache;
}

bool StatCache::load(std::string bytes) {
  Header header{};
  if (bytes.size() < sizeof header) return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.count == 0 ||
      header.count > (bytes.size() - sizeof header) / sizeof(Record) ||
      header.checksum != checksum(std::string_view(bytes).substr(kChecked))) {
    return false;
  }
  bytes_ = std::move(bytes);
  count_ = header.count;
  names_at_ = sizeof header + count_ * sizeof(Record);
  amlignore_ = header.amlignore != 0;
  // The checksum does not prove who wrote it: nothing read later may lie outside.
  const std::size_t names_size = bytes_.size() - names_at_;
  for (std::size_t i = 0; i < count_; ++i) {
    const Record one = record(i);
    const std::size_t target = one.is_symlink() ? std::size_t{one.extra} + 1 : 0;
    if (one.name_at + std::size_t{one.name_size} + 1 + target > names_size) return false;
    if (one.is_folder() && one.extra >= count_ - i) return false;
  }
  if (!record(0).is_folder()) return false;
  const bool any = std::any_of(std::begin(header.snapshot), std::end(header.snapshot),
                               [](unsigned char byte) { return byte != 0; });
  if (any) snapshot_ = hex_of(header.snapshot);
  return true;
}

StatCache::Record StatCache::record(std::size_t index) const {
  Record out;
  std::memcpy(&out, bytes_.data() + sizeof(Header) + index * sizeof out, sizeof out);
  return out;
}

std::size_t StatCache::next(std::size_t index) const {
  const Record one = record(index);
  return index + 1 + (one.is_folder() ? one.extra : 0);
}

std::string_view StatCache::name(const Record& record) const {
  return {bytes_.data() + names_at_ + record.name_at, record.name_size};
}

std::string_view StatCache::target(const Record& symlink) const {
  return {bytes_.data() + names_at_ + symlink.name_at + symlink.name_size + 1, symlink.extra};
}

StatCache::Record StatCacheWriter::make(std::string_view name, const FileStamp& stamp) {
  Record record;
  record.stamp.mode = stamp.mode;
  // File systems with whole seconds (or two) are told by their zeros.
  const std::int64_t changed = std::max(stamp.mtime, stamp.ctime);
  const std::int64_t unsure = changed % kSecondNs == 0 ? 2 * kSecondNs : 0;
  if (changed + unsure < scan_start_) record.stamp = stamp;
  record.name_at = static_cast<std::uint32_t>(names_.size());
  record.name_size = static_cast<std::uint32_t>(name.size());
  names_ += name;
  names_ += '\0';
  return record;
}

namespace {

void append(std::string& records, const Record& record) {
  records.append(reinterpret_cast<const char*>(&record), sizeof record);
}

}  // namespace

std::size_t StatCacheWriter::begin_folder(std::string_view name, const FileStamp& stamp,
                                          const RulesHash& rules) {
  Record record = make(name, stamp);
  std::memcpy(record.digest, rules.data(), rules.size());
  append(records_, record);
  return records_.size() / sizeof record - 1;
}

void StatCacheWriter::end_folder(std::size_t folder, bool complete) {
  Record record;
  std::memcpy(&record, records_.data() + folder * sizeof record, sizeof record);
  record.extra = static_cast<std::uint32_t>(records_.size() / sizeof record - folder - 1);
  if (!complete) record.stamp = {.mode = record.stamp.mode};
  std::memcpy(records_.data() + folder * sizeof record, &record, sizeof record);
}

void StatCacheWriter::add_file(std::string_view name, const FileStamp& stamp,
                               std::string_view digest) {
  Record record = make(name, stamp);
  unhex(digest, record.digest);
  append(records_, record);
}

void StatCacheWriter::add_symlink(std::string_view name, std::string_view target) {
  Record record = make(name, {.mode = S_IFLNK});
  record.stamp = {.mode = S_IFLNK};
  record.extra = static_cast<std::uint32_t>(target.size());
  names_ += target;
  names_ += '\0';
  append(records_, record);
}

std::string StatCacheWriter::finish(bool amlignore, std::string_view snapshot) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.count = records_.size() / sizeof(Record);
  header.amlignore = amlignore ? 1 : 0;
  if (!snapshot.empty()) unhex(snapshot, header.snapshot);
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  out += records_;
  out += names_;
  header.checksum = checksum(std::string_view(out).substr(kChecked));
  std::memcpy(out.data(), &header, sizeof header);
  return out;
}

Status write_stat_cache(const std::filesystem::path& file, std::string_view bytes) {
  ROOST_CHECK(make_folders(file.parent_path()));
  // Not synced to disk: after a power loss the checksum tells, and the files are read once more.
  const std::filesystem::path temporary = file.string() + ".tmp-" + random_hex(6);
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, "write " + temporary.string());
  Status written = write_all(fd.get(), bytes, temporary.string());
  if (written && ::rename(temporary.c_str(), file.c_str()) != 0) {
    written = fail_errno(errno, "write " + file.string());
  }
  if (!written) ::unlink(temporary.c_str());
  return written;
}

std::filesystem::path stat_cache_file(const std::filesystem::path& cache_folder,
                                      const std::filesystem::path& root) {
  const auto hash = hash128(root.string());
  return cache_folder / "stat" / to_hex(hash.data(), hash.size());
}

}  // namespace roost
