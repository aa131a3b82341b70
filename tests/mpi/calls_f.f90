! Calls through the modules mpi and mpi_f08, and in calls_mpif.f90 through mpif.h. The three call different functions of
! the MPI, which the capture must all find. Runs with an even number of ranks.
subroutine old_interface()
    use mpi
    implicit none
    integer :: rank, ranks, other, error, request(2), status(MPI_STATUS_SIZE, 2), half, column
    double precision :: out(1000), in(1000)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    other = ieor(rank, 1)
    out = rank
    call MPI_Irecv(in, 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, request(1), error)
    call MPI_Isend(out, 10, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, request(2), error)
    call MPI_Waitall(2, request, status, error)
    call MPI_Sendrecv(out, 3, MPI_INTEGER, other, 2, in, 3, MPI_INTEGER, other, 2, MPI_COMM_WORLD, status(:, 1), error)
    call MPI_Allreduce(MPI_IN_PLACE, in, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call MPI_Bcast(out, 5, MPI_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD, error)
    call MPI_Type_vector(4, 1, 2, MPI_DOUBLE_PRECISION, column, error)
    call MPI_Type_commit(column, error)
    call MPI_Alltoall(out, 1, column, in, 32, MPI_BYTE, MPI_COMM_WORLD, error)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, error)
    call MPI_Barrier(half, error)
    call MPI_Comm_free(half, error)
end subroutine old_interface

subroutine new_interface()
    use mpi_f08
    implicit none
    integer :: rank, other
    type(MPI_Request) :: request
    double precision :: out(1000), in(1000)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    other = ieor(rank, 1)
    out = rank
    call MPI_Irecv(in, 6, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, request)
    call MPI_Send(out, 6, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Iallreduce(out, in, 7, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Reduce(out, in, 8, MPI_REAL, MPI_SUM, 1, MPI_COMM_WORLD)
end subroutine new_interface

program calls_f
    use mpi
    implicit none
    integer :: error
    call MPI_Init(error)
    call oldest_interface()
    call old_interface()
    call new_interface()
    call MPI_Finalize(error)
end program calls_f
