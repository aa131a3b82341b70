# cmake -DFROM=... -DNAME=... -DTO=....c -P embed.cmake: a system file as the C array system_NAME, so that a command needs no
# file beside the program.
file(READ ${FROM} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR length "${digits} / 2")
string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${TO} "/* Made by src/breakdown/embed.cmake from ${FROM}. */\n#include \"breakdown/system.h\"\n\n\
const size_t system_${NAME}_length = ${length};\nconst char system_${NAME}[] = {\n${bytes}};\n")
