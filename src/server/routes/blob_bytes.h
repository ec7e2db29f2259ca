#pragma once

#include <memory>
#include <string>

#include "blobs/blob_store.h"
#include "net/http.h"

namespace roost {

// Answers with the bytes of a stored blob, or with the part a Range header asks for.
Result<Response> blob_response(const BlobStore& blobs, const std::string& digest, const Request& request);

// Answers with a whole file.
Result<Response> file_response(const std::string& path);

// Receives a body into the store under its digest, or as much of it as comes before another upload of the
// same bytes is done. Returns the blob's size.
Result<std::uint64_t> receive_blob(BlobStore& blobs, const std::string& digest, std::uint64_t offset,
                                   BodyReader& body);

}  // namespace roost
