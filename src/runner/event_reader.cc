#include "runner/event_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/log.h"
#include "base/open_beneath.h"
#include "base/tree_beneath.h"
#include "domain/names.h"
#include "net/router.h"
#include "tensorboard/event_records.h"

namespace roost {
namespace {

using std::chrono::microseconds;

constexpr microseconds kFirstLook{1'000'000};
constexpr microseconds kBetweenLooks{2'000'000};
constexpr microseconds kWhileGrowing{500'000};
constexpr microseconds kLongestPause{30'000'000};
constexpr int kShare = 100;  // looking takes at most one part in so many of a core
constexpr std::size_t kFirstEvent = 4096;
constexpr const char* kSpoolName = "tensorboard.spool";

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Below ./logs or ./outputs.
std::string folder_of(const std::string& path) {
  const std::size_t first = path.find('/') + 1;
  const std::size_t last = path.rfind('/');
  return last < first ? "" : path.substr(first, last - first);
}

}  // namespace

EventReader::EventReader(Place place, std::unique_ptr<ServerLink> server, const Clock& clock,
                         const std::atomic<bool>& is_over)
    : place_(std::move(place)), server_(std::move(server)), clock_(clock), is_over_(is_over) {}

void EventReader::begin() {
  if (!has_begun()) thread_ = std::thread([this] { run(); });
}

void EventReader::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void EventReader::run() {
  microseconds pause = kFirstLook;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, pause, [this] { return stopped_.load(); })) {
    lock.unlock();
    const Micros began = clock_.steady();
    if (write_down()) look();
    const microseconds took(clock_.steady() - began);
    pause = std::clamp(took * kShare, files_.empty() ? kBetweenLooks : kWhileGrowing, kLongestPause);
    lock.lock();
  }
}

void EventReader::finish(SpaceWait& space) {
  stop();
  Backoff backoff({}, is_over_);
  while (!is_over_) {
    const bool is_down = write_down(&space);
    if (is_down && !look()) break;
    if (is_down) continue;
    if (!pending_.empty() && space.gives_up()) {
      notices_.add(kSpoolName, "could not be written to its end: what was logged for TensorBoard last is missing");
      break;
    }
    backoff.pause();
  }
  for (const auto& found : find()) {
    const auto known = known_.find(found.path);
    if (known == known_.end() || paths_[known->second.identity] != found.path) continue;
    const auto file = files_.find(known->second.identity);
    if (file != files_.end()) file->second.tell(found.path, static_cast<std::uint64_t>(found.info.st_size), notices_);
  }
}

std::vector<EventReader::Found> EventReader::find() const {
  std::vector<Found> found;
  TreeVisitor visitor;
  visitor.each = [&](const std::string& path, const struct stat& info) {
    if (S_ISREG(info.st_mode) && name_of(path).find("tfevents") != std::string::npos) found.push_back({path, info});
  };
  for (const char* folder : {"logs", "outputs"}) walk_beneath(root_.get(), folder, visitor);
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.path < b.path; });
  return found;
}

bool EventReader::is_older(const struct stat& info) const {
  if (!place_.launched) return false;
  const auto& changed = info.st_ctim;
  const auto& launched = *place_.launched;
  return changed.tv_sec < launched.tv_sec || (changed.tv_sec == launched.tv_sec && changed.tv_nsec < launched.tv_nsec);
}

// By its name and its first event, which has the time of its writer to the microsecond. None before that is whole.
std::optional<std::string> EventReader::identify(int fd, const Found& found) {
  const std::string bytes = read_at(fd, 0, kFirstEvent);
  const EventRecord first = next_event_record(bytes);
  if (first.kind == EventRecord::Kind::kPartial && bytes.size() < kFirstEvent) return std::nullopt;
  // What is no event at all is known by where it lies.
  const std::string mark = first.kind == EventRecord::Kind::kWhole ? std::string(bytes, 0, first.size) : found.path;
  return name_of(found.path) + "\n" + mark;
}

EventFile& EventReader::file_of(const std::string& identity, const Found& found) {
  const auto file = files_.find(identity);
  if (file != files_.end()) return file->second;
  const auto from = is_older(found.info) ? static_cast<std::uint64_t>(found.info.st_size) : 0;
  return files_.try_emplace(identity, prefixes_.prefix_of(folder_of(found.path)), from).first->second;
}

bool EventReader::read_on(const Found& found) {
  const auto size = static_cast<std::uint64_t>(found.info.st_size);
  const auto known = known_.find(found.path);
  if (known != known_.end() && known->second.device == found.info.st_dev && known->second.inode == found.info.st_ino) {
    const auto file = files_.find(known->second.identity);
    if (file != files_.end() && !file->second.wants(size)) return true;
  }
  const auto opened = open_plain_file(root_.get(), found.path);
  if (!opened) return true;
  const auto identity = identify(opened->fd.get(), found);
  if (!identity) return true;
  known_[found.path] = {opened->info.st_dev, opened->info.st_ino, *identity};
  paths_.try_emplace(*identity, found.path);
  EventFile& file = file_of(*identity, found);
  for (bool more = file.wants(size); more && !is_over_;) {
    EventFile::Read read = file.read(opened->fd.get(), size, clock_.now());
    pending_ += read.lines;
    std::move(read.pictures.begin(), read.pictures.end(), std::back_inserter(pictures_));
    tell_hparams(file.lines());
    more = read.more;
    if (!write_down()) return false;
  }
  return true;
}

bool EventReader::look() {
  if (!root_) root_ = Fd(::open(place_.code.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root_) return false;
  const std::uint64_t before = written_;
  for (const auto& found : find()) {
    if (is_over_) break;
    if (!read_on(found)) return true;
  }
  return written_ != before;
}

// The first value of each is what the attempt says.
void EventReader::tell_hparams(SummaryLines& lines) {
  for (const auto& [name, value] : std::exchange(lines.hparams(), {})) {
    if (!hparams_.try_emplace(name, value).second) continue;
    pending_ += to_text({"param", name, value, nullptr, static_cast<double>(clock_.now()) / kSecond}) + "\n";
  }
}

bool EventReader::write_down(SpaceWait* space) { return write_lines() && send_pictures(space) && write_lines(); }

bool EventReader::write_lines() {
  if (pending_.empty()) return true;
  if (!spool_) {
    if (!make_folders(place_.spool)) return false;
    spool_ = Fd(::open((place_.spool / kSpoolName).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!spool_) return false;
  }
  // A disk that is full takes a part of it: the rest comes after it.
  while (!pending_.empty()) {
    const ssize_t put = ::pwrite(spool_.get(), pending_.data(), pending_.size(), static_cast<off_t>(written_));
    if (put <= 0) return false;
    written_ += static_cast<std::uint64_t>(put);
    pending_.erase(0, static_cast<std::size_t>(put));
  }
  return true;
}

bool EventReader::send_pictures(SpaceWait* space) {
  while (!pictures_.empty()) {
    const EventPicture& picture = pictures_.front();
    const auto sent = server_->once([&](ApiClient& api) {
      return api.send_bytes("PUT", place_.artifacts + "/" + percent_encode(picture.path, true), "application/octet-stream",
                            picture.bytes);
    });
    const bool has_no_room = !sent && sent.error().code == ErrorCode::kResourceExhausted && space && space->gives_up();
    if (sent) {
      pending_ += picture.line;
    } else if (!has_no_room && !is_refusal(sent.error()) && !is_given_up(sent.error())) {
      return false;
    } else {
      notices_.add(picture.path, "is not kept: " + sent.error().message);
    }
    pictures_.pop_front();
  }
  return true;
}

}  // namespace roost
