# vcore_add_kernel(TARGET SOURCES FILE... [PRODUCT NAME])
#
# Makes an executable from Ascend C sources: kernels and the host program around them. Files may be called .asc, .cpp and
# the like; headers (.h) may stand among them and need not. What no C++ compiler accepts is rewritten first: launches
# kernel<<<…>>>(…) and local arrays `__ubuf__ T name[n]`, in the sources and in local headers that they include by a path
# relative to their own. PRODUCT is what the kernels run on unless VCORE_ARGS="--product …" says otherwise; ascend950.
#
# The target is an ordinary one: target_include_directories() and the like work.

set(VCORE_KERNEL_CMAKE_FOLDER ${CMAKE_CURRENT_LIST_DIR})

function(vcore_add_kernel target)
  cmake_parse_arguments(PARSE_ARGV 1 KERNEL "" "PRODUCT" "SOURCES")
  if(KERNEL_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "vcore_add_kernel(${target}): unknown arguments: ${KERNEL_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT KERNEL_SOURCES)
    message(FATAL_ERROR "vcore_add_kernel(${target}): SOURCES are missing")
  endif()
  if(NOT KERNEL_PRODUCT)
    set(KERNEL_PRODUCT ascend950)
  endif()
  if(NOT KERNEL_PRODUCT IN_LIST VCORE_PRODUCT_NAMES)
    list(JOIN VCORE_PRODUCT_NAMES ", " known)
    message(FATAL_ERROR "vcore_add_kernel(${target}): '${KERNEL_PRODUCT}' is no product, expected one of: ${known}")
  endif()

  # The folder mirrors absolute paths: an include of "../common/tiling.h" finds the rewritten one.
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_rewritten)
  set(compiled)
  foreach(source IN LISTS KERNEL_SOURCES)
    get_filename_component(path ${source} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "vcore_add_kernel(${target}): cannot find '${path}'")
    endif()
    get_filename_component(extension ${path} LAST_EXT)
    if(extension MATCHES "^\\.(h|hh|hpp|hxx|inc)$")
      continue() # rewritten where they are included
    endif()
    set(output ${folder}${path}.cpp)
    add_custom_command(
      OUTPUT ${output}
      COMMAND vcore::kernel-rewrite ${path} ${folder} ${output} ${output}.d
      DEPENDS ${path} vcore::kernel-rewrite
      DEPFILE ${output}.d
      COMMENT "Rewriting ${source}"
      VERBATIM)
    list(APPEND compiled ${output})
    get_filename_component(source_folder ${path} DIRECTORY)
    list(APPEND source_folders ${source_folder})
  endforeach()
  if(NOT compiled)
    message(FATAL_ERROR "vcore_add_kernel(${target}): SOURCES hold headers only, expected a file to compile")
  endif()

  set(product_file ${folder}/product.cpp)
  file(CONFIGURE OUTPUT ${product_file} CONTENT
       "extern \"C\" const char vcore_kernel_product[];\nextern \"C\" const char vcore_kernel_product[] = \"@KERNEL_PRODUCT@\";\n"
       @ONLY)

  list(REMOVE_DUPLICATES source_folders)
  add_executable(${target} ${compiled} ${product_file})
  target_link_libraries(${target} PRIVATE vcore::kernels)
  target_compile_features(${target} PRIVATE cxx_std_17)
  target_include_directories(${target} PRIVATE ${source_folders})
  # The sources are others': what a stricter project around them warns of is no error in them.
  target_compile_options(${target} PRIVATE -Wno-error -Wno-shadow -Wno-pedantic)
  # Vector functions are told by calls on entry and exit; headers of ours and of the system hold none.
  list(JOIN VCORE_KERNEL_UNINSTRUMENTED "," uninstrumented)
  set_property(
    SOURCE ${compiled} APPEND PROPERTY COMPILE_OPTIONS
    -finstrument-functions
    -finstrument-functions-exclude-file-list=${uninstrumented},/usr/include/,/usr/lib/
    -include testbenches/kernels/runtime/rewritten.hpp)
endfunction()
