/*===- bsmm_emulator.h - the C interface of the emulator ---------*- C -*-===*/
/*
 * Reads PTX, runs a launch of it without a GPU, and says what is wrong
 * (docs/emulator.md). Pure C; needs neither LLVM nor CUDA headers.
 *
 * Conventions
 *  - Functions return a bsmm_emu_status. When it is not
 *    BSMM_EMU_OK, bsmm_emu_last_error() of the same thread says why
 *    in words; nothing else has changed then, and output arguments keep their
 *    values. Faults of a kernel are no such error: they are in the report.
 *  - Objects are opaque. A launch keeps the program that it needs. Closing NULL
 *    does nothing.
 *  - Different objects may be used from different threads at once; a program
 *    may also be shared, since nothing changes it.
 *  - Structures begin with `struct_size`, which the caller sets to sizeof (the
 *    ..._INIT macros do): later versions add members at the end. Members that
 *    are zero have their default.
 *  - Texts are UTF-8 and live as long as the object that they belong to.
 */

#ifndef BSMM_EMULATOR_BSMM_EMULATOR_H
#define BSMM_EMULATOR_BSMM_EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* Status */
/*===----------------------------------------------------------------------===*/

typedef int32_t bsmm_emu_status;
enum {
  BSMM_EMU_OK = 0,
  BSMM_EMU_INVALID_ARGUMENT = 1, /* null, out of range, unknown value */
  BSMM_EMU_INVALID_PTX = 2,      /* not PTX, or unknown instructions */
  BSMM_EMU_INVALID_LAUNCH = 3,   /* a launch file that cannot be read */
  BSMM_EMU_OUT_OF_MEMORY = 4
};

/* Why the last call of this thread that did not return BSMM_EMU_OK failed;
 * "" when none did. Valid until the next failing call of the thread. */
const char *bsmm_emu_last_error(void);

/*===----------------------------------------------------------------------===*/
/* Programs */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_emu_program bsmm_emu_program;

/* Reads `bytes` bytes of PTX text, ISA 8.0 to 9.x. Errors name every line that
 * is wrong or not known. */
bsmm_emu_status bsmm_emu_program_load(const char *ptx, size_t bytes,
                                      bsmm_emu_program **program);
void bsmm_emu_program_close(bsmm_emu_program *program);

/* The .target, e.g. "sm_100a"; "" for NULL. */
const char *bsmm_emu_program_target(const bsmm_emu_program *program);
/* Entries with a body, in the order of the text. */
size_t bsmm_emu_program_entry_count(const bsmm_emu_program *program);
/* NULL beyond the last. */
const char *bsmm_emu_program_entry(const bsmm_emu_program *program,
                                   size_t index);
/* Number of parameters of an entry; 0 for an unknown one. */
size_t bsmm_emu_program_parameter_count(const bsmm_emu_program *program,
                                        const char *entry);
/* Size of one of them; 0 beyond the last. */
uint64_t bsmm_emu_program_parameter_bytes(const bsmm_emu_program *program,
                                          const char *entry, size_t index);

/*===----------------------------------------------------------------------===*/
/* Launches */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_emu_launch bsmm_emu_launch;

/* A launch of `entry` (NULL: the only one) with a grid, block and cluster of 1,
 * no dynamic shared memory, no buffers and no parameters. */
bsmm_emu_status bsmm_emu_launch_create(const bsmm_emu_program *program,
                                       const char *entry,
                                       bsmm_emu_launch **launch);

/* A launch file (docs/abi.md, "Keys of the launch file") with its PTX and
 * operands, ready to run. The launch owns its buffers. */
bsmm_emu_status bsmm_emu_launch_open(const char *path,
                                     bsmm_emu_launch **launch);
void bsmm_emu_launch_close(bsmm_emu_launch *launch);

/* CTAs, threads of a CTA, CTAs of a cluster: three extents each. */
bsmm_emu_status bsmm_emu_launch_set_grid(bsmm_emu_launch *launch,
                                         const uint32_t extents[3]);
bsmm_emu_status bsmm_emu_launch_set_block(bsmm_emu_launch *launch,
                                          const uint32_t extents[3]);
bsmm_emu_status bsmm_emu_launch_set_cluster(bsmm_emu_launch *launch,
                                            const uint32_t extents[3]);
bsmm_emu_status bsmm_emu_launch_set_dynamic_shared(bsmm_emu_launch *launch,
                                                   uint32_t bytes);

/* Makes host memory a buffer of global memory; it must outlive the runs. A
 * store to a read-only buffer is a fault. `index` may be NULL. */
bsmm_emu_status bsmm_emu_launch_add_buffer(bsmm_emu_launch *launch,
                                           const char *name, void *data,
                                           size_t bytes, int read_only,
                                           size_t *index);

/* CUtensorMap fields, innermost dimension first. The enumerators are those of
 * cuda.h's CUtensorMapDataType, ...Interleave, ...Swizzle and
 * ...FloatOOBfill. */
typedef struct bsmm_emu_tensor_map {
  size_t struct_size;
  uint32_t element;
  uint32_t rank;               /* 1 to 5 */
  uint64_t dims[5];            /* elements */
  uint64_t strides_bytes[4];   /* of dimensions 1 to 4 */
  uint32_t box[5];             /* elements */
  uint32_t element_strides[5]; /* 0 counts as 1 */
  uint32_t interleave;
  uint32_t swizzle;
  uint32_t fill;
} bsmm_emu_tensor_map;
#define BSMM_EMU_TENSOR_MAP_INIT                                               \
  { sizeof(bsmm_emu_tensor_map), 0, 0, {0}, {0}, {0}, {0}, 0, 0, 0 }

/* Appends a parameter of the entry, in its order: `bytes` bytes (NULL: zeros),
 * the address of a place in a buffer, or a tensor map over a buffer. */
bsmm_emu_status bsmm_emu_launch_add_parameter(bsmm_emu_launch *launch,
                                              const void *data, size_t bytes);
bsmm_emu_status bsmm_emu_launch_add_pointer(bsmm_emu_launch *launch,
                                            size_t buffer,
                                            uint64_t byte_offset);
bsmm_emu_status bsmm_emu_launch_add_tensor_map(bsmm_emu_launch *launch,
                                               size_t buffer,
                                               uint64_t byte_offset,
                                               const bsmm_emu_tensor_map *map);

/* Puts an address or a tensor map into a parameter that is a structure, at
 * `offset`: what stands there is replaced when the launch runs. */
bsmm_emu_status bsmm_emu_launch_place_pointer(bsmm_emu_launch *launch,
                                              size_t parameter, size_t offset,
                                              size_t buffer,
                                              uint64_t byte_offset);
bsmm_emu_status bsmm_emu_launch_place_tensor_map(
    bsmm_emu_launch *launch, size_t parameter, size_t offset, size_t buffer,
    uint64_t byte_offset, const bsmm_emu_tensor_map *map);

/* A buffer by name; data is NULL when there is none. */
bsmm_emu_status bsmm_emu_launch_buffer(const bsmm_emu_launch *launch,
                                       const char *name, void **data,
                                       size_t *bytes);

/*===----------------------------------------------------------------------===*/
/* Runs */
/*===----------------------------------------------------------------------===*/

enum {
  BSMM_EMU_EAGER = 0, /* asynchronous operations act at their issue */
  BSMM_EMU_LAZY = 1,  /* only when something must observe them */
  BSMM_EMU_RANDOM = 2 /* at seeded random times */
};
enum {
  BSMM_EMU_ORDER_ASCENDING = 0,
  BSMM_EMU_ORDER_DESCENDING = 1,
  BSMM_EMU_ORDER_SHUFFLED = 2
};

/* Called now and then from the thread that runs; 0 stops the run. */
typedef int (*bsmm_emu_progress)(void *user, uint64_t finished_ctas,
                                 uint64_t ctas, uint64_t instructions);

typedef struct bsmm_emu_options {
  size_t struct_size;
  int32_t mode;
  uint64_t seed;
  int32_t strict;           /* also missing recommended fences */
  int32_t no_hazards;       /* without happens-before checks */
  int32_t exact_arithmetic; /* exact sums, rounded once */
  int32_t cta_order;
  uint32_t threads;               /* of the host; 0: all cores */
  uint32_t max_resident_clusters; /* 0: 148 */
  uint32_t max_diagnostics;       /* of a severity; 0: 32 */
  uint64_t max_instructions;      /* warp instructions; 0: no limit */
  const char *trace_file;         /* Chrome trace JSON; NULL: none */
  bsmm_emu_progress progress;
  void *progress_user;
} bsmm_emu_options;
#define BSMM_EMU_OPTIONS_INIT                                                  \
  { sizeof(bsmm_emu_options), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL }

typedef struct bsmm_emu_report bsmm_emu_report;

/* Runs the launch on the buffers as they are. `options` may be NULL. OK does
 * not mean that the kernel is right: see the report. */
bsmm_emu_status bsmm_emu_run(const bsmm_emu_launch *launch,
                             const bsmm_emu_options *options,
                             bsmm_emu_report **report);
void bsmm_emu_report_close(bsmm_emu_report *report);

enum { BSMM_EMU_ERROR = 0, BSMM_EMU_STRICT = 1 };

typedef struct bsmm_emu_diagnostic {
  size_t struct_size;
  int32_t severity;
  const char *kind; /* stable, e.g. "shared-memory-race" */
  const char *message;
  uint32_t line; /* of the PTX; 0: none */
  uint32_t cta[3];
  int32_t warp;   /* -1: no one warp */
  int32_t lane;   /* -1: no one lane */
  uint64_t count; /* how often this line had it */
} bsmm_emu_diagnostic;
#define BSMM_EMU_DIAGNOSTIC_INIT                                               \
  { sizeof(bsmm_emu_diagnostic), 0, NULL, NULL, 0, {0}, 0, 0, 0 }

typedef struct bsmm_emu_statistics {
  size_t struct_size;
  uint64_t warp_instructions;
  uint64_t thread_instructions;
  uint64_t tensor_instructions;
  uint64_t multiply_adds; /* of tensor instructions */
  uint64_t bulk_copies;
  uint64_t bulk_bytes;
  uint64_t ctas;
  double seconds;
} bsmm_emu_statistics;
#define BSMM_EMU_STATISTICS_INIT                                               \
  { sizeof(bsmm_emu_statistics), 0, 0, 0, 0, 0, 0, 0, 0.0 }

/* 1 when every CTA ran to its end and no error was found. */
int bsmm_emu_report_clean(const bsmm_emu_report *report);
/* 1 when every CTA ran to its end. */
int bsmm_emu_report_completed(const bsmm_emu_report *report);
size_t bsmm_emu_report_diagnostic_count(const bsmm_emu_report *report);
bsmm_emu_status bsmm_emu_report_diagnostic(const bsmm_emu_report *report,
                                           size_t index,
                                           bsmm_emu_diagnostic *diagnostic);
bsmm_emu_status bsmm_emu_report_statistics(const bsmm_emu_report *report,
                                           bsmm_emu_statistics *statistics);
/* The whole report as JSON, schema bsmm.emulator.report/1; "" for NULL. */
const char *bsmm_emu_report_json(const bsmm_emu_report *report);

/*===----------------------------------------------------------------------===*/
/* Comparison, for launch files */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_emu_comparison {
  size_t struct_size;
  const char *buffer;
  uint64_t elements;
  uint64_t equal;
  uint64_t within_bound;
  uint64_t outside;
  const char *first_outside; /* in words; "" when nothing is */
} bsmm_emu_comparison;
#define BSMM_EMU_COMPARISON_INIT                                               \
  { sizeof(bsmm_emu_comparison), NULL, 0, 0, 0, 0, NULL }

/* Compares the buffers with what the launch file expects. `count` gets the
 * number of buffers with an expectation. */
bsmm_emu_status bsmm_emu_compare(bsmm_emu_launch *launch, size_t *count);
/* A result of the last comparison; its texts live until the next one. */
bsmm_emu_status bsmm_emu_comparison_get(const bsmm_emu_launch *launch,
                                        size_t index,
                                        bsmm_emu_comparison *comparison);
/* The buffers of a launch file as they were before the first run. */
bsmm_emu_status bsmm_emu_launch_reset(bsmm_emu_launch *launch);

#ifdef __cplusplus
}
#endif

#endif /* BSMM_EMULATOR_BSMM_EMULATOR_H */
