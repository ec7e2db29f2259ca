#include "base/deflate.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <zlib.h>

namespace roost {
namespace {

constexpr int kGzipBits = 15 + 16, kZlibBits = 15, kBareBits = -15;  // zlib's windowBits

// zlib counts what it is given in 32 bits.
uInt some(std::size_t left) { return static_cast<uInt>(std::min<std::size_t>(left, 1U << 30)); }

Bytef* input_of(std::string_view bytes) { return reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data())); }

class Inflater {
 public:
  Inflater(int bits, std::string_view bytes, std::uint64_t limit) : bytes_(bytes), limit_(limit) {
    if (inflateInit2(&stream_, bits) != Z_OK) die("inflateInit2 fails only without memory");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<std::string> run(bool several_members) {
    stream_.next_in = input_of(bytes_);
    while (true) {
      const int state = step();
      if (out_.size() > limit_) {
        return fail(ErrorCode::kTooLarge, fmt::format("the body holds more than {} bytes when decompressed", limit_));
      }
      const std::size_t left = bytes_.size() - used();
      if (state == Z_STREAM_END) {
        if (left == 0) return std::move(out_);
        if (!several_members) return wrong("other bytes follow it");
        if (inflateReset(&stream_) != Z_OK) return wrong("it cannot go on");
      } else if (state == Z_BUF_ERROR || (state == Z_OK && left == 0 && stream_.avail_out > 0)) {
        return wrong("it is cut off");
      } else if (state != Z_OK) {
        return wrong(stream_.msg ? stream_.msg : "it is broken");
      }
    }
  }

 private:
  std::size_t used() const { return static_cast<std::size_t>(stream_.next_in - input_of(bytes_)); }

  // Makes some more, into room that grows with what has come out: never far beyond the limit.
  int step() {
    const std::size_t had = out_.size();
    const uInt room = some(std::min<std::uint64_t>(std::max<std::size_t>({had, bytes_.size(), 4096}), limit_ - had) + 1);
    out_.resize(had + room);
    stream_.avail_in = some(bytes_.size() - used());
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data() + had);
    stream_.avail_out = room;
    const int state = inflate(&stream_, Z_NO_FLUSH);
    out_.resize(had + (room - stream_.avail_out));
    return state;
  }

  static tl::unexpected<Error> wrong(std::string_view why) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("the compressed body cannot be read: {}", why));
  }

  z_stream stream_{};
  std::string_view bytes_;
  std::uint64_t limit_;
  std::string out_;
};

// The first two bytes of zlib's form: 8 for deflate, and a check of 31.
bool has_zlib_header(std::string_view bytes) {
  if (bytes.size() < 2) return true;
  const auto first = static_cast<unsigned char>(bytes[0]), second = static_cast<unsigned char>(bytes[1]);
  return (first & 0x0F) == 8 && (first * 256 + second) % 31 == 0;
}

}  // namespace

Result<std::string> decompress(Encoding encoding, std::string_view bytes, std::uint64_t limit) {
  switch (encoding) {
    case Encoding::kIdentity:
      if (bytes.size() > limit) return fail(ErrorCode::kTooLarge, fmt::format("the body has more than {} bytes", limit));
      return std::string(bytes);
    case Encoding::kGzip: return Inflater(kGzipBits, bytes, limit).run(true);
    case Encoding::kDeflate: return Inflater(has_zlib_header(bytes) ? kZlibBits : kBareBits, bytes, limit).run(false);
  }
  die("every encoding is read");
}

std::string compress(Encoding encoding, std::string_view bytes) {
  if (encoding == Encoding::kIdentity) return std::string(bytes);
  z_stream stream{};
  constexpr int kMemory = 8;  // zlib's own default
  if (deflateInit2(&stream, 1, Z_DEFLATED, encoding == Encoding::kGzip ? kGzipBits : kZlibBits, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    die("deflateInit2 fails only without memory");
  }
  std::string out;
  stream.next_in = input_of(bytes);
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t left = bytes.size() - static_cast<std::size_t>(stream.next_in - input_of(bytes));
    const std::size_t had = out.size();
    const uInt room = some(std::max<std::size_t>(left / 2, 4096));
    out.resize(had + room);
    stream.avail_in = some(left);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + had);
    stream.avail_out = room;
    state = deflate(&stream, left == stream.avail_in ? Z_FINISH : Z_NO_FLUSH);
    out.resize(had + (room - stream.avail_out));
    if (state == Z_BUF_ERROR) state = Z_OK;
  }
  deflateEnd(&stream);
  return out;
}

}  // namespace roost
