# Inputs of pw.x and hpcc, for scripts that run them.

# The file of Debian's packages from which the pseudopotential of silicon is unpacked; nothing if it is not there.
silicon_file() {
    find /usr/share/doc/quantum-espresso/examples -name 'Si.pz-vbc.UPF.gz' 2>/dev/null | head -n 1
}

# Eight atoms of silicon, whose pseudopotential is Si.pz-vbc.UPF in FOLDER. Its Fourier transforms are small, with
# alltoalls of tens of bytes.
pw_input() { # FOLDER
    cat <<INPUT
&control
  calculation = 'scf', prefix = 'silicon', pseudo_dir = '$1', outdir = './out', disk_io = 'none'
/
&system
  ibrav = 1, celldm(1) = 10.26, nat = 8, ntyp = 1, ecutwfc = 16
/
&electrons
  conv_thr = 1.0d-8
/
ATOMIC_SPECIES
  Si 28.086 Si.pz-vbc.UPF
ATOMIC_POSITIONS (crystal)
  Si 0.00 0.00 0.00
  Si 0.50 0.50 0.00
  Si 0.50 0.00 0.50
  Si 0.00 0.50 0.50
  Si 0.25 0.25 0.25
  Si 0.75 0.75 0.25
  Si 0.75 0.25 0.75
  Si 0.25 0.75 0.75
K_POINTS (gamma)
INPUT
}

# The Fourier transform of hpcc is measured; its size follows from N. On 16 ranks its blocks have 8 KiB. The grid of processes
# does not matter for it, so it is one row. hpcc identifies lines by their number alone. The last four lines must say 0: if
# they announce further matrices without their sizes, hpcc takes sizes from uninitialised memory, and in some runs allocates
# gigabytes.
hpcc_input() { # RANKS
    cat <<INPUT
HPLinpack benchmark input file
heliograph
HPL.out      file
8            device: the file
1            problem sizes
1200         N
1            block sizes
40           NB
0            process mapping: row-major
1            process grids
1            P
$1       Q
16.0         threshold
1            panel factorizations
2            PFACT
1            recursive stopping criteria
4            NBMIN
1            panels in recursion
2            NDIV
1            recursive panel factorizations
1            RFACT
1            broadcasts
0            BCAST
1            lookahead depths
0            DEPTH
2            SWAP
64           swapping threshold
0            L1
0            U
1            equilibration
8            memory alignment
             (line 32 is not read)
0            further matrices of PTRANS
0            their N
0            further block sizes of PTRANS
0            their NB
INPUT
}

# A Lennard-Jones melt of 864 atoms, whose energies and pressure are printed, and so summed over all ranks, at each step.
lammps_input() {
    cat <<INPUT
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
thermo 1
run 500
INPUT
}
