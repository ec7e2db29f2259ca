#include "mlflow/wire_status.h"

namespace roost::mlflow {

std::string_view wire_status_name(WireStatus status) {
  switch (status) {
    case WireStatus::kRunning:
      return "RUNNING";
    case WireStatus::kScheduled:
      return "SCHEDULED";
    case WireStatus::kFinished:
      return "FINISHED";
    case WireStatus::kFailed:
      return "FAILED";
    case WireStatus::kKilled:
      return "KILLED";
  }
  return "";
}

std::optional<WireStatus> wire_status_from(const Json& value) {
  for (const WireStatus status : kWireStatuses) {
    if (value == wire_status_name(status) || value == static_cast<int>(status)) return status;
  }
  return std::nullopt;
}

WireStatus wire_status(RunStatus status) {
  switch (status) {
    case RunStatus::kNotStarted:
    case RunStatus::kStarting:
    case RunStatus::kPreparing:
    case RunStatus::kQueued:
    case RunStatus::kProvisioning:
      return WireStatus::kScheduled;
    case RunStatus::kCompleted:
      return WireStatus::kFinished;
    case RunStatus::kFailed:
      return WireStatus::kFailed;
    case RunStatus::kCanceled:
      return WireStatus::kKilled;
    case RunStatus::kRunning:
    case RunStatus::kFinalizing:
    case RunStatus::kCancelRequested:
    case RunStatus::kNotResponding:
      break;
  }
  return WireStatus::kRunning;
}

}  // namespace roost::mlflow
