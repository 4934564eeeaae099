/* Each rank reports how its options fared; all continue or none does. */
#include "cli/join.h"

#include <stdio.h>

bool ramus_command_join(ramus_comm **comm, const ramus_command *command, ramus_status st,
                        ramus_error *err, int *code)
{
    ramus_error trouble = {0};
    if (ramus_comm_open(comm, &trouble)) { // the others cannot be told: each rank prints its own
        (void)fprintf(stderr, "ramus %s: %s\n", command->name, trouble.message);
        *code = RAMUS_EXIT_FAILED;
        return false;
    }
    st = ramus_comm_agree(*comm, st, err);
    if (st) *code = ramus_command_misuse(command, err);
    return !st;
}
