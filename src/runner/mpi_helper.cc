#include "runner/mpi_helper.h"

#include <string_view>

#include "base/digest.h"
#include "base/files.h"

// The bytes of the program, by the assembler: as an array in C++ they would take the compiler minutes.
__asm__(
    ".section .rodata\n"
    ".global roost_mpi_program_begin\n"
    ".global roost_mpi_program_end\n"
    "roost_mpi_program_begin:\n"
    ".incbin \"" ROOST_MPI_PROGRAM "\"\n"
    "roost_mpi_program_end:\n"
    ".previous\n");
extern "C" const char roost_mpi_program_begin[];
extern "C" const char roost_mpi_program_end[];

namespace fs = std::filesystem;

namespace roost {

Result<fs::path> unpack_mpi_helper(const fs::path& cache) {
  const std::string_view program(roost_mpi_program_begin,
                                 static_cast<std::size_t>(roost_mpi_program_end - roost_mpi_program_begin));
  Sha256 hash;
  hash.update(program);
  const fs::path folder = cache / ("mpi-" + hash.hex().substr(0, 16));
  std::error_code error;
  if (const auto there = read_file(folder / "roost-mpi"); there && *there == program) return folder / "roost-mpi";
  if (fs::exists(folder, error)) ROOST_CHECK(remove_tree(folder));
  const fs::path temporary = folder.string() + ".tmp-" + random_hex(6);
  ROOST_CHECK(make_folders(temporary));
  ROOST_CHECK(write_file_atomic(temporary / "roost-mpi", program));
  fs::permissions(temporary / "roost-mpi", fs::perms(0755), error);
  if (!error) fs::create_symlink("roost-mpi", temporary / "roost-mpi-agent", error);
  if (!error) fs::rename(temporary, folder, error);
  if (error) {
    // Another node was quicker.
    ROOST_CHECK(remove_tree(temporary));
    if (!fs::exists(folder)) return fail_errno(error.value(), "unpack the program that mpirun calls");
  }
  return folder / "roost-mpi";
}

}  // namespace roost
