#include "cli/verbs/server_verbs.h"

int main(int argc, char** argv) {
  roost::CommandLine line("roost", "Roost trains PyTorch models on machines you own.",
                          ROOST_VERSION);
  roost::Console console;
  console.register_options(line.root());
  line.root()
      .example("roost up")
      .example("roost submit -- python train.py --epochs 30")
      .example("roost runs")
      .example("roost metrics @");
  roost::register_client_verbs(line.root(), console);
  roost::register_up(line.root(), console);
  roost::register_server(line.root(), console);
  roost::register_runner(line.root());
  roost::register_serve(line.root());
  roost::register_front(line.root(), console);
  roost::register_build(line.root());
  roost::register_import(line.root(), console);
  roost::register_sync(line.root(), console);
  return line.run(argc, argv, [&console](int fd) { return console.colour(fd); }, [&console] { return console.check_options(); });
}
