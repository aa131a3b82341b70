# Debian packages: `cpack -G DEB` in the build's folder. heliograph is all but what is for MPI programs, which is
# heliograph-openmpi and heliograph-mpich, so that nobody gets an MPI that he does not want. What a package depends on,
# dpkg-shlibdeps finds in its binaries.
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN "*.so" EXCLUDE PATTERN Makefile EXCLUDE)

set(CPACK_PACKAGE_NAME heliograph)
set(CPACK_PACKAGE_VENDOR "The Heliograph authors")
set(CPACK_PACKAGE_CONTACT "The Heliograph authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL heliograph ${HELIO_MPIS})

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_HELIOGRAPH_PACKAGE_NAME heliograph)
set(CPACK_DEBIAN_HELIOGRAPH_PACKAGE_SUGGESTS python3)
set(CPACK_COMPONENT_HELIOGRAPH_DESCRIPTION
  "Replays traces and generated workloads of MPI programs over packet switching,
disaggregated memory, photonic circuits and time-division multiplexing, and says
where each nanosecond went.")
foreach(mpi ${HELIO_MPIS})
  string(TOUPPER ${mpi} MPI)
  set(CPACK_DEBIAN_${MPI}_PACKAGE_NAME heliograph-${mpi})
  set(CPACK_DEBIAN_${MPI}_PACKAGE_DEPENDS "heliograph (= ${PROJECT_VERSION})")
  set(CPACK_COMPONENT_${MPI}_DESCRIPTION
    "Sweeps with the ranks of an MPI program for workers, and what is loaded into
MPI programs, for ${mpi}.")
endforeach()
include(CPack)
