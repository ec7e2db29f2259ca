#include "db/faulty_disk.h"

#include <new>

namespace roost {
namespace {

FaultyDisk* disk = nullptr;

// SQLite hands out the memory; the real file follows behind this.
struct File {
  sqlite3_file base;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

sqlite3_file* real(sqlite3_file* file) { return reinterpret_cast<File*>(file)->real(); }
const sqlite3_io_methods& methods(sqlite3_file* file) { return *real(file)->pMethods; }

int close_file(sqlite3_file* f) { return methods(f).xClose(real(f)); }
int read_bytes(sqlite3_file* f, void* to, int n, sqlite3_int64 at) { return methods(f).xRead(real(f), to, n, at); }
int write_bytes(sqlite3_file* f, const void* from, int n, sqlite3_int64 at) {
  if (const int code = disk->strike(SQLITE_IOERR_WRITE); code != SQLITE_OK) return code;
  return methods(f).xWrite(real(f), from, n, at);
}
int truncate(sqlite3_file* f, sqlite3_int64 size) {
  if (const int code = disk->strike(SQLITE_IOERR_TRUNCATE); code != SQLITE_OK) return code;
  return methods(f).xTruncate(real(f), size);
}
int sync_file(sqlite3_file* f, int flags) {
  if (const int code = disk->strike(SQLITE_IOERR_FSYNC); code != SQLITE_OK) return code;
  return methods(f).xSync(real(f), flags);
}
int file_size(sqlite3_file* f, sqlite3_int64* size) { return methods(f).xFileSize(real(f), size); }
int lock(sqlite3_file* f, int kind) { return methods(f).xLock(real(f), kind); }
int unlock(sqlite3_file* f, int kind) { return methods(f).xUnlock(real(f), kind); }
int check_lock(sqlite3_file* f, int* held) { return methods(f).xCheckReservedLock(real(f), held); }
int control(sqlite3_file* f, int what, void* with) { return methods(f).xFileControl(real(f), what, with); }
int sector_size(sqlite3_file* f) { return methods(f).xSectorSize(real(f)); }
int traits(sqlite3_file* f) { return methods(f).xDeviceCharacteristics(real(f)); }
int shm_map(sqlite3_file* f, int page, int size, int extend, void volatile** at) {
  if (extend != 0) {
    if (const int code = disk->strike(SQLITE_IOERR_SHMSIZE); code != SQLITE_OK) return code;
  }
  return methods(f).xShmMap(real(f), page, size, extend, at);
}
int shm_lock(sqlite3_file* f, int offset, int n, int flags) { return methods(f).xShmLock(real(f), offset, n, flags); }
void shm_barrier(sqlite3_file* f) { methods(f).xShmBarrier(real(f)); }
int shm_unmap(sqlite3_file* f, int remove) { return methods(f).xShmUnmap(real(f), remove); }
int fetch(sqlite3_file* f, sqlite3_int64 at, int n, void** page) { return methods(f).xFetch(real(f), at, n, page); }
int unfetch(sqlite3_file* f, sqlite3_int64 at, void* page) { return methods(f).xUnfetch(real(f), at, page); }

const sqlite3_io_methods kMethods = {3,         close_file, read_bytes, write_bytes, truncate,   sync_file, file_size,
                                     lock,      unlock,     check_lock, control,     sector_size, traits,   shm_map,
                                     shm_lock,  shm_barrier, shm_unmap, fetch,       unfetch};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
  auto* const beneath = static_cast<sqlite3_vfs*>(vfs->pAppData);
  File* const mine = new (file) File{};
  const int code = beneath->xOpen(beneath, name, mine->real(), flags, out);
  if (mine->real()->pMethods != nullptr) mine->base.pMethods = &kMethods;
  return code;
}

}  // namespace

FaultyDisk::FaultyDisk() {
  sqlite3_vfs* const beneath = sqlite3_vfs_find(nullptr);
  vfs_ = *beneath;
  vfs_.pNext = nullptr;
  vfs_.zName = "faulty";
  vfs_.pAppData = beneath;
  vfs_.szOsFile = static_cast<int>(sizeof(File)) + beneath->szOsFile;
  vfs_.xOpen = open_file;
  disk = this;
  sqlite3_vfs_register(&vfs_, 1);
}

FaultyDisk::~FaultyDisk() {
  sqlite3_vfs_unregister(&vfs_);
  disk = nullptr;
}

void FaultyDisk::fail_from(int nth, Fault fault) {
  fault_ = fault;
  struck_ = false;
  left_ = nth - 1;
}

void FaultyDisk::heal() { left_ = -1; }

int FaultyDisk::strike(int broken) {
  const int left = left_;
  if (left < 0) return SQLITE_OK;
  if (left > 0) {
    left_ = left - 1;
    return SQLITE_OK;
  }
  struck_ = true;
  return fault_ == Fault::kFull ? SQLITE_FULL : broken;
}

}  // namespace roost
