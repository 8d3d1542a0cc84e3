# Helpers that keep the CMakeLists of each folder to the list of its sources.

# bsmm_find_package(NAME HINT [arguments of find_package...])
# CMake's own error says where it looked, but not what to do about it.
macro(bsmm_find_package name hint)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    set(bsmm_seen "none")
    if(${name}_CONSIDERED_VERSIONS)
      set(bsmm_seen "${${name}_CONSIDERED_VERSIONS}")
    endif()
    message(FATAL_ERROR "expected the CMake package ${name}, got ${bsmm_seen}: "
      "${hint} On Debian, scripts/bootstrap.sh installs everything.")
  endif()
endmacro()

# The emulator reads its JSON with it.
macro(bsmm_find_json)
  bsmm_find_package(nlohmann_json "install nlohmann-json 3 (Debian: \
nlohmann-json3-dev), or set nlohmann_json_DIR to the folder of its \
nlohmann_jsonConfig.cmake.")
endmacro()

# Flags for bsmm's own code, never for code that includes it.
function(bsmm_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra)
  if(BSMM_ENABLE_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# bsmm_add_library(NAME sources... [LINK libs...] [PRIVATE_LINK libs...])
# A library of the LLVM-free half.
function(bsmm_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${BSMM_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${BSMM_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  bsmm_compile_options(${name})
  if(BSMM_SANITIZE)
    target_compile_options(${name} PUBLIC -fsanitize=${BSMM_SANITIZE}
      -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${name} PUBLIC -fsanitize=${BSMM_SANITIZE})
  endif()
  if(BSMM_ENABLE_FUZZERS)
    target_compile_options(${name} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
  set_property(GLOBAL APPEND PROPERTY BSMM_INSTALLED_LIBRARIES ${name})
endfunction()

# bsmm_add_tool(NAME sources... [LINK libs...]): a program of the LLVM-free half.
function(bsmm_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  bsmm_compile_options(${name})
  set_property(GLOBAL APPEND PROPERTY BSMM_INSTALLED_TOOLS ${name})
endfunction()

# A test program with a source that does not exist is left out with a warning,
# so that an unfinished test never stops a build; scripts/check.sh refuses it.
option(BSMM_REQUIRE_ALL_TESTS
       "Treat a unit test with a missing source as an error" OFF)

# bsmm_add_unit_test(NAME sources... [LINK libs...])
# One GoogleTest program, run by ctest under its own name.
function(bsmm_add_unit_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(path ${source} ABSOLUTE)
    if(NOT EXISTS ${path})
      set(severity WARNING)
      if(BSMM_REQUIRE_ALL_TESTS)
        set(severity SEND_ERROR)
      endif()
      message(${severity} "unit test ${name} is left out: ${source} is missing")
      # Calls that follow (target_include_directories, ...) need a target.
      file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/${name}.missing.cpp "")
      add_library(${name} STATIC EXCLUDE_FROM_ALL
        ${CMAKE_CURRENT_BINARY_DIR}/${name}.missing.cpp)
      return()
    endif()
  endforeach()
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  bsmm_compile_options(${name})
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${BSMM_BINARY_DIR}/test/Unit)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY BSMM_UNIT_TESTS ${name})
endfunction()

# MLIR's headers take most of the compile time: parse them once.
option(BSMM_PRECOMPILE_HEADERS "Precompile MLIR's headers" ON)
function(bsmm_precompile_headers target)
  if(NOT BSMM_PRECOMPILE_HEADERS)
    return()
  endif()
  if(NOT TARGET BSMMPrecompiledHeaders)
    file(WRITE ${BSMM_BINARY_DIR}/BSMMPrecompiledHeaders.cpp "")
    add_library(BSMMPrecompiledHeaders OBJECT
      ${BSMM_BINARY_DIR}/BSMMPrecompiledHeaders.cpp)
    target_include_directories(BSMMPrecompiledHeaders SYSTEM PRIVATE
      ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
    target_compile_options(BSMMPrecompiledHeaders PRIVATE -fno-rtti -Wall
      -Wextra -Wno-unused-parameter)
    target_precompile_headers(BSMMPrecompiledHeaders PRIVATE
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/GPU/IR/GPUDialect.h>
      <mlir/Dialect/LLVMIR/LLVMDialect.h>
      <mlir/Dialect/LLVMIR/NVVMDialect.h>
      <mlir/Dialect/SCF/IR/SCF.h>
      <mlir/Dialect/Vector/IR/VectorOps.h>
      <mlir/Pass/Pass.h>
      <mlir/Transforms/DialectConversion.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM BSMMPrecompiledHeaders)
endfunction()

# bsmm_add_mlir_library(NAME sources... [DEPENDS targets...] [LINK libs...])
# A library of the compiler half. It links the shared libMLIR alone: mixing in
# MLIR's static libraries would give two copies of its globals.
function(bsmm_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${BSMM_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${BSMM_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_include_directories(${name} SYSTEM PUBLIC
    $<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>
    $<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  # Debian builds LLVM without RTTI.
  target_compile_options(${name} PUBLIC -fno-rtti)
  bsmm_compile_options(${name})
  # TableGen's generated classes have unused parameters.
  target_compile_options(${name} PRIVATE -Wno-unused-parameter)
  bsmm_precompile_headers(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY BSMM_INSTALLED_LIBRARIES ${name})
  set_property(GLOBAL APPEND PROPERTY BSMM_MLIR_LIBRARIES ${name})
endfunction()

# bsmm_add_mlir_tool(NAME sources... [LINK libs...])
function(bsmm_add_mlir_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MLIR LLVM)
  bsmm_compile_options(${name})
  target_compile_options(${name} PRIVATE -fno-rtti -Wno-unused-parameter)
  set_property(GLOBAL APPEND PROPERTY BSMM_INSTALLED_TOOLS ${name})
endfunction()

# bsmm_add_mlir_unit_test(NAME sources... [LINK libs...])
# A unit test of the compiler half.
function(bsmm_add_mlir_unit_test name)
  bsmm_add_unit_test(${name} ${ARGN})
  target_compile_options(${name} PRIVATE -fno-rtti -Wno-unused-parameter)
  target_link_libraries(${name} PRIVATE MLIR LLVM)
endfunction()
