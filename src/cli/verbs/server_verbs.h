#pragma once

#include "cli/verbs/commands.h"

namespace roost {

// The verbs that are more than a client: they have the server or the runner in this process.
void register_up(Verb& root, Console& console);
void register_server(Verb& root, Console& console);
void register_runner(Verb& root);
void register_serve(Verb& root);
void register_front(Verb& root, Console& console);
void register_build(Verb& root);
// These have the Python package in them.
void register_import(Verb& root, Console& console);
void register_sync(Verb& root, Console& console);

}  // namespace roost
