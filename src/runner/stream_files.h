#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/frames.h"
#include "runner/followed_log.h"
#include "runner/followed_spool.h"
#include "runner/masked_places.h"
#include "runner/notices.h"
#include "runner/secret_mask.h"
#include "runner/server_link.h"

namespace roost {

// Ships what a run writes, by offset, so that any repetition is harmless: its output, every file
// below ./logs, and its spool files. The files stay on disk until the run has been finished. Nothing that
// the run does to them leads out of `root`, makes this wait or keeps other streams back.
class StreamFiles {
 public:
  // `path` below the run on the server, e.g. "/attempts/RUN/1/streams". All files are below `root`.
  StreamFiles(std::string path, std::filesystem::path root) : path_(std::move(path)), root_path_(std::move(root)) {}

  void add_file(const std::string& stream, const std::filesystem::path& file);
  // Follows every file that appears below `folder`, as `prefix` + its relative path.
  void add_folder(const std::string& prefix, const std::filesystem::path& folder, bool spool);

  // What is masked in all that is written from now on, but for the spool, which is no text for people. Streams without a
  // secret are sent as they are, and cost nothing.
  void mask(std::string_view secret) { secrets_.add(secret); }
  // Into this file the run writes, as lines of JSON, what is to be masked besides, before it may write it elsewhere.
  void add_masks(const std::filesystem::path& file) { masks_ = file.lexically_relative(root_path_).string(); }

  struct Shipped {
    std::uint64_t bytes = 0;
    bool more = false;  // stopped at the size of one request; call again at once
    bool failed = false;  // the server could not keep some of it just now; call again later
    bool full = false;    // because its disk is full
  };
  // One request with what is new now; nothing is sent if nothing is. An error leaves all as it was. A stream that
  // the server refuses is left out from there on, and notices() says so.
  Result<Shipped> ship(ServerLink& server);

  // The run has ended: files that only changed their names are sent under their last name, too.
  void end() { ended_ = true; }
  // The next ship asks how far each stream is, for a server that has less than it said.
  void ask_lengths() { ask_ = true; }
  // How long each stream is as far as it was shipped: what the server must have before the run may end.
  std::map<std::string, std::uint64_t> lengths() const;
  // What could not be kept.
  const Notices& notices() const { return notices_; }

 private:
  struct Stream {
    std::variant<FollowedLog, FollowedSpool> file;
    bool refused = false;  // the server cannot have a log of this name
    MaskedPlaces places = {};

    // How far it was sent, as the server counts, which has masks in place of secrets.
    std::uint64_t sent() const;
    void set_sent(std::uint64_t length);
  };
  struct Folder {
    std::string prefix;
    std::string folder;  // relative to the root
    bool spool = false;
  };
  bool open_root();
  // Whether the run has told of secrets since.
  bool look_for_masks();
  void look_for_files();
  void look_into(const Folder& folder);
  // With what is new of every stream; their names.
  std::vector<std::string> fill_request(Shipped& shipped);
  // Into the request, what is new of one stream; false if nothing is.
  bool append(const std::string& name, Stream& stream, Shipped& shipped);
  // The same of a log in which something is to be masked.
  bool append_masked(const Json& header, Stream& stream, const FollowedLog::Piece& piece, Shipped& shipped);
  Status send(ServerLink& server, Shipped& shipped);
  void leave_out(const std::string& name, const std::string& why);
  void note_losses(const std::string& name, Stream& stream);
  bool is_followed_elsewhere(const struct stat& info, const std::string& name) const;

  std::string path_;
  FrameBuffer request_;
  std::filesystem::path root_path_;
  Fd root_;
  std::map<std::string, std::string> files_;  // single ones: by stream, where they are
  std::map<std::string, Stream> streams_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> owners_;  // device and inode: the stream it is sent in
  std::vector<Folder> folders_;
  Notices notices_;
  SecretMask secrets_;
  std::string masks_;             // where the run tells of more; relative to the root
  std::uint64_t masks_read_ = 0;  // bytes of that
  bool ended_ = false;
  bool ask_ = false;
};

}  // namespace roost
