/*===- CInterface.c - The emulator, from C -----------------------*- C -*-===*/

#include "CInterface.h"

#include "bsmm/Emulator/bsmm_emulator.h"

#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition))                                                          \
      return __LINE__;                                                         \
  } while (0)

/* out[t] = in[t] * scale, and a box of a tensor map into shared memory. */
static const char kernel[] =
    ".version 8.8\n.target sm_90a\n.address_size 64\n"
    ".shared .align 128 .b8 s[2048];\n"
    ".visible .entry scale(.param .align 8 .b8 args[24],\n"
    "    .param .align 128 .b8 map[128]) {\n"
    "  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
    "  mov.u32 %r1, %tid.x;\n"
    "  ld.param.u64 %rd1, [args];\n"
    "  ld.param.u64 %rd2, [args+8];\n"
    "  ld.param.u32 %r2, [args+16];\n"
    "  mad.wide.u32 %rd1, %r1, 4, %rd1;\n"
    "  mad.wide.u32 %rd2, %r1, 4, %rd2;\n"
    "  mov.b64 %rd3, map; cvta.param.u64 %rd3, %rd3;\n"
    "  setp.eq.u32 %p1, %r1, 0;\n"
    "  @%p1 mbarrier.init.shared.b64 [s], 1;\n"
    "  bar.sync 0;\n"
    "  @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [s], 128;\n"
    "  @%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::"
    "complete_tx::bytes [s+1024], [%rd3, {32}], [s];\n"
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [s], 0;\n"
    "  @!%p2 bra W;\n"
    "  shl.b32 %r3, %r1, 2; mov.u32 %r4, s; add.u32 %r3, %r3, %r4;\n"
    "  ld.shared.u32 %r5, [%r3+1024];\n"
    "  ld.global.u32 %r6, [%rd2];\n"
    "  mad.lo.u32 %r6, %r6, %r2, %r5;\n"
    "  st.global.u32 [%rd1], %r6;\n"
    "  ret;\n}\n";

static int calls;
static int countCalls(void *user, uint64_t finished, uint64_t ctas,
                      uint64_t instructions) {
  (void)instructions;
  ++calls;
  return user == &calls && finished <= ctas;
}

int testRunFromC(void) {
  bsmm_emu_program *program = NULL;
  CHECK(bsmm_emu_program_load(kernel, sizeof(kernel) - 1, &program) ==
        BSMM_EMU_OK);
  CHECK(strcmp(bsmm_emu_program_target(program), "sm_90a") == 0);
  CHECK(bsmm_emu_program_entry_count(program) == 1);
  CHECK(strcmp(bsmm_emu_program_entry(program, 0), "scale") == 0);
  CHECK(bsmm_emu_program_entry(program, 1) == NULL);
  CHECK(bsmm_emu_program_parameter_count(program, "scale") == 2);
  CHECK(bsmm_emu_program_parameter_bytes(program, "scale", 0) == 24);
  CHECK(bsmm_emu_program_parameter_bytes(program, "scale", 1) == 128);
  CHECK(bsmm_emu_program_parameter_bytes(program, "scale", 2) == 0);

  bsmm_emu_launch *launch = NULL;
  CHECK(bsmm_emu_launch_create(program, NULL, &launch) == BSMM_EMU_OK);
  /* The launch keeps what it needs. */
  bsmm_emu_program_close(program);

  uint32_t in[64], out[32], word;
  for (word = 0; word < 64; ++word)
    in[word] = 1000 + word;
  memset(out, 0xFF, sizeof(out));
  size_t outIndex = 99, inIndex = 99;
  CHECK(bsmm_emu_launch_add_buffer(launch, "out", out, sizeof(out), 0,
                                   &outIndex) == BSMM_EMU_OK);
  CHECK(bsmm_emu_launch_add_buffer(launch, "in", in, sizeof(in), 1, &inIndex) ==
        BSMM_EMU_OK);
  CHECK(outIndex == 0 && inIndex == 1);
  const uint32_t block[3] = {32, 1, 1};
  CHECK(bsmm_emu_launch_set_block(launch, block) == BSMM_EMU_OK);
  /* A structure: two pointers and a number. */
  unsigned char arguments[24] = {0};
  uint32_t factor = 3;
  memcpy(arguments + 16, &factor, 4);
  CHECK(bsmm_emu_launch_add_parameter(launch, arguments, sizeof(arguments)) ==
        BSMM_EMU_OK);
  CHECK(bsmm_emu_launch_place_pointer(launch, 0, 0, outIndex, 0) ==
        BSMM_EMU_OK);
  CHECK(bsmm_emu_launch_place_pointer(launch, 0, 8, inIndex, 0) == BSMM_EMU_OK);
  bsmm_emu_tensor_map map = BSMM_EMU_TENSOR_MAP_INIT;
  map.element = 2; /* u32 */
  map.rank = 1;
  map.dims[0] = 60;
  map.box[0] = 32;
  CHECK(bsmm_emu_launch_add_tensor_map(launch, inIndex, 0, &map) ==
        BSMM_EMU_OK);

  bsmm_emu_options options = BSMM_EMU_OPTIONS_INIT;
  options.strict = 1;
  options.threads = 1;
  options.progress = countCalls;
  options.progress_user = &calls;
  for (options.mode = BSMM_EMU_EAGER; options.mode <= BSMM_EMU_RANDOM;
       ++options.mode) {
    bsmm_emu_report *report = NULL;
    CHECK(bsmm_emu_run(launch, &options, &report) == BSMM_EMU_OK);
    CHECK(bsmm_emu_report_completed(report));
    CHECK(bsmm_emu_report_clean(report));
    /* fence.mbarrier_init is missing, which is a recommendation. */
    CHECK(bsmm_emu_report_diagnostic_count(report) == 1);
    bsmm_emu_diagnostic diagnostic = BSMM_EMU_DIAGNOSTIC_INIT;
    CHECK(bsmm_emu_report_diagnostic(report, 0, &diagnostic) == BSMM_EMU_OK);
    CHECK(diagnostic.severity == BSMM_EMU_STRICT);
    CHECK(strcmp(diagnostic.kind, "missing-mbarrier-init-fence") == 0);
    CHECK(diagnostic.line == 19 && diagnostic.warp == 0 &&
          diagnostic.lane == 0 && diagnostic.count == 1);
    CHECK(bsmm_emu_report_diagnostic(report, 1, &diagnostic) ==
          BSMM_EMU_INVALID_ARGUMENT);
    bsmm_emu_statistics statistics = BSMM_EMU_STATISTICS_INIT;
    CHECK(bsmm_emu_report_statistics(report, &statistics) == BSMM_EMU_OK);
    CHECK(statistics.ctas == 1 && statistics.bulk_copies == 1 &&
          statistics.bulk_bytes == 128);
    CHECK(strstr(bsmm_emu_report_json(report), "\"bsmm.emulator.report/1\"") !=
          NULL);
    bsmm_emu_report_close(report);
    for (word = 0; word < 32; ++word)
      CHECK(out[word] ==
            3 * (1000 + word) + (word + 32 < 60 ? 1000 + word + 32 : 0));
  }
  void *data = NULL;
  size_t bytes = 0;
  CHECK(bsmm_emu_launch_buffer(launch, "out", &data, &bytes) == BSMM_EMU_OK);
  CHECK(data == out && bytes == sizeof(out));
  bsmm_emu_launch_close(launch);
  return 0;
}

int testErrorsFromC(void) {
  bsmm_emu_program *program = NULL;
  CHECK(bsmm_emu_program_load(NULL, 0, &program) == BSMM_EMU_INVALID_ARGUMENT);
  CHECK(strcmp(bsmm_emu_last_error(), "expected a value for 'ptx', got null") ==
        0);
  static const char wrong[] = ".version 8.8\n.target sm_90a\n"
                              ".address_size 64\n.entry k() {\n  frob;\n}\n";
  CHECK(bsmm_emu_program_load(wrong, sizeof(wrong) - 1, &program) ==
        BSMM_EMU_INVALID_PTX);
  CHECK(strncmp(bsmm_emu_last_error(), "line 5: ", 8) == 0);
  CHECK(program == NULL);
  bsmm_emu_program_close(NULL);
  bsmm_emu_launch_close(NULL);
  bsmm_emu_report_close(NULL);
  CHECK(bsmm_emu_program_entry_count(NULL) == 0);
  CHECK(bsmm_emu_report_diagnostic_count(NULL) == 0);
  CHECK(bsmm_emu_report_clean(NULL) == 0);

  CHECK(bsmm_emu_program_load(kernel, sizeof(kernel) - 1, &program) ==
        BSMM_EMU_OK);
  bsmm_emu_launch *launch = NULL;
  CHECK(bsmm_emu_launch_create(program, "other", &launch) ==
        BSMM_EMU_INVALID_ARGUMENT);
  CHECK(strcmp(bsmm_emu_last_error(), "the program has no entry 'other'") == 0);
  CHECK(launch == NULL);
  CHECK(bsmm_emu_launch_create(program, "scale", &launch) == BSMM_EMU_OK);
  CHECK(bsmm_emu_launch_add_pointer(launch, 0, 0) == BSMM_EMU_INVALID_ARGUMENT);
  CHECK(strcmp(bsmm_emu_last_error(), "there is no buffer 0") == 0);
  char byte = 0;
  CHECK(bsmm_emu_launch_add_buffer(launch, "b", &byte, 1, 0, NULL) ==
        BSMM_EMU_OK);
  CHECK(bsmm_emu_launch_add_parameter(launch, NULL, 10) == BSMM_EMU_OK);
  CHECK(bsmm_emu_launch_place_pointer(launch, 0, 3, 0, 0) ==
        BSMM_EMU_INVALID_ARGUMENT);
  CHECK(strcmp(bsmm_emu_last_error(),
               "8 bytes at offset 3 leave parameter 0 of 10 bytes") == 0);
  CHECK(bsmm_emu_launch_place_pointer(launch, 1, 0, 0, 0) ==
        BSMM_EMU_INVALID_ARGUMENT);
  bsmm_emu_tensor_map map = BSMM_EMU_TENSOR_MAP_INIT;
  CHECK(bsmm_emu_launch_add_tensor_map(launch, 0, 0, &map) ==
        BSMM_EMU_INVALID_ARGUMENT);
  CHECK(strcmp(bsmm_emu_last_error(), "expected a rank from 1 to 5, got 0") ==
        0);
  map.rank = 1;
  map.dims[0] = 64;
  map.box[0] = 7; /* bytes: not a multiple of 16 */
  CHECK(bsmm_emu_launch_add_tensor_map(launch, 0, 0, &map) ==
        BSMM_EMU_INVALID_ARGUMENT);
  map.swizzle = 7;
  CHECK(bsmm_emu_launch_add_tensor_map(launch, 0, 0, &map) ==
        BSMM_EMU_INVALID_ARGUMENT);
  map.struct_size = 1;
  CHECK(bsmm_emu_launch_add_tensor_map(launch, 0, 0, &map) ==
        BSMM_EMU_INVALID_ARGUMENT);
  bsmm_emu_options options = BSMM_EMU_OPTIONS_INIT;
  options.mode = 3;
  bsmm_emu_report *report = NULL;
  CHECK(bsmm_emu_run(launch, &options, &report) == BSMM_EMU_INVALID_ARGUMENT);
  CHECK(strcmp(bsmm_emu_last_error(), "unknown mode 3") == 0);
  /* A launch that the kernel does not take is in the report. */
  CHECK(bsmm_emu_run(launch, NULL, &report) == BSMM_EMU_OK);
  CHECK(!bsmm_emu_report_completed(report));
  CHECK(!bsmm_emu_report_clean(report));
  CHECK(bsmm_emu_report_diagnostic_count(report) == 1);
  bsmm_emu_report_close(report);
  size_t count = 0;
  CHECK(bsmm_emu_compare(launch, &count) == BSMM_EMU_INVALID_ARGUMENT);
  CHECK(bsmm_emu_launch_reset(launch) == BSMM_EMU_INVALID_ARGUMENT);
  CHECK(bsmm_emu_launch_open("/no/such/file.json", &launch) ==
        BSMM_EMU_INVALID_LAUNCH);
  bsmm_emu_launch_close(launch);
  bsmm_emu_program_close(program);
  return 0;
}

static int writeFile(const char *folder, const char *name, const void *data,
                     size_t bytes) {
  char path[512];
  snprintf(path, sizeof(path), "%s%s", folder, name);
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    return 0;
  int good = fwrite(data, 1, bytes, file) == bytes;
  return fclose(file) == 0 && good;
}

int testLaunchFileFromC(const char *folder) {
  static const char launchText[] =
      "{\"ptx\": \"k.ptx\", \"block\": [32, 1, 1], \"params\": ["
      "{\"struct\": {\"bytes\": 24, \"placements\": ["
      "{\"offset\": 0, \"pointer\": \"out\"},"
      "{\"offset\": 8, \"pointer\": \"in.bin\"}, {\"offset\": 16, \"i32\": "
      "2}]}}"
      ",{\"tensor_map\": {\"data\": \"in.bin\", \"element\": \"u32\", "
      "\"dims\": "
      "[64], \"strides_bytes\": [], \"box\": [32]}}],"
      "\"buffers\": {\"out\": {\"bytes\": 128, \"element\": \"f32\", "
      "\"expected\": \"expected.bin\"}}}";
  uint32_t in[64], expected[32], word;
  for (word = 0; word < 64; ++word)
    in[word] = word;
  for (word = 0; word < 32; ++word)
    expected[word] = 2 * word + word + 32;
  expected[5] = 0; /* the kernel will not do that */
  CHECK(writeFile(folder, "k.ptx", kernel, sizeof(kernel) - 1));
  CHECK(writeFile(folder, "in.bin", in, sizeof(in)));
  CHECK(writeFile(folder, "expected.bin", expected, sizeof(expected)));
  CHECK(writeFile(folder, "launch.json", launchText, sizeof(launchText) - 1));
  char path[512];
  snprintf(path, sizeof(path), "%slaunch.json", folder);
  bsmm_emu_launch *launch = NULL;
  CHECK(bsmm_emu_launch_open(path, &launch) == BSMM_EMU_OK);
  bsmm_emu_report *report = NULL;
  CHECK(bsmm_emu_run(launch, NULL, &report) == BSMM_EMU_OK);
  CHECK(bsmm_emu_report_clean(report));
  bsmm_emu_report_close(report);
  size_t count = 0;
  CHECK(bsmm_emu_compare(launch, &count) == BSMM_EMU_OK);
  CHECK(count == 1);
  bsmm_emu_comparison comparison = BSMM_EMU_COMPARISON_INIT;
  CHECK(bsmm_emu_comparison_get(launch, 0, &comparison) == BSMM_EMU_OK);
  CHECK(strcmp(comparison.buffer, "out") == 0);
  CHECK(comparison.elements == 32 && comparison.equal == 31 &&
        comparison.outside == 1);
  CHECK(strstr(comparison.first_outside, "element 5") != NULL);
  CHECK(bsmm_emu_comparison_get(launch, 1, &comparison) ==
        BSMM_EMU_INVALID_ARGUMENT);
  CHECK(bsmm_emu_launch_reset(launch) == BSMM_EMU_OK);
  void *data = NULL;
  CHECK(bsmm_emu_launch_buffer(launch, "out", &data, NULL) == BSMM_EMU_OK);
  CHECK(((unsigned char *)data)[0] == 0xFF);
  CHECK(bsmm_emu_launch_buffer(launch, "none", &data, NULL) ==
        BSMM_EMU_INVALID_ARGUMENT);
  bsmm_emu_launch_close(launch);
  return 0;
}
