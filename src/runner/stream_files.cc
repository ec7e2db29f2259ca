#include "runner/stream_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <set>

#include <fmt/format.h>

#include "base/frames.h"
#include "base/log.h"
#include "base/open_beneath.h"
#include "base/text.h"
#include "base/tree_beneath.h"
#include "domain/names.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr std::size_t kPiece = 2 << 20;     // of a spool, which the server takes in at one go
constexpr std::size_t kRequest = 8 << 20;  // fewer and larger ones: each waits for its answer
constexpr std::size_t kMostMasks = 1 << 20;  // of what a run tells of its secrets
constexpr std::size_t kMostOpen = 256;  // files that are held open for a rename to take nothing away

std::pair<std::uint64_t, std::uint64_t> id_of(const struct stat& info) { return {info.st_dev, info.st_ino}; }

}  // namespace

std::uint64_t StreamFiles::Stream::sent() const {
  return places.sent_of(std::visit([](const auto& each) { return each.sent(); }, file));
}

void StreamFiles::Stream::set_sent(std::uint64_t length) {
  std::visit([&](auto& each) { each.set_sent(places.written_of(length)); }, file);
}

bool StreamFiles::open_root() {
  if (!root_) root_ = Fd(::open(root_path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return static_cast<bool>(root_);
}

void StreamFiles::add_file(const std::string& stream, const fs::path& file) {
  files_[stream] = file.lexically_relative(root_path_).string();
}

void StreamFiles::add_folder(const std::string& prefix, const fs::path& folder, bool spool) {
  folders_.push_back({prefix, folder.lexically_relative(root_path_).string(), spool});
}

// A file that got another name while something else took its old one was rotated away: its lines are in the
// stream of the old name.
bool StreamFiles::is_followed_elsewhere(const struct stat& info, const std::string& name) const {
  const auto owner = owners_.find(id_of(info));
  if (ended_ || owner == owners_.end() || owner->second == name) return false;
  const auto stream = streams_.find(owner->second);
  const auto* log = stream == streams_.end() ? nullptr : std::get_if<FollowedLog>(&stream->second.file);
  return log && log->holds(info);
}

void StreamFiles::look_into(const Folder& folder) {
  struct Found {
    std::string path;
    struct stat info {};
  };
  std::map<std::string, Found> found;  // by stream
  TreeVisitor visitor;
  visitor.each = [&](const std::string& path, const struct stat& info) {
    const std::string name = folder.prefix + path.substr(folder.folder.size() + 1);
    if (folder.spool && !name.ends_with(".spool")) return;
    if (S_ISREG(info.st_mode) && check_artifact_path(name)) {
      found[name] = {path, info};
    } else if (!folder.spool) {
      notices_.add(name, S_ISREG(info.st_mode)   ? "is not kept: a log's name is text without control characters"
                         : S_ISLNK(info.st_mode) ? "is not followed: it is a link"
                                                 : "is not followed: it is no regular file");
    }
  };
  visitor.unreadable = [&](const std::string& path, int error) {
    if (path.size() <= folder.folder.size()) return;
    notices_.add(folder.prefix + path.substr(folder.folder.size() + 1), errno_error(error, "be looked into").message);
  };
  walk_beneath(root_.get(), folder.folder, visitor);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> now;
  for (const auto& [name, file] : found) {
    if (folder.spool) {
      auto& stream = streams_.try_emplace(name, Stream{FollowedSpool{}}).first->second;
      std::get<FollowedSpool>(stream.file).see(root_.get(), file.path);
      continue;
    }
    // Only renamed: its old name is gone. It is followed under the new one, from its start.
    const auto owner = owners_.find(id_of(file.info));
    const bool was_renamed = owner != owners_.end() && owner->second != name && !found.contains(owner->second);
    if (!was_renamed && is_followed_elsewhere(file.info, name)) continue;
    auto& stream = streams_.try_emplace(name, Stream{FollowedLog{}}).first->second;
    auto& log = std::get<FollowedLog>(stream.file);
    log.see(root_.get(), file.path, file.info);
    if (streams_.size() > kMostOpen) log.rest();
    owners_[id_of(file.info)] = name;
  }
}

bool StreamFiles::look_for_masks() {
  if (masks_.empty() || masks_read_ >= kMostMasks || !open_root()) return false;
  const auto file = open_plain_file(root_.get(), masks_);
  if (!file || static_cast<std::uint64_t>(file->info.st_size) <= masks_read_) return false;
  std::string lines = read_at(file->fd.get(), masks_read_, kMostMasks);
  lines.resize(lines.rfind('\n') + 1);  // npos + 1 is 0
  masks_read_ += lines.size();
  for (const auto& line : split(lines, '\n')) {
    const auto secret = parse_json(line, "a secret");
    if (secret && secret->is_string()) secrets_.add(secret->get_ref<const std::string&>());
  }
  return !lines.empty();
}

void StreamFiles::look_for_files() {
  if (!open_root()) return;
  for (const auto& [name, path] : files_) {
    const Fd fd = open_beneath(root_.get(), path, O_PATH);
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    auto& stream = streams_.try_emplace(name, Stream{FollowedLog{}}).first->second;
    std::get<FollowedLog>(stream.file).see(root_.get(), path, info);
  }
  for (const auto& folder : folders_) look_into(folder);
  // An inode that nobody holds may be another file's tomorrow.
  std::erase_if(owners_, [&](const auto& owner) {
    const auto stream = streams_.find(owner.second);
    if (stream == streams_.end()) return true;
    struct stat info {};
    info.st_dev = owner.first.first;
    info.st_ino = owner.first.second;
    return !std::get<FollowedLog>(stream->second.file).holds(info);
  });
}

void StreamFiles::note_losses(const std::string& name, Stream& stream) {
  if (auto* log = std::get_if<FollowedLog>(&stream.file)) {
    if (log->take_was_cut()) {
      notices_.add(name, "was written anew from its start: what was there before is kept before it, but lines of the "
                         "last moment may be missing");
    }
    return;
  }
  while (const auto bytes = std::get<FollowedSpool>(stream.file).take_left_out()) {
    notices_.add(name, fmt::format("has a line of {}, which was left out: a line may have {}", human_bytes(*bytes),
                                   human_bytes(FollowedSpool::kLongestLine)));
  }
}

bool StreamFiles::append_masked(const Json& header, Stream& stream, const FollowedLog::Piece& piece, Shipped& shipped) {
  auto& log = std::get<FollowedLog>(stream.file);
  const std::string text = read_at(piece.fd, piece.offset, piece.size);
  if (text.size() < piece.size) return false;  // it became shorter just now
  const std::uint64_t from = log.sent();
  const bool has_more = log.is_behind_after(piece.size);
  std::size_t taken = 0;
  std::string masked = stream.places.mask(secrets_, text, from, ended_, taken);
  // What was kept back and is followed by another file or by nothing that it could be the beginning of.
  if (taken == 0 && has_more) masked = stream.places.mask(secrets_, text, from, true, taken);
  if (taken == 0 && !ask_) return false;
  request_.append(header, masked);
  log.note_read(std::string_view(text).substr(0, taken));
  shipped.more = shipped.more || has_more;
  shipped.bytes += taken;
  return true;
}

bool StreamFiles::append(const std::string& name, Stream& stream, Shipped& shipped) {
  if (stream.refused) return false;
  const Json header = {{"stream", name}, {"offset", stream.sent()}};
  if (auto* log = std::get_if<FollowedLog>(&stream.file)) {
    const auto next = log->next(kRequest);
    if (next.size == 0 && !ask_) return false;
    if (next.fd < 0) {
      request_.append(header, next.size == 0 ? "" : "\n");
    } else if (!secrets_.empty()) {
      return append_masked(header, stream, next, shipped);
    } else if (request_.append_file(header, next.fd, next.offset, next.size)) {
      log->note_read(request_.bytes().substr(request_.bytes().size() - next.size));
    } else {
      return false;  // it became shorter just now
    }
    shipped.more = shipped.more || log->is_behind_after(next.size);
    shipped.bytes += next.size;
    return true;
  }
  const std::string lines = std::get<FollowedSpool>(stream.file).next_lines(kPiece);
  if (lines.empty() && !ask_) return false;
  request_.append(header, lines);
  shipped.more = shipped.more || lines.size() >= kPiece;
  shipped.bytes += lines.size();
  return true;
}

std::vector<std::string> StreamFiles::fill_request(Shipped& shipped) {
  request_.clear();
  shipped = {};
  std::vector<std::string> names;
  for (auto& [name, stream] : streams_) {
    if (request_.bytes().size() >= kRequest) {
      shipped.more = true;
      break;
    }
    if (append(name, stream, shipped)) names.push_back(name);
    note_losses(name, stream);
  }
  return names;
}

Result<StreamFiles::Shipped> StreamFiles::ship(ServerLink& server) {
  look_for_files();
  Shipped shipped;
  std::vector<std::string> names = fill_request(shipped);
  // A run tells of a secret before it can print it, so whoever has read it as it was printed finds it told.
  if (look_for_masks()) names = fill_request(shipped);
  if (names.empty()) return shipped;
  Status sent = send(server, shipped);
  if (!sent && !is_refusal(sent.error())) return fail(sent.error());
  if (!shipped.more) ask_ = false;
  if (sent) return shipped;
  // One of them is refused for good: the others must not suffer for it.
  for (const auto& name : names) {
    if (!append(name, streams_[name], shipped)) continue;
    if (look_for_masks()) {
      request_.clear();
      if (!append(name, streams_[name], shipped)) continue;
    }
    sent = send(server, shipped);
    if (!sent && !is_refusal(sent.error())) return fail(sent.error());
    if (!sent) leave_out(name, sent.error().message);
  }
  return shipped;
}

Status StreamFiles::send(ServerLink& server, Shipped& shipped) {
  const auto heard = server.once([&](ApiClient& api) {
    return api.send_bytes("POST", path_, kFramesType, request_.bytes());
  });
  request_.clear();
  ROOST_TRY(const Json answer, heard);
  const Json lengths = object_at(answer, "streams");
  for (const auto& item : lengths.items()) {
    const auto it = streams_.find(item.key());
    if (it != streams_.end() && item.value().is_number_unsigned()) it->second.set_sent(item.value().get<std::uint64_t>());
  }
  const Json refused = object_at(answer, "refused");
  for (const auto& item : refused.items()) {
    if (item.value().is_string()) leave_out(item.key(), item.value().get<std::string>());
  }
  shipped.failed = shipped.failed || !object_at(answer, "failed").empty();
  shipped.full = flag_at(answer, "full");
  return {};
}

void StreamFiles::leave_out(const std::string& name, const std::string& why) {
  const auto it = streams_.find(name);
  if (it == streams_.end()) return;
  it->second.refused = true;
  notices_.add(name, fmt::format("is not kept{}: {}", it->second.sent() == 0 ? "" : fmt::format(" from byte {} on", it->second.sent()), why));
  log_warning("{} is not kept: {}", printable(name), why);
}

std::map<std::string, std::uint64_t> StreamFiles::lengths() const {
  std::map<std::string, std::uint64_t> out;
  for (const auto& [name, stream] : streams_) {
    if (!stream.refused) out[name] = stream.sent();
  }
  return out;
}

}  // namespace roost
