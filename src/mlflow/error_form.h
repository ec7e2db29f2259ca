#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace roost::mlflow {

// How MLflow's REST API says that something failed.
struct ErrorForm {
  int status = 500;
  std::string_view code;  // "RESOURCE_DOES_NOT_EXIST"
};

// Its clients branch on the code, and send again what is answered with 408, 429 or from 500 on.
ErrorForm error_form(ErrorCode code);

// {"error_code", "message"}
std::string error_text(const Error& error);

}  // namespace roost::mlflow
