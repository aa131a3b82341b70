# Finds Open MPI and MPICH side by side, for what runs inside MPI programs. A preloaded library is needed for each, since
# their ABIs differ; CMake's own FindMPI finds only one MPI per build, the system's default.
#
# Sets HELIO_MPIS to those of openmpi and mpich that were found, and for each of them, MPI,
#   helio::MPI            the target that C code includes and links
#   HELIO_MPIEXEC_MPI     its launcher
#   HELIO_FORTRAN_MPI     its Fortran compiler, or empty: programs in Fortran are then not built
#
#   helio_mpi_library(NAME [FREESTANDING] SOURCES file... [USES library...])  build/lib/libhelio_NAME_MPI.so
#   helio_mpi_program(NAME SOURCES file... [USES library...] [FLAGS flag...])  build/tests/mpi/NAME_MPI; .f90 files with
#                                                                              Fortran, whose flags are FLAGS, or -O1
#   helio_mpi_test(NAME COMMAND command... [LABELS label...])  the tests mpi.NAME.MPI, with MPI, MPIEXEC and MPI_PROGRAMS
#                                                              in their environment (tests/mpi/launch reads them)
# A FREESTANDING library is not linked with its MPI, so that it can be preloaded into launchers as well, and is built without
# sanitizers. All three functions work once for each MPI found. A test of a missing MPI exists; it is skipped with the reason.
set(HELIO_MPI_PACKAGES_openmpi "libopenmpi-dev openmpi-bin")
set(HELIO_MPI_PACKAGES_mpich "libmpich-dev mpich")
set(HELIO_MPI_PROGRAMS ${CMAKE_BINARY_DIR}/tests/mpi)
set(HELIO_MPIS "")

# `modules`: the names of the MPI in pkg-config. Its commands are searched first under the names that they have if two MPIs
# are installed.
function(helio_find_mpi mpi modules)
  pkg_search_module(HELIO_${mpi} QUIET IMPORTED_TARGET ${modules})
  if(NOT HELIO_${mpi}_FOUND)
    message(STATUS "${mpi}: not found (Debian: ${HELIO_MPI_PACKAGES_${mpi}}); what runs inside its programs is not built")
    return()
  endif()
  pkg_get_variable(prefix ${HELIO_${mpi}_MODULE_NAME} prefix)
  find_program(HELIO_MPIEXEC_${mpi} NAMES mpiexec.${mpi} mpiexec HINTS ${prefix}/bin)
  find_program(HELIO_FORTRAN_${mpi} NAMES mpifort.${mpi} mpifort HINTS ${prefix}/bin)
  if(NOT HELIO_FORTRAN_${mpi})
    set(HELIO_FORTRAN_${mpi} "" CACHE FILEPATH "Fortran compiler of ${mpi}" FORCE)
  endif()
  add_library(helio::${mpi} ALIAS PkgConfig::HELIO_${mpi})
  message(STATUS "${mpi}: ${HELIO_${mpi}_VERSION}")
  set(HELIO_MPIS ${HELIO_MPIS} ${mpi} PARENT_SCOPE)
endfunction()

helio_find_mpi(openmpi "ompi-c;ompi")
helio_find_mpi(mpich "mpich")

# A missing symbol must be an error of the build and not of a user's run, so all symbols are resolved at once (defs, now).
function(helio_mpi_library name)
  cmake_parse_arguments(LIBRARY "FREESTANDING" "" "SOURCES;USES" ${ARGN})
  foreach(mpi ${HELIO_MPIS})
    add_library(helio_${name}_${mpi} SHARED ${LIBRARY_SOURCES})
    target_link_libraries(helio_${name}_${mpi} PRIVATE ${LIBRARY_USES})
    target_compile_definitions(helio_${name}_${mpi} PRIVATE HELIO_MPI="${mpi}")
    install(TARGETS helio_${name}_${mpi} COMPONENT ${mpi})
    if(LIBRARY_FREESTANDING)
      target_include_directories(helio_${name}_${mpi} SYSTEM PRIVATE ${HELIO_${mpi}_INCLUDE_DIRS})
      if(HELIO_SANITIZE)
        target_compile_options(helio_${name}_${mpi} PRIVATE -fno-sanitize=all)
        target_link_options(helio_${name}_${mpi} PRIVATE -fno-sanitize=all)
      endif()
      target_link_options(helio_${name}_${mpi} PRIVATE -Wl,-z,lazy)
      continue()
    endif()
    target_link_libraries(helio_${name}_${mpi} PRIVATE helio::${mpi})
    if(NOT HELIO_SANITIZE) # with sanitizers, their symbols are in the program
      target_link_options(helio_${name}_${mpi} PRIVATE -Wl,-z,defs -Wl,-z,now)
    endif()
  endforeach()
endfunction()

# Fortran programs are compiled by the MPI's own command: a CMake project has one Fortran compiler, but each MPI has its own
# module files.
function(helio_mpi_program name)
  cmake_parse_arguments(PROGRAM "" "" "SOURCES;USES;FLAGS" ${ARGN})
  if(NOT PROGRAM_FLAGS)
    set(PROGRAM_FLAGS -O1)
  endif()
  foreach(mpi ${HELIO_MPIS})
    set(target mpi_${name}_${mpi})
    set(file ${HELIO_MPI_PROGRAMS}/${name}_${mpi})
    if(NOT PROGRAM_SOURCES MATCHES "\\.f90")
      add_executable(${target} ${PROGRAM_SOURCES})
      target_link_libraries(${target} PRIVATE ${PROGRAM_USES} helio::${mpi})
      target_compile_definitions(${target} PRIVATE HELIO_MPI="${mpi}")
      set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name}_${mpi}
                            RUNTIME_OUTPUT_DIRECTORY ${HELIO_MPI_PROGRAMS})
    elseif(HELIO_FORTRAN_${mpi})
      list(TRANSFORM PROGRAM_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
      # -J: a folder for the module files of each MPI
      add_custom_command(OUTPUT ${file} DEPENDS ${sources}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${HELIO_MPI_PROGRAMS}/${target}.modules
        COMMAND ${HELIO_FORTRAN_${mpi}} ${PROGRAM_FLAGS} -J ${HELIO_MPI_PROGRAMS}/${target}.modules ${sources} -o ${file})
      add_custom_target(${target} ALL DEPENDS ${file})
    endif()
  endforeach()
endfunction()

function(helio_mpi_test name)
  cmake_parse_arguments(TEST "" "LIMIT" "COMMAND;LABELS" ${ARGN})
  if(NOT TEST_LIMIT)
    set(TEST_LIMIT 1380)
  endif()
  math(EXPR last "${TEST_LIMIT} + 120")
  foreach(mpi openmpi mpich)
    set(why "")
    if(NOT ${mpi} IN_LIST HELIO_MPIS)
      set(why "skipped: ${mpi} was not found when this was built (Debian: ${HELIO_MPI_PACKAGES_${mpi}})")
    elseif(NOT HELIO_MPIEXEC_${mpi})
      set(why "skipped: ${mpi} is here, but not its mpiexec")
    endif()
    if(why)
      add_test(NAME mpi.${name}.${mpi} COMMAND sh -c "echo '${why}'; exit 77")
    else()
      add_test(NAME mpi.${name}.${mpi} COMMAND ${PROJECT_SOURCE_DIR}/tests/mpi/within ${TEST_LIMIT} ${TEST_COMMAND})
    endif()
    # A time limit ends what hangs, however busy the machine is: ranks that spin keep the cores from one another. First
    # `within` shows where they are.
    set_tests_properties(mpi.${name}.${mpi} PROPERTIES LABELS "mpi;${TEST_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT ${last}
      ENVIRONMENT "MPI=${mpi};MPIEXEC=${HELIO_MPIEXEC_${mpi}};MPI_PROGRAMS=${HELIO_MPI_PROGRAMS};HELIO=$<TARGET_FILE:helio>;HELIO_LIBRARIES=${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
  endforeach()
endfunction()
