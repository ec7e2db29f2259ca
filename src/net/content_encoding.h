#pragma once

#include <cstdint>
#include <string_view>

#include "base/deflate.h"
#include "net/http.h"

namespace roost {

// Replaces the body by what is inside, as Content-Encoding says (gzip, x-gzip, deflate, identity; also several), and takes that
// header away. kTooLarge at `limit` bytes; kInvalidArgument for other encodings and for broken data.
Status decode_body(Request& request, std::uint64_t limit);

// What the client would rather have, of what Roost can make: by q, then gzip before deflate. kIdentity where nothing else is
// named, and where it is wanted as much.
Encoding choose_encoding(std::string_view accept_encoding);

// Compresses the answer for this client if it is worth it: 1 KiB or more, and for bytes that are not text
// (application/octet-stream) only if the client asks for one encoding alone. HTTP libraries offer "gzip, deflate" unasked, and
// compressing a tensor takes longer than sending it. Streams are left alone.
void encode_body(std::string_view accept_encoding, Response& response);

}  // namespace roost
