#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

namespace roost {

// Why something failed for an outside reason. Each code maps once to an HTTP status, to a CLI exit
// code and to a Python exception (see error_code.cc); add one only when a caller must tell it apart.
enum class ErrorCode {
  kInvalidArgument,
  kUnauthenticated,
  kPermissionDenied,
  kNotFound,
  kMethodNotAllowed,
  kAlreadyExists,
  kFailedPrecondition,
  kGivenUp,  // whoever calls works for an attempt or a node that is over: the only answer that ends its work
  kTooLarge,
  kDataMismatch,
  kResourceExhausted,
  kUnavailable,
  kDeadlineExceeded,
  kUnimplemented,
  kInternal,
};

// The message tells the user what was wrong, where, and what to do next.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  int errnum = 0;  // of the system call that failed, if it was one
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

// An error from errno: "cannot <doing>: <strerror>". ENOSPC and EDQUOT become kResourceExhausted,
// ENOENT kNotFound, EACCES and EPERM kPermissionDenied, anything else kInternal.
Error errno_error(int errnum, std::string_view doing);
inline tl::unexpected<Error> fail_errno(int errnum, std::string_view doing) {
  return tl::unexpected<Error>(errno_error(errnum, doing));
}

// The name that travels in JSON ("not_found"), and back (kInternal for an unknown one).
std::string_view error_code_name(ErrorCode code);
ErrorCode error_code_from_name(std::string_view name);
int http_status(ErrorCode code);
ErrorCode error_code_from_http_status(int status);
// Exit codes of the command line: 2 for a wrong call, 3 not found, 4 access, 5 server unreachable, 1 else.
int exit_code(ErrorCode code);

// Ends the process with the reason why the invariant must hold. For broken promises inside Roost only.
[[noreturn]] void die(std::string_view why);

}  // namespace roost

// Returns the error of a Result, or goes on with its value: `ROOST_TRY(auto x, parse(text));`
#define ROOST_CONCAT_(a, b) a##b
#define ROOST_CONCAT(a, b) ROOST_CONCAT_(a, b)
#define ROOST_TRY_(tmp, decl, expr)                          \
  auto tmp = (expr);                                         \
  if (!tmp) return ::roost::fail(std::move(tmp).error());    \
  decl = std::move(*tmp)
#define ROOST_TRY(decl, expr) ROOST_TRY_(ROOST_CONCAT(roost_try_, __COUNTER__), decl, expr)
#define ROOST_CHECK_(tmp, expr) \
  if (auto tmp = (expr); !tmp) return ::roost::fail(std::move(tmp).error())
#define ROOST_CHECK(expr) ROOST_CHECK_(ROOST_CONCAT(roost_check_, __COUNTER__), expr)
