! ring.c in Fortran: the compiler and the module file are those of the MPI that runs the program.
program ring_f
    use mpi
    implicit none
    integer :: rank, ranks, came, error, status(MPI_STATUS_SIZE)
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    came = -1
    call MPI_Sendrecv(rank, 1, MPI_INTEGER, mod(rank + 1, ranks), 7, came, 1, MPI_INTEGER, &
                      mod(rank + ranks - 1, ranks), 7, MPI_COMM_WORLD, status, error)
    call MPI_Finalize(error)
    if (ranks < 2 .or. came /= mod(rank + ranks - 1, ranks)) then
        print *, 'rank', rank, 'of', ranks, ':', came, 'came round the ring'
        stop 1
    end if
end program ring_f
