! The same functions of the MPI, called often from two lines each, through frames of different sizes.
subroutine from_first(size)
    use mpi
    implicit none
    integer, intent(in) :: size
    integer :: error, sum
    double precision :: room(size)
    room = size
    call MPI_Allreduce(int(room(1)), sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! line 1
    if (sum < 0) print *, room
end subroutine from_first

recursive subroutine from_second(depth)
    use mpi
    implicit none
    integer, intent(in) :: depth
    integer :: error, sum
    if (depth > 0) then
        call from_second(depth - 1)
        return
    end if
    call MPI_Allreduce(depth, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error) ! line 2
end subroutine from_second

program where
    use mpi_f08
    implicit none
    integer :: i, n
    call MPI_Init()
    do i = 1, 1000
        if (mod(i, 7) < 3) then
            call from_first(1 + mod(i, 100))
        else
            call from_second(mod(i, 5))
        end if
        n = i
        if (mod(i, 3) == 0) call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD) ! line 3
        if (mod(i, 3) /= 0) call MPI_Bcast(n, 1, MPI_INTEGER, 0, MPI_COMM_WORLD) ! line 4
    end do
    call MPI_Finalize()
end program where
