#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "runner/command_line.h"
#include "runner/image_root.h"

namespace roost {

// This very program as a run starts it: "$ROOST_PROGRAM" serve, with ONNX Runtime from where this one would take it.
struct OwnProgram {
  std::filesystem::path path;
  std::filesystem::path onnxruntime;  // the library's file; "" if it is nowhere beside the program
};
OwnProgram own_program();

// Says where it is in the variables of a run that is in no image.
void add_own_program(const OwnProgram& program, Variables& variables);

// An image has neither this program nor libraries that fit it. What is to be bound into it, below /roost-program: the
// program, the loader and the libraries that this process has, and a script at `start` that starts the one with the others.
// What the program starts in turn has the image's own again.
struct ProgramInImage {
  std::string start;
  std::string onnxruntime;
  std::vector<ImageBind> binds;
};
// `folder` is the attempt's, where the script is written to.
Result<ProgramInImage> program_in_image(const OwnProgram& program, const std::filesystem::path& folder);

}  // namespace roost
