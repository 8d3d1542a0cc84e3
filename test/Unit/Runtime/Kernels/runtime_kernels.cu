//===- runtime_kernels.cu - small kernels for the runtime's tests ---------===//
//
// One kernel for each way a parameter reaches a kernel. None is fast.
// nvcc -arch=sm_90a -O2 -ptx runtime_kernels.cu -o runtime_kernels_sm90a.ptx
//
//===----------------------------------------------------------------------===//

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

struct alignas(128) TensorMap {
  unsigned char bytes[128];
};

static __device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

static __device__ void initBarrier(uint64_t *barrier) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], 1;\n"
      "fence.mbarrier_init.release.cluster;" ::"r"(sharedAddress(barrier))
      : "memory");
}

static __device__ void expectBytes(uint64_t *barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   sharedAddress(barrier)),
               "r"(bytes)
               : "memory");
}

static __device__ void waitBarrier(uint64_t *barrier, uint32_t parity) {
  uint32_t done = 0;
  while (!done)
    asm volatile("{\n.reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"(sharedAddress(barrier)), "r"(parity)
                 : "memory");
}

static __device__ void loadBox(void *to, const TensorMap *map, int x, int y,
                               int z, uint64_t *barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_"
      "tx::bytes [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(sharedAddress(to)),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(sharedAddress(barrier))
      : "memory");
}

/// D = alpha * A for f16 tiles of 64 columns and 32 rows, both through tensor
/// maps. Grid rule tile_grid with tile.m = 32, tile.n = 64: x counts tiles of
/// rows, y of columns, z batches. N = K.
extern "C" __global__ void __launch_bounds__(128)
    scale_tma(const __grid_constant__ TensorMap a,
              const __grid_constant__ TensorMap d, int m, int n, int k, int l,
              float alpha) {
  extern __shared__ __align__(1024) unsigned char memory[];
  __half *tile = reinterpret_cast<__half *>(memory);
  auto *barrier = reinterpret_cast<uint64_t *>(memory + 32 * 64 * 2);
  int row = blockIdx.x * 32, column = blockIdx.y * 64, batch = blockIdx.z;
  // Clusters may make the grid larger than the tiles.
  if (row >= m || column >= n || batch >= l)
    return;
  if (threadIdx.x == 0) {
    initBarrier(barrier);
    expectBytes(barrier, 32 * 64 * 2);
    loadBox(tile, &a, column, row, batch, barrier);
  }
  __syncthreads();
  waitBarrier(barrier, 0);
  for (int i = threadIdx.x; i < 32 * 64; i += blockDim.x)
    tile[i] = __float2half_rn(__half2float(tile[i]) * alpha);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group "
                 "[%0, {%1, %2, %3}], [%4];\n"
                 "cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group 0;" ::"l"(&d),
                 "r"(column), "r"(row), "r"(batch), "r"(sharedAddress(tile))
                 : "memory");
  }
}

static __device__ float decodeE4M3(uint8_t code) {
  __half_raw half = __nv_cvt_fp8_to_halfraw(code, __NV_E4M3);
  return __half2float(__half(half));
}

/// D = alpha * (acc * sa[m] * sb[n]) + bias[n] in bf16 for e4m3 inputs: tiles
/// of 32 x 32, steps of 64 along K. A and B through tensor maps, D by pointer.
/// Grid rule tile with tile.m = tile.n = 32: tiles of columns fastest, then
/// rows, then batches.
extern "C" __global__ void __launch_bounds__(128)
    gemm_fp8(const __grid_constant__ TensorMap a,
             const __grid_constant__ TensorMap b, __nv_bfloat16 *d,
             const float *sa, const float *sb, const float *bias, int m, int n,
             int k, int l, int64_t pitch, int64_t batchStride, float alpha) {
  extern __shared__ __align__(1024) unsigned char memory[];
  unsigned char *tileA = memory, *tileB = memory + 32 * 64;
  auto *barrier = reinterpret_cast<uint64_t *>(memory + 2 * 32 * 64);
  int tilesM = (m + 31) / 32, tilesN = (n + 31) / 32;
  int tile = blockIdx.x;
  int column = tile % tilesN * 32, row = tile / tilesN % tilesM * 32;
  int batch = tile / tilesN / tilesM;
  if (batch >= l)
    return;
  if (threadIdx.x == 0)
    initBarrier(barrier);
  __syncthreads();
  // Each thread sums eight outputs of one row.
  int myRow = threadIdx.x / 4, myColumn = threadIdx.x % 4 * 8;
  float sums[8] = {};
  uint32_t parity = 0;
  for (int at = 0; at < k; at += 64, parity ^= 1) {
    if (threadIdx.x == 0) {
      expectBytes(barrier, 2 * 32 * 64);
      loadBox(tileA, &a, at, row, batch, barrier);
      loadBox(tileB, &b, at, column, batch, barrier);
    }
    waitBarrier(barrier, parity);
    for (int i = 0; i < 64; ++i) {
      float left = decodeE4M3(tileA[myRow * 64 + i]);
#pragma unroll
      for (int j = 0; j < 8; ++j)
        sums[j] =
            fmaf(left, decodeE4M3(tileB[(myColumn + j) * 64 + i]), sums[j]);
    }
    // The next boxes overwrite what all threads have read.
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
  }
  for (int j = 0; j < 8; ++j) {
    int x = column + myColumn + j, y = row + myRow;
    if (x >= n || y >= m)
      continue;
    float value = __fmul_rn(__fmul_rn(sums[j], sa[y]), sb[x]);
    value = __fadd_rn(__fmul_rn(alpha, value), bias[x]);
    d[batch * batchStride + y * pitch + x] = __float2bfloat16_rn(value);
  }
}

/// D[m, n] = how often this launch has reached the row before, which is 0 when
/// the workspace (4 bytes for each tile of 1 x 256) was zeroed. f32 by pointer,
/// without a pitch parameter: rows are N rounded up to 4 elements.
extern "C" __global__ void __launch_bounds__(256)
    count_rows(float *d, unsigned *workspace, int m, int n) {
  __shared__ unsigned before;
  int row = blockIdx.x;
  if (threadIdx.x == 0)
    before = atomicAdd(&workspace[row], 1u);
  __syncthreads();
  int x = threadIdx.x;
  if (row < m && x < n)
    d[int64_t(row) * ((n + 3) / 4 * 4) + x] = static_cast<float>(before);
}
