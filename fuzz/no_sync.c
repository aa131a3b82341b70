/* Targets that write files do not wait for the disk: linked with --wrap. */
int __wrap_fsync(int descriptor);
int __wrap_fdatasync(int descriptor);

int __wrap_fsync(int descriptor)
{
    (void)descriptor;
    return 0;
}

int __wrap_fdatasync(int descriptor)
{
    (void)descriptor;
    return 0;
}
