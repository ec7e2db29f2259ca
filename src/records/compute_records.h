#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "domain/compute.h"

namespace roost {

Result<Compute> find_compute(Tx& tx, std::string_view workspace, std::string_view name);
Result<std::vector<Compute>> list_computes(Tx& tx);
Result<std::vector<Compute>> list_computes(Tx& tx, std::string_view workspace);
Status insert_compute(Tx& tx, const Compute& compute);
Status save_compute(Tx& tx, const Compute& compute);
Status remove_compute(Tx& tx, const Compute& compute);

Result<std::vector<Node>> list_nodes(Tx& tx);
Result<std::vector<Node>> list_nodes(Tx& tx, std::string_view workspace, std::string_view compute);
struct NodeCount {
  std::string compute;
  std::string state;
  std::int64_t nodes = 0;
};
Result<std::vector<NodeCount>> count_nodes_by_state(Tx& tx);
Result<Node> find_node(Tx& tx, std::string_view id);
Result<std::optional<std::string>> node_for_token(Tx& tx, std::string_view token_hash);
Status insert_node(Tx& tx, const Node& node, std::string_view token_hash);
Status save_node(Tx& tx, const Node& node);
Status remove_node(Tx& tx, std::string_view id);

}  // namespace roost
