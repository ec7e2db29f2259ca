#include "builders/pip_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace roost {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// Where the two differ; any other name is the same.
constexpr auto kOtherNames = std::to_array<Pair>({
    {"pytorch", "torch"},
    {"pytorch-cpu", "torch"},
    {"pytorch-gpu", "torch"},
    {"torchvision-cpu", "torchvision"},
    {"tensorflow-gpu", "tensorflow"},
    {"tensorflow-mkl", "tensorflow"},
    {"tensorflow-eigen", "tensorflow"},
    {"keras-gpu", "keras"},
    {"opencv", "opencv-python-headless"},
    {"py-opencv", "opencv-python-headless"},
    {"libopencv", "opencv-python-headless"},
    {"pytables", "tables"},
    {"py-xgboost", "xgboost"},
    {"py-xgboost-cpu", "xgboost"},
    {"py-xgboost-gpu", "xgboost"},
    {"matplotlib-base", "matplotlib"},
    {"seaborn-base", "seaborn"},
    {"msgpack-python", "msgpack"},
    {"python-graphviz", "graphviz"},
    {"python-lmdb", "lmdb"},
    {"python-xxhash", "xxhash"},
    {"python-flatbuffers", "flatbuffers"},
    {"pyqt", "pyqt5"},
    {"dask-core", "dask"},
    {"jupyter_core", "jupyter-core"},
    {"ipython_genutils", "ipython-genutils"},
    {"prompt_toolkit", "prompt-toolkit"},
    {"typing_extensions", "typing-extensions"},
    {"importlib_metadata", "importlib-metadata"},
    {"backports.functools_lru_cache", "backports-functools-lru-cache"},
    {"ruamel_yaml", "ruamel-yaml"},
    {"pyarrow-core", "pyarrow"},
    {"gym-base", "gym"},
    {"faiss", "faiss-cpu"},
    {"spacy-model-en_core_web_sm", "en-core-web-sm"},
    {"huggingface_hub", "huggingface-hub"},
    {"pytorch_geometric", "torch-geometric"},
    {"pyg", "torch-geometric"},
    {"psycopg2", "psycopg2-binary"},
    {"pillow-simd", "pillow"},
});

// These are no packages of Python, or belong to conda itself.
constexpr auto kNotOfPip = std::to_array<std::string_view>({
    "_libgcc_mutex", "_openmp_mutex", "_py-xgboost-mutex", "_pytorch_select", "_tflow_select",
    "anaconda", "binutils", "blas", "blosc", "bzip2", "c-ares", "c-compiler", "ca-certificates",
    "cairo", "cmake", "compilers", "conda", "cpuonly", "cuda", "cuda-cudart", "cuda-nvcc",
    "cuda-runtime", "cuda-toolkit", "cudatoolkit", "cudatoolkit-dev", "cudnn", "cxx-compiler", "dbus",
    "expat", "ffmpeg", "fontconfig", "fortran-compiler", "freetype", "gcc", "gcc_linux-64", "gdal-bin",
    "geos", "gettext", "gfortran_linux-64", "giflib", "git", "git-lfs", "glib", "gmp", "graphviz",
    "gxx", "gxx_linux-64", "hdf5", "icu", "intel-openmp", "jpeg", "krb5", "lame", "lcms2",
    "ld_impl_linux-64", "lerc", "libblas", "libcblas", "libcurl", "libedit", "libev", "libffi",
    "libgcc", "libgcc-ng", "libgfortran-ng", "libgfortran4", "libgfortran5", "libgl", "libglib",
    "libgomp", "libiconv", "liblapack", "libllvm10", "libopenblas", "libpng", "libpq", "libprotobuf",
    "libsodium", "libssh2", "libstdcxx-ng", "libtiff", "libuuid", "libuv", "libwebp", "libwebp-base",
    "libxcb", "libxgboost", "libxml2", "libxslt", "llvm-openmp", "lz4-c", "magma-cuda101",
    "magma-cuda102", "make", "mkl", "mkl-include", "mkl-service", "mpi", "mpich", "nasm", "nccl",
    "ncurses", "ninja-base", "nodejs", "nomkl", "openblas", "openh264", "openjdk", "openmpi", "openssl",
    "pcre", "perl", "pip", "pixman", "pkg-config", "proj", "python_abi", "pytorch-cuda",
    "pytorch-mutex", "qt", "r-base", "readline", "ruby", "sip", "snappy", "sqlite", "sysroot_linux-64",
    "tk", "ucx", "unzip", "wget", "xz", "yaml", "zeromq", "zip", "zlib", "zstd",
});
static_assert(std::is_sorted(kNotOfPip.begin(), kNotOfPip.end()));

// Packages of Python whose names look like those of libraries.
constexpr auto kPythonLibs =
    std::to_array<std::string_view>({"libclang", "libcst", "libopencv", "librosa", "libsass", "libsvm", "libtmux"});

// A condition of conda's as pip writes it: "=1.6=py36_0" -> "==1.6.*", " 1.6.*" -> "==1.6.*".
std::string pip_condition(std::string_view condition) {
  condition = trim(condition);
  if (condition.empty() || condition == "*" || condition == "=*") return "";
  if (condition.find('|') != std::string_view::npos) return pip_condition(condition.substr(0, condition.find('|')));
  const bool exact = condition.starts_with("==");
  if (exact || condition.find_first_of("<>!~") != std::string_view::npos) {
    std::string text(condition);
    if (exact) text = "==" + text.substr(2, text.find_first_of("= ", 2) - 2);  // without the build
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
  }
  if (condition.starts_with('=')) condition.remove_prefix(1);
  const std::string version(trim(condition.substr(0, condition.find_first_of("= "))));
  if (version.empty() || version == "*") return "";
  if (version.ends_with(".*")) return "==" + version;
  if (version.ends_with('*')) return "==" + version.substr(0, version.size() - 1) + ".*";
  return "==" + version + ".*";
}

}  // namespace

PipName pip_name_of(std::string_view package) {
  if (const auto channel = package.find("::"); channel != std::string_view::npos) package.remove_prefix(channel + 2);
  package = trim(package);
  const auto end = package.find_first_of(" =<>!~[");
  std::string name = lower(package.substr(0, end));
  std::string_view condition = end == std::string_view::npos ? "" : package.substr(end);
  if (condition.starts_with('[')) {  // [version='>=1.6', build=...]
    const auto at = condition.find("version=");
    const std::string_view quoted = at == std::string_view::npos ? "" : condition.substr(at + 8);
    const std::string_view inside = quoted.empty() ? "" : quoted.substr(1, quoted.find(quoted.front(), 1) - 1);
    condition = inside;
  }
  PipName found;
  const bool library = name.starts_with("lib") && !std::binary_search(kPythonLibs.begin(), kPythonLibs.end(), name);
  if (library || name.starts_with("cuda-") || std::binary_search(kNotOfPip.begin(), kNotOfPip.end(), name)) {
    found.why_not = "it is no package of Python, and pip does not have it";
    return found;
  }
  for (const auto& [conda, pip] : kOtherNames) {
    if (name == conda) {
      name = pip;
      break;
    }
  }
  found.requirement = name + pip_condition(condition);
  return found;
}

}  // namespace roost
