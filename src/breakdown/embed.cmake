# cmake -DFROM=... -DTO=thunderx2.c -P embed.cmake: the paper's system file as a C array, so that a command without
# --system needs no file beside the program.
file(READ ${FROM} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR length "${digits} / 2")
string(REGEX REPLACE "(................................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${TO} "/* Made by src/breakdown/embed.cmake from ${FROM}. */\n#include \"breakdown/system.h\"\n\n\
const size_t system_thunderx2_length = ${length};\nconst char system_thunderx2[] = {\n${bytes}};\n")
