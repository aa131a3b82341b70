# Reads src/rooms.txt: for each ROOM
#
#   helio_ROOM_USES       the libraries of the rooms that it may include
#   helio_ROOM_LIBRARIES  the outside libraries, as targets
#
# and makes a static library of every room that has no CMake code of its own: `engine/rank` becomes engine_rank. Its
# sources are the .c files in its folder and the folders below, except those of rooms inside it and those of programs,
# main.c and main_*.c.
set(rooms_file ${PROJECT_SOURCE_DIR}/src/rooms.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rooms_file})
file(STRINGS ${rooms_file} rooms_lines REGEX "^[a-z]")

set(helio_rooms "")
foreach(line ${rooms_lines})
  string(REGEX REPLACE "^([a-z0-9/]+):.*" "\\1" room "${line}")
  list(APPEND helio_rooms ${room})
endforeach()

# The folder of a room.
function(helio_room_folder room variable)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/${room})
    set(${variable} ${PROJECT_SOURCE_DIR}/src/${room} PARENT_SCOPE)
  else()
    set(${variable} ${PROJECT_SOURCE_DIR}/${room} PARENT_SCOPE)
  endif()
endfunction()

# The sources of a room, without those of the rooms inside it.
function(helio_room_sources room variable)
  helio_room_folder(${room} folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/main(_[a-z]+)?\\.c$")
  foreach(other ${helio_rooms})
    if(other MATCHES "^${room}/")
      helio_room_folder(${other} inner)
      list(FILTER sources EXCLUDE REGEX "^${inner}/")
    endif()
  endforeach()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# Outside libraries: a module that pkg-config was asked for (PkgConfig::NAME, if it is there), or a system
# library, whose name is in small letters.
function(helio_room_libraries names variable)
  set(libraries "")
  foreach(name ${names})
    if(TARGET PkgConfig::${name})
      list(APPEND libraries PkgConfig::${name})
    elseif(name MATCHES "^[a-z]")
      list(APPEND libraries ${name})
    endif()
  endforeach()
  set(${variable} "${libraries}" PARENT_SCOPE)
endfunction()

foreach(line ${rooms_lines})
  string(REGEX MATCH "^([a-z0-9/]+):([^|]*)(\\|(.*))?$" matched "${line}")
  set(room ${CMAKE_MATCH_1})
  set(outside "${CMAKE_MATCH_4}")
  string(REGEX MATCHALL "[a-z0-9/]+" uses "${CMAKE_MATCH_2}")
  string(REGEX MATCHALL "[A-Za-z0-9]+" outside "${outside}")
  list(TRANSFORM uses REPLACE "/" "_")
  string(REPLACE "/" "_" target ${room})
  helio_room_libraries("${outside}" libraries)
  set(helio_${target}_USES "${uses}" CACHE INTERNAL "rooms that ${room} may include") # seen from all folders
  set(helio_${target}_LIBRARIES "${libraries}" CACHE INTERNAL "outside libraries of ${room}")
  if(NOT MPI IN_LIST outside AND NOT SHARED IN_LIST outside)
    helio_room_sources(${room} sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${uses} ${libraries})
  endif()
endforeach()
