// Which loop is shared out over roles, how far loads run ahead, and how many
// accumulators take turns: options of the loops over output tiles and over K.

// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=k-loop flatten=true tile-stages=2" | FileCheck %s --check-prefix=TILE
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=tile-loop" | FileCheck %s --check-prefix=TILELOOP
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=none persistent=false" | FileCheck %s --check-prefix=NONETILE

// TILE: scf.for %{{.*}} = %{{.*}} to
// TILE: scf.for %{{.*}} = %c0_i32{{.*}} to
// TILE: } {bsmm.stages = 3 : i64, bsmm.warp_specialize = true}
// TILE: } {bsmm.flatten, bsmm.stages = 2 : i64}
// TILELOOP: } {bsmm.stages = 3 : i64}
// TILELOOP: } {bsmm.warp_specialize = true}
// NONETILE: } {bsmm.stages = 3 : i64, bsmm.warp_specialize = false}

// One warp loads and multiplies: two steps ahead, with three slots.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=none" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=NONE
// NONE: block_size = 128 : i64
// NONE: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>
// NONE: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128>
// NONE-SAME: : <1, <128x128xf32
// NONE: scf.for {{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[NUMBER:.+]] = %c0_i32)
// NONE: bsmm.warp_role 0 {
// NONE-NEXT: %[[ACC:.+]] = bsmm.acquire %[[RESULTS]][%[[NUMBER]]]
// NONE: scf.for %[[T:.+]] = %c0_i32 to %[[END:.+]] step %c1_i32 iter_args(%[[I:arg[0-9]+]] = %[[BASE]])
// NONE-NEXT: %[[ISLOADED:.+]] = arith.cmpi sge, %[[T]], %c2_i32
// NONE-NEXT: scf.if %[[ISLOADED]] {
// NONE: %[[BEHIND:.+]] = arith.subi %[[I]], %c2_i32
// NONE-NEXT: bsmm.wait %[[LOADS]][%[[BEHIND]]]
// NONE: bsmm.scaled_mma {{.*}} %[[ACC]] accumulate
// NONE-NEXT: bsmm.release %[[LOADS]][%[[BEHIND]]]
// NONE: %[[ISMORE:.+]] = arith.cmpi slt, %[[T]],
// NONE-NEXT: scf.if %[[ISMORE]] {
// NONE-NEXT: bsmm.leader {
// NONE: bsmm.acquire %[[LOADS]][%[[I]]]
// NONE-COUNT-4: bsmm.load_async
// NONE-NEXT: bsmm.commit %[[LOADS]][%[[I]]]
// NONE: bsmm.leader {
// NONE-NEXT: bsmm.commit %[[RESULTS]][%[[NUMBER]]]
// NONE: bsmm.warp_role 0 count 4 {
// NONE: bsmm.wait %[[RESULTS]][%[[NUMBER]]]
// NONE: bsmm.release %[[RESULTS]][%[[NUMBER]]]

// With one slot it is one step ahead: of the multiplication that it waits for.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=1 specialize=none persistent=false" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=ONE
// ONE: block_size = 128 : i64
// ONE: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>
// ONE-SAME: : <1,
// ONE: bsmm.warp_role 0 {
// ONE: scf.for %[[T:.+]] = %c0_i32 to %{{.+}} step %c1_i32 iter_args(%[[I:.+]] = %c0_i32)
// ONE-NEXT: arith.cmpi sge, %[[T]], %c1_i32
// ONE: %[[BEHIND:.+]] = arith.subi %[[I]], %c1_i32
// ONE-NEXT: bsmm.wait %[[LOADS]][%[[BEHIND]]]
// ONE: bsmm.acquire %[[LOADS]][%[[I]]]
// ONE-NOT: warp_role 0 count
// ONE: bsmm.drain

// The steps of all tiles as one sequence for the loads.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=none flatten=true" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=FLAT
// FLAT: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>
// FLAT: %[[STEPS:.+]] = arith.maxsi
// FLAT: %[[TILES:.+]] = arith.ceildivui
// FLAT-NEXT: %[[TOTAL:.+]] = arith.muli %[[TILES]], %[[STEPS]]
// FLAT: scf.for {{.*}} iter_args(%[[BASE:.+]] = %c0_i32, %[[NUMBER:.+]] = %c0_i32, %[[START:.+]] = %c0_i32, %[[LOADTILE:.+]] = %{{.+}}, %[[LOADK:.+]] = %c0_i32)
// FLAT: %[[END:.+]] = arith.addi %[[BASE]], %[[STEPS]]
// FLAT-NEXT: %[[NEXT:.+]] = arith.addi %[[END]], %c2_i32
// FLAT: bsmm.warp_role 0 {
// FLAT: scf.for %[[J:.+]] = %[[START]] to %[[NEXT]] step %c1_i32 iter_args(%[[LTILE:.+]] = %[[LOADTILE]], %[[LK:.+]] = %[[LOADK]],
// FLAT-NEXT: %[[ISLOADED:.+]] = arith.cmpi sge, %[[J]], %c2_i32
// FLAT-NEXT: scf.if %[[ISLOADED]] {
// FLAT-NEXT: %[[BEHIND:.+]] = arith.subi %[[J]], %c2_i32
// FLAT: bsmm.wait %[[LOADS]][%[[BEHIND]]]
// FLAT: %[[ISMORE:.+]] = arith.cmpi slt, %[[J]], %[[TOTAL]]
// FLAT-NEXT: scf.if %[[ISMORE]] {
// FLAT: bsmm.acquire %[[LOADS]][%[[J]]]
// FLAT: bsmm.warp_role 0 count 4 {

// Roles in each tile; the loads are as many steps ahead as there are slots.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=k-loop flatten=true" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=FLATROLES
// FLATROLES: block_size = 128 : i64
// FLATROLES: %[[LOADS:.+]] = bsmm.create_channel producer = <transaction>
// FLATROLES: scf.for {{.*}} iter_args(%[[BASE:arg[0-9]+]] = %c0_i32,
// FLATROLES: arith.addi %{{.+}}, %c3_i32
// FLATROLES: bsmm.warp_role 0 {
// FLATROLES-NEXT: bsmm.leader {
// FLATROLES: scf.for %[[J:arg[0-9]+]] =
// FLATROLES: bsmm.acquire %[[LOADS]][%[[J]]]
// FLATROLES: bsmm.warp_role 1 {
// FLATROLES: scf.for {{.*}} iter_args(%[[I:arg[0-9]+]] = %[[BASE]])
// FLATROLES: bsmm.wait %[[LOADS]][%[[I]]]
// FLATROLES: bsmm.warp_role 0 count 4 {

// Each tile is drained when the next one has been multiplied.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=k-loop tile-stages=2" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=LATE
// LATE: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128>
// LATE-SAME: : <2, <128x128xf32
// LATE: %[[LAST:.+]] = arith.addi %[[UPPER:.+]], %[[STEP:.+]] : i32
// LATE-NEXT: scf.for %[[N:.+]] = %[[LOWER:.+]] to %[[LAST]] step %[[STEP]] iter_args(%{{.+}} = %c0_i32, %[[NUMBER:.+]] = %c0_i32)
// LATE: %[[ISMORE:.+]] = arith.cmpi slt, %[[N]], %[[UPPER]]
// LATE-NEXT: scf.if %[[ISMORE]] {
// LATE: bsmm.acquire %[[RESULTS]][%[[NUMBER]]]
// LATE: %[[FIRST:.+]] = arith.addi %[[LOWER]], %[[STEP]]
// LATE-NEXT: %[[ISBEHIND:.+]] = arith.cmpi sge, %[[N]], %[[FIRST]]
// LATE-NEXT: scf.if %[[ISBEHIND]] {
// LATE: %[[BEFORE:.+]] = arith.subi %[[NUMBER]], %c1_i32
// LATE: bsmm.warp_role 0 count 4 {
// LATE: bsmm.wait %[[RESULTS]][%[[BEFORE]]]
// LATE: bsmm.release %[[RESULTS]][%[[BEFORE]]]

// With three accumulators, when the next two have been multiplied.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=k-loop tile-stages=3" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=LATER
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 specialize=none flatten=true tile-stages=3" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=LATER
// LATER: %[[RESULTS:.+]] = bsmm.create_channel producer = <mma_commit>, consumer = <threads, count = 128>
// LATER-SAME: : <3, <128x128xf32
// LATER: %[[TWO:.+]] = arith.muli %[[STEP:.+]], %c2_i32 : i32
// LATER-NEXT: %[[LAST:.+]] = arith.addi %[[UPPER:.+]], %[[TWO]] : i32
// LATER: scf.for %[[N:.+]] = %[[LOWER:.+]] to %[[LAST]] step %[[STEP]] iter_args(%{{[a-z0-9]+}} = %c0_i32, %[[NUMBER:[a-z0-9]+]] = %c0_i32
// LATER: %[[ISMORE:.+]] = arith.cmpi slt, %[[N]], %[[UPPER]]
// LATER-NEXT: scf.if %[[ISMORE]] {
// LATER: bsmm.acquire %[[RESULTS]][%[[NUMBER]]]
// LATER: %[[FIRST:.+]] = arith.addi %[[LOWER]], %[[TWO]]
// LATER-NEXT: %[[ISBEHIND:.+]] = arith.cmpi sge, %[[N]], %[[FIRST]]
// LATER-NEXT: scf.if %[[ISBEHIND]] {
// LATER: %[[BEFORE:.+]] = arith.subi %[[NUMBER]], %c2_i32
// LATER: bsmm.warp_role 0 count 4 {
// LATER: bsmm.wait %[[RESULTS]][%[[BEFORE]]]
// LATER: bsmm.release %[[RESULTS]][%[[BEFORE]]]

// Roles that walk over the tiles need not know how many there are.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 tile-stages=3" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=TRIPLE
// TRIPLE: bsmm.create_channel producer = <mma_commit>
// TRIPLE-SAME: : <3, <128x128xf32
// TRIPLE: bsmm.warp_role 4 {
// TRIPLE-NOT: arith.muli %{{.+}}, %c2_i32

// One accumulator where two would fit.
// RUN: bsmm-opt %s --bsmm-problem-to-tile="stages=3 tile-stages=1" --bsmm-tile-to-pipeline-level | FileCheck %s --check-prefix=SINGLE
// SINGLE: bsmm.create_channel producer = <mma_commit>
// SINGLE-SAME: : <1, <128x128xf32
// SINGLE: bsmm.warp_role 4 {

#sf = #bsmm.scales<blocked_128x4, vec = 16>

module attributes {bsmm.target = #bsmm.target<"sm_100a">} {
func.func @f(%a: tensor<128x1024xf4E2M1FN>, %sa: tensor<128x64xf8E4M3FN, #sf>,
             %b: tensor<512x1024xf4E2M1FN>, %sb: tensor<512x64xf8E4M3FN, #sf>,
             %c: tensor<128x512xf16>) -> tensor<128x512xf16> {
  %d = bsmm.scaled_matmul
      ins(%a scales %sa, %b scales %sb : tensor<128x1024xf4E2M1FN>,
          tensor<128x64xf8E4M3FN, #sf>, tensor<512x1024xf4E2M1FN>,
          tensor<512x64xf8E4M3FN, #sf>)
      outs(%c : tensor<128x512xf16>) -> tensor<128x512xf16>
  return %d : tensor<128x512xf16>
}
}
