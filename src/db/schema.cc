#include "db/schema.h"

#include <fmt/format.h>

namespace roost {
namespace {

// Statement n-th of version v stands in kVersions[v]. Never change a version that has shipped: add one.
// Times are microseconds since the epoch; digests are SHA-256 in hex; *_json columns hold JSON text.
const std::vector<std::vector<const char*>> kVersions = {{
    "CREATE TABLE workspace (name TEXT PRIMARY KEY, id TEXT NOT NULL, created INTEGER NOT NULL)",

    "CREATE TABLE experiment (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspace(name),"
    " name TEXT NOT NULL, guid TEXT NOT NULL, created INTEGER NOT NULL, archived INTEGER NOT NULL"
    " DEFAULT 0, tags_json TEXT NOT NULL DEFAULT '{}', run_count INTEGER NOT NULL DEFAULT 0,"
    " last_run INTEGER, UNIQUE(workspace, name))",

    "CREATE TABLE run (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL,"
    " experiment INTEGER NOT NULL REFERENCES experiment(id), number INTEGER NOT NULL,"
    " display_name TEXT NOT NULL, status TEXT NOT NULL, type TEXT NOT NULL, parent TEXT,"
    " compute TEXT NOT NULL, priority INTEGER NOT NULL, created_by TEXT NOT NULL,"
    " created INTEGER NOT NULL, started INTEGER, ended INTEGER, attempt INTEGER NOT NULL DEFAULT 0,"
    " max_retries INTEGER NOT NULL, snapshot TEXT, spec_json TEXT NOT NULL,"
    " environment_json TEXT NOT NULL, git_json TEXT, tags_json TEXT NOT NULL,"
    " properties_json TEXT NOT NULL, exit_code INTEGER, signal INTEGER, error_json TEXT,"
    " notices_json TEXT NOT NULL DEFAULT '[]', node TEXT, cancel_reason TEXT, deadline INTEGER)",
    // Covers the search by name, which has to look at every run.
    "CREATE INDEX run_by_workspace ON run(workspace, seq, display_name, id)",
    "CREATE INDEX run_by_experiment ON run(experiment, seq)",
    "CREATE INDEX run_by_experiment_status ON run(experiment, status, seq)",
    "CREATE INDEX run_by_status ON run(workspace, status, seq)",
    "CREATE INDEX run_by_parent ON run(parent, seq) WHERE parent IS NOT NULL",
    "CREATE INDEX run_by_created ON run(workspace, created)",
    "CREATE INDEX run_by_snapshot ON run(snapshot) WHERE snapshot IS NOT NULL",
    "CREATE INDEX run_waiting ON run(compute, priority DESC, seq) WHERE status IN ('Queued',"
    " 'Provisioning')",
    "CREATE INDEX run_active ON run(seq) WHERE status NOT IN ('Completed', 'Failed', 'Canceled')",

    "CREATE TABLE run_tag (run INTEGER NOT NULL REFERENCES run(seq), key TEXT NOT NULL, value TEXT,"
    " PRIMARY KEY(key, value, run)) ",
    "CREATE INDEX run_tag_by_run ON run_tag(run)",

    "CREATE TABLE event (seq INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(seq),"
    " attempt INTEGER NOT NULL, from_status TEXT, to_status TEXT NOT NULL, at INTEGER NOT NULL,"
    " reason TEXT NOT NULL)",
    "CREATE INDEX event_by_run ON event(run, seq)",

    "CREATE TABLE attempt (run INTEGER NOT NULL REFERENCES run(seq), attempt INTEGER NOT NULL,"
    " node TEXT NOT NULL, token_hash TEXT NOT NULL, created INTEGER NOT NULL,"
    " open INTEGER NOT NULL DEFAULT 1, PRIMARY KEY(run, attempt)) WITHOUT ROWID",
    "CREATE UNIQUE INDEX attempt_by_token ON attempt(token_hash)",
    "CREATE INDEX attempt_open ON attempt(node) WHERE open = 1",

    "CREATE TABLE compute (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL,"
    " vm_size TEXT NOT NULL, vm_priority TEXT NOT NULL, min_nodes INTEGER NOT NULL,"
    " max_nodes INTEGER NOT NULL, idle_seconds INTEGER NOT NULL, created INTEGER NOT NULL,"
    " modified INTEGER NOT NULL, deleting INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(workspace, name))",

    "CREATE TABLE node (id TEXT PRIMARY KEY, workspace TEXT NOT NULL, compute TEXT NOT NULL,"
    " state TEXT NOT NULL, pid INTEGER, pid_started INTEGER, token_hash TEXT NOT NULL,"
    " started INTEGER NOT NULL, idle_since INTEGER, slot INTEGER NOT NULL)",
    "CREATE UNIQUE INDEX node_by_token ON node(token_hash)",
    "CREATE INDEX node_by_compute ON node(workspace, compute)",

    "CREATE TABLE metric (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(seq),"
    " attempt INTEGER NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL,"
    " min REAL, max REAL, last_json TEXT, last_step INTEGER, last_at INTEGER,"
    " UNIQUE(run, attempt, name))",
    // Numbers go into blocks of up to 4096 points of (step, time, value); anything else is a value row.
    "CREATE TABLE metric_block (metric INTEGER NOT NULL REFERENCES metric(id), first INTEGER NOT NULL,"
    " count INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY(metric, first)) WITHOUT ROWID",
    "CREATE TABLE metric_value (metric INTEGER NOT NULL REFERENCES metric(id), idx INTEGER NOT NULL,"
    " step INTEGER, at INTEGER NOT NULL, value_json TEXT NOT NULL, PRIMARY KEY(metric, idx))"
    " WITHOUT ROWID",
    // How far each spool file of an attempt has been taken in; same transaction as its points.
    "CREATE TABLE spool (run INTEGER NOT NULL REFERENCES run(seq), attempt INTEGER NOT NULL,"
    " name TEXT NOT NULL, length INTEGER NOT NULL, PRIMARY KEY(run, attempt, name)) WITHOUT ROWID",
    "CREATE TABLE system_sample (run INTEGER NOT NULL REFERENCES run(seq), node TEXT NOT NULL,"
    " at INTEGER NOT NULL, values_json TEXT NOT NULL, PRIMARY KEY(run, node, at)) WITHOUT ROWID",

    "CREATE TABLE artifact (run INTEGER NOT NULL REFERENCES run(seq), path TEXT NOT NULL,"
    " digest TEXT NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(run, path))"
    " WITHOUT ROWID",
    "CREATE INDEX artifact_by_digest ON artifact(digest)",

    "CREATE TABLE snapshot (digest TEXT PRIMARY KEY, files INTEGER NOT NULL, size INTEGER NOT NULL,"
    " created INTEGER NOT NULL) WITHOUT ROWID",

    "CREATE TABLE token (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " role TEXT NOT NULL, created INTEGER NOT NULL, expires INTEGER, revoked INTEGER NOT NULL"
    " DEFAULT 0)",
}, {
    // What runs leave behind and start from. The content of a model is a manifest, like a snapshot's.
    "CREATE TABLE model (seq INTEGER PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspace(name),"
    " name TEXT NOT NULL, version INTEGER NOT NULL, created INTEGER NOT NULL, created_by TEXT NOT NULL,"
    " description TEXT NOT NULL, tags_json TEXT NOT NULL, properties_json TEXT NOT NULL,"
    " framework TEXT, framework_version TEXT, run INTEGER REFERENCES run(seq), facts_json TEXT NOT NULL,"
    " content TEXT NOT NULL, files INTEGER NOT NULL, size INTEGER NOT NULL,"
    " UNIQUE(workspace, name, version))",
    "CREATE INDEX model_by_run ON model(run) WHERE run IS NOT NULL",
    "CREATE INDEX model_by_content ON model(content)",
    // The last version given out: a deleted version's number is not given again.
    "CREATE TABLE model_name (workspace TEXT NOT NULL, name TEXT NOT NULL, last_version INTEGER NOT NULL,"
    " PRIMARY KEY(workspace, name)) WITHOUT ROWID",

    "CREATE TABLE environment (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL,"
    " version INTEGER NOT NULL, definition_json TEXT NOT NULL, digest TEXT NOT NULL,"
    " created INTEGER NOT NULL, PRIMARY KEY(workspace, name, version)) WITHOUT ROWID",

    "CREATE TABLE datastore (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL,"
    " type TEXT NOT NULL, properties_json TEXT NOT NULL, created INTEGER NOT NULL,"
    " PRIMARY KEY(workspace, name)) WITHOUT ROWID",
    "CREATE TABLE datastore_file (workspace TEXT NOT NULL, datastore TEXT NOT NULL, path TEXT NOT NULL,"
    " digest TEXT NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL,"
    " PRIMARY KEY(workspace, datastore, path)) WITHOUT ROWID",
    "CREATE INDEX datastore_file_by_digest ON datastore_file(digest)",
    "CREATE TABLE dataset (id TEXT PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspace(name),"
    " name TEXT NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL, definition_json TEXT NOT NULL,"
    " description TEXT NOT NULL, tags_json TEXT NOT NULL, created INTEGER NOT NULL,"
    " UNIQUE(workspace, name, version))",

    // Data a run starts with, as manifests: these stay as long as the run is known.
    "CREATE TABLE run_input (run INTEGER NOT NULL REFERENCES run(seq), name TEXT NOT NULL,"
    " content TEXT NOT NULL, PRIMARY KEY(run, name)) WITHOUT ROWID",
    "CREATE INDEX run_input_by_content ON run_input(content)",
}, {
    // What each node of an attempt does. Attempts from before this version had one node.
    "CREATE TABLE attempt_part (run INTEGER NOT NULL REFERENCES run(seq), attempt INTEGER NOT NULL,"
    " node_rank INTEGER NOT NULL, node TEXT NOT NULL, state TEXT NOT NULL, facts_json TEXT NOT NULL DEFAULT '',"
    " report_json TEXT NOT NULL DEFAULT '', command_json TEXT NOT NULL DEFAULT '',"
    " ended INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(run, attempt, node_rank)) WITHOUT ROWID",
    "CREATE INDEX attempt_part_open ON attempt_part(node) WHERE state IN ('assigned', 'ready', 'started')",
    "INSERT INTO attempt_part (run, attempt, node_rank, node, state) SELECT run, attempt, 0, node, 'started'"
    " FROM attempt WHERE open = 1",
    // Since when the processes of an attempt are being ended because one of them failed.
    "ALTER TABLE attempt ADD COLUMN stopping INTEGER",
}, {
    // What the scheduler reads of a run, so that it need not open the specs of a long queue. time_limit
    // is in seconds, null without one.
    "ALTER TABLE run ADD COLUMN nodes_needed INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE run ADD COLUMN time_limit INTEGER",
    "UPDATE run SET nodes_needed = max(1, coalesce(json_extract(spec_json, '$.node_count'), 1)),"
    " time_limit = json_extract(spec_json, '$.max_run_duration_seconds')"
    " WHERE status NOT IN ('Completed', 'Failed', 'Canceled')",
    "ALTER TABLE compute ADD COLUMN max_nodes_per_user INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE compute ADD COLUMN max_runs_per_user INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE compute ADD COLUMN draining INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE node ADD COLUMN state_since INTEGER NOT NULL DEFAULT 0",
    // Why the nodes of an attempt were taken away from it.
    "ALTER TABLE attempt ADD COLUMN preempted TEXT",
}, {
    // What a compute asks of Slurm (empty: its nodes are local), the nodes that Slurm is asked for, and
    // which of those a node belongs to.
    "ALTER TABLE compute ADD COLUMN slurm_json TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE allocation (name TEXT NOT NULL, idx INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES run(seq),"
    " workspace TEXT NOT NULL, compute TEXT NOT NULL, nodes INTEGER NOT NULL, state TEXT NOT NULL, job TEXT NOT NULL,"
    " phase TEXT NOT NULL, reason TEXT NOT NULL, attempt INTEGER NOT NULL, created INTEGER NOT NULL,"
    " changed INTEGER NOT NULL, listed INTEGER NOT NULL, expected INTEGER, token_hash TEXT NOT NULL,"
    " PRIMARY KEY(name, idx)) WITHOUT ROWID",
    "CREATE INDEX allocation_by_run ON allocation(run)",
    "CREATE INDEX allocation_by_token ON allocation(token_hash)",
    "ALTER TABLE node ADD COLUMN allocation TEXT NOT NULL DEFAULT ''",
    "CREATE INDEX node_by_allocation ON node(allocation) WHERE allocation != ''",
}, {
    // What the studio's run table filters, sorts and groups by.
    "ALTER TABLE run ADD COLUMN archived INTEGER NOT NULL DEFAULT 0",
    // The exceptions, so that nobody has to look at all runs to find them.
    "CREATE INDEX run_archived ON run(workspace, seq) WHERE archived = 1",
    "CREATE INDEX run_retried ON run(workspace, seq, attempt) WHERE attempt > 1",
    // The narrow side of a run: a look at all of them need not open rows with their specs. Not in the order of seq, so
    // that it does not offer itself where run_by_workspace is meant.
    "CREATE INDEX run_facts ON run(workspace, created_by, compute, type, status, experiment, number, parent, created,"
    " started, ended)",
    // The value that followed --name among a run's arguments; number where it is one.
    "CREATE TABLE run_param (run INTEGER NOT NULL REFERENCES run(seq), name TEXT NOT NULL, value TEXT NOT NULL,"
    " number REAL, PRIMARY KEY(run, name)) WITHOUT ROWID",
    "INSERT OR REPLACE INTO run_param SELECT run, name, value, value FROM"
    " (SELECT run, ltrim(CASE WHEN instr(word, '=') > 0 THEN substr(word, 1, instr(word, '=') - 1) ELSE word END, '-')"
    " AS name, CASE WHEN instr(word, '=') > 0 THEN substr(word, instr(word, '=') + 1)"
    " WHEN next IS NULL OR next GLOB '-[^0-9.]*' THEN 'true' ELSE next END AS value FROM"
    " (SELECT r.seq AS run, a.value AS word, json_extract(r.spec_json, '$.arguments[' || (a.key + 1) || ']') AS next"
    " FROM run r, json_each(r.spec_json, '$.arguments') a WHERE a.value GLOB '-[^0-9.]*'))"
    " WHERE length(name) BETWEEN 1 AND 100 AND length(value) <= 1000",
    // The column keeps text that reads as a number as one, and other text as text.
    "UPDATE run_param SET number = NULL WHERE typeof(number) = 'text'",
    "CREATE INDEX run_param_by_name ON run_param(name, number, value, run)",
    // The last number of a metric; null where its last value is none.
    "ALTER TABLE metric ADD COLUMN last_number REAL",
    "UPDATE metric SET last_number = CASE json_extract(last_json, '$') WHEN 'Infinity' THEN 9e999"
    " WHEN '-Infinity' THEN -9e999 ELSE json_extract(last_json, '$') END WHERE json_valid(last_json)"
    " AND (json_type(last_json) IN ('integer', 'real') OR last_json IN ('\"Infinity\"', '\"-Infinity\"'))",
    "CREATE INDEX metric_by_name ON metric(name, last_number, run, attempt)",
    // Names that runs of a workspace have; kind is metrics, params or tags.
    "CREATE TABLE run_column (workspace TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,"
    " PRIMARY KEY(workspace, kind, name)) WITHOUT ROWID",
    "INSERT INTO run_column SELECT DISTINCT r.workspace, 'metrics', m.name FROM metric m JOIN run r ON r.seq = m.run",
    "INSERT INTO run_column SELECT DISTINCT r.workspace, 'params', p.name FROM run_param p JOIN run r ON r.seq = p.run",
    "INSERT INTO run_column SELECT DISTINCT r.workspace, 'tags', t.key FROM run_tag t JOIN run r ON r.seq = t.run",
    "CREATE TABLE view (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL, state TEXT NOT NULL,"
    " created_by TEXT NOT NULL, created INTEGER NOT NULL, PRIMARY KEY(workspace, name)) WITHOUT ROWID",
    // Browsers that are logged in, each by a token, and the links that log one in.
    "CREATE TABLE session (hash TEXT PRIMARY KEY, token TEXT NOT NULL REFERENCES token(id), created INTEGER NOT NULL,"
    " expires INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE login_code (hash TEXT PRIMARY KEY, token TEXT NOT NULL REFERENCES token(id),"
    " expires INTEGER NOT NULL) WITHOUT ROWID",
}, {
    // What the nodes of a run were busy with, in blocks: `first` is the number of the first sample in it, `count` how
    // many points it has, each the mean of so many `samples`. `names` is a JSON list; `data` has for each point its time
    // and a double for each name. system_sample is where earlier versions kept them.
    "CREATE TABLE system_block (run INTEGER NOT NULL REFERENCES run(seq), node TEXT NOT NULL, first INTEGER NOT NULL,"
    " count INTEGER NOT NULL, samples INTEGER NOT NULL, names TEXT NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY(run, node, first)) WITHOUT ROWID",
}, {
    // What the data folder knows of itself, by name.
    "CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
}, {
    // Submits that named a key, so that one sent again finds its run.
    "CREATE TABLE submission (seq INTEGER PRIMARY KEY, workspace TEXT NOT NULL, caller TEXT NOT NULL, key TEXT NOT NULL,"
    " content TEXT NOT NULL, run TEXT NOT NULL, created INTEGER NOT NULL, UNIQUE(workspace, caller, key))",
    "CREATE INDEX submission_by_time ON submission(created)",
}, {
    // Sweeps: a parent run, what is tried and how far it is. A trial is drawn before its run is there; `is_open` until
    // the sweep has seen its end. `judged` counts the values of the primary metric that the policy has looked at, `verdict`
    // is what it decided. One that goes on from another run names it: `inherited` of its values count as this one's, or
    // `content` is the manifest of what it left.
    // A held run is given no node until its sweep lets it go on.
    "ALTER TABLE run ADD COLUMN held INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE sweep (run INTEGER PRIMARY KEY REFERENCES run(seq), workspace TEXT NOT NULL, spec_json TEXT NOT NULL,"
    " is_active INTEGER NOT NULL, is_paused INTEGER NOT NULL DEFAULT 0, is_stopping INTEGER NOT NULL DEFAULT 0,"
    " is_used_up INTEGER NOT NULL DEFAULT 0, max_total INTEGER NOT NULL, max_concurrent INTEGER, deadline INTEGER NOT NULL,"
    " space_size INTEGER, message TEXT NOT NULL DEFAULT '', best_trial INTEGER, best_value REAL,"
    " has_told_metric INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX sweep_active ON sweep(run) WHERE is_active = 1",
    "CREATE INDEX sweep_by_workspace ON sweep(workspace, run)",
    "CREATE TABLE sweep_trial (sweep INTEGER NOT NULL REFERENCES sweep(run), number INTEGER NOT NULL,"
    " parameters_json TEXT NOT NULL, origin TEXT NOT NULL, run INTEGER REFERENCES run(seq),"
    " is_open INTEGER NOT NULL DEFAULT 1, judged INTEGER NOT NULL DEFAULT 0, verdict TEXT NOT NULL DEFAULT '',"
    " reason TEXT NOT NULL DEFAULT '', source TEXT NOT NULL DEFAULT '', inherited INTEGER NOT NULL DEFAULT 0,"
    " content TEXT NOT NULL DEFAULT '', intervals INTEGER NOT NULL DEFAULT 0, best REAL,"
    " PRIMARY KEY(sweep, number)) WITHOUT ROWID",
    "CREATE INDEX sweep_trial_by_run ON sweep_trial(run) WHERE run IS NOT NULL",
    "CREATE INDEX sweep_trial_open ON sweep_trial(sweep, number) WHERE is_open = 1",
}, {
    // Endpoints: how each is to be (`spec_json`), every state it was in by its revision, the models it uses, and its
    // replicas, which are runs. A replica whose endpoint is gone is one to be ended.
    "CREATE TABLE endpoint (seq INTEGER PRIMARY KEY, workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL,"
    " slug TEXT NOT NULL UNIQUE, spec_json TEXT NOT NULL, revision INTEGER NOT NULL, primary_key TEXT NOT NULL,"
    " secondary_key TEXT NOT NULL, progress_json TEXT NOT NULL DEFAULT '{}', created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL, created_by TEXT NOT NULL, UNIQUE(workspace, name))",
    "CREATE TABLE endpoint_revision (endpoint INTEGER NOT NULL REFERENCES endpoint(seq) ON DELETE CASCADE,"
    " revision INTEGER NOT NULL, spec_json TEXT NOT NULL, why TEXT NOT NULL, created INTEGER NOT NULL,"
    " created_by TEXT NOT NULL, PRIMARY KEY(endpoint, revision)) WITHOUT ROWID",
    "CREATE TABLE endpoint_model (endpoint INTEGER NOT NULL REFERENCES endpoint(seq) ON DELETE CASCADE,"
    " deployment TEXT NOT NULL, model INTEGER NOT NULL REFERENCES model(seq), PRIMARY KEY(endpoint, deployment, model))"
    " WITHOUT ROWID",
    "CREATE INDEX endpoint_model_by_model ON endpoint_model(model)",
    "CREATE TABLE endpoint_token (hash TEXT PRIMARY KEY, endpoint INTEGER NOT NULL REFERENCES endpoint(seq)"
    " ON DELETE CASCADE, expires INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE replica (run INTEGER PRIMARY KEY REFERENCES run(seq), endpoint INTEGER REFERENCES endpoint(seq)"
    " ON DELETE SET NULL, deployment TEXT NOT NULL, revision INTEGER NOT NULL, version TEXT NOT NULL, state TEXT NOT NULL,"
    " address TEXT NOT NULL"
    " DEFAULT '', port INTEGER NOT NULL DEFAULT 0, key TEXT NOT NULL DEFAULT '', message TEXT NOT NULL DEFAULT '',"
    " created INTEGER NOT NULL, ready INTEGER, retired INTEGER, is_open INTEGER NOT NULL DEFAULT 1)",
    "CREATE INDEX replica_open ON replica(run) WHERE is_open = 1",
    "CREATE INDEX replica_by_endpoint ON replica(endpoint, run)",
}, {
    // The bin: when a run or an experiment was put into it, null where it is not there. `runs_gone` of the runs an
    // experiment ever had are in the bin or deleted for good.
    "ALTER TABLE run ADD COLUMN deleted INTEGER",
    "ALTER TABLE experiment ADD COLUMN deleted INTEGER",
    "ALTER TABLE experiment ADD COLUMN runs_gone INTEGER NOT NULL DEFAULT 0",
    "CREATE INDEX run_in_bin ON run(workspace, seq, deleted) WHERE deleted IS NOT NULL",
    "CREATE INDEX run_in_bin_by_parent ON run(parent, seq) WHERE deleted IS NOT NULL",
    "CREATE INDEX run_in_bin_by_experiment ON run(experiment, deleted, seq) WHERE deleted IS NOT NULL",
}, {
    // What MLflow's clients keep besides. `updated` of an experiment is 0 until something of it changes.
    "ALTER TABLE experiment ADD COLUMN updated INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE experiment ADD COLUMN artifact_location TEXT NOT NULL DEFAULT ''",
    // Whether the script said it; else it is from the command line.
    "ALTER TABLE run_param ADD COLUMN logged INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE run_dataset (run INTEGER NOT NULL REFERENCES run(seq) ON DELETE CASCADE, name TEXT NOT NULL,"
    " digest TEXT NOT NULL, source_type TEXT NOT NULL, source TEXT NOT NULL, schema TEXT NOT NULL, profile TEXT NOT NULL,"
    " tags_json TEXT NOT NULL, UNIQUE(run, name, digest))",
    // Models that MLflow's clients log: they have files and metrics of their own. `run` is where it came from.
    "CREATE TABLE logged_model (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL"
    " REFERENCES workspace(name), experiment INTEGER NOT NULL REFERENCES experiment(id) ON DELETE CASCADE,"
    " name TEXT NOT NULL, model_type TEXT NOT NULL, status TEXT NOT NULL, run INTEGER REFERENCES run(seq)"
    " ON DELETE SET NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, params_json TEXT NOT NULL DEFAULT '{}',"
    " tags_json TEXT NOT NULL DEFAULT '{}', deleted INTEGER NOT NULL DEFAULT 0)",
    "CREATE INDEX logged_model_by_experiment ON logged_model(experiment, seq)",
    "CREATE INDEX logged_model_by_run ON logged_model(run) WHERE run IS NOT NULL",
    "CREATE TABLE logged_model_file (model INTEGER NOT NULL REFERENCES logged_model(seq) ON DELETE CASCADE,"
    " path TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL, at INTEGER NOT NULL, PRIMARY KEY(model, path))"
    " WITHOUT ROWID",
    "CREATE INDEX logged_model_file_by_digest ON logged_model_file(digest)",
    "CREATE TABLE logged_model_metric (model INTEGER NOT NULL REFERENCES logged_model(seq) ON DELETE CASCADE,"
    " name TEXT NOT NULL, dataset_name TEXT NOT NULL, dataset_digest TEXT NOT NULL, run INTEGER NOT NULL REFERENCES run(seq)"
    " ON DELETE CASCADE, value REAL, at INTEGER NOT NULL, step INTEGER NOT NULL,"
    " PRIMARY KEY(model, name, dataset_name, dataset_digest, run)) WITHOUT ROWID",
    "CREATE INDEX logged_model_metric_by_run ON logged_model_metric(run)",
    // Which logged models a run started from or made.
    "CREATE TABLE run_model (run INTEGER NOT NULL REFERENCES run(seq) ON DELETE CASCADE, is_output INTEGER NOT NULL,"
    " model TEXT NOT NULL, step INTEGER NOT NULL, PRIMARY KEY(run, is_output, model)) WITHOUT ROWID",
    // Names of models, also those without a version.
    "CREATE TABLE registered_model (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL,"
    " created INTEGER NOT NULL, updated INTEGER NOT NULL, description TEXT NOT NULL DEFAULT '',"
    " tags_json TEXT NOT NULL DEFAULT '{}', PRIMARY KEY(workspace, name)) WITHOUT ROWID",
    "INSERT INTO registered_model (workspace, name, created, updated) SELECT workspace, name, min(created), max(created)"
    " FROM model GROUP BY workspace, name",
    "CREATE TABLE model_alias (workspace TEXT NOT NULL, name TEXT NOT NULL, alias TEXT NOT NULL, version INTEGER NOT NULL,"
    " PRIMARY KEY(workspace, name, alias)) WITHOUT ROWID",
    // What a version that an MLflow client made says besides. `folder` is where its files lie in its content.
    "CREATE TABLE model_source (model INTEGER PRIMARY KEY REFERENCES model(seq) ON DELETE CASCADE, updated INTEGER NOT NULL,"
    " stage TEXT NOT NULL, source TEXT NOT NULL, run TEXT NOT NULL, run_link TEXT NOT NULL, logged_model TEXT NOT NULL,"
    " folder TEXT NOT NULL)",
}, {
    // What runs ask for of a machine, and what of it each node of an attempt has for itself until its processes have ended.
    "ALTER TABLE run ADD COLUMN resources_json TEXT",
    "CREATE TABLE lease (run INTEGER NOT NULL, attempt INTEGER NOT NULL, node_rank INTEGER NOT NULL, node TEXT NOT NULL,"
    " lease_json TEXT NOT NULL, enforced_json TEXT NOT NULL DEFAULT '', freed INTEGER,"
    " PRIMARY KEY(run, attempt, node_rank)) WITHOUT ROWID",
    "CREATE INDEX lease_held ON lease(node) WHERE freed IS NULL",
    "CREATE TABLE leased_gpu (gpu TEXT PRIMARY KEY, run INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " node_rank INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TRIGGER lease_of_removed_run AFTER DELETE ON run BEGIN"
    " DELETE FROM lease WHERE run = old.seq AND freed IS NOT NULL; END",
}, {
    // Interactive runs whose process says that it lives.
    "CREATE TABLE run_process (run INTEGER PRIMARY KEY REFERENCES run(seq) ON DELETE CASCADE)",
}, {
    // Where a metric was NaN or infinite first, and how often since; of points taken in before this version nothing is known.
    "ALTER TABLE metric ADD COLUMN odd_count INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE metric ADD COLUMN odd_step INTEGER",
    "ALTER TABLE metric ADD COLUMN odd_at INTEGER",
}, {
    // Secrets of a workspace; `sealed` needs a key that is not in the database (base/sealing.h).
    "CREATE TABLE secret (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL COLLATE NOCASE,"
    " sealed TEXT NOT NULL, created INTEGER NOT NULL, updated INTEGER NOT NULL, updated_by TEXT NOT NULL,"
    " PRIMARY KEY(workspace, name)) WITHOUT ROWID",
    // Azure's word for it is said by the SDK only.
    "UPDATE run SET type = 'script' WHERE type = 'azureml.scriptrun'",
}, {
    // What is being deleted for good, and who has been: `purged_run` is what is told to those who ask for one. A model keeps
    // as text where it came from.
    "CREATE TABLE purge (run INTEGER PRIMARY KEY REFERENCES run(seq), who TEXT NOT NULL, at INTEGER NOT NULL)",
    "ALTER TABLE experiment ADD COLUMN purging INTEGER NOT NULL DEFAULT 0",
    "CREATE TABLE purged_run (id TEXT PRIMARY KEY, who TEXT NOT NULL, at INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE model_origin (model INTEGER PRIMARY KEY REFERENCES model(seq) ON DELETE CASCADE, origin_json TEXT NOT NULL)",
    // What rules remove of runs that ended long ago, and of which run it was removed.
    "CREATE TABLE retention_rule (workspace TEXT NOT NULL REFERENCES workspace(name), name TEXT NOT NULL, what TEXT NOT NULL,"
    " experiment TEXT NOT NULL, tag TEXT NOT NULL, age INTEGER NOT NULL, created INTEGER NOT NULL, created_by TEXT NOT NULL,"
    " PRIMARY KEY(workspace, name)) WITHOUT ROWID",
    "CREATE TABLE removed_part (run INTEGER NOT NULL REFERENCES run(seq), what TEXT NOT NULL, rule TEXT NOT NULL,"
    " at INTEGER NOT NULL, PRIMARY KEY(run, what)) WITHOUT ROWID",
    // Who is told of what happens to runs. `secret_json` is what nobody is shown. `alert` is what is to be sent and was sent;
    // `once` keeps the same thing from being told twice, `delivery` is what receivers know it by.
    "CREATE TABLE channel (name TEXT PRIMARY KEY, kind TEXT NOT NULL, settings_json TEXT NOT NULL, secret_json TEXT NOT NULL,"
    " created INTEGER NOT NULL, created_by TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE alert_rule (id INTEGER PRIMARY KEY, workspace TEXT NOT NULL, experiment TEXT NOT NULL, run INTEGER"
    " REFERENCES run(seq), channel TEXT NOT NULL, events INTEGER NOT NULL, created INTEGER NOT NULL, created_by TEXT NOT NULL)",
    "CREATE INDEX alert_rule_by_run ON alert_rule(run) WHERE run IS NOT NULL",
    "CREATE INDEX alert_rule_by_workspace ON alert_rule(workspace) WHERE run IS NULL",
    "CREATE TABLE alert (id INTEGER PRIMARY KEY, once TEXT NOT NULL UNIQUE, delivery TEXT NOT NULL, workspace TEXT NOT NULL,"
    " experiment TEXT NOT NULL, run TEXT NOT NULL, event TEXT NOT NULL, message TEXT NOT NULL, channel TEXT NOT NULL,"
    " at INTEGER NOT NULL, state TEXT NOT NULL DEFAULT 'waiting', tries INTEGER NOT NULL DEFAULT 0, next_at INTEGER NOT NULL,"
    " sent INTEGER, error TEXT NOT NULL DEFAULT '')",
    "CREATE INDEX alert_waiting ON alert(next_at) WHERE state = 'waiting'",
    "CREATE INDEX alert_by_workspace ON alert(workspace, id)",
}};

}  // namespace

Status apply_schema(Tx& tx) {
  std::size_t have = 0;
  {
    Rows rows = tx.query("PRAGMA user_version");
    if (rows.next()) have = static_cast<std::size_t>(rows.integer(0));
    ROOST_CHECK(rows.status());
  }
  if (have > kVersions.size()) {
    return fail(ErrorCode::kFailedPrecondition,
                "the data folder was written by a newer Roost; use that version or another folder");
  }
  for (std::size_t version = have; version < kVersions.size(); ++version) {
    for (const char* statement : kVersions[version]) ROOST_CHECK(tx.run(statement));
    ROOST_CHECK(tx.run(fmt::format("PRAGMA user_version = {}", version + 1)));
  }
  return {};
}

}  // namespace roost
