! MPI_ALLTOALL from Fortran, by mpif.h, mpi and mpi_f08, with MPI_IN_PLACE, and with ierror left out. Buffers are named
! by their first elements where there is no interface: compilers want the arguments of all calls to be alike.
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
