#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/result.h"

namespace roost {

// Something below a hidden folder that stays in sight, at the same path.
struct ShownPath {
  enum class Kind {
    kWritable,
    kReadOnly,
    kScratch,  // seems writable: what is written goes to `layers`, or is refused where there is no overlayfs
  };
  std::string path;
  Kind kind = Kind::kWritable;
  std::string layers = {};
  bool is_file = false;   // found out by hide_folders()
  std::string overlay = {};  // as is this
};

// Folders of which a process sees nothing but what is shown. The data folder is one: a run has the same
// user as the server, so permissions alone keep it from nothing.
struct HiddenFolders {
  std::vector<std::string> folders;
  std::vector<ShownPath> shown;
};

// Settles what is to be hidden. Folders and paths that are missing are left out, as is what lies in no
// hidden folder anyway. A link in a hidden folder that leads to another folder hides that one as well.
Result<HiddenFolders> hide_folders(const std::vector<std::filesystem::path>& folders, std::vector<ShownPath> shown);

// Called in a new process that has a mount namespace of its own: neither allocates nor locks. Answers
// nullptr, or what it could not do, with errno set.
const char* cover_folders(const HiddenFolders& hidden, bool own_user);

// The same without a namespace, for a process that calls enter_landlock() with it. kUnimplemented if
// this kernel has no Landlock. It can only allow: what appears later directly in a folder on the way to
// a hidden one cannot be opened either, nor can those folders be listed.
Result<Fd> landlock_rules(const HiddenFolders& hidden);
bool enter_landlock(int rules);

// Shows what of a hidden folder a user's own programs need: a home that is in it, or, if the folder is the home, what
// has a dot in front; Roost's own files have none.
void show_home(const std::filesystem::path& hidden, std::vector<ShownPath>& shown);

bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace roost
