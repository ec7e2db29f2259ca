#include "runner/scratch_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "base/files.h"

namespace roost {

Status write_scratch_file(const std::filesystem::path& path, std::string_view text) {
  const std::string temporary = path.string() + ".new";
  // Whatever a run may have put there: a FIFO would make this wait, a link would lead elsewhere.
  ::unlink(temporary.c_str());
  const Fd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (!fd) return fail_errno(errno, "write " + temporary);
  ROOST_CHECK(write_all(fd.get(), text, temporary));
  if (::rename(temporary.c_str(), path.c_str()) != 0) return fail_errno(errno, "write " + path.string());
  return {};
}

}  // namespace roost
