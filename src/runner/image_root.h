#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace roost {

// One folder or file of this machine that a run in an image sees, at the same path unless `at` is given.
struct ImageBind {
  std::string source;
  std::string at = {};
  bool read_only = false;
  bool is_file = false;
};

// The file system of a run in an image: the image's root folder under an overlay, so that the cached
// one never changes, and nothing of this machine but `binds`. Made by the runner before the process
// exists; the process itself enters it, in a mount namespace of its own that goes with it.
struct ImageRoot {
  std::string overlay;  // options of the mount
  std::string overlay_as_user;
  std::string place;    // where it is mounted, on the way in
  std::string shm;      // options of /dev/shm
  std::vector<ImageBind> binds;
  int user = -1;        // -1: stay who we are, who is not root then
  int group = -1;
};

// `image` is that of the order: {"root", "shm_size"}. `folder` is made for what the run writes into the
// root file system, its /tmp, /var/tmp and home; all of it goes with that folder. What is bound
// writable must belong to `user`: give_to_user() does that.
Result<ImageRoot> make_image_root(const Json& image, const std::filesystem::path& folder,
                                  std::vector<ImageBind> binds);
Status give_to_user(const ImageRoot& root, const std::filesystem::path& tree);

// True if the image has such a file, its links followed within the image.
bool is_in_image(const std::filesystem::path& root, const std::string& path);

// Where a run in an image finds its home.
inline constexpr const char* kImageHome = "/home/roost";

// Called in the new process, which must be in a mount namespace of its own: neither allocates nor
// locks. Answers nullptr, or what it could not do, with errno set; a path if it is one of the binds.
const char* enter_image_root(const ImageRoot& root, bool own_user);

}  // namespace roost
