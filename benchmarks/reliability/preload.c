/* Stands between a process and the files below a folder: counts what it does to them, lets the n-th
 * act fail, kills the process there, or writes all of it down. Loaded with LD_PRELOAD; what to do
 * stands in a file that all processes share, named by RELIABILITY_CONTROL (see preload.py).
 * The place of an act is its kind, its file and who called: the lines of Python, and what is called
 * below them (see place_of). */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OFF, COUNT, FAIL, FAIL_ON, KILL, TRACE };
enum { OPEN, WRITE, SYNC, RENAME, LOCK, TRUNCATE, UNLINK, MKDIR, SAY };
enum { GO_ON, REFUSE, HALF };
enum { PLACES = 8192, DEEPEST = 256 };

struct place {
  uint64_t hash, kind, count;
};

/* Read and written by preload.py, in this order. */
struct control {
  uint64_t mode, at, error, kinds, count, fired, kind, spared;
  char root[PATH_MAX], voice[PATH_MAX], trace[PATH_MAX], path[PATH_MAX];
  uint64_t counts[SAY + 1];
  uint64_t looks_at_places, wanted; /* wanted: the one place whose acts count; 0: all count */
  struct place places[PLACES];
};

struct record {
  uint64_t kind, inode, offset, path, other, data;
};

static struct control* control;
static int trace_file = -1;
static pthread_mutex_t tracing = PTHREAD_MUTEX_INITIALIZER;

/* What Python writes of its stack goes in here instead of a file, while it has a text. */
struct stack {
  size_t size;
  char text[1 << 14];
};
static __thread struct stack* stack;
static const char harness[] = "/trials.py\""; /* the first line of Python that is the harness's own */
static void (*write_stack)(int, void*);
static void* (*python_thread)(void);
static int (*is_python_ready)(void);
static struct dl_find_object python; /* the code of the interpreter itself */

static void before_fork(void) { pthread_mutex_lock(&tracing); }
static void after_fork(void) { pthread_mutex_unlock(&tracing); }

__attribute__((constructor)) static void begin(void) {
  const char* name = getenv("RELIABILITY_CONTROL");
  int file = name ? (int)syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return;
  void* at = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  syscall(SYS_close, file);
  if (at == MAP_FAILED) return;
  control = at;
  pthread_atfork(before_fork, after_fork, after_fork);
  void* first[1];
  backtrace(first, 1); /* which loads what it needs */
  write_stack = (void (*)(int, void*))dlsym(RTLD_DEFAULT, "_Py_DumpTraceback");
  python_thread = (void* (*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
  is_python_ready = (int (*)(void))dlsym(RTLD_DEFAULT, "Py_IsInitialized");
  if (is_python_ready) _dl_find_object((void*)is_python_ready, &python);
}

static int is_on(void) { return control && control->mode != OFF; }

static int is_below(const char* path) {
  size_t length = strlen(control->root);
  return length && !strncmp(path, control->root, length) && (path[length] == '/' || !path[length]);
}

/* The path of an open file into `out`; whether it lies below the root. */
static int of_file(int file, char* out) {
  char link[64];
  if (file < 0 || !is_on()) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  if (length < 0) return 0;
  out[length] = 0;
  return is_below(out);
}

/* The absolute path into `out`; whether it lies below the root. */
static int of_path(int folder, const char* path, char* out) {
  if (!path || !is_on()) return 0;
  if (path[0] == '/') {
    snprintf(out, PATH_MAX, "%s", path);
    return is_below(out);
  }
  char base[PATH_MAX];
  if (folder == AT_FDCWD ? !getcwd(base, sizeof base) : !of_file(folder, base)) return 0;
  return snprintf(out, PATH_MAX, "%s/%s", base, path) < PATH_MAX && is_below(out);
}

static uint64_t mixed(uint64_t hash, const void* data, size_t size) {
  for (size_t at = 0; at < size; ++at) hash = (hash ^ ((const uint8_t*)data)[at]) * 1099511628211u;
  return hash;
}

/* The path below the root; a word with a digit in it counts as any other. */
static uint64_t with_name(uint64_t hash, const char* path) {
  for (path += strlen(control->root); *path;) {
    size_t size = 0, digits = 0;
    for (; isalnum((uint8_t)path[size]); ++size) digits += isdigit((uint8_t)path[size]) != 0;
    hash = mixed(hash, digits ? "#" : path, digits ? 1 : size ? size : 1);
    path += size ? size : 1;
  }
  return hash;
}

/* A hash of the kind of act, its file, and the stack: files and lines of Python, and the return
 * addresses outside of the interpreter, which are the same in all copies of a process. */
static uint64_t place_of(int kind, const char* path) {
  uint64_t hash = with_name(mixed(14695981039346656037u, &kind, sizeof kind), path);
  void* calls[DEEPEST];
  int depth = backtrace(calls, DEEPEST);
  for (int at = 0; at < depth; ++at) {
    if (calls[at] >= python.dlfo_map_start && calls[at] < python.dlfo_map_end) continue;
    hash = mixed(hash, &calls[at], sizeof calls[at]);
  }
  void* thread = write_stack && python_thread && is_python_ready() ? python_thread() : NULL;
  if (thread) {
    struct stack lines;
    lines.size = 0;
    stack = &lines;
    write_stack(1, thread);
    stack = NULL;
    const char* end = memmem(lines.text, lines.size, harness, sizeof harness - 1);
    hash = mixed(hash, lines.text, end ? (size_t)(end - lines.text) : lines.size);
  }
  return hash ? hash : 1;
}

static void note(int kind, uint64_t hash) {
  for (uint64_t at = 0; at < PLACES; ++at) {
    struct place* place = &control->places[(hash + at) % PLACES];
    uint64_t before = 0;
    if (!__atomic_compare_exchange_n(&place->hash, &before, hash, 0, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST) &&
        before != hash)
      continue;
    place->kind = (uint64_t)kind;
    __atomic_add_fetch(&place->count, 1, __ATOMIC_SEQ_CST);
    return;
  }
}

/* What becomes of this act: it goes on, is refused with errno set, or is done by half. */
static int fate(int kind, const char* path) {
  uint64_t mode = control->mode;
  if (mode == OFF || mode == TRACE) return GO_ON;
  if (control->spared == (uint64_t)getpid()) return GO_ON;
  if (!(control->kinds & (1u << kind)) || !strcmp(path, control->voice)) return GO_ON;
  uint64_t place = control->looks_at_places ? place_of(kind, path) : 0;
  if (control->wanted && place != control->wanted) return GO_ON;
  if (place && mode == COUNT) note(kind, place);
  uint64_t number = __atomic_add_fetch(&control->count, 1, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&control->counts[kind], 1, __ATOMIC_SEQ_CST);
  if (mode == COUNT || number < control->at) return GO_ON;
  if (mode != FAIL_ON && number != control->at) return GO_ON;
  control->kind = kind;
  snprintf(control->path, PATH_MAX, "%s", path);
  __atomic_store_n(&control->fired, 1, __ATOMIC_SEQ_CST);
  if (mode == KILL && !(kind == WRITE && control->error)) {
    syscall(SYS_kill, 0, SIGKILL);
    for (;;) pause();
  }
  if (mode == KILL || !control->error) return kind == WRITE ? HALF : GO_ON;
  errno = (int)control->error;
  return REFUSE;
}

static void trace(int kind, uint64_t inode, uint64_t offset, const char* path, const char* other,
                  const void* data, size_t size) {
  if (control->mode != TRACE) return;
  int before = errno;
  pthread_mutex_lock(&tracing);
  if (trace_file < 0) {
    int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC;
    int file = (int)syscall(SYS_openat, AT_FDCWD, control->trace, flags, 0600);
    trace_file = fcntl(file, F_DUPFD_CLOEXEC, 700);
    syscall(SYS_close, file);
  }
  struct record record = {kind, inode, offset, strlen(path), other ? strlen(other) : 0, size};
  struct iovec parts[] = {{&record, sizeof record},
                          {(void*)path, record.path},
                          {(void*)(other ? other : ""), record.other},
                          {(void*)data, size}};
  syscall(SYS_writev, trace_file, parts, 4);
  pthread_mutex_unlock(&tracing);
  errno = before;
}

static uint64_t inode_of(const char* path) {
  struct stat facts;
  return lstat(path, &facts) ? 0 : facts.st_ino;
}

/* --- open: a new file is told of with its inode, an emptied one as truncated --- */

typedef int (*opener)(int, const char*, int, mode_t);

static int opened(opener open_it, int folder, const char* path, int flags, mode_t mode) {
  char whole[PATH_MAX];
  if (!of_path(folder, path, whole)) return open_it(folder, path, flags, mode);
  if (fate(OPEN, whole) == REFUSE) return -1;
  int is_new = control->mode == TRACE && (flags & O_CREAT) && !inode_of(whole);
  int file = open_it(folder, path, flags, mode);
  if (file < 0 || control->mode != TRACE || !of_file(file, whole)) return file;
  if (is_new || (flags & O_TRUNC)) {
    trace(is_new ? OPEN : TRUNCATE, inode_of(whole), 0, whole, NULL, NULL, 0);
  }
  return file;
}

static mode_t mode_in(int flags, va_list words) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(words, mode_t) : 0;
}

#define OPEN_WORDS                     \
  va_list words;                       \
  va_start(words, flags);              \
  mode_t mode = mode_in(flags, words); \
  va_end(words)

static int by_openat(int folder, const char* path, int flags, mode_t mode) {
  return (int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
}

int open(const char* path, int flags, ...) {
  OPEN_WORDS;
  return opened(by_openat, AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  OPEN_WORDS;
  return opened(by_openat, AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  OPEN_WORDS;
  return opened(by_openat, folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  OPEN_WORDS;
  return opened(by_openat, folder, path, flags, mode);
}
int creat(const char* path, mode_t mode) {
  return opened(by_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) { return creat(path, mode); }

/* --- write --- */

static ssize_t written(int file, const void* data, size_t size, off_t offset) {
  char path[PATH_MAX];
  int is_watched = of_file(file, path);
  if (is_watched) {
    int what = fate(WRITE, path);
    if (what == REFUSE) return -1;
    if (what == HALF) size = size > 1 ? size / 2 : size;
    if (what == HALF && control->mode == KILL) {
      if (offset < 0)
        syscall(SYS_write, file, data, size);
      else
        syscall(SYS_pwrite64, file, data, size, offset);
      syscall(SYS_kill, 0, SIGKILL);
    }
  }
  ssize_t done = offset < 0 ? syscall(SYS_write, file, data, size)
                            : syscall(SYS_pwrite64, file, data, size, offset);
  if (!is_watched || done <= 0 || control->mode != TRACE) return done;
  struct stat facts;
  if (fstat(file, &facts)) return done;
  if (offset < 0) offset = lseek(file, 0, SEEK_CUR) - done;
  int kind = strcmp(path, control->voice) ? WRITE : SAY;
  trace(kind, facts.st_ino, (uint64_t)offset, path, NULL, data, (size_t)done);
  return done;
}

ssize_t write(int file, const void* data, size_t size) {
  if (stack) {
    size_t room = sizeof stack->text - stack->size, length = size < room ? size : room;
    memcpy(stack->text + stack->size, data, length);
    stack->size += length;
    return (ssize_t)size;
  }
  return written(file, data, size, -1);
}
ssize_t pwrite(int file, const void* data, size_t size, off_t offset) {
  return written(file, data, size, offset);
}
ssize_t pwrite64(int file, const void* data, size_t size, off64_t offset) {
  return written(file, data, size, offset);
}
/* Who copies with these falls back to write. */
ssize_t sendfile(int out, int in, off_t* offset, size_t size) {
  char path[PATH_MAX];
  if (of_file(out, path)) return errno = EINVAL, -1;
  return syscall(SYS_sendfile, out, in, offset, size);
}
ssize_t sendfile64(int out, int in, off64_t* offset, size_t size) {
  return sendfile(out, in, offset, size);
}
ssize_t copy_file_range(int in, off64_t* from, int out, off64_t* to, size_t size, unsigned flags) {
  char path[PATH_MAX];
  if (of_file(out, path)) return errno = EINVAL, -1;
  return syscall(SYS_copy_file_range, in, from, out, to, size, flags);
}

/* --- the other acts on an open file --- */

static int on_file(int kind, int file, uint64_t size, long number, long argument) {
  char path[PATH_MAX];
  int is_watched = of_file(file, path);
  if (is_watched && fate(kind, path) == REFUSE) return -1;
  int done = (int)syscall(number, file, argument);
  struct stat facts;
  if (is_watched && !done && control->mode == TRACE && !fstat(file, &facts)) {
    trace(kind, facts.st_ino, size, path, NULL, NULL, 0);
  }
  return done;
}

int fsync(int file) { return on_file(SYNC, file, 0, SYS_fsync, 0); }
int fdatasync(int file) { return on_file(SYNC, file, 0, SYS_fdatasync, 0); }
int ftruncate(int file, off_t size) {
  return on_file(TRUNCATE, file, (uint64_t)size, SYS_ftruncate, size);
}
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }
int flock(int file, int operation) {
  char path[PATH_MAX];
  if (of_file(file, path) && fate(LOCK, path) == REFUSE) return -1;
  return (int)syscall(SYS_flock, file, operation);
}

static int controlled(int file, int command, void* argument) {
  char path[PATH_MAX];
  int is_lock = command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
                command == F_OFD_SETLKW;
  int is_taken = is_lock && argument && ((struct flock*)argument)->l_type != F_UNLCK;
  if (is_taken && of_file(file, path) && fate(LOCK, path) == REFUSE) return -1;
  return (int)syscall(SYS_fcntl, file, command, argument);
}
int fcntl(int file, int command, ...) {
  va_list words;
  va_start(words, command);
  void* argument = va_arg(words, void*);
  va_end(words);
  return controlled(file, command, argument);
}
int fcntl64(int file, int command, ...) {
  va_list words;
  va_start(words, command);
  void* argument = va_arg(words, void*);
  va_end(words);
  return controlled(file, command, argument);
}

/* --- names --- */

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  char one[PATH_MAX], other[PATH_MAX];
  int is_watched = of_path(from_folder, from, one) & of_path(to_folder, to, other);
  if (is_watched && fate(RENAME, other) == REFUSE) return -1;
  int done = (int)syscall(SYS_renameat, from_folder, from, to_folder, to);
  if (is_watched && !done) trace(RENAME, inode_of(other), 0, one, other, NULL, 0);
  return done;
}
int rename(const char* from, const char* to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int unlinkat(int folder, const char* path, int flags) {
  char whole[PATH_MAX];
  int is_watched = of_path(folder, path, whole);
  if (is_watched && fate(UNLINK, whole) == REFUSE) return -1;
  int done = (int)syscall(SYS_unlinkat, folder, path, flags);
  if (is_watched && !done) trace(UNLINK, 0, 0, whole, NULL, NULL, 0);
  return done;
}
int unlink(const char* path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char* path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
int remove(const char* path) {
  int done = unlink(path);
  return done && errno == EISDIR ? rmdir(path) : done;
}

int mkdirat(int folder, const char* path, mode_t mode) {
  char whole[PATH_MAX];
  int is_watched = of_path(folder, path, whole);
  if (is_watched && fate(MKDIR, whole) == REFUSE) return -1;
  int done = (int)syscall(SYS_mkdirat, folder, path, mode);
  if (is_watched && !done) trace(MKDIR, inode_of(whole), 0, whole, NULL, NULL, 0);
  return done;
}
int mkdir(const char* path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
