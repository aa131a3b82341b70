#ifndef TESTS_SUPPORT_HOSTS_H
#define TESTS_SUPPORT_HOSTS_H

#include "base/time.h"

/* Table 1 of "Breaking Band" in picoseconds, and sums of it, for hosts that tests work out by hand. */
#define HLP_POST_PS    INT64_C(26560)
#define LLP_POST_PS    INT64_C(175420)
#define POST_PS        (HLP_POST_PS + LLP_POST_PS)
#define SENT_PS        INT64_C(62990) /* Post_prog 59.82 and Misc 3.17 */
#define PCIE_PS        INT64_C(137490)
#define NETWORK_PS     INT64_C(382810)
#define TO_MEMORY_PS   INT64_C(378450) /* PCIe and RC-to-MEM */
#define LLP_PROG_PS    INT64_C(61630)
#define CALLBACKS_PS   INT64_C(187770)
#define UCP_CALLBACK   INT64_C(139780)
#define AFTER_PS       INT64_C(36890)
#define RX_PS          (LLP_PROG_PS + CALLBACKS_PS + AFTER_PS)
#define WAIT_PS        (INT64_C(443800) - CALLBACKS_PS - AFTER_PS) /* time before the receiver polls */
#define FLIGHT_PS      (PCIE_PS + NETWORK_PS + TO_MEMORY_PS)
#define LATENCY_PS     (POST_PS + FLIGHT_PS + RX_PS)
#define INJECTION_PS   (POST_PS + SENT_PS)
#define ACKNOWLEDGE_PS (NETWORK_PS + PCIE_PS + INT64_C(240960))

#define SYSTEM  "host.system=thunderx2"
#define NETWORK "hockney.latency=382.81ns"

/* The setting of a system file like the paper's except for these lines. hosts_forget removes the file. */
char *hosts_system_with(const char *lines);
void hosts_forget(char *setting);

#endif
