# cmake -DFOLDER=... -DTO=page_parts.c -P embed.cmake: page.html, page.css and page.js as C arrays, so that a report
# needs no file of ours beside the program.
set(text "/* Made by src/report/page/embed.cmake from the files beside it. */\n#include \"report/page_parts.h\"\n")
foreach(kind html css js)
  file(READ ${FOLDER}/page.${kind} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "\nconst size_t page_${kind}_length = ${length};\nconst char page_${kind}[] = {\n${bytes}};\n")
endforeach()
file(WRITE ${TO} "${text}")
