#include "server/routes/blob_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cerrno>

#include <fmt/format.h>

namespace roost {
namespace {

class FileBytes final : public ResponseStream {
 public:
  FileBytes(Fd fd, std::uint64_t offset, std::uint64_t length)
      : fd_(std::move(fd)), offset_(offset), left_(length) {}

  Step next(std::string& piece) override {
    if (left_ == 0) return Step::kEnd;
    piece.resize(std::min<std::uint64_t>(left_, 256 * 1024));
    const ssize_t got = ::pread(fd_.get(), piece.data(), piece.size(), static_cast<off_t>(offset_));
    if (got <= 0) return Step::kEnd;
    piece.resize(static_cast<std::size_t>(got));
    offset_ += piece.size();
    left_ -= piece.size();
    return Step::kData;
  }

 private:
  Fd fd_;
  std::uint64_t offset_;
  std::uint64_t left_;
};

// A whole blob, whose last piece goes out only if all of them were right: the reader sees a connection that
// broke, not an end.
class WholeBlob final : public ResponseStream {
 public:
  WholeBlob(const BlobStore& blobs, std::string digest, Fd fd, std::uint64_t length)
      : blobs_(blobs), digest_(std::move(digest)), fd_(fd.get()), bytes_(std::move(fd), 0, length), left_(length) {}

  Step next(std::string& piece) override {
    const Step step = bytes_.next(piece);
    if (step == Step::kEnd) return step;
    hash_.update(piece);
    left_ -= piece.size();
    if (left_ > 0 || hash_.hex() == digest_) return step;
    blobs_.put_aside(digest_, fd_);
    return Step::kEnd;
  }

 private:
  const BlobStore& blobs_;
  const std::string digest_;
  const int fd_;
  FileBytes bytes_;
  std::uint64_t left_;
  Sha256 hash_;
};

struct Range {
  std::uint64_t first;
  std::uint64_t length;
};

// "bytes=a-b", "bytes=a-", "bytes=-n"; anything else means the whole.
std::optional<Range> parse_range(std::string_view text, std::uint64_t size) {
  if (!text.starts_with("bytes=") || text.find(',') != std::string_view::npos) return std::nullopt;
  text.remove_prefix(6);
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view digits, std::uint64_t& value) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  std::uint64_t first = 0;
  std::uint64_t last = size == 0 ? 0 : size - 1;
  if (dash == 0) {
    std::uint64_t count = 0;
    if (!number(text.substr(1), count)) return std::nullopt;
    first = count >= size ? 0 : size - count;
  } else {
    if (!number(text.substr(0, dash), first)) return std::nullopt;
    if (dash + 1 < text.size() && !number(text.substr(dash + 1), last)) return std::nullopt;
  }
  last = std::min(last, size == 0 ? 0 : size - 1);
  if (first >= size || first > last) return Range{size, 0};
  return Range{first, last - first + 1};
}

}  // namespace

Result<Response> blob_response(const BlobStore& blobs, const std::string& digest,
                               const Request& request) {
  // One that has changed is told of at once, and not in the middle of the answer.
  (void)blobs.has(digest);
  ROOST_TRY(const std::uint64_t size, blobs.size(digest));
  ROOST_TRY(Fd fd, blobs.open_blob(digest));
  Response response;
  response.content_type = "application/octet-stream";
  response.headers["ETag"] = "\"" + digest + "\"";
  response.headers["Accept-Ranges"] = "bytes";
  Range range{0, size};
  if (const auto asked = parse_range(request.header("range"), size)) {
    if (asked->length == 0) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("the range is beyond the {} bytes", size));
    }
    range = *asked;
    response.status = 206;
    response.headers["Content-Range"] =
        fmt::format("bytes {}-{}/{}", range.first, range.first + range.length - 1, size);
  }
  response.stream_length = range.length;
  if (range.length == size) {
    response.stream = std::make_unique<WholeBlob>(blobs, digest, std::move(fd), size);
  } else {
    response.stream = std::make_unique<FileBytes>(std::move(fd), range.first, range.length);
  }
  return response;
}

Result<Response> file_response(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail_errno(errno, "read " + path);
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return fail_errno(errno, "read " + path);
  const auto size = static_cast<std::uint64_t>(info.st_size);
  Response response;
  response.content_type = "application/octet-stream";
  response.stream_length = size;
  response.stream = std::make_unique<FileBytes>(std::move(fd), 0, size);
  return response;
}

Result<std::uint64_t> receive_blob(BlobStore& blobs, const std::string& digest, std::uint64_t offset,
                                   BodyReader& body) {
  ROOST_TRY(auto upload, blobs.begin_upload(digest, offset));
  for (;;) {
    ROOST_TRY(const std::string piece, body.read());
    if (piece.empty()) break;
    ROOST_CHECK(upload.append(piece));
    if (upload.is_overtaken()) {
      upload.forget();
      return blobs.size(digest);
    }
  }
  ROOST_CHECK(upload.finish());
  return upload.received();
}

}  // namespace roost
