#pragma once

#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "runner/collect_outputs.h"
#include "runner/event_file.h"
#include "runner/notices.h"
#include "runner/server_link.h"
#include "tensorboard/tag_prefix.h"

namespace roost {

// Reads what a run writes for TensorBoard to ./logs and ./outputs, as it grows, into a spool file of its own, which is
// shipped like any other (StreamFiles). Pictures go to the server as files of the run before the line that names them.
// A file that was there before the processes were started belongs to the code or to an earlier attempt and is passed
// over; one that is a copy of another, or got another name, is read once.
class EventReader {
 public:
  struct Place {
    std::filesystem::path code;   // has ./logs and ./outputs
    std::filesystem::path spool;  // a folder for the spool file alone, made once there is something to write
    std::string artifacts;        // where the server takes files, e.g. "/runs/RUN/artifacts"
    std::optional<timespec> launched;
  };
  // `server` is used by this alone. `is_over`: the attempt was given up.
  EventReader(Place place, std::unique_ptr<ServerLink> server, const Clock& clock, const std::atomic<bool>& is_over);
  ~EventReader() { stop(); }

  // Looks now and then from here on, on a thread of its own. A run that is over before needs none.
  void begin();
  bool has_begun() const { return thread_.joinable(); }
  // No process of the run writes any more: reads everything to its end. Blocks until that is written down, unless the
  // attempt is given up; what there is no room for is given up when `space` says so.
  void finish(SpaceWait& space);
  // After finish(): what could not be read.
  const Notices& notices() const { return notices_; }

 private:
  struct Known {  // of a path, so that a look costs no more than its stat
    dev_t device = 0;
    ino_t inode = 0;
    std::string identity;
  };
  struct Found {
    std::string path;
    struct stat info {};
  };
  void run();
  void stop();
  // True if there was something to read.
  bool look();
  std::vector<Found> find() const;
  std::optional<std::string> identify(int fd, const Found& found);
  EventFile& file_of(const std::string& identity, const Found& found);
  bool is_older(const struct stat& info) const;
  // Reads it as far as it goes; false if what was read could not be written down now.
  bool read_on(const Found& found);
  // Both false if it has to be tried again; `space` at the end alone.
  bool write_down(SpaceWait* space = nullptr);
  bool write_lines();
  bool send_pictures(SpaceWait* space);
  void tell_hparams(SummaryLines& lines);

  const Place place_;
  std::unique_ptr<ServerLink> server_;
  const Clock& clock_;
  const std::atomic<bool>& is_over_;
  Fd root_;
  Fd spool_;
  std::uint64_t written_ = 0;
  std::string pending_;                   // lines to be written
  std::deque<EventPicture> pictures_;     // to be sent
  std::map<std::string, std::string> hparams_;
  TagPrefixes prefixes_;
  std::map<std::string, Known> known_;        // by path
  std::map<std::string, EventFile> files_;    // by identity: name and first event
  std::map<std::string, std::string> paths_;  // by identity, the path it was first found at
  Notices notices_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace roost
