! The heat equation on a line: MPI_Sendrecv with both neighbours, MPI_PROC_NULL at the ends.
program heat
  use mpi
  implicit none
  integer, parameter :: cells = 14400, steps = 40
  integer :: ranks, me, left, right, own, step, i, pass, error
  double precision, allocatable :: old(:), new(:)
  double precision :: change, all
  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  left = me - 1
  right = me + 1
  if (left < 0) left = MPI_PROC_NULL
  if (right == ranks) right = MPI_PROC_NULL
  own = cells / ranks
  allocate (old(0:own + 1), new(0:own + 1))
  old = me
  do step = 1, steps
    call MPI_Sendrecv(old(own), 1, MPI_DOUBLE_PRECISION, right, 1, old(0), 1, MPI_DOUBLE_PRECISION, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Sendrecv(old(1), 1, MPI_DOUBLE_PRECISION, left, 2, old(own + 1), 1, MPI_DOUBLE_PRECISION, right, 2, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    do pass = 1, 300
      do i = 1, own
        new(i) = old(i) + 0.25d0 * (old(i - 1) - 2 * old(i) + old(i + 1))
      end do
      old(1:own) = new(1:own)
    end do
    change = maxval(old(1:own))
    call MPI_Allreduce(change, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  end do
  if (me == 0) print '(a, es12.4)', 'largest', all
  call MPI_Finalize(error)
end program heat
