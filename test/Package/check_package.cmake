# cmake -DTREE=build|install -DCONSUMER=folder ... -P check_package.cmake
# Configures, builds and runs a consumer against one tree of the package.
cmake_minimum_required(VERSION 3.22)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(work ${BINARY_DIR}/test/Package/${TREE}-${CONSUMER})
file(REMOVE_RECURSE ${work})
set(package ${BINARY_DIR}/lib/cmake/BSMM)
if(TREE STREQUAL "install")
  run("the installation" ${CMAKE_COMMAND} --install ${BINARY_DIR}
    --prefix ${work}/prefix)
  file(GLOB_RECURSE package ${work}/prefix/BSMMConfig.cmake)
  get_filename_component(package "${package}" DIRECTORY)
  # An installed package that points back into the trees it was made from works
  # here and nowhere else.
  file(GLOB files ${package}/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    foreach(tree IN ITEMS ${SOURCE_DIR}/include ${BINARY_DIR}/lib
                          ${BINARY_DIR}/include)
      string(FIND "${text}" "${tree}" at)
      if(NOT at EQUAL -1)
        message(FATAL_ERROR "${file} names ${tree}")
      endif()
    endforeach()
  endforeach()
endif()

set(configure ${CMAKE_COMMAND} -G ${GENERATOR}
  -S ${SOURCE_DIR}/test/Package/${CONSUMER} -B ${work}/build
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${BUILD_TYPE}
  -DBSMM_DIR=${package})

if(CONSUMER STREQUAL "other-mlir")
  execute_process(COMMAND ${configure} RESULT_VARIABLE status
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(status EQUAL 0 OR NOT output MATCHES "expected MLIR 22.1, got MLIR 21.1.0")
    message(FATAL_ERROR
      "expected a refusal that names both versions, got (${status}):\n${output}")
  endif()
  return()
endif()

run("configuring" ${configure})
run("building" ${CMAKE_COMMAND} --build ${work}/build)
run("running" ${work}/build/consumer ${SOURCE_DIR}/examples/nvfp4_gemm.mlir)
if(CONSUMER STREQUAL "consumer")
  set(expected "bsmm.kernel @nvfp4_gemm")
else()
  set(expected "32-byte swizzle: 16 -> 16, 128 -> 144")
endif()
string(FIND "${output}" "${expected}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "expected '${expected}', got:\n${output}")
endif()
