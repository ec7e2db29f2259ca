"""A wall clock that a test can set, for a program that is started with it: everything else tells the true time."""
import shutil
import subprocess
from pathlib import Path
from typing import Dict

CODE = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile long* step;

__attribute__((constructor)) static void open_step(void) {
  static const long none = 0;
  const char* path = getenv("TEST_CLOCK_STEP");
  int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  void* at = fd >= 0 ? mmap(0, sizeof(long), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;
  step = at == MAP_FAILED ? &none : at;
  if (fd >= 0) close(fd);
}

static int is_wall(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t clock, struct timespec* time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && is_wall(clock) && step) time->tv_sec += *step;
  return result;
}

time_t time(time_t* out) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (out) *out = now.tv_sec;
  return now.tv_sec;
}

int gettimeofday(struct timeval* out, void* zone) {
  struct timespec now;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &now);
  out->tv_sec = now.tv_sec;
  out->tv_usec = now.tv_nsec / 1000;
  return 0;
}
"""


class WallClock:
    """Give `environment` to the program; set(7200) puts its wall clock two hours on."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        source, self.library, self.step = folder / "clock.c", folder / "clock.so", folder / "step"
        source.write_text(CODE, encoding="utf-8")
        compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", str(self.library), str(source)], check=True)
        self.step.write_bytes((0).to_bytes(8, "little"))

    @property
    def environment(self) -> Dict[str, str]:
        return {"LD_PRELOAD": str(self.library), "TEST_CLOCK_STEP": str(self.step)}

    def set(self, seconds: int) -> None:
        with open(self.step, "r+b") as file:
            file.write(seconds.to_bytes(8, "little", signed=True))
