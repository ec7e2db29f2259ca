#include "server/routes/received_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/digest.h"

namespace roost {

Result<ReceivedFile> ReceivedFile::receive(App& app, BodyReader& body) {
  ReceivedFile file;
  file.temporary_ = app.config.data / "blobs" / "temporary" / random_hex(8);
  const Fd fd(::open(file.temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail_errno(errno, "write an artifact");
  Sha256 hash;
  for (;;) {
    ROOST_TRY(const std::string piece, body.read());
    if (piece.empty()) break;
    hash.update(piece);
    file.size_ += piece.size();
    ROOST_CHECK(write_all(fd.get(), piece, "an artifact"));
  }
  file.digest_ = hash.hex();
  return file;
}

ReceivedFile::~ReceivedFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Status ReceivedFile::keep(BlobStore& blobs) {
  ROOST_CHECK(blobs.adopt(digest_, temporary_));
  temporary_.clear();
  ROOST_CHECK(blobs.sync({digest_}));
  ROOST_CHECK(blobs.size(digest_));
  return {};
}

}  // namespace roost
