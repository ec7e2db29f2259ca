#pragma once

#include "cli/command_line.h"
#include "cli/console.h"

namespace roost {

// Each adds one verb; see the file <verb>_command.cc. The verbs that need the server or the runner
// in this program (up, server, runner, import) are added by main.cc.
void register_submit(Verb& root, Console& console);
void register_sweep(Verb& root, Console& console);
void register_secret(Verb& root, Console& console);
void register_rerun(Verb& root, Console& console);
void register_cancel(Verb& root, Console& console);
void register_wait(Verb& root, Console& console);
void register_stacks(Verb& root, Console& console);
void register_exec(Verb& root, Console& console);
void register_shell(Verb& root, Console& console);
void register_port_forward(Verb& root, Console& console);
void register_doctor(Verb& root, Console& console);

void register_runs(Verb& root, Console& console);
void register_runs_bin(Verb& runs, Console& console);  // below `roost runs`
void register_queue(Verb& root, Console& console);
void register_show(Verb& root, Console& console);
void register_logs(Verb& root, Console& console);
void register_tag(Verb& root, Console& console);
void register_archive(Verb& root, Console& console);  // and unarchive
void register_metrics(Verb& root, Console& console);
void register_artifacts(Verb& root, Console& console);
void register_diff(Verb& root, Console& console);
void register_snapshot(Verb& root, Console& console);

void register_model(Verb& root, Console& console);
void register_model_export(Verb& model, Console& console);  // below `roost model`

void register_deploy(Verb& root, Console& console);
void register_endpoints(Verb& root, Console& console);
void register_score(Verb& root, Console& console);

void register_env(Verb& root, Console& console);

void register_compute(Verb& root, Console& console);

void register_status(Verb& root, Console& console);
void register_open(Verb& root, Console& console);
void register_login(Verb& root, Console& console);
void register_context(Verb& root, Console& console);
void register_studio(Verb& root, Console& console);
void register_down(Verb& root, Console& console);
void register_workspace(Verb& root, Console& console);
void register_token(Verb& root, Console& console);
void register_mlflow(Verb& root, Console& console);
void register_alerts(Verb& root, Console& console);
void register_retention(Verb& root, Console& console);
void register_disk(Verb& root, Console& console);
void register_gc(Verb& root, Console& console);

void register_config(Verb& root, Console& console);
void register_help(Verb& root, Console& console);
void register_complete(Verb& root, Console& console);
void register_completion(Verb& root, Console& console);
void register_version(Verb& root, Console& console);

// All of them, in the order of the help page.
void register_client_verbs(Verb& root, Console& console);

inline constexpr const char* kTrainGroup = "Train";
inline constexpr const char* kLookGroup = "Look at runs";
inline constexpr const char* kModelGroup = "Models";
inline constexpr const char* kServeGroup = "Serve";
inline constexpr const char* kEnvironmentGroup = "Environments";
inline constexpr const char* kComputeGroup = "Compute";
inline constexpr const char* kServerGroup = "Server";
inline constexpr const char* kShellGroup = "Shell";

}  // namespace roost
