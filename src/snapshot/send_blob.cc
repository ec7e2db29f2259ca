#include "snapshot/send_blob.h"

#include <algorithm>

namespace roost {
namespace {

constexpr std::uint64_t kPiece = 256 * 1024;

Status send_rest(SnapshotTransport& transport, const BlobSource& source, bool& is_resumed) {
  const auto tell = [&](std::uint64_t done) {
    if (source.progress) source.progress(done);
  };
  ROOST_TRY(const auto state, transport.settled_upload(source.digest));
  if (state.is_stored) {
    tell(source.size);
    return {};
  }
  std::uint64_t at = state.received > source.size ? 0 : state.received;
  is_resumed = at > 0;
  tell(at);
  return transport.put_blob(source.digest, at, source.size, [&]() -> Result<std::string> {
    if (at == source.size) return std::string();
    ROOST_TRY(std::string piece, source.read(at, std::min(kPiece, source.size - at)));
    if (piece.empty()) return fail(ErrorCode::kDataMismatch, "it became shorter while it was sent");
    at += piece.size();
    tell(at);
    return piece;
  });
}

}  // namespace

Status send_blob(SnapshotTransport& transport, const BlobSource& source) {
  bool is_resumed = false;
  Status sent = send_rest(transport, source, is_resumed);
  // What was kept of an earlier upload may be what does not fit; the server has dropped it now.
  if (!sent && sent.error().code == ErrorCode::kDataMismatch && is_resumed) {
    sent = send_rest(transport, source, is_resumed);
  }
  return sent;
}

}  // namespace roost
