! Blocking collective calls from Fortran by mpif.h, mpi and mpi_f08: all kinds, MPI_IN_PLACE, types of Fortran, an operation of
! the user, and ierror left out. Buffers are named by their first elements where there is no interface, since compilers require
! the same argument types in all such calls.
module results
  implicit none
  integer :: failures = 0
contains
  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(*), intent(in) :: what
    if (is_right) return
    failures = failures + 1
    print '(2a)', 'wrong: ', what
  end subroutine
end module

subroutine keep_left(in, inout, length, datatype)
  implicit none
  integer, intent(in) :: length, datatype
  integer, intent(in) :: in(length)
  integer, intent(inout) :: inout(length)
  inout = in + 0*(inout + datatype)
end subroutine

subroutine by_include(root)
  use results
  implicit none
  include 'mpif.h'
  integer, intent(in) :: root
  integer :: rank, ranks, i, error, left
  integer, allocatable :: both(:), mine(:), counts(:), places(:)
  external :: keep_left
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate (both(0:2*ranks - 1), mine(0:2*ranks - 1), counts(0:ranks - 1), places(0:ranks - 1))
  counts = 2
  places = [(2*(ranks - 1 - i), i = 0, ranks - 1)]
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  mine = -1
  if (rank == root) mine = 7
  call MPI_BCAST(mine(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  call check(all(mine(0:1) == 7), 'mpif.h: bcast')
  mine = rank
  both = -1
  call MPI_GATHER(mine(0), 2, MPI_INTEGER, both(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  if (rank == root) call check(all(both - [(i/2, i = 0, 2*ranks - 1)] == 0), 'mpif.h: gather')
  both = [(i/2 + 5, i = 0, 2*ranks - 1)]
  call MPI_SCATTER(both(0), 2, MPI_INTEGER, mine(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  call check(all(mine(0:1) == rank + 5), 'mpif.h: scatter')
  both = -1
  call MPI_GATHERV(mine(0), 2, MPI_INTEGER, both(0), counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  if (rank == root) call check(all(both == [(ranks - 1 - i/2 + 5, i = 0, 2*ranks - 1)]), 'mpif.h: gatherv')
  both = [(i/2 + 5, i = 0, 2*ranks - 1)]
  call MPI_SCATTERV(both(0), counts, places, MPI_INTEGER, mine(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  call check(all(mine(0:1) == ranks - 1 - rank + 5), 'mpif.h: scatterv')
  mine(0:1) = rank + 5
  call MPI_ALLGATHER(mine(0), 2, MPI_INTEGER, both(0), 2, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check(all(both - [(i/2 + 5, i = 0, 2*ranks - 1)] == 0), 'mpif.h: allgather')
  call MPI_ALLGATHERV(mine(0), 2, MPI_INTEGER, both(0), counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check(all(both - [(ranks - 1 - i/2 + 5, i = 0, 2*ranks - 1)] == 0), 'mpif.h: allgatherv')
  mine = rank + 1
  call MPI_REDUCE(mine(0), both(0), 2, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, error)
  if (rank == root) call check(all(both(0:1) == ranks*(ranks + 1)/2), 'mpif.h: reduce')
  call MPI_ALLREDUCE(mine(0), both(0), 2, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  call check(all(both(0:1) == ranks), 'mpif.h: allreduce')
  call MPI_REDUCE_SCATTER(mine(0), both(0), counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(both(0:1) == ranks*(ranks + 1)/2), 'mpif.h: reduce_scatter')
  call MPI_REDUCE_SCATTER_BLOCK(mine(0), both(0), 2, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, error)
  call check(all(both(0:1) == 1), 'mpif.h: reduce_scatter_block')
  call MPI_OP_CREATE(keep_left, .false., left, error)
  call MPI_ALLREDUCE(mine(0), both(0), 2, MPI_INTEGER, left, MPI_COMM_WORLD, error)
  call check(all(both(0:1) == 1), 'mpif.h: allreduce by an operation of the user')
  call MPI_REDUCE(mine(0), both(0), 2, MPI_INTEGER, left, root, MPI_COMM_WORLD, error)
  if (rank == root) call check(all(both(0:1) == 1), 'mpif.h: reduce by an operation of the user')
  call MPI_OP_FREE(left, error)
  call check(error == MPI_SUCCESS, 'mpif.h: ierror')
  call in_place_by_include(root, rank, ranks)
end subroutine

subroutine in_place_by_include(root, rank, ranks)
  use results
  implicit none
  include 'mpif.h'
  integer, intent(in) :: root, rank, ranks
  integer :: i, error, numbers(0:2*ranks - 1), counts(0:ranks - 1), places(0:ranks - 1)
  counts = 2
  places = [(2*i, i = 0, ranks - 1)]
  numbers = rank
  if (rank == root) then
    call MPI_GATHER(MPI_IN_PLACE, 0, MPI_INTEGER, numbers(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    call check(all(numbers == [(i/2, i = 0, 2*ranks - 1)]), 'in place: gather')
    call MPI_SCATTER(numbers(0), 2, MPI_INTEGER, MPI_IN_PLACE, 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  else
    call MPI_GATHER(numbers(0), 2, MPI_INTEGER, numbers(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    numbers = -1
    call MPI_SCATTER(numbers(0), 2, MPI_INTEGER, numbers(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    call check(all(numbers(0:1) == rank), 'in place: scatter')
  end if
  numbers = rank
  if (rank == root) then
    call MPI_GATHERV(MPI_IN_PLACE, 0, MPI_INTEGER, numbers(0), counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    call check(all(numbers == [(i/2, i = 0, 2*ranks - 1)]), 'in place: gatherv')
    call MPI_SCATTERV(numbers(0), counts, places, MPI_INTEGER, MPI_IN_PLACE, 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
  else
    call MPI_GATHERV(numbers(0), 2, MPI_INTEGER, numbers(0), counts, places, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    numbers = -1
    call MPI_SCATTERV(numbers(0), counts, places, MPI_INTEGER, numbers(0), 2, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    call check(all(numbers(0:1) == rank), 'in place: scatterv')
  end if
  numbers = rank
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_INTEGER, numbers(0), 2, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check(all(numbers == [(i/2, i = 0, 2*ranks - 1)]), 'in place: allgather')
  numbers = rank
  call MPI_ALLGATHERV(MPI_IN_PLACE, 0, MPI_INTEGER, numbers(0), counts, places, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check(all(numbers == [(i/2, i = 0, 2*ranks - 1)]), 'in place: allgatherv')
  numbers = rank + 1
  call MPI_ALLREDUCE(MPI_IN_PLACE, numbers(0), 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(numbers(0:1) == ranks*(ranks + 1)/2), 'in place: allreduce')
  numbers = rank + 1
  if (rank == root) then
    call MPI_REDUCE(MPI_IN_PLACE, numbers(0), 2, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, error)
    call check(all(numbers(0:1) == ranks*(ranks + 1)/2), 'in place: reduce')
  else
    call MPI_REDUCE(numbers(0), numbers(0), 2, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, error)
  end if
  numbers = rank + 1
  call MPI_REDUCE_SCATTER(MPI_IN_PLACE, numbers(0), counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(numbers(0:1) == ranks*(ranks + 1)/2), 'in place: reduce_scatter')
  numbers = rank + 1
  call MPI_REDUCE_SCATTER_BLOCK(MPI_IN_PLACE, numbers(0), 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(numbers(0:1) == ranks*(ranks + 1)/2), 'in place: reduce_scatter_block')
end subroutine

subroutine by_module
  use mpi
  use results
  implicit none
  integer :: rank, ranks, error
  integer, allocatable :: mine(:)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  allocate (mine(0:ranks - 1))
  mine = rank
  call MPI_BCAST(mine(0), ranks, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, error)
  call check(all(mine == ranks - 1), 'mpi: bcast')
  call MPI_ALLREDUCE(MPI_IN_PLACE, mine(0), ranks, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(mine == ranks*(ranks - 1)), 'mpi: allreduce in place')
  mine = rank
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, mine(0), 1, MPI_INTEGER, MPI_COMM_WORLD, error)
  call check(sum(mine) == ranks*(ranks - 1)/2, 'mpi: allgather in place')
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  call check(error == MPI_SUCCESS, 'mpi: ierror')
end subroutine

! The types that only Fortran has. The module mpi has no interfaces in every MPI, so compilers would warn of other types than
! in the calls before.
subroutine types_of_fortran
  use mpi_f08
  use results
  implicit none
  logical :: truths(2), results_of(2)
  double precision :: pair(2), least(2), numbers(3)
  complex :: parts(2)
  double precision :: sized(57)
  integer :: rank, ranks, error
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  truths = [rank == 0, rank >= 0]
  call MPI_ALLREDUCE(truths, results_of, 2, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, error)
  call check((results_of(1) .eqv. ranks == 1) .and. results_of(2), 'types: logical and')
  call MPI_ALLREDUCE(truths, results_of, 2, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, error)
  call check(all(results_of), 'types: logical or')
  pair = [dble(mod(rank + 1, ranks)), dble(rank)]
  call MPI_ALLREDUCE(pair, least, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, error)
  call check(least(1) == 0 .and. least(2) == ranks - 1, 'types: place of the least')
  parts = cmplx(1, rank)
  call MPI_ALLREDUCE(MPI_IN_PLACE, parts, 2, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(parts == cmplx(ranks, ranks*(ranks - 1)/2)), 'types: complex sum')
  numbers = rank
  call MPI_BCAST(numbers, 3, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, error)
  call check(all(numbers == ranks - 1), 'types: bcast')
  sized = rank
  call MPI_ALLREDUCE(MPI_IN_PLACE, sized, 57, MPI_REAL8, MPI_SUM, MPI_COMM_WORLD, error)
  call check(all(sized == ranks*(ranks - 1)/2), 'types: sum of eight bytes')
end subroutine

subroutine by_module_of_2008(root)
  use mpi_f08
  use results
  implicit none
  integer, intent(in) :: root
  integer :: rank, ranks, i
  double precision, allocatable :: all_numbers(:), mine(:)
  integer, allocatable :: counts(:), places(:)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks)
  allocate (all_numbers(0:ranks - 1), mine(0:ranks - 1), counts(0:ranks - 1), places(0:ranks - 1))
  counts = 1
  places = [(i, i = 0, ranks - 1)]
  call MPI_BARRIER(MPI_COMM_WORLD)
  mine = merge(7, -1, rank == root)
  call MPI_BCAST(mine, ranks, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD)
  call check(all(mine == 7), 'mpi_f08: bcast')
  mine = rank
  all_numbers = -1
  call MPI_GATHER(mine, 1, MPI_DOUBLE_PRECISION, all_numbers, 1, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD)
  if (rank == root) call check(all(all_numbers == places), 'mpi_f08: gather')
  all_numbers = places + 3
  call MPI_SCATTER(all_numbers, 1, MPI_DOUBLE_PRECISION, mine, 1, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD)
  call check(mine(0) == rank + 3, 'mpi_f08: scatter')
  all_numbers = -1
  call MPI_GATHERV(mine, 1, MPI_DOUBLE_PRECISION, all_numbers, counts, places, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD)
  if (rank == root) call check(all(all_numbers == places + 3), 'mpi_f08: gatherv')
  all_numbers = places + 3
  call MPI_SCATTERV(all_numbers, counts, places, MPI_DOUBLE_PRECISION, mine, 1, MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD)
  call check(mine(0) == rank + 3, 'mpi_f08: scatterv')
  all_numbers = -1
  call MPI_ALLGATHER(mine, 1, MPI_DOUBLE_PRECISION, all_numbers, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  call check(all(all_numbers == places + 3), 'mpi_f08: allgather')
  all_numbers = -1
  call MPI_ALLGATHERV(mine, 1, MPI_DOUBLE_PRECISION, all_numbers, counts, places, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  call check(all(all_numbers == places + 3), 'mpi_f08: allgatherv')
  all_numbers = rank
  call MPI_ALLGATHER(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_numbers, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD)
  call check(all(all_numbers == places), 'mpi_f08: allgather in place')
  call reductions_of_2008(root, rank, ranks)
end subroutine

subroutine reductions_of_2008(root, rank, ranks)
  use mpi_f08
  use results
  implicit none
  integer, intent(in) :: root, rank, ranks
  double precision :: mine(0:ranks - 1), sums(0:ranks - 1), total
  integer :: counts(0:ranks - 1)
  counts = 1
  total = ranks*(ranks + 1)/2d0
  mine = rank + 1
  sums = -1
  call MPI_REDUCE(mine, sums, ranks, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD)
  if (rank == root) call check(all(sums == total), 'mpi_f08: reduce')
  sums = -1
  call MPI_ALLREDUCE(mine, sums, ranks, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call check(all(sums == total), 'mpi_f08: allreduce')
  sums = -1
  call MPI_REDUCE_SCATTER(mine, sums, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call check(sums(0) == total, 'mpi_f08: reduce_scatter')
  sums = -1
  call MPI_REDUCE_SCATTER_BLOCK(mine, sums, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  call check(sums(0) == ranks, 'mpi_f08: reduce_scatter_block')
  call MPI_ALLREDUCE(MPI_IN_PLACE, mine, ranks, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call check(all(mine == total), 'mpi_f08: allreduce in place')
  mine = rank + 1
  if (rank == root) then
    call MPI_REDUCE(MPI_IN_PLACE, mine, ranks, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD)
    call check(all(mine == total), 'mpi_f08: reduce in place')
  else
    call MPI_REDUCE(mine, sums, ranks, MPI_DOUBLE_PRECISION, MPI_SUM, root, MPI_COMM_WORLD)
  end if
end subroutine

program collectives_f
  use mpi
  use results
  implicit none
  integer :: all_failures, rank, ranks, root, error
  call MPI_INIT(error)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, error)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, error)
  do root = 0, ranks - 1
    call by_include(root)
    call by_module
    call types_of_fortran
    call by_module_of_2008(root)
  end do
  call MPI_ALLREDUCE(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) print '(a, i0)', 'failures ', all_failures
  flush (6)
  call MPI_FINALIZE(error)
  if (all_failures > 0) stop 1
end program
