#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"
#include "domain/run_state.h"

namespace roost::mlflow {

// The states of a run as MLflow's clients know them.
enum class WireStatus { kRunning = 1, kScheduled = 2, kFinished = 3, kFailed = 4, kKilled = 5 };

inline constexpr WireStatus kWireStatuses[] = {WireStatus::kRunning, WireStatus::kScheduled, WireStatus::kFinished,
                                               WireStatus::kFailed, WireStatus::kKilled};

std::string_view wire_status_name(WireStatus status);
// By name or by number; none for what MLflow does not know either, which leaves the state alone.
std::optional<WireStatus> wire_status_from(const Json& value);

WireStatus wire_status(RunStatus status);

}  // namespace roost::mlflow
