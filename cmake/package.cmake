# The installed files other than programs, and the Debian packages: `cpack -G DEB` in the build's folder. There is one
# package for each component:
#
#   heliograph            the program helio, manual, completion, pages, examples
#   libheliograph0.1      the library; the name ends in its soname's numbers
#   libheliograph-dev     its header, and what finds it: pkg-config, CMake
#   python3-heliograph    the library from Python
#   heliograph-MPI        the libraries that run inside programs of this MPI; the other packages need no MPI
#
# dpkg-shlibdeps finds in the binaries which libraries a package depends on.
set(pages ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${pages} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${pages})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
  ${PROJECT_SOURCE_DIR}/machines DESTINATION ${pages}
  PATTERN "*.so" EXCLUDE PATTERN Makefile EXCLUDE)
install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\"
  \"-DFOLDER=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${pages}\" -P \"${PROJECT_SOURCE_DIR}/cmake/installed_links.cmake\")")

# Packages other than heliograph have a licence of their own, in the folder of their name.
function(helio_package component name)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} RENAME copyright
    COMPONENT ${component})
  string(TOUPPER ${component} COMPONENT)
  set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${COMPONENT}_DESCRIPTION "${ARGN}" PARENT_SCOPE)
endfunction()

set(CPACK_PACKAGE_NAME heliograph)
set(CPACK_PACKAGE_VENDOR "The Heliograph authors")
set(CPACK_PACKAGE_CONTACT "The Heliograph authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL heliograph library dev python ${HELIO_MPIS})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_HELIOGRAPH_PACKAGE_NAME heliograph)
set(CPACK_COMPONENT_HELIOGRAPH_DESCRIPTION
  "simulator of MPI programs on networks of parallel computers
 Heliograph replays traces and generated workloads of MPI programs over packet
 switching, an optically disaggregated memory pool, photonic circuits and
 segments, and time-division multiplexing. It tells how long a program takes
 there, which ranks wait for what, and what each message does; it schedules
 light paths with proven bounds, and breaks the time of a small message down
 to nanoseconds.
 .
 This package has the program helio, its manual, pages and examples.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
helio_package(library libheliograph${HELIO_SOVERSION}
  "library of the interconnect simulator Heliograph
 The library runs experiments of Heliograph from a program: it loads an
 experiment, runs it and gives its results, and takes fabrics that the
 program brings along.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libheliograph${HELIO_SOVERSION} (= ${PROJECT_VERSION})")
helio_package(dev libheliograph-dev
  "library of the interconnect simulator Heliograph: header
 This package has what programs and plug-ins are compiled with: the header
 heliograph.h, and the files by which pkg-config and CMake find the library.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, libheliograph${HELIO_SOVERSION} (= ${PROJECT_VERSION})")
helio_package(python python3-heliograph
  "library of the interconnect simulator Heliograph, from Python
 The module heliograph runs experiments, gives their results, and takes
 fabrics that are written in Python. It needs no compiler.")
foreach(mpi ${HELIO_MPIS})
  string(TOUPPER ${mpi} MPI)
  set(CPACK_DEBIAN_${MPI}_PACKAGE_DEPENDS "heliograph (= ${PROJECT_VERSION})")
  helio_package(${mpi} heliograph-${mpi}
    "interconnect simulator Heliograph: what runs inside ${mpi} programs
 This package has libraries that are loaded into unchanged MPI programs: one
 makes MPI_Alltoall and its kin faster, one writes a trace of all calls. It
 also has helio-sweep and helio-search, whose workers are the ranks of an MPI program.")
endforeach()
include(CPack)
