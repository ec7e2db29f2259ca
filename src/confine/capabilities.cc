#include "confine/capabilities.h"

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace roost {
namespace {

// Newer than some headers.
constexpr int kPerfmon = 38;
constexpr int kBpf = 39;
constexpr int kCheckpointRestore = 40;

constexpr int kGivenUp[] = {CAP_DAC_READ_SEARCH, CAP_SYS_MODULE,   CAP_SYS_RAWIO,     CAP_SYS_PTRACE, CAP_SYS_PACCT,
                            CAP_SYS_ADMIN,       CAP_SYS_BOOT,     CAP_MKNOD,         CAP_MAC_OVERRIDE, CAP_MAC_ADMIN,
                            CAP_SYSLOG,          CAP_AUDIT_CONTROL, CAP_AUDIT_READ,   kPerfmon,       kBpf,
                            kCheckpointRestore};

}  // namespace

void give_up_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  const bool known = ::syscall(SYS_capget, &header, sets) == 0;
  for (const int capability : kGivenUp) {
    // Out of the bounding set too: root gets back with exec what it only put down. One that this kernel
    // or container does not have is given up already.
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
    const unsigned bit = 1U << (capability % 32);
    auto& set = sets[capability / 32];
    set.effective &= ~bit;
    set.permitted &= ~bit;
    set.inheritable &= ~bit;
  }
  if (known) ::syscall(SYS_capset, &header, sets);
}

}  // namespace roost
