//===- tma_boxes.cu - one box through one tensor map ----------------------===//
//
// nvcc -arch=sm_90a -O2 -ptx tma_boxes.cu -o tma_boxes_sm90a.ptx
//
//===----------------------------------------------------------------------===//

#include <cstdint>

struct alignas(128) TensorMap {
  unsigned char bytes[128];
};

static __device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// Loads a box into shared memory that was filled with 0xA5, and copies that
/// memory out. status: 1 when the bytes have arrived, 2 when they did not
/// within a second or so, e.g. because the count of bytes is another.
extern "C" __global__ void __launch_bounds__(128)
    load_box(const __grid_constant__ TensorMap map, unsigned char *out,
             unsigned *status, int rank, int c0, int c1, int c2, int c3, int c4,
             unsigned transactionBytes, unsigned imageBytes) {
  extern __shared__ __align__(1024) unsigned char image[];
  __shared__ alignas(8) uint64_t barrier;
  __shared__ unsigned arrived;
  for (unsigned i = threadIdx.x; i < imageBytes; i += blockDim.x)
    image[i] = 0xA5;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  if (threadIdx.x == 0) {
    uint32_t at = sharedAddress(&barrier), to = sharedAddress(image);
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(at)
                 : "memory");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t at = sharedAddress(&barrier), to = sharedAddress(image);
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
        "r"(transactionBytes)
        : "memory");
#define LOAD(dim, coordinates, ...)                                            \
  asm volatile("cp.async.bulk.tensor." dim                                     \
               "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "   \
               "[%0], [%1, {" coordinates "}], [%2];" ::"r"(to),               \
               "l"(&map), "r"(at), __VA_ARGS__                                 \
               : "memory")
    if (rank == 1)
      LOAD("1", "%3", "r"(c0));
    else if (rank == 2)
      LOAD("2", "%3, %4", "r"(c0), "r"(c1));
    else if (rank == 3)
      LOAD("3", "%3, %4, %5", "r"(c0), "r"(c1), "r"(c2));
    else if (rank == 4)
      LOAD("4", "%3, %4, %5, %6", "r"(c0), "r"(c1), "r"(c2), "r"(c3));
    else
      LOAD("5", "%3, %4, %5, %6, %7", "r"(c0), "r"(c1), "r"(c2), "r"(c3),
           "r"(c4));
#undef LOAD
    unsigned done = 0;
    for (int attempt = 0; attempt < 200000 && !done; ++attempt)
      asm volatile("{\n.reg .pred p;\n"
                   "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n"
                   "selp.u32 %0, 1, 0, p;\n}"
                   : "=r"(done)
                   : "r"(at)
                   : "memory");
    arrived = done;
  }
  __syncthreads();
  if (threadIdx.x == 0)
    *status = arrived ? 1 : 2;
  if (!arrived)
    return;
  for (unsigned i = threadIdx.x; i < imageBytes; i += blockDim.x)
    out[i] = image[i];
}

/// Stores a box whose image in shared memory is given.
extern "C" __global__ void __launch_bounds__(128)
    store_box(const __grid_constant__ TensorMap map, const unsigned char *in,
              unsigned *status, int rank, int c0, int c1, int c2, int c3,
              int c4, unsigned imageBytes) {
  extern __shared__ __align__(1024) unsigned char image[];
  for (unsigned i = threadIdx.x; i < imageBytes; i += blockDim.x)
    image[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t from = sharedAddress(image);
#define STORE(dim, coordinates, ...)                                           \
  asm volatile("cp.async.bulk.tensor." dim                                     \
               "d.global.shared::cta.tile.bulk_group [%0, {" coordinates       \
               "}], [%1];" ::"l"(&map),                                        \
               "r"(from), __VA_ARGS__                                          \
               : "memory")
    if (rank == 1)
      STORE("1", "%2", "r"(c0));
    else if (rank == 2)
      STORE("2", "%2, %3", "r"(c0), "r"(c1));
    else if (rank == 3)
      STORE("3", "%2, %3, %4", "r"(c0), "r"(c1), "r"(c2));
    else if (rank == 4)
      STORE("4", "%2, %3, %4, %5", "r"(c0), "r"(c1), "r"(c2), "r"(c3));
    else
      STORE("5", "%2, %3, %4, %5, %6", "r"(c0), "r"(c1), "r"(c2), "r"(c3),
            "r"(c4));
#undef STORE
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::
                     : "memory");
    *status = 1;
  }
}
