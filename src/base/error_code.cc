#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/result.h"

namespace roost {
namespace {

struct CodeRow {
  ErrorCode code;
  std::string_view name;
  int http;
  int exit;
};

constexpr CodeRow kCodes[] = {
    {ErrorCode::kInvalidArgument, "invalid_argument", 400, 2},
    {ErrorCode::kUnauthenticated, "unauthenticated", 401, 4},
    {ErrorCode::kPermissionDenied, "permission_denied", 403, 4},
    {ErrorCode::kNotFound, "not_found", 404, 3},
    {ErrorCode::kMethodNotAllowed, "method_not_allowed", 405, 2},
    {ErrorCode::kAlreadyExists, "already_exists", 409, 1},
    {ErrorCode::kFailedPrecondition, "failed_precondition", 409, 1},
    {ErrorCode::kGivenUp, "given_up", 410, 1},
    {ErrorCode::kTooLarge, "too_large", 413, 2},
    {ErrorCode::kDataMismatch, "data_mismatch", 422, 1},
    {ErrorCode::kResourceExhausted, "resource_exhausted", 507, 1},
    {ErrorCode::kUnavailable, "unavailable", 503, 5},
    {ErrorCode::kDeadlineExceeded, "deadline_exceeded", 504, 5},
    {ErrorCode::kUnimplemented, "unimplemented", 501, 1},
    {ErrorCode::kInternal, "internal", 500, 1},
};

const CodeRow& row(ErrorCode code) {
  for (const auto& r : kCodes) {
    if (r.code == code) return r;
  }
  return kCodes[std::size(kCodes) - 1];
}

}  // namespace

std::string_view error_code_name(ErrorCode code) { return row(code).name; }
int http_status(ErrorCode code) { return row(code).http; }
int exit_code(ErrorCode code) { return row(code).exit; }

ErrorCode error_code_from_name(std::string_view name) {
  for (const auto& r : kCodes) {
    if (r.name == name) return r.code;
  }
  return ErrorCode::kInternal;
}

ErrorCode error_code_from_http_status(int status) {
  for (const auto& r : kCodes) {
    if (r.http == status) return r.code;
  }
  return ErrorCode::kInternal;
}

Error errno_error(int errnum, std::string_view doing) {
  ErrorCode code = ErrorCode::kInternal;
  switch (errnum) {
    case ENOSPC:
    case EDQUOT:
      code = ErrorCode::kResourceExhausted;
      break;
    case ENOENT:
      code = ErrorCode::kNotFound;
      break;
    case EACCES:
    case EPERM:
      code = ErrorCode::kPermissionDenied;
      break;
    default:
      break;
  }
  char buffer[256];
  std::string message = "cannot ";
  message += doing;
  message += ": ";
  message += strerror_r(errnum, buffer, sizeof buffer);
  return {code, std::move(message), errnum};
}

void die(std::string_view why) {
  std::fprintf(stderr, "roost: broken invariant: %.*s\n", static_cast<int>(why.size()), why.data());
  std::abort();
}

}  // namespace roost
