#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "net/http.h"
#include "server/app.h"

namespace roost {

// Bytes that came, in a file of the data folder until somebody keeps them: their digest is known only at the end.
class ReceivedFile {
 public:
  // Reads the whole body.
  static Result<ReceivedFile> receive(App& app, BodyReader& body);
  ~ReceivedFile();
  ReceivedFile(ReceivedFile&& other) noexcept
      : digest_(std::move(other.digest_)), size_(other.size_), temporary_(std::exchange(other.temporary_, {})) {}
  ReceivedFile& operator=(ReceivedFile&&) = delete;

  const std::string& digest() const { return digest_; }
  std::uint64_t size() const { return size_; }

  // Into the store, on disk. The caller has a hold (BlobStore::hold) from before this until the digest is recorded.
  Status keep(BlobStore& blobs);

 private:
  ReceivedFile() = default;
  std::string digest_;
  std::uint64_t size_ = 0;
  std::filesystem::path temporary_;  // "" once it was kept
};

}  // namespace roost
