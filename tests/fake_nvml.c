/* What of NVML is used, with four GPUs, the last of which is divided into two instances. Built by tests/test_gpus.py. */
#include <stdio.h>

static const char* const kUuids[] = {"GPU-fake-0", "GPU-fake-1", "GPU-fake-2", "GPU-fake-3", "MIG-fake-0", "MIG-fake-1"};
static int handles[6];

static int number_of(void* device) { return (int)((int*)device - handles); }

int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned* count) { *count = 4; return 0; }
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) { *device = &handles[index]; return index < 4 ? 0 : 2; }
int nvmlDeviceGetUUID(void* device, char* text, unsigned size) {
  snprintf(text, size, "%s", kUuids[number_of(device)]);
  return 0;
}
int nvmlDeviceGetName(void* device, char* text, unsigned size) {
  snprintf(text, size, number_of(device) < 4 ? "Fake 3000" : "Fake 3000 MIG 1g");
  return 0;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* memory) {
  memory[0] = 8ULL << 30;
  memory[2] = (unsigned long long)(number_of(device) + 1) * 1000000000ULL;
  memory[1] = memory[0] - memory[2];
  return 0;
}
int nvmlDeviceGetUtilizationRates(void* device, unsigned* use) {
  use[0] = (unsigned)(10 * (number_of(device) + 1));
  use[1] = 0;
  return number_of(device) < 4 ? 0 : 3;
}
int nvmlDeviceGetMigMode(void* device, unsigned* current, unsigned* pending) {
  *current = *pending = number_of(device) == 3;
  return 0;
}
int nvmlDeviceGetMaxMigDeviceCount(void* device, unsigned* count) { *count = number_of(device) == 3 ? 7 : 0; return 0; }
int nvmlDeviceGetMigDeviceHandleByIndex(void* device, unsigned index, void** instance) {
  *instance = &handles[4 + index % 2];
  return number_of(device) == 3 && index < 2 ? 0 : 6;
}
