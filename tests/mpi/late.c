/* Loads a program by dlopen, with local symbols, and with it an MPI, as Python does. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *program = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    int (*run)(int, char **) = program ? (int (*)(int, char **))dlsym(program, "main") : NULL;
    if (run)
        return run(argc - 1, argv + 1);
    fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no program is named");
    return 2;
}
