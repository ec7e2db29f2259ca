#include "cli/verbs/commands.h"

namespace roost {

void register_client_verbs(Verb& root, Console& console) {
  register_submit(root, console);
  register_sweep(root, console);
  register_rerun(root, console);
  register_cancel(root, console);
  register_wait(root, console);
  register_secret(root, console);
  register_runs(root, console);
  register_queue(root, console);
  register_show(root, console);
  register_logs(root, console);
  register_stacks(root, console);
  register_exec(root, console);
  register_shell(root, console);
  register_port_forward(root, console);
  register_doctor(root, console);
  register_metrics(root, console);
  register_artifacts(root, console);
  register_tag(root, console);
  register_archive(root, console);
  register_diff(root, console);
  register_snapshot(root, console);
  register_model(root, console);
  register_deploy(root, console);
  register_endpoints(root, console);
  register_score(root, console);
  register_env(root, console);
  register_compute(root, console);
  register_status(root, console);
  register_studio(root, console);
  register_open(root, console);
  register_login(root, console);
  register_context(root, console);
  register_down(root, console);
  register_workspace(root, console);
  register_token(root, console);
  register_mlflow(root, console);
  register_alerts(root, console);
  register_disk(root, console);
  register_retention(root, console);
  register_gc(root, console);
  register_config(root, console);
  register_help(root, console);
  register_complete(root, console);
  register_completion(root, console);
  register_version(root, console);
}

}  // namespace roost
