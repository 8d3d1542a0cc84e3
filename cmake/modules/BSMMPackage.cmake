# The CMake package, in the build tree and installed. Included once, when all
# libraries and programs are known.
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY BSMM_INSTALLED_LIBRARIES)
get_property(mlir_libraries GLOBAL PROPERTY BSMM_MLIR_LIBRARIES)
get_property(tools GLOBAL PROPERTY BSMM_INSTALLED_TOOLS)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/BSMM)
set(build_package_dir ${BSMM_BINARY_DIR}/lib/cmake/BSMM)

install(TARGETS ${libraries} ${tools} EXPORT BSMMTargets
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT BSMMTargets NAMESPACE BSMM:: DESTINATION ${package_dir})
export(EXPORT BSMMTargets NAMESPACE BSMM::
  FILE ${build_package_dir}/BSMMTargets.cmake)

# Headers, and what TableGen made of the .td files.
set(header_folders bsmm)
if(BSMM_RUNTIME_ONLY)
  set(header_folders bsmm/Emulator bsmm/Layout bsmm/Runtime bsmm/Target
    bsmm/Timeline)
endif()
foreach(folder IN LISTS header_folders)
  get_filename_component(parent ${folder} DIRECTORY)
  install(DIRECTORY ${BSMM_SOURCE_DIR}/include/${folder}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${parent}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
endforeach()
if(NOT BSMM_RUNTIME_ONLY)
  install(DIRECTORY ${BSMM_BINARY_DIR}/include/bsmm
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.inc"
    PATTERN "CMakeFiles" EXCLUDE)
endif()

set(BSMM_HAS_COMPILER ON)
if(BSMM_RUNTIME_ONLY)
  set(BSMM_HAS_COMPILER OFF)
endif()
string(REPLACE ";" " " BSMM_MLIR_LIBRARY_NAMES "${mlir_libraries}")
write_basic_package_version_file(${build_package_dir}/BSMMConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)

set(BSMM_CONFIG_OF_BUILD_TREE ON)
set(BSMM_CONFIG_INCLUDE_DIRS
  "\"${BSMM_SOURCE_DIR}/include\" \"${BSMM_BINARY_DIR}/include\"")
configure_package_config_file(${BSMM_SOURCE_DIR}/cmake/BSMMConfig.cmake.in
  ${build_package_dir}/BSMMConfig.cmake
  INSTALL_DESTINATION ${build_package_dir}
  INSTALL_PREFIX ${BSMM_BINARY_DIR})

set(BSMM_CONFIG_OF_BUILD_TREE OFF)
set(BSMM_CONFIG_INCLUDE_DIRS
  "\"\${PACKAGE_PREFIX_DIR}/${CMAKE_INSTALL_INCLUDEDIR}\"")
set(installed_config ${BSMM_BINARY_DIR}/cmake/BSMMConfig.cmake)
configure_package_config_file(${BSMM_SOURCE_DIR}/cmake/BSMMConfig.cmake.in
  ${installed_config}
  INSTALL_DESTINATION ${package_dir})
install(FILES ${installed_config} ${build_package_dir}/BSMMConfigVersion.cmake
  DESTINATION ${package_dir})
