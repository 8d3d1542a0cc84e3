// Products of narrow matrices, one thread an output: kernels to test callers
// with, not to be fast. One source, compiled without line numbers into
// simple_gemm.ptx by
//   nvcc -arch=sm_90a -std=c++17 -O2 -ptx simple_gemm.cu -o simple_gemm.ptx
// simple_gemm.py has their manifests.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

typedef long long i64;

static __device__ float load(const __nv_fp8_e4m3 *p) { return float(*p); }
static __device__ float load(const __nv_fp8_e5m2 *p) { return float(*p); }
static __device__ float load(const __half *p) { return __half2float(*p); }
static __device__ void store(__nv_bfloat16 *p, float v) {
  *p = __float2bfloat16_rn(v);
}
static __device__ void store(__half *p, float v) { *p = __float2half_rn(v); }
static __device__ void store(float *p, float v) { *p = v; }

/// Sum over K in ascending order, in f32. Blocks of 16 x 16 outputs.
template <typename A, typename B>
static __device__ bool accumulate(const A *a, const B *b, int m, int n, int k,
                                  i64 pitchA, i64 pitchB, int &row, int &column,
                                  float &sum) {
  row = blockIdx.x * 16 + threadIdx.x / 16;
  column = blockIdx.y * 16 + threadIdx.x % 16;
  if (row >= m || column >= n)
    return false;
  sum = 0;
  for (int i = 0; i < k; ++i)
    sum = __fmaf_rn(load(a + row * pitchA + i), load(b + column * pitchB + i),
                    sum);
  return true;
}

// D = bf16(A B * sa[m] * sb[n])
extern "C" __global__ void fp8_rows(const __nv_fp8_e4m3 *a,
                                    const __nv_fp8_e4m3 *b, __nv_bfloat16 *d,
                                    const float *sa, const float *sb, int m,
                                    int n, int k, i64 pitchA, i64 pitchB,
                                    i64 pitchD) {
  int row, column;
  float sum;
  if (accumulate(a, b, m, n, k, pitchA, pitchB, row, column, sum))
    store(d + row * pitchD + column,
          __fmul_rn(__fmul_rn(sum, sa[row]), sb[column]));
}

// A wrong one: as fp8_rows, but without the scales of B.
extern "C" __global__ void fp8_unscaled(const __nv_fp8_e4m3 *a,
                                        const __nv_fp8_e4m3 *b,
                                        __nv_bfloat16 *d, const float *sa,
                                        const float *, int m, int n, int k,
                                        i64 pitchA, i64 pitchB, i64 pitchD) {
  int row, column;
  float sum;
  if (accumulate(a, b, m, n, k, pitchA, pitchB, row, column, sum))
    store(d + row * pitchD + column, __fmul_rn(sum, sa[row]));
}

// D = bf16(A B * sa[m] * sb[n] + bias[n])
extern "C" __global__ void
fp8_rows_bias(const __nv_fp8_e4m3 *a, const __nv_fp8_e4m3 *b, __nv_bfloat16 *d,
              const float *sa, const float *sb, const __nv_bfloat16 *bias,
              int m, int n, int k, i64 pitchA, i64 pitchB, i64 pitchD) {
  int row, column;
  float sum;
  if (accumulate(a, b, m, n, k, pitchA, pitchB, row, column, sum))
    store(d + row * pitchD + column,
          __fadd_rn(__fmul_rn(__fmul_rn(sum, sa[row]), sb[column]),
                    __bfloat162float(bias[column])));
}

// D = f32(A B * sa[0] * sb[0]), A e5m2
extern "C" __global__ void fp8_tensor(const __nv_fp8_e5m2 *a,
                                      const __nv_fp8_e4m3 *b, float *d,
                                      const float *sa, const float *sb, int m,
                                      int n, int k, i64 pitchA, i64 pitchB,
                                      i64 pitchD) {
  int row, column;
  float sum;
  if (accumulate(a, b, m, n, k, pitchA, pitchB, row, column, sum))
    store(d + row * pitchD + column,
          __fmul_rn(__fmul_rn(sum, sa[0]), sb[0]));
}

// D[l] = f16((alpha * A[l] B[l] + beta * C[l]) * out_scale), batched; C is not
// read when beta is 0.
extern "C" __global__ void
half_batched(const __half *a, const __half *b, const __half *c, __half *d,
             int m, int n, int k, i64 pitchA, i64 batchA, i64 pitchB,
             i64 batchB, i64 pitchC, i64 batchC, i64 pitchD, i64 batchD,
             float alpha, float beta, float outScale) {
  int row, column;
  float sum;
  i64 l = blockIdx.z;
  if (!accumulate(a + l * batchA, b + l * batchB, m, n, k, pitchA, pitchB, row,
                  column, sum))
    return;
  float value = __fmul_rn(alpha, sum);
  if (beta != 0)
    value = __fadd_rn(
        value, __fmul_rn(beta, load(c + l * batchC + row * pitchC + column)));
  store(d + l * batchD + row * pitchD + column, __fmul_rn(value, outScale));
}
