#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "builders/build_order.h"
#include "builders/program.h"
#include "confine/hidden_folders.h"

namespace roost {

// Where packages come from and how: what the operator has set, what pip is configured to (its files and PIP_*
// variables), and the options in a definition's list, in the words of pip and of uv. pip reads its own
// configuration; uv has to be told.
struct PackageSources {
  std::vector<std::string> pip;                 // words
  std::vector<std::string> uv;                  // words
  std::map<std::string, std::string> variables;  // of both
  std::vector<std::string> requirements;        // the lines of the list that are no options
  std::optional<HiddenFolders> hidden = {};     // what programs are kept out of that may run code of a package
  std::map<std::string, std::string> confined = {};  // further variables of those
  bool only_names = true;                       // the list has no URLs of packages and no files of this machine
  bool has_index = true;                        // not only folders
  bool own_index = false;                       // one that was named, in place of the public one
};

// Hands a program its variables. One that may run code of a package is confined: it sees neither the data folder nor,
// to write to it, the cache that all environments share. A trusted one takes ready-made wheels only, into an environment
// that has nothing yet; it fills that cache, and links from it instead of copying.
void prepare_program(ProgramRun& run, const PackageSources& sources, bool trusted);

// `config` is what `pip config list` prints.
PackageSources package_sources(const BuildSettings& settings, const std::vector<std::string>& lines,
                               std::string_view config);

}  // namespace roost
