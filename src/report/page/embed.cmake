# cmake -DFOLDER=... -DFILES=page.html,... -DTO=page_files.c -P embed.cmake: the files of a page as C arrays, so that a
# report needs no file of ours beside the program: page.css becomes page_css.
set(text "/* Made by src/report/page/embed.cmake from the files beside it. */\n#include \"report/page_files.h\"\n")
string(REPLACE "," ";" files "${FILES}")
foreach(file ${files})
  file(READ ${FOLDER}/${file} bytes HEX)
  string(REPLACE "." "_" name ${file})
  string(LENGTH "${bytes}" digits)
  math(EXPR length "${digits} / 2")
  string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND text "\nconst size_t ${name}_length = ${length};\nconst char ${name}[] = {\n${bytes}};\n")
endforeach()
file(WRITE ${TO} "${text}")
