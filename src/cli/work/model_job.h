#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/console.h"
#include "cli/work/interrupt.h"

namespace roost {

// A run that works on a registered model by a script of Roost's own: its files are an input, and its environment and
// code are those of the run that made it, unless others are named.
struct ModelJob {
  std::string kind;                    // "export": for names and tags
  Json model;                          // as get_model answers
  Json made_by;                        // the run it came from; null if none is known
  std::vector<std::string> command;    // words; $ROOST_MODEL is where its files are, $ROOST_DATA the input roost_data
  std::string compute;                 // "" is that of the run, else local
  std::string environment;             // NAME[:VERSION]; "" is that of the run
  std::string python;                  // an interpreter instead
  std::string snapshot;                // of other code; "" is that of the run
  bool alone = false;                  // needs neither the run's environment nor its code
  Json inputs = Json::array();         // further ones
  Json properties = Json::object();
};

// The body that submits it.
Result<Json> model_job_spec(const ModelJob& job);

// The script of the run that saved the model, as far as its spec says: "train.py"; "" if it does not.
std::string script_of(const Json& run);

// The run that made a model; null if it has none, or it is gone.
Result<Json> run_of_model(Console& console, const Json& model);

// Uploads a folder of code and answers its digest.
Result<std::string> upload_code(Console& console, const std::string& folder);

// Submits it and shows it beside: the run as it ended, or null when a signal made us leave it.
Result<Json> do_model_job(Console& console, const Json& spec, InterruptWatch& watch);

}  // namespace roost
