#include "builders/image_builder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/text.h"
#include "builders/image_output.h"
#include "builders/program.h"
#include "domain/version.h"

namespace fs = std::filesystem;

namespace roost {
namespace {

constexpr const char* kWheels = "/run/roost-wheels";  // where a step sees the folder of wheels
constexpr std::string_view kMark = "roost:";           // before what the image says of itself

constexpr const char* kPipSettings =
    "[global]\nbreak-system-packages = true\nno-input = true\ndisable-pip-version-check = true\n"
    "root-user-action = ignore\nprogress-bar = off\nno-cache-dir = true\nretries = 2\ntimeout = 15\n";

// Run in the finished image: which Python it has, and every distribution that pip installed for it.
constexpr const char* kDescribe = R"sh(
python=$(command -v python3 || command -v python || true)
echo "roost:python $python"
[ -z "$python" ] || "$python" - <<'END'
import re, sys, sysconfig
print("roost:version %d.%d.%d" % sys.version_info[:3])
try:
    import importlib.metadata as metadata
except ImportError:
    sys.exit(0)
own = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
for one in metadata.distributions(path=sorted(own)):
    print("roost:lock " + re.sub(r"[-_.]+", "-", one.metadata["Name"]).lower() + "==" + one.version)
END
)sh";

// Copying what is mounted takes a sixth of the time of `buildah bud --output`.
constexpr const char* kLayOut = R"sh(
image=$1 root=$2 describe=$3; shift 3
container=$("$@" from --pull-never "$image") || exit 1
"$@" run --isolation chroot --user 0:0 "$container" -- /bin/sh -c "$describe"; described=$?
mounted=$("$@" mount "$container") &&
  { [ "$(id -u)" = 0 ] && [ -z "$_CONTAINERS_USERNS_CONFIGURED" ] || keep=--no-preserve=ownership; } &&
  cp -a --reflink=auto $keep "$mounted/." "$root"; copied=$?
chmod u+w "$root"; "$@" umount "$container" >/dev/null; "$@" rm "$container" >/dev/null
[ $described = 0 ] && [ $copied = 0 ]
)sh";

// A name that could not begin another word of the Dockerfile.
Status check_base(const std::string& image) {
  const bool plain = image.find_first_of(" \t\\$") == std::string::npos && !image.starts_with('-');
  if (plain) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("\"{}\" is not the name of an image; it may be registry/name:tag, or a path with "
                          "oci:, dir: or docker-archive: before it",
                          printable(image)));
}

std::string conda_step(const EnvironmentPlan& plan) {
  std::string words;
  for (const auto& channel : plan.channels) words += " -c " + shell_quote(channel);
  for (const auto& package : plan.conda) words += " " + shell_quote(package);
  return "RUN conda=$(command -v micromamba || command -v mamba || command -v conda) || "
         "{ echo 'the definition has conda packages and the image has no conda; list them under pip, or take a "
         "base image with micromamba or conda'; exit 1; }; \"$conda\" install -y -n base" +
         words + "\n";
}

class ImageBuild {
 public:
  ImageBuild(const BuildOrder& order, const BuildLog& log)
      : order_(order), log_(log), storage_(fs::path(order.folder).parent_path().parent_path() / "images"),
        run_folder_(order.folder + ".run"), context_(order.folder + ".context") {
    // The same key as the cache's.
    std::string digest = order.plan.digest();
    if (!order.lock.empty()) digest = sha256_hex(digest + to_text(Json(order.lock)));
    name_ = "localhost/roost:" + digest.substr(0, 32);
    if (!order.settings.registry.empty()) {
      remote_ = fmt::format("{}/roost:{}", order.settings.registry, digest.substr(0, 32));
    }
  }

  ~ImageBuild() {
    std::error_code error;
    fs::remove_all(run_folder_, error);
    fs::remove_all(context_, error);
  }

  Result<BuiltEnvironment> run() {
    if (find_program("buildah").empty()) {
      return fail(ErrorCode::kFailedPrecondition,
                  "an image is built by buildah, which is not on this machine; one command installs it: apt-get "
                  "install buildah (in Roost's own folder: tools/setup images)");
    }
    ROOST_TRY(const std::string steps, image_steps(order_));
    ROOST_CHECK(make_folders(storage_));
    ROOST_CHECK(make_folders(context_));
    ROOST_TRY(const Fd in_use, take_storage());
    const bool pulled = !remote_.empty() && pull();
    if (!pulled) ROOST_CHECK(build(steps));
    ROOST_CHECK(read_config());
    ROOST_CHECK(lay_out());
    ROOST_CHECK(check_python());
    if (!remote_.empty() && !pulled) push();
    built_.builder = "image";
    built_.python = order_.folder + "/rootfs";
    return built_;
  }

 private:
  // buildah with a storage of Roost's own, which also sees the images of this user's own storage. In a
  // mount namespace of its own, so that a build that is killed leaves no mount behind.
  std::vector<std::string> buildah() const {
    std::vector<std::string> words = {"buildah", "--root", storage_.string(), "--runroot", run_folder_.string()};
    const char* home = std::getenv("HOME");
    const std::string own = ::geteuid() == 0 ? "/var/lib/containers/storage"
                                             : std::string(home ? home : "") + "/.local/share/containers/storage";
    std::error_code error;
    if (fs::exists(own + "/overlay-images", error)) {
      words.insert(words.end(), {"--storage-opt", "overlay.imagestore=" + own});
    }
    return words;
  }

  Result<int> program(std::vector<std::string> words, const std::function<void(std::string_view)>& on_line) {
    ProgramRun run;
    if (::geteuid() == 0) run.words = {"unshare", "--mount", "--propagation", "private"};
    run.words.insert(run.words.end(), words.begin(), words.end());
    run.variables = {{"BUILDAH_ISOLATION", "chroot"}, {"NO_COLOR", "1"}};
    run.on_line = on_line;
    return run_to_end(run);
  }

  // Builds share the storage. One that has it for itself first removes the containers that a killed
  // build has left there: nobody else knows of them.
  Result<Fd> take_storage() {
    const std::string path = storage_.string() + ".lock";
    Fd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock) return fail_errno(errno, "open " + path);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) {
      // By their ids: `rm --all` passes over one that was not quite made.
      const auto text = read_file(storage_ / "overlay-containers" / "containers.json");
      const Json left = text ? stored_json(*text) : Json();
      std::vector<std::string> words = {"rm"};
      for (const auto& one : left.is_array() ? left : Json::array()) words.push_back(text_at(one, "id"));
      if (words.size() > 1) {
        log_("Removing what a build that was killed has left");
        ROOST_CHECK(call(words, log_));
      }
    }
    if (::flock(lock.get(), LOCK_SH) != 0) return fail_errno(errno, "lock " + path);
    return lock;
  }

  Result<int> call(std::vector<std::string> words, const std::function<void(std::string_view)>& on_line) {
    std::vector<std::string> all = buildah();
    all.insert(all.end(), words.begin(), words.end());
    return program(std::move(all), on_line);
  }

  std::string tls_option() const {
    return fmt::format("--tls-verify={}", order_.settings.registry_insecure ? "false" : "true");
  }

  // True if the registry has it. If not, for whatever reason, it is built here.
  bool pull() {
    log_(fmt::format("Looking for {} in the registry", remote_));
    std::string last;
    const auto code = call({"pull", "--quiet", tls_option(), "docker://" + remote_}, [&](std::string_view line) {
      if (line.starts_with("Error: ")) last = line.substr(7);
    });
    if (code && *code == 0) {
      name_ = remote_;
      log_("It is there: nothing is built");
      return true;
    }
    const bool absent = last.find("manifest unknown") != std::string::npos ||
                        last.find("name unknown") != std::string::npos;
    log_(absent ? "It is not there yet" : "The registry cannot be asked, so the image is built here: " + last);
    return false;
  }

  void push() {
    log_(fmt::format("Pushing {}", remote_));
    std::string last;
    const auto code = call({"push", "--quiet", tls_option(), name_, "docker://" + remote_}, [&](std::string_view line) {
      if (line.starts_with("Error: ")) last = line.substr(7);
    });
    if (!code || *code != 0) {
      log_("The image could not be pushed, so other machines will build it themselves: " + last);
    }
  }

  Status build(const std::string& steps) {
    const fs::path file = context_ / "Dockerfile";
    ROOST_CHECK(write_file_atomic(file, steps));
    std::string requirements;
    for (const auto& line : order_.lock.empty() ? order_.plan.pip : order_.lock) requirements += line + "\n";
    ROOST_CHECK(write_file_atomic(context_ / "requirements.txt", requirements));
    ROOST_CHECK(write_file_atomic(context_ / "pip.conf", kPipSettings));
    std::vector<std::string> words = {"bud", "--isolation", "chroot", "--layers", "--force-rm",
                                      "--network", "host", "--tag", name_, "--file", file.string()};
    // Only that one registry is trusted without a certificate.
    if (!remote_.empty() && steps.find("FROM " + order_.settings.registry + "/") != std::string::npos) {
      words.push_back(tls_option());
    }
    if (!order_.settings.wheels.empty()) {
      words.insert(words.end(), {"--volume", order_.settings.wheels + ":" + kWheels + ":ro"});
    }
    words.push_back(context_.string());
    ImageOutput output;
    ROOST_TRY(const int code, call(words, [&](std::string_view line) {
      output.add(line);
      const std::string step = ImageOutput::step_line(line);
      log_(step.empty() ? line : step);
    }));
    if (code == 0) return {};
    return fail(ErrorCode::kFailedPrecondition, output.problem());
  }

  Status read_config() {
    std::string text;
    ROOST_TRY(const int code, call({"inspect", "--type", "image", name_}, [&](std::string_view line) {
      text += line;
    }));
    const Json all = stored_json(text);
    if (code != 0 || !all.is_object()) {
      return fail(ErrorCode::kInternal, "buildah does not know the image it has built: " + text.substr(0, 300));
    }
    built_.image = text_at(all, "FromImageID");
    const Json config = stored_json(text_at(all, "Config", "{}"));
    variables_ = Json::object();
    if (!config.is_object()) return {};
    for (const auto& item : array_at(object_at(config, "config"), "Env")) {
      const std::string entry = item.is_string() ? item.get<std::string>() : "";
      if (const auto equals = entry.find('='); equals != std::string::npos) {
        variables_[entry.substr(0, equals)] = entry.substr(equals + 1);
      }
    }
    return {};
  }

  Status lay_out() {
    log_("Laying the image out, and the exact versions:");
    const std::string root = order_.folder + "/rootfs";
    ROOST_CHECK(make_folders(root));
    std::vector<std::string> words;
    if (::geteuid() != 0) words = {"buildah", "unshare"};
    words.insert(words.end(), {"sh", "-c", kLayOut, "sh", name_, root, kDescribe});
    const auto tool = buildah();
    words.insert(words.end(), tool.begin(), tool.end());
    std::string last;
    ROOST_TRY(const int code, program(words, [&](std::string_view line) { take(line, last); }));
    std::sort(built_.lock.begin(), built_.lock.end());
    built_.inside = {{"root", root}, {"python", python_}, {"variables", variables_}};
    if (code == 0) return {};
    return fail(ErrorCode::kFailedPrecondition, "the image could not be laid out: " + last);
  }

  void take(std::string_view line, std::string& last) {
    if (!line.starts_with(kMark)) {
      log_(line);
      last = line;
      return;
    }
    line.remove_prefix(kMark.size());
    const auto space = line.find(' ');
    const std::string_view what = line.substr(0, space);
    const std::string value(line.substr(std::min(space + 1, line.size())));
    if (what == "python") python_ = value;
    if (what == "version") version_ = value;
    if (what == "lock") built_.lock.push_back(value);
    if (what == "lock") log_(value);
    if (what == "version") log_("Python " + value);
  }

  Status check_python() {
    const EnvironmentPlan& plan = order_.plan;
    if (plan.python.empty()) return {};
    const auto version = parse_version(version_);
    if (version && satisfies(*version, plan.python)) return {};
    const std::string has = version ? "Python " + version_ : std::string("no python3");
    if (plan.pins != Pins::kNearest || !version) {
      return fail(ErrorCode::kFailedPrecondition,
                  fmt::format("python={} is asked for, and the image has {}; take another base image, or submit "
                              "with pins: nearest, which takes the image's",
                              plan.python, has));
    }
    built_.changes.push_back(fmt::format("python={} -> {} of the image", plan.python, version_));
    log_("pins: nearest: " + built_.changes.back());
    return {};
  }

  const BuildOrder& order_;
  const BuildLog& log_;
  const fs::path storage_;     // layers and images, between builds
  const fs::path run_folder_;  // buildah's own, of this build
  const fs::path context_;
  std::string name_;
  std::string remote_;  // in the registry; "" if there is none
  Json variables_;
  std::string python_;
  std::string version_;
  BuiltEnvironment built_;
};

}  // namespace

Result<std::string> image_steps(const BuildOrder& order) {
  const EnvironmentPlan& plan = order.plan;
  std::string steps;
  if (plan.dockerfile.empty()) {
    ROOST_CHECK(check_base(plan.base_image));
    steps = "FROM " + plan.base_image + "\n";
  } else {
    steps = plan.dockerfile + "\n\n";
  }
  if (plan.user_managed) return steps;
  const bool pip = !plan.pip.empty() || !order.lock.empty();
  if (pip || !plan.conda.empty()) steps += "USER 0\n";
  if (!plan.conda.empty()) steps += conda_step(plan);
  if (pip) {
    const BuildSettings& settings = order.settings;
    steps += "COPY requirements.txt pip.conf /usr/local/share/roost/\n";
    steps += "RUN PIP_CONFIG_FILE=/usr/local/share/roost/pip.conf python3 -m pip install";
    if (!order.lock.empty()) steps += " --no-deps";
    if (settings.offline) steps += " --no-index";
    if (!settings.index_url.empty()) steps += " --index-url " + shell_quote(settings.index_url);
    if (!settings.wheels.empty()) steps += std::string(" --find-links ") + kWheels;
    steps += " -r /usr/local/share/roost/requirements.txt\n";
  }
  return steps;
}

Result<BuiltEnvironment> build_image(const BuildOrder& order, const BuildLog& log) {
  return ImageBuild(order, log).run();
}

}  // namespace roost
