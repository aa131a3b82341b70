! A file of its own, since mpif.h declares no interfaces and the compiler would compare the calls with the modules'.
subroutine oldest_interface()
    implicit none
    include 'mpif.h'
    integer :: rank, other, error, request, status(MPI_STATUS_SIZE), late
    logical :: is_cancelled
    double precision :: out(1000), in(1000)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    other = ieor(rank, 1)
    out = rank
    call MPI_Irecv(in, 11, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, request, error)
    call MPI_Cancel(request, error)
    call MPI_Wait(request, status, error)
    call MPI_Test_cancelled(status, is_cancelled, error)
    if (.not. is_cancelled) print *, 'a receive of nothing was not cancelled'
    call MPI_Comm_idup(MPI_COMM_WORLD, late, request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(out, 12, MPI_REAL8, other, 5, in, 12, MPI_REAL8, other, 5, late, status, error)
    call MPI_Gather(out, 13, MPI_INTEGER, in, 13, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    call MPI_Comm_free(late, error)
end subroutine oldest_interface
