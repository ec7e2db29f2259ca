#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace roost::mlflow {

// The limits that MLflow's clients know of.
inline constexpr std::size_t kNameLimit = 250;
inline constexpr std::size_t kParamLimit = 6000;
inline constexpr std::size_t kTagLimit = 8000;
inline constexpr std::size_t kExperimentNameLimit = 500;
inline constexpr std::size_t kExperimentTagLimit = 20'000;
inline constexpr std::size_t kModelTagLimit = 100'000;
inline constexpr std::size_t kBatchMetrics = 1000;
inline constexpr std::size_t kBatchParams = 100;
inline constexpr std::size_t kBatchTags = 100;
inline constexpr std::size_t kBatchTotal = 1000;

// Of a metric, parameter or tag (`what` names it in the error): letters and digits of any script, _ - . / : and blanks,
// a path that stays itself when it is normalised, at most 250 characters.
Status check_label_name(std::string_view name, std::string_view what);

// Characters, not bytes.
std::size_t characters(std::string_view text);
// Its first `limit` characters.
std::string cut(std::string text, std::size_t limit);

// Of an experiment: not empty, no control characters, at most 500 characters.
Status check_experiment_name(std::string_view name);
// Of a registered model: not empty, no / and no :, at most 256 characters.
Status check_model_name(std::string_view name);

}  // namespace roost::mlflow
