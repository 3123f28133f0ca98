// The kernel of pgs_kernel.cpp and pgs_prepare.cpp once more, one lane at a time and under other names, for comparison.
#ifndef MORAINE_SCALAR_LANES
#define MORAINE_SCALAR_LANES
#endif
#define first_tangent scalar_first_tangent
#define prepare_pgs_contacts scalar_prepare_pgs_contacts
#define warm_start_contacts scalar_warm_start_contacts
#define sweep_contacts scalar_sweep_contacts
#define push_apart scalar_push_apart
#define store_pgs_impulses scalar_store_pgs_impulses
#define share_movers scalar_share_movers

#include "dynamics/pgs_kernel.cpp"
#define Inputs ScalarInputs
#include "dynamics/pgs_prepare.cpp"
