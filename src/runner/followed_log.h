#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/files.h"

namespace roost {

// One stream of the server as a runner sees it: everything that is written to the files of one name, in
// order. Mostly that is one file that grows. A file that takes the place of another (rotation, rename)
// goes on after what was left of the one before; a file that is written anew from its start goes on after
// what was sent of it. A newline keeps the parts apart. The files are held open, so that a rename or a
// removal takes nothing away.
class FollowedLog {
 public:
  // Under the name is this file now. Cheap if nothing changed.
  void see(int root, const std::string& path, const struct stat& info);

  // What comes after sent(), at most `limit` bytes of one file; without a file it is a newline.
  struct Piece {
    int fd = -1;
    std::uint64_t offset = 0;
    std::size_t size = 0;
  };
  Piece next(std::size_t limit) const;
  // These were the bytes of that piece.
  void note_read(std::string_view bytes);
  std::uint64_t sent() const { return sent_; }
  // How far the server is; less than it was if it forgot something.
  void set_sent(std::uint64_t length);
  bool is_behind_after(std::size_t more) const { return part_at(sent_ + more) != nullptr; }

  bool holds(const struct stat& info) const;
  // Once: it was written anew from the start; lines that nobody saw before may be missing.
  bool take_was_cut();
  // Closes the file until it changes, for whoever follows too many.
  void rest();

 private:
  struct Part {
    Fd fd;
    std::uint64_t start = 0;   // in the stream
    std::uint64_t length = 0;  // of the file, as far as it belongs to the stream
    bool readable = true;      // false once it was written anew
    struct stat info {};
    std::string head;  // what was read of it first, and last, to see that it is still the same
    std::string tail;
    std::uint64_t tail_end = 0;
  };
  std::uint64_t end() const { return parts_.empty() ? 0 : parts_.back().start + parts_.back().length; }
  const Part* part_at(std::uint64_t place) const;
  void add_part(int root, const std::string& path, const struct stat& info);
  bool was_rewritten(const Part& part, std::uint64_t size) const;

  std::deque<Part> parts_;
  std::uint64_t sent_ = 0;
  bool ends_in_line_ = false;  // the last byte that was read was no newline
  bool was_cut_ = false;
};

}  // namespace roost
