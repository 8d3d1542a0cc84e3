// Instruction families of CUDA C++, one result a slot; compiled with
// nvcc -arch=sm_90a -std=c++17 -O2 -ptx into families_sm90a.ptx.
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cooperative_groups.h>
#include <cuda/barrier>
namespace cg = cooperative_groups;
typedef unsigned int u32; typedef unsigned long long u64;
extern "C" __global__ void k_int(u32*out,const u32*in){int t=blockIdx.x*blockDim.x+threadIdx.x;u32 a=in[3*t],b=in[3*t+1],c=in[3*t+2];u32 s=0;int k=0;
#define O(e) out[(t*64)+k++]=(u32)(e)
O(a+b);O(a*b);O(__umulhi(a,b));O(__mulhi((int)a,(int)b));O((int)a/(int)(b|1));O(a/(b|1));O((int)a%(int)(b|1));O(a%(b|1));O(__popc(a));O(__clz(a));O(__ffs(a));O(__brev(a));O(__byte_perm(a,b,c));O(__funnelshift_l(a,b,c));O(__funnelshift_rc(a,b,c));O(__usad(a,b,c));O(__sad((int)a,(int)b,c));O(__vadd2(a,b));O(__vmaxs2(a,b));O(__dp4a((int)a,(int)b,(int)c));O(__dp4a(a,b,c));
u64 A=((u64)a<<32)|b,B=((u64)c<<32)|a;u64 P=A*B;O(P);O(P>>32);P=__umul64hi(A,B);O(P);O(P>>32);P=A/(B|1);O(P);O(P>>32);P=A%(B|1);O(P);O((long long)A>>(c&63));O(A>>(c&63));O(A<<(c&63));O(__clzll(A));O(__popcll(A));O(min((int)a,(int)b));O(max(a,b));O(abs((int)a));
O(__hadd((int)a,(int)b));O(__rhadd((int)a,(int)b));O(__mul24((int)a,(int)b));O(__umul24(a,b));
{__uint128_t x=((__uint128_t)A<<64)|B,y=((__uint128_t)B<<64)|A;__uint128_t z=x*y;O(z>>96);z=x+y;O(z>>64);O(z>>96);z=x-y;O(z>>64);O(z>>96);}
(void)s;}
extern "C" __global__ void k_float(u32*out,const u32*in){int t=blockIdx.x*blockDim.x+threadIdx.x;float a=__uint_as_float(in[3*t]),b=__uint_as_float(in[3*t+1]),c=__uint_as_float(in[3*t+2]);int k=0;
#define F(e) out[(t*64)+k++]=__float_as_uint(e)
F(__fadd_rn(a,b));F(__fadd_rz(a,b));F(__fadd_ru(a,b));F(__fadd_rd(a,b));F(__fmul_rn(a,b));F(__fmul_rz(a,b));F(__fmaf_rn(a,b,c));F(__fmaf_rz(a,b,c));F(__fmaf_ru(a,b,c));F(__fdiv_rn(a,b));F(__fdiv_rz(a,b));F(__fsqrt_rn(a));F(__fsqrt_rd(a));F(__frcp_rn(a));F(fminf(a,b));F(fmaxf(a,b));F(fabsf(a));F(truncf(a));F(rintf(a));F(floorf(a));F(ceilf(a));F(copysignf(a,b));F(__saturatef(a));
O(__float2int_rn(a));O(__float2int_rz(a));O(__float2int_ru(a));O(__float2uint_rz(a));O(__float2uint_rd(a));O(__float2ll_rz(a));O(__float2ll_rz(a)>>32);O(__float2ull_rz(a));O(__float2ull_rz(a)>>32);
F(__int2float_rn(in[3*t]));F(__int2float_rz(in[3*t]));F(__uint2float_ru(in[3*t]));F(__ll2float_rn(((long long)in[3*t]<<32)|in[3*t+1]));F(__ull2float_rz(((u64)in[3*t]<<32)|in[3*t+1]));
double d=a,e=b;double r=d*e+c;O(__double_as_longlong(r));O(__double_as_longlong(r)>>32);F(__double2float_rn(r));F(__double2float_rz(r));O(__double2int_rz(r));r=d/e;O(__double_as_longlong(r));O(__double_as_longlong(r)>>32);
O(__float2half_rn(a).operator __half_raw().x);O(isnan(a)|isinf(b)<<1|(a<b)<<2|(a<=b)<<3|(a!=b)<<4|!(a<b)<<5|!(a>=b)<<6);
}
extern "C" __global__ void k_half(u32*out,const u32*in){int t=blockIdx.x*blockDim.x+threadIdx.x;u32 ia=in[3*t],ib=in[3*t+1],ic=in[3*t+2];int k=0;
__half2 a=*(__half2*)&ia,b=*(__half2*)&ib,c=*(__half2*)&ic;__nv_bfloat162 x=*(__nv_bfloat162*)&ia,y=*(__nv_bfloat162*)&ib,z=*(__nv_bfloat162*)&ic;
#define H(e) {auto v=(e);out[(t*64)+k++]=*(u32*)&v;}
H(__hadd2_rn(a,b));H(__hsub2(a,b));H(__hmul2_rn(a,b));H(__hfma2(a,b,c));H(__hfma2_relu(a,b,c));H(__hfma2_sat(a,b,c));H(__hmin2(a,b));H(__hmax2(a,b));H(__hmax2_nan(a,b));H(__habs2(a));H(__hneg2(a));H(__hadd2_sat(a,b));
H(__hadd2_rn(x,y));H(__hsub2(x,y));H(__hmul2_rn(x,y));H(__hfma2(x,y,z));H(__hfma2_relu(x,y,z));H(__hmin2(x,y));H(__hmax2(x,y));H(__hmax2_nan(x,y));
float f=__uint_as_float(ia),g=__uint_as_float(ib);H(__floats2half2_rn(f,g));H(__floats2bfloat162_rn(f,g));O(__bfloat16_as_ushort(__float2bfloat16_rz(f)));O(__half_as_ushort(__float2half_rz(f)));O(__half_as_ushort(__float2half_ru(f)));O(__half_as_ushort(__float2half_rd(f)));
O(__nv_cvt_float2_to_fp8x2(make_float2(f,g),__NV_SATFINITE,__NV_E4M3));O(__nv_cvt_float2_to_fp8x2(make_float2(f,g),__NV_SATFINITE,__NV_E5M2));O(__nv_cvt_float2_to_fp8x2(make_float2(f,g),__NV_NOSAT,__NV_E4M3));
{__half2_raw r=__nv_cvt_fp8x2_to_halfraw2(ia&0xffff,__NV_E4M3);out[t*64+k++]=r.x|r.y<<16;r=__nv_cvt_fp8x2_to_halfraw2(ia&0xffff,__NV_E5M2);out[t*64+k++]=r.x|r.y<<16;}
{__half2_raw r;r.x=ia&0xffff;r.y=ia>>16;O(__nv_cvt_halfraw2_to_fp8x2(r,__NV_SATFINITE,__NV_E4M3));O(__nv_cvt_halfraw2_to_fp8x2(r,__NV_SATFINITE,__NV_E5M2));}
F(__half2float(__low2half(a)));F(__bfloat162float(__high2bfloat16(x)));O(__half2int_rz(__low2half(a)));O(__half2short_rn(__low2half(a)));O(__half2uint_ru(__low2half(a)));O(__half_as_ushort(__int2half_rn(ia)));O(__half_as_ushort(__ushort2half_rz(ia)));
O(__hlt2_mask(a,b));O(__hge2_mask(a,b));O(__hbeq2(a,b));O(__hneu2_mask(x,y));H(h2rint(a));H(h2floor(a));H(h2trunc(a));
}
__device__ __noinline__ u32 collatz(u32 n){u32 k=0;while(n!=1&&k<60){n=n&1?3*n+1:n/2;k++;}return k;}
struct Big{u32 v[12];};
__device__ __noinline__ Big mix(Big b,u32 x){for(int i=0;i<12;i++)b.v[i]=b.v[(i*5+x)%12]+i;return b;}
extern "C" __global__ void k_control(u32*out,const u32*in){int t=blockIdx.x*blockDim.x+threadIdx.x;u32 a=in[3*t],b=in[3*t+1];int k=0;
O(collatz((a&1023)+1));Big g;for(int i=0;i<12;i++)g.v[i]=a>>i;g=mix(g,b&7);u32 h=0;for(int i=0;i<12;i++)h=h*31+g.v[i];O(h);
u32 r=0;switch(a%9){case 0:r=b+1;break;case 1:r=b*3;break;case 2:r=b^a;break;case 3:r=b-a;case 4:r+=7;break;case 5:r=a&b;break;case 6:r=a|b;break;case 7:for(u32 i=0;i<b%17;i++)r+=i*i;break;default:r=~b;}O(r);
u32 loc[16];for(int i=0;i<16;i++)loc[i]=a*(i+1);for(int i=0;i<16;i++)loc[(b>>i)&15]^=loc[i];O(loc[a&15]);O(loc[b&15]);
u32 m=__ballot_sync(~0u,a&1);O(m);O(__shfl_xor_sync(~0u,a,5));O(__shfl_up_sync(~0u,a,3,8));O(__shfl_down_sync(~0u,a,3,16));O(__shfl_sync(~0u,a,b&31));O(__match_any_sync(~0u,a&3));O(__any_sync(~0u,a==b));O(__reduce_add_sync(~0u,a));O(__reduce_min_sync(~0u,a));O(__reduce_max_sync(~0u,(int)a));O(__reduce_xor_sync(~0u,a));
if(a&1){u32 mm=__activemask();O(__popc(mm));O(__reduce_add_sync(mm,b));}else{O(0);O(1);}
auto tile=cg::tiled_partition<8>(cg::this_thread_block());u32 v=a&255;for(int i=4;i;i/=2)v+=tile.shfl_down(v,i);O(v);
for(int i=0;i<3;i++){if((a>>i)&1){if((b>>i)&1)continue;v+=i;}else{if((b>>i)&3)break;v*=2;}}O(v);
u32 idx=t&3;while(true){bool done=false;if((__activemask()>>(threadIdx.x&31))&1){v+=idx;idx=idx*5+1;done=idx>1000;}if(done)break;}O(v);
}
extern "C" __global__ void k_memory(u32*out,const u32*in){__shared__ u32 s[1024];__shared__ float fs[32];__shared__ u64 cnt[4];int t=threadIdx.x;
if(t<4)cnt[t]=0;if(t<32)fs[t]=0;s[t]=in[3*t];s[t+256]=in[3*t+1];__syncthreads();
u32 a=s[255-t],b=s[256+((t*7)&255)];__syncthreads();
((uint4*)s)[t]=make_uint4(a,b,a^b,a+b);__syncthreads();
uint4 q=((uint4*)s)[(t*3)&255];uchar4 c4=((uchar4*)s)[t];short2 s2=((short2*)s)[t+100];int k=0;
O(q.x);O(q.y);O(q.z);O(q.w);O(c4.x+c4.y*2+c4.z*3+c4.w*4);O(s2.x*s2.y);O(((signed char*)s)[t*3]);O(((unsigned short*)s)[t*3]);
atomicAdd(&cnt[0],(u64)a);atomicMax(&cnt[1],(u64)b);atomicXor(&cnt[2],((u64)a<<32)|b);atomicAdd(&fs[t&31],(float)(a&255));__syncthreads();
O(cnt[0]);O(cnt[0]>>32);O(cnt[1]);O(cnt[2]);O(cnt[2]>>32);F(fs[t&31]);
u32*g=out+64*1024;if(blockIdx.x==0){atomicAdd(g,a);atomicMin(g+1,a);atomicMax((int*)g+2,(int)a);atomicAnd(g+3,a);atomicOr(g+4,a);atomicXor(g+5,a);atomicInc(g+6,100);atomicDec(g+7,77);atomicAdd((float*)g+8,(float)(a&15));atomicCAS(g+9,0u,5u);atomicExch(g+10,123u);
atomicAdd((__half2*)(g+11),__floats2half2_rn((float)(a&3),1.f));atomicAdd((__nv_bfloat162*)(g+12),__floats2bfloat162_rn(1.f,(float)(b&1)));atomicAdd((double*)(g+14),(double)(a&7));}
}
