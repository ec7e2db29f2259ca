#include "mlflow/error_form.h"

#include "base/json.h"

namespace roost::mlflow {

ErrorForm error_form(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kDataMismatch:
      return {400, "INVALID_PARAMETER_VALUE"};
    case ErrorCode::kAlreadyExists:
      return {400, "RESOURCE_ALREADY_EXISTS"};
    case ErrorCode::kFailedPrecondition:
      return {400, "BAD_REQUEST"};
    case ErrorCode::kTooLarge:
      return {413, "BAD_REQUEST"};
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kGivenUp:
      return {401, "UNAUTHENTICATED"};
    case ErrorCode::kPermissionDenied:
      return {403, "PERMISSION_DENIED"};
    case ErrorCode::kNotFound:
      return {404, "RESOURCE_DOES_NOT_EXIST"};
    case ErrorCode::kMethodNotAllowed:
      return {404, "ENDPOINT_NOT_FOUND"};
    case ErrorCode::kUnimplemented:
      return {501, "NOT_IMPLEMENTED"};
    // A full disk may have room again: MLflow's client tries for some minutes.
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kDeadlineExceeded:
    case ErrorCode::kUnavailable:
      return {503, "TEMPORARILY_UNAVAILABLE"};
    case ErrorCode::kInternal:
      break;
  }
  return {500, "INTERNAL_ERROR"};
}

std::string error_text(const Error& error) {
  return to_text({{"error_code", error_form(error.code).code}, {"message", error.message}});
}

}  // namespace roost::mlflow
