#include <cstdio>
#include <string>

#include "mpi/programs.h"

int main(int argc, char** argv) {
  const std::string name = argc > 0 ? argv[0] : "";
  std::vector<std::string> words(argv + 1, argv + argc);
  if (name.size() >= 6 && name.compare(name.size() - 6, 6, "-agent") == 0) return roost::mpi::agent(words);
  const std::string verb = words.empty() ? "" : words.front();
  if (!words.empty()) words.erase(words.begin());
  if (verb == "start") return roost::mpi::start(words);
  if (verb == "rank") return roost::mpi::rank(false);
  std::fprintf(stderr, "roost-mpi is started by the runner and by mpirun, not by hand\n");
  return 2;
}
