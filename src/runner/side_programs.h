#pragma once

#include "runner/side_order.h"
#include "runner/supervise.h"

namespace roost {

// Programs that the supervisor starts beside those of the run, with all that it gives those: namespaces, confinement, user,
// control groups, CPUs and folder. They end with the run. Neither allocates nor locks.
class SidePrograms {
 public:
  // `control` may be -1: there will be none.
  SidePrograms(int control, const SupervisedAs& as) : control_(control), as_(as) {}

  int control() const { return control_; }  // readable when an order is there; -1 once there will be no more
  void take_order();
  // True if it was one of them that ended.
  bool note_end(int pid, int status);

 private:
  struct Side {
    int id = 0;
    int pid = 0;
    int report = -1;
  };
  void start(const SideOrder& order, const int* descriptors);
  void signal(const SideOrder& order);
  // Answers the errno of the start; 0 if it runs.
  int launch(Side& side, const SideOrder& order, const int* descriptors, char** program, char** variables);

  int control_;
  const SupervisedAs as_;
  Side sides_[kMostSides] = {};
};

}  // namespace roost
