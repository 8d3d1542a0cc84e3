/*===- bsmm_runtime.h - the C ABI of the runtime -----------------*- C -*-===*/
/*
 * Loads a kernel artifact (docs/runtime.md), says what is in it, and launches
 * its kernels: on a GPU through the CUDA driver, which is opened at run time,
 * or in the emulator with the same calls and host memory. Pure C; needs neither
 * LLVM nor CUDA headers.
 *
 * Conventions
 *  - Functions return a bsmm_status. When it is not BSMM_OK, bsmm_last_error()
 *    of the same thread says why in words; nothing else has changed then, and
 *    output arguments keep their values.
 *  - Objects are opaque and counted: a kernel keeps the device and the code
 * that it needs, so they may be closed in any order. Closing NULL does nothing.
 *  - Every function may be called from any thread, also for the same object.
 *    Only closing an object excludes other uses of it.
 *  - Structures begin with `struct_size`, which the caller sets to sizeof (the
 *    ..._INIT macros do): later versions add members at the end, and caller and
 *    library may be of different versions. Members that are zero have their
 *    default.
 *  - Texts are UTF-8. Those given out live as long as the object that they
 *    belong to.
 *  - Names (roles, views, layouts, element types, grid rules) are those of
 *    docs/abi.md. Extents and pitches count elements, sizes count bytes.
 */

#ifndef BSMM_RUNTIME_BSMM_RUNTIME_H
#define BSMM_RUNTIME_BSMM_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define BSMM_API __attribute__((visibility("default")))
#else
#define BSMM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*===----------------------------------------------------------------------===*/
/* Status, errors, log */
/*===----------------------------------------------------------------------===*/

/* 1000 * major + minor. Another major version breaks callers. */
#define BSMM_RUNTIME_VERSION 1000

/* BSMM_RUNTIME_VERSION of the library that is really loaded. */
BSMM_API uint32_t bsmm_runtime_version(void);

typedef int32_t bsmm_status;
enum {
  BSMM_OK = 0,
  BSMM_INVALID_ARGUMENT = 1,    /* null, out of range, unknown enumerator */
  BSMM_IO_ERROR = 2,            /* a file cannot be read or written */
  BSMM_INVALID_ARTIFACT = 3,    /* damaged or malformed */
  BSMM_UNSUPPORTED_VERSION = 4, /* artifact or structure of another version */
  BSMM_NOT_FOUND = 5,           /* no kernel of that name, target or shape */
  BSMM_UNSUPPORTED_PROBLEM = 6, /* sizes, pitches, types or alignment that the
                                   kernel does not take */
  BSMM_NO_DEVICE = 7,           /* no driver, or no such device */
  BSMM_DRIVER_ERROR = 8,        /* the CUDA driver refused a call */
  BSMM_KERNEL_FAULT = 9,        /* the emulator found faults in the kernel */
  BSMM_OUT_OF_MEMORY = 10,
  BSMM_INTERNAL_ERROR = 11
};

/* "BSMM_OK", ...; "unknown status" for other values. */
BSMM_API const char *bsmm_status_name(bsmm_status status);

/* Why the last call of this thread that did not return BSMM_OK failed; "" when
 * none did. Valid until the next failing call of the thread. */
BSMM_API const char *bsmm_last_error(void);

typedef int32_t bsmm_log_level;
enum { BSMM_LOG_INFO = 0, BSMM_LOG_WARNING = 1 };

/* Receives what is worth knowing but no error: operands repacked, tensor maps
 * that drivers may refuse, reports of the emulator. One text a call, without a
 * line end. Called from the thread that caused it; must not call back. */
typedef void (*bsmm_log_callback)(void *user, bsmm_log_level level,
                                  const char *text);

/* For the whole process. NULL (the default): nothing is reported. */
BSMM_API void bsmm_set_log(bsmm_log_callback callback, void *user);

/*===----------------------------------------------------------------------===*/
/* Enumerations of docs/abi.md */
/*===----------------------------------------------------------------------===*/

/* Element types. */
typedef int32_t bsmm_element;
enum {
  BSMM_ELEMENT_NONE = 0,
  BSMM_E2M1 = 1,
  BSMM_E2M3 = 2,
  BSMM_E3M2 = 3,
  BSMM_E4M3 = 4,
  BSMM_E5M2 = 5,
  BSMM_UE8M0 = 6,
  BSMM_UE4M3 = 7,
  BSMM_F16 = 8,
  BSMM_BF16 = 9,
  BSMM_TF32 = 10,
  BSMM_F32 = 11,
  BSMM_F64 = 12,
  BSMM_S8 = 13,
  BSMM_U8 = 14,
  BSMM_S32 = 15
};

/* "e2m1", ...; "none" for BSMM_ELEMENT_NONE and unknown values. */
BSMM_API const char *bsmm_element_name(bsmm_element element);
/* Bits of one packed value; 0 for BSMM_ELEMENT_NONE and unknown values. */
BSMM_API uint32_t bsmm_element_bits(bsmm_element element);

/* Operands. */
typedef int32_t bsmm_role;
enum {
  BSMM_ROLE_A = 0,
  BSMM_ROLE_B = 1,
  BSMM_ROLE_SFA = 2,
  BSMM_ROLE_SFB = 3,
  BSMM_ROLE_C = 4,
  BSMM_ROLE_D = 5,
  BSMM_ROLE_SA = 6,
  BSMM_ROLE_SB = 7,
  BSMM_ROLE_BIAS = 8,
  BSMM_ROLE_WORKSPACE = 9,
  BSMM_ROLE_COUNT = 10
};

/* "a", ..., "workspace"; "unknown" for other values. */
BSMM_API const char *bsmm_role_name(bsmm_role role);

/* How an operand lies in memory. */
typedef int32_t bsmm_layout;
enum {
  BSMM_LAYOUT_UNSPECIFIED = 0, /* as the kernel expects it, not checked */
  BSMM_LAYOUT_ROWS = 1,        /* rows with a pitch; scales: "linear" */
  BSMM_LAYOUT_BLOCKED_128X4 = 2,
  BSMM_LAYOUT_VECTOR = 3,      /* one value a row or column */
  BSMM_LAYOUT_BYTES = 4,       /* workspace */
  BSMM_LAYOUT_COLUMN_MAJOR = 5 /* scales: a row for each group of K */
};

typedef int32_t bsmm_backend;
enum { BSMM_BACKEND_EMULATOR = 0, BSMM_BACKEND_CUDA = 1 };

/*===----------------------------------------------------------------------===*/
/* Artifacts */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_artifact bsmm_artifact;

/* Reads a whole artifact; the file may change or vanish afterwards. */
BSMM_API bsmm_status bsmm_artifact_open(const char *path,
                                        bsmm_artifact **artifact);
/* The same from memory, which is copied. */
BSMM_API bsmm_status bsmm_artifact_open_memory(const void *data, size_t bytes,
                                               bsmm_artifact **artifact);
BSMM_API void bsmm_artifact_close(bsmm_artifact *artifact);

/* One kernel for bsmm_artifact_write. */
typedef struct bsmm_artifact_entry {
  const char *name;     /* kernels with the same name are one family; NULL: the
                           manifest's entry */
  const char *manifest; /* JSON, bsmm.launch/1, document "kernel" */
  const char *ptx;      /* NULL: none */
  const void *cubin;    /* NULL: none */
  size_t cubin_bytes;
} bsmm_artifact_entry;

/* Writes a file. In a family the better choice comes first: selection takes the
 * first kernel that fits where it knows nothing better. An existing file is
 * replaced in one step. */
BSMM_API bsmm_status bsmm_artifact_write(const char *path,
                                         const bsmm_artifact_entry *entries,
                                         size_t count);

/* Number of kernels: every target and configuration counts. 0 for NULL. */
BSMM_API size_t bsmm_artifact_kernel_count(const bsmm_artifact *artifact);

/* Sizes that a kernel takes. */
typedef struct bsmm_size_range {
  int64_t min;
  int64_t max;
  int64_t multiple_of;
} bsmm_size_range;

typedef struct bsmm_kernel_info {
  size_t struct_size;
  const char *name;     /* of the family */
  const char *entry;    /* of the PTX */
  const char *target;   /* "sm_90a" */
  const char *manifest; /* JSON text of the manifest */
  size_t ptx_bytes;     /* 0: none */
  size_t cubin_bytes;   /* 0: none */
  uint32_t block[3];    /* threads */
  uint32_t cluster[3];  /* CTAs */
  uint32_t dynamic_shared_bytes;
  uint32_t parameter_count;
  int64_t tile[3];          /* m, n, k */
  bsmm_size_range sizes[4]; /* M, N, K, L; fixed sizes have min = max */
  bsmm_element a;
  bsmm_element b;
  bsmm_element out;
  bsmm_element c; /* BSMM_ELEMENT_NONE: C is not used */
  bsmm_element scale_type;
  int32_t scale_vector;     /* 0 without block scales */
  bsmm_layout scale_layout; /* BSMM_LAYOUT_UNSPECIFIED without them */
  bsmm_element bias;
  const char *row_scales;       /* "none", "f32", "tensor" */
  const char *activation;       /* "none", "relu", ... */
  const char *grid_rule;        /* "tile", "tile_grid", "persistent", "fixed" */
  int32_t order_dependent;      /* float atomics: last bits may differ */
  int64_t workspace_bytes;      /* always */
  int64_t workspace_tile_bytes; /* for each tile of D */
  int32_t has_precise_sums;     /* as BSMM_PRECISE_SUMS asks for */
  bsmm_layout scale_layout_b;   /* of the scales of B */
  int32_t scale_rows_b;         /* rows of B that share a scale */
} bsmm_kernel_info;

BSMM_API bsmm_status bsmm_artifact_kernel_info(const bsmm_artifact *artifact,
                                               size_t kernel,
                                               bsmm_kernel_info *info);

typedef int32_t bsmm_parameter_kind;
enum {
  BSMM_PARAMETER_TENSOR_MAP = 0,
  BSMM_PARAMETER_POINTER = 1,
  BSMM_PARAMETER_SIZE = 2,
  BSMM_PARAMETER_PITCH = 3,
  BSMM_PARAMETER_BATCH_STRIDE = 4,
  BSMM_PARAMETER_SCALAR = 5
};

/* One parameter of the PTX entry. */
typedef struct bsmm_parameter_info {
  size_t struct_size;
  bsmm_parameter_kind kind;
  bsmm_role role;   /* tensor maps, pointers, pitches, batch strides; else -1 */
  const char *name; /* "a", "M", "alpha" */
  uint32_t bytes;   /* size in the parameter space */
  uint32_t offset;  /* place in the parameter space */
  /* Tensor maps; zero and NULL otherwise. */
  const char *view;    /* "matrix", "scale_tiles", "vector" */
  const char *element; /* type of the map, e.g. "u8" */
  const char *swizzle; /* "none", "32B", ... */
  uint32_t rank;
  int64_t box[5]; /* elements, innermost first */
} bsmm_parameter_info;

BSMM_API bsmm_status bsmm_artifact_parameter_info(const bsmm_artifact *artifact,
                                                  size_t kernel,
                                                  size_t parameter,
                                                  bsmm_parameter_info *info);

/* What a kernel demands of an operand, whatever the sizes are. */
typedef struct bsmm_operand_info {
  size_t struct_size;
  bsmm_element element;
  bsmm_layout layout;
  char row_size;         /* 'M' or 'N': its rows (scales, vectors: of what);
                            0 for a workspace */
  char column_size;      /* 'K', 'N', or 'G' for groups of scale_vector values
                            of K; 0: a vector has none. Column-major scales
                            have 'G' rows, and 'M' or 'N' columns. Of N: one for
                            scale_rows_b of them */
  int32_t is_output;     /* the kernel writes it */
  int32_t is_tensor_map; /* read or written by TMA, else through a pointer */
  uint32_t address_multiple; /* bytes */
  int64_t pitch_multiple;    /* elements; 0: it has no pitch */
  int64_t inner_multiple;    /* columns must be a multiple of it */
} bsmm_operand_info;

/* BSMM_NOT_FOUND when the kernel does not use the operand. */
BSMM_API bsmm_status bsmm_artifact_operand_info(const bsmm_artifact *artifact,
                                                size_t kernel, bsmm_role role,
                                                bsmm_operand_info *info);

/* The artifact in words: a JSON object with every kernel's manifest and code
 * sizes. Belongs to the artifact. NULL for NULL. */
BSMM_API const char *bsmm_artifact_describe(const bsmm_artifact *artifact);

/*===----------------------------------------------------------------------===*/
/* Arguments of a launch */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_operand {
  bsmm_role role;
  bsmm_element element; /* of the caller's data. BSMM_ELEMENT_NONE: not checked;
                           BSMM_U8: bytes of any type of at most 8 bits;
                           BSMM_E4M3 may stand for BSMM_UE4M3 */
  bsmm_layout layout;   /* BSMM_LAYOUT_UNSPECIFIED: not checked */
  int32_t reserved;     /* 0 */
  void *data;           /* device pointer, of the emulator a host pointer */
  uint64_t bytes;       /* from `data` on; 0: not checked, as large as needed */
  int64_t pitch;        /* elements from row to row; 0: the default, columns
                           rounded up to what the kernel demands */
  int64_t batch_stride; /* elements from batch to batch (bytes for blocked
                           scales); 0: the default, batches without gaps, one
                           vector for all batches */
} bsmm_operand;

typedef uint64_t bsmm_launch_flags;
enum {
  /* Copy A, B or scales whose address or pitch TMA cannot read into temporary
     memory first, instead of refusing them. Said in the log. */
  BSMM_REPACK = 1,
  /* Take only kernels whose sums over K are those of f32. Hopper's tensor cores
     add 8-bit products with fewer bits: there, kernels that move partial sums
     to registers now and then (numerics.promote_every of the manifest). */
  BSMM_PRECISE_SUMS = 2
};

typedef struct bsmm_arguments {
  size_t struct_size;
  int64_t m, n, k, l;
  float alpha, beta, out_scale;
  int32_t sm_count; /* CTAs of persistent kernels; 0: the device's SMs */
  const bsmm_operand *operands; /* each role at most once */
  size_t operand_count;
  bsmm_launch_flags flags;
} bsmm_arguments;

/* No operands, one batch, alpha = out_scale = 1, beta = 0. */
#define BSMM_ARGUMENTS_INIT                                                    \
  { sizeof(bsmm_arguments), 0, 0, 0, 1, 1.0f, 0.0f, 1.0f, 0, 0, 0, 0 }

/* Concrete shape of an operand. */
typedef struct bsmm_operand_shape {
  size_t struct_size;
  bsmm_element element;
  bsmm_layout layout;
  int64_t rows;         /* 1 for vectors */
  int64_t columns;      /* elements; groups for scales */
  int64_t pitch;        /* elements; 0 for blocked scales */
  int64_t batch_stride; /* elements; bytes for blocked scales */
  int64_t bytes;        /* of all batches, to the end of the last row; 0 bytes
                           are needed of an empty operand */
} bsmm_operand_shape;

/* The shape that `arguments` give an operand. Operands need no data. */
BSMM_API bsmm_status bsmm_artifact_operand_shape(
    const bsmm_artifact *artifact, size_t kernel,
    const bsmm_arguments *arguments, bsmm_role role, bsmm_operand_shape *shape);

/* What a launch needs. */
typedef struct bsmm_launch_shape {
  size_t struct_size;
  uint32_t grid[3]; /* CTAs; {0, 1, 1}: nothing to launch */
  uint32_t block[3];
  uint32_t cluster[3];
  uint32_t dynamic_shared_bytes;
  int64_t workspace_bytes;
} bsmm_launch_shape;

/* Checks sizes, pitches and, of the operands that are given, types, layouts,
 * addresses and sizes, and computes the launch. Operands that are left out
 * count as given with defaults. sm_count 0: of the target's usual product. */
BSMM_API bsmm_status bsmm_artifact_launch_shape(const bsmm_artifact *artifact,
                                                size_t kernel,
                                                const bsmm_arguments *arguments,
                                                bsmm_launch_shape *shape);

/* What the cost model of docs/selection.md says of a launch. */
typedef struct bsmm_prediction {
  size_t struct_size;
  int32_t is_known;     /* 0: the model does not cover the kernel, and the other
                           members are 0 */
  double waves;         /* tiles that the busiest SM computes */
  double steps_of_tile; /* along K */
  double cycles_of_step; /* clock cycles of an SM */
  double cycles_of_tile; /* beside its steps */
  double cycles;         /* of the launch */
} bsmm_prediction;

/* BSMM_UNSUPPORTED_PROBLEM when the kernel does not take the arguments.
 * sm_count 0: of the target's usual product. */
BSMM_API bsmm_status bsmm_artifact_predict(const bsmm_artifact *artifact,
                                           size_t kernel,
                                           const bsmm_arguments *arguments,
                                           bsmm_prediction *prediction);

/* A kernel of the family `name` (NULL: of any) for `target` (NULL: of any) that
 * takes `arguments` (NULL: any): the first one, or one of the same family,
 * target and numerics that takes them and has fewer predicted cycles.
 * BSMM_NOT_FOUND names what is there; BSMM_UNSUPPORTED_PROBLEM says why each
 * candidate refuses. sm_count as for bsmm_artifact_predict. */
BSMM_API bsmm_status bsmm_artifact_select(const bsmm_artifact *artifact,
                                          const char *name, const char *target,
                                          const bsmm_arguments *arguments,
                                          size_t *kernel);

/*===----------------------------------------------------------------------===*/
/* Devices */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_device bsmm_device;

/* Number of GPUs that the CUDA driver shows; 0 with BSMM_OK when there is no
 * driver. */
BSMM_API bsmm_status bsmm_cuda_device_count(int32_t *count);

/* A GPU by its ordinal; -1: that of the thread's current context, or 0. Uses
 * the device's primary context, as the CUDA runtime and torch do, so that their
 * pointers and streams can be given to launches. */
BSMM_API bsmm_status bsmm_device_open_cuda(int32_t ordinal,
                                           bsmm_device **device);

typedef struct bsmm_emulator_options {
  size_t struct_size;
  const char *target;        /* "sm_100a"; NULL: kernels of every target run */
  const char *mode;          /* "eager" (NULL), "lazy", "random:SEED" */
  const char *arithmetic;    /* "hardware" (NULL), "exact" */
  int32_t strict;            /* also missing recommended fences are faults */
  int32_t sm_count;          /* 0: of the target's usual product */
  uint64_t max_instructions; /* warp instructions of a launch; 0: no limit */
} bsmm_emulator_options;
#define BSMM_EMULATOR_OPTIONS_INIT                                             \
  { sizeof(bsmm_emulator_options), 0, 0, 0, 0, 0, 0 }

/* NULL options: the defaults. */
BSMM_API bsmm_status bsmm_device_open_emulator(
    const bsmm_emulator_options *options, bsmm_device **device);
BSMM_API void bsmm_device_close(bsmm_device *device);

typedef struct bsmm_device_info {
  size_t struct_size;
  bsmm_backend backend;
  int32_t ordinal;        /* -1 for the emulator */
  const char *name;       /* "NVIDIA H200", "emulator" */
  const char *target;     /* that its kernels are made for; "" when the emulator
                             takes every one or bsmm knows none */
  int32_t sm_count;       /* 0: by target */
  int32_t driver_version; /* 13000 for CUDA 13.0; 0 for the emulator */
  int64_t l2_bytes;
  int64_t memory_bytes;
} bsmm_device_info;

BSMM_API bsmm_status bsmm_device_info_get(const bsmm_device *device,
                                          bsmm_device_info *info);

/* Memory of a device, for callers that have no other source of it. `stream` is
 * a CUstream, NULL the default stream; the emulator ignores it. Copies have
 * ended when they return. */
BSMM_API bsmm_status bsmm_device_allocate(bsmm_device *device, uint64_t bytes,
                                          void **data);
/* NULL does nothing; other addresses must come from bsmm_device_allocate. */
BSMM_API bsmm_status bsmm_device_free(bsmm_device *device, void *data);
BSMM_API bsmm_status bsmm_device_write(bsmm_device *device, void *to,
                                       const void *host, uint64_t bytes,
                                       void *stream);
BSMM_API bsmm_status bsmm_device_read(bsmm_device *device, void *host,
                                      const void *from, uint64_t bytes,
                                      void *stream);
BSMM_API bsmm_status bsmm_device_fill(bsmm_device *device, void *to,
                                      uint8_t value, uint64_t bytes,
                                      void *stream);
/* Waits for a stream; reports faults of kernels that ran in it. */
BSMM_API bsmm_status bsmm_device_synchronize(bsmm_device *device, void *stream);

/*===----------------------------------------------------------------------===*/
/* Kernels */
/*===----------------------------------------------------------------------===*/

typedef struct bsmm_kernel bsmm_kernel;

/* Loads one kernel of an artifact onto a device: its cubin when there is one,
 * else its PTX, which the driver compiles; the emulator takes the PTX. */
BSMM_API bsmm_status bsmm_kernel_load(bsmm_device *device,
                                      const bsmm_artifact *artifact,
                                      size_t kernel, bsmm_kernel **loaded);
/* bsmm_artifact_select for the device's target and SMs, then bsmm_kernel_load.
 */
BSMM_API bsmm_status bsmm_kernel_load_best(bsmm_device *device,
                                           const bsmm_artifact *artifact,
                                           const char *name,
                                           const bsmm_arguments *arguments,
                                           bsmm_kernel **loaded);
BSMM_API void bsmm_kernel_unload(bsmm_kernel *kernel);

/* Index in its artifact. */
BSMM_API size_t bsmm_kernel_index(const bsmm_kernel *kernel);

typedef struct bsmm_kernel_resources {
  size_t struct_size;
  int32_t is_cubin;            /* loaded from a cubin */
  int32_t registers;           /* of a thread; 0 in the emulator */
  int32_t local_bytes;         /* of a thread: spills and stack */
  int32_t static_shared_bytes; /* of a CTA */
  int32_t max_threads;         /* of a CTA */
} bsmm_kernel_resources;

BSMM_API bsmm_status bsmm_kernel_resources_get(
    const bsmm_kernel *kernel, bsmm_kernel_resources *resources);

/* Launches on a CUstream (NULL: the default stream) and returns without
 * waiting; operands must stay as they are until the stream has got there. The
 * emulator has finished when it returns.
 *
 * Before anything runs, sizes are checked against what the kernel takes, and
 * types, layouts, addresses, pitches and sizes of the operands; the error names
 * the operand. A workspace that the kernel needs may be given as an operand or
 * left out: then the runtime takes it from the device for this launch. It is
 * zeroed either way. D must not share memory with an input, except that C may
 * be D, with the same type and strides. With M, N or L = 0 nothing is
 * launched. */
BSMM_API bsmm_status bsmm_kernel_launch(bsmm_kernel *kernel,
                                        const bsmm_arguments *arguments,
                                        void *stream);

typedef struct bsmm_measure_options {
  size_t struct_size;
  int32_t warmup;      /* launches before measuring */
  int32_t repetitions; /* measured launches, at least 1 */
  int32_t flush_l2;    /* overwrite the L2 cache before each measured launch */
  /* Called after each measured launch; a result other than 0 stops. */
  int32_t (*progress)(void *user, int32_t done, int32_t repetitions);
  void *user;
} bsmm_measure_options;
#define BSMM_MEASURE_OPTIONS_INIT                                              \
  { sizeof(bsmm_measure_options), 10, 100, 1, 0, 0 }

/* NULL options: the defaults. Time of each launch in milliseconds, in order,
 * `repetitions` of them, for which `milliseconds` has room;
 * `measured` says how many there are, which is fewer after a stop. On a GPU by
 * events around each launch; of the emulator it is the host's time and means
 * little. */
BSMM_API bsmm_status bsmm_kernel_measure(bsmm_kernel *kernel,
                                         const bsmm_arguments *arguments,
                                         const bsmm_measure_options *options,
                                         void *stream, double *milliseconds,
                                         int32_t *measured);

/*===----------------------------------------------------------------------===*/
/* Tensor maps */
/*===----------------------------------------------------------------------===*/

/* A tiled tensor map without interleave; lists are innermost first. Values of
 * `element`, `swizzle` and `l2_promotion` are those of cuda.h
 * (CUtensorMapDataType, CUtensorMapSwizzle, CUtensorMapL2promotion). */
typedef struct bsmm_tensor_map {
  size_t struct_size;
  uint64_t address;
  int32_t element;
  int32_t rank;
  int64_t dims[5];
  int64_t strides_bytes[4]; /* of dims 1 and up */
  int64_t box[5];
  int64_t element_strides[5]; /* all zero: all 1 */
  int32_t swizzle;
  int32_t nan_fill; /* elements out of bounds read as NaN, not as zero */
  int32_t l2_promotion;
} bsmm_tensor_map;

/* Checks every limit of cuTensorMapEncodeTiled. `target` adds what that target
 * lacks; NULL: any. `name` begins the error text ("a.box[0]: expected ...").
 * What the rules forbid and drivers accept is a warning in the log. */
BSMM_API bsmm_status bsmm_tensor_map_check(const bsmm_tensor_map *map,
                                           const char *target,
                                           const char *name);

/* Checks and encodes: on a GPU by the driver, in the emulator in its own form.
 * `bytes` has 128 bytes, aligned to 64. */
BSMM_API bsmm_status bsmm_tensor_map_encode(bsmm_device *device,
                                            const bsmm_tensor_map *map,
                                            const char *name, void *bytes);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* BSMM_RUNTIME_BSMM_RUNTIME_H */
