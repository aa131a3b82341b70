# cmake -DTOP=... -DFILES=papers/a/x.csv,papers/b/y.csv -DARRAY=paper_files -DHEADER=reproduce/papers.h -DTO=....c
#   -P embed-files.cmake
#
# Writes the C source of helio_embed (embed.cmake).
set(text "/* Made by cmake/embed-files.cmake from the files that it names. */\n#include \"${HEADER}\"\n")
set(list "")
string(REPLACE "," ";" files "${FILES}")
foreach(file ${files})
  string(MAKE_C_IDENTIFIER ${file} name)
  file(READ ${TOP}/${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "\nstatic const char ${name}[] = {\n${bytes}};\n")
  string(APPEND list "    {\"${file}\", ${name}, ${length}},\n")
endforeach()
string(APPEND text "\nconst struct embedded_file ${ARRAY}[] = {\n${list}    {NULL, NULL, 0},\n};\n")
file(WRITE ${TO} "${text}")
