#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"

namespace roost {

// What a resolver is asked: which versions fulfil all of these together.
struct Question {
  std::vector<std::string> requirements;
  std::vector<std::string> constraints;  // on packages that others may bring
  bool dependencies = true;              // false: the named ones only
  bool wheels_only = false;              // nothing is built from source, except `from_source`
  bool quick = false;                    // whoever does not answer at once is not waited for
  bool lowest = false;                   // of the named ones the oldest version, of others the newest
  std::set<std::string> only_binary;     // these never from source
  std::set<std::string> from_source;     // these only from source
};

// Whether nothing of a package is run to answer it.
inline bool runs_nothing(const Question& question) { return question.wheels_only && question.from_source.empty(); }

struct Answer {
  bool found = false;
  bool unreachable = false;       // the index did not answer; whether there is one is not known
  bool yanked = false;            // found, but it was withdrawn by who made it
  bool compiled = false;          // found, and a wheel of it is for one kind of machine
  std::vector<std::string> lock;  // "name==version", "name @ https://..."
  std::string problem;            // why nothing was found, with the names of who is involved
  std::string unbuilt;            // the package whose source had to be built for the answer, and could not be
  std::string unbuilt_version;    // and which version of it
};

// A package tool's own resolver: uv's or pip's. One for an interpreter and its sources.
class Resolver {
 public:
  virtual ~Resolver() = default;
  // An error is one of this machine (no disk, no program), not of the packages.
  virtual Result<Answer> ask(const Question& question) = 0;
  // Whether `lowest` is understood for several packages at once.
  virtual bool knows_lowest() const = 0;
  // The versions there are of a package, oldest first; empty if that cannot be told.
  virtual std::vector<std::string> versions(const std::string& name) = 0;
};

}  // namespace roost
