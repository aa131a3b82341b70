! MPI_ALLTOALL, V and W from Fortran, by mpif.h, mpi and mpi_f08, with MPI_IN_PLACE, and with ierror left out. Buffers are named
! by their first elements where there is no interface, since compilers require the same argument types in all such calls.
subroutine by_include(failures)
  implicit none
  include 'mpif.h'
  integer, intent(inout) :: failures
  integer :: rank, ranks, i, error
  integer, allocatable :: send(:), recv(:)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate (send(0:ranks - 1), recv(0:ranks - 1))
  send = [(rank * 100 + i, i = 0, ranks - 1)]
  recv = -1
  call MPI_ALLTOALL(send(0), 1, MPI_INTEGER, recv(0), 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(recv /= [(i * 100 + rank, i = 0, ranks - 1)])) failures = failures + 1
  call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, send(0), 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(send /= recv)) failures = failures + 1
  call vectors_by_include(rank, ranks, failures)
end subroutine

! Rank i sends i + 1 numbers to each rank. They are received in reverse order of ranks.
subroutine vectors_by_include(rank, ranks, failures)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank, ranks
  integer, intent(inout) :: failures
  integer :: i, error, mine(0:ranks - 1), places(0:ranks - 1), theirs(0:ranks - 1), reversed(0:ranks - 1)
  integer :: types(0:ranks - 1), send(0:ranks*ranks), recv(0:ranks*ranks), expected(0:ranks*ranks)
  mine = rank + 1
  places = [(i*ranks, i = 0, ranks - 1)]
  theirs = [(i + 1, i = 0, ranks - 1)]
  reversed = [((ranks - 1 - i)*ranks, i = 0, ranks - 1)]
  send = rank
  expected = -1
  do i = 0, ranks - 1
    expected(reversed(i):reversed(i) + i) = i
  end do
  recv = -1
  call MPI_ALLTOALLV(send(0), mine, places, MPI_INTEGER, recv(0), theirs, reversed, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(recv /= expected)) failures = failures + 1
  types = MPI_INTEGER
  recv = -1
  call MPI_ALLTOALLW(send(0), mine, 4*places, types, recv(0), theirs, 4*reversed, types, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(recv /= expected)) failures = failures + 1
end subroutine

subroutine by_module(failures)
  use mpi
  implicit none
  integer, intent(inout) :: failures
  integer :: rank, ranks, i, error
  integer, allocatable :: both(:)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate (both(0:ranks - 1))
  both = [(rank * 100 + i, i = 0, ranks - 1)]
  call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, both(0), 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(both /= [(i * 100 + rank, i = 0, ranks - 1)])) failures = failures + 1
  both = [(rank * 100 + i, i = 0, ranks - 1)]
  call MPI_ALLTOALLV(MPI_IN_PLACE, both, both, MPI_DATATYPE_NULL, both(0), [(1, i = 0, ranks - 1)], [(i, i = 0, ranks - 1)], &
                     MPI_INTEGER, MPI_COMM_WORLD, error)
  if (error /= MPI_SUCCESS .or. any(both /= [(i * 100 + rank, i = 0, ranks - 1)])) failures = failures + 1
end subroutine

subroutine by_module_of_2008(failures)
  use mpi_f08
  implicit none
  integer, intent(inout) :: failures
  integer :: rank, ranks, i
  double precision, allocatable :: send(:), recv(:)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks)
  allocate (send(0:ranks - 1), recv(0:ranks - 1))
  send = [(rank * 1d2 + i, i = 0, ranks - 1)]
  recv = -1
  call MPI_ALLTOALL(send, 1, MPI_DOUBLE_PRECISION, recv, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  if (any(recv /= [(i * 1d2 + rank, i = 0, ranks - 1)])) failures = failures + 1
  call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_INTEGER, send, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  if (any(send /= recv)) failures = failures + 1
  recv = [(rank * 1d2 + i, i = 0, ranks - 1)]
  call MPI_ALLTOALLV(recv, [(1, i = 0, ranks - 1)], [(i, i = 0, ranks - 1)], MPI_DOUBLE_PRECISION, &
                     send, [(1, i = 0, ranks - 1)], [(i, i = 0, ranks - 1)], MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  if (any(send /= [(i * 1d2 + rank, i = 0, ranks - 1)])) failures = failures + 1
  call MPI_ALLTOALLW(MPI_IN_PLACE, [0], [0], [MPI_INTEGER], recv, [(1, i = 0, ranks - 1)], [(8*i, i = 0, ranks - 1)], &
                     [(MPI_DOUBLE_PRECISION, i = 0, ranks - 1)], MPI_COMM_WORLD)
  if (any(send /= recv)) failures = failures + 1
end subroutine

program alltoall_f
  use mpi
  implicit none
  integer :: failures, all_failures(1), rank, error
  failures = 0
  call MPI_INIT(error)
  call by_include(failures)
  call by_module(failures)
  call by_module_of_2008(failures)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_ALLREDUCE([failures], all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'failures ', all_failures(1)
  call MPI_FINALIZE(error)
  if (all_failures(1) > 0) stop 1
end program
