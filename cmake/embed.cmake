# helio_embed(TARGET ARRAY HEADER FILE...): the files, named by their paths from the top of the source, become the list
# ARRAY of a C source of the target: a `const struct embedded_file ARRAY[]` (base/embedded.h), which HEADER declares.
function(helio_embed target array header)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${array}.c)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE paths)
  string(REPLACE ";" "," names "${ARGN}")
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DTOP=${PROJECT_SOURCE_DIR} -DFILES=${names} -DARRAY=${array} -DHEADER=${header}
    -DTO=${source} -P ${PROJECT_SOURCE_DIR}/cmake/embed-files.cmake
    DEPENDS ${PROJECT_SOURCE_DIR}/cmake/embed-files.cmake ${paths})
  target_sources(${target} PRIVATE ${source})
endfunction()
