/* Which environments make a process a rank: those that launchers make, and no rest of one. */
#include "ranks/comm.h"

#include "check.h"

static const char *const names[] = {
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_RANK",
    "PMI_SIZE",
    "PMI_RANK",
    "PMI_FD",
    "PMI_PORT",
    "PMI_CONTROL_PORT",
    "PMI_ID",
    "PMIX_RANK",
    "SLURM_STEP_NUM_TASKS",
    "SLURM_NTASKS",
    "SLURM_PROCID",
};

/* Settings in pairs, then how many ranks and which one. */
static const struct {
    const char *set[10];
    int size, rank;
} environments[] = {
    {{NULL}, 1, 0},
    // what launchers set
    {{"OMPI_COMM_WORLD_SIZE", "3", "OMPI_COMM_WORLD_RANK", "2", "PMIX_RANK", "2"}, 3, 2},
    {{"PMI_SIZE", "4", "PMI_RANK", "1", "PMI_FD", "7"}, 4, 1},
    {{"PMI_SIZE", "4", "PMI_RANK", "1", "PMI_PORT", "node:34567", "PMI_ID", "1"}, 4, 1},
    {{"PMI_SIZE", "4", "PMI_RANK", "3", "PMI_CONTROL_PORT", "20001"}, 4, 3},
    {{"SLURM_STEP_NUM_TASKS", "8", "PMIX_RANK", "5", "SLURM_NTASKS", "8", "SLURM_PROCID", "5"},
     8,
     5},
    {{"OMPI_COMM_WORLD_SIZE", "1", "OMPI_COMM_WORLD_RANK", "0"}, 1, 0},
    {{"PMI_SIZE", "1", "PMI_RANK", "0", "PMI_FD", "7"}, 1, 0},
    // what a shell may hold
    {{"PMI_SIZE", "2"}, 1, 0},
    {{"PMI_SIZE", "2", "PMI_RANK", "1"}, 1, 0},
    {{"PMI_SIZE", "2", "PMI_FD", "7"}, 1, 0},
    {{"PMI_RANK", "1", "PMI_FD", "7"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "2"}, 1, 0},
    {{"OMPI_COMM_WORLD_RANK", "1"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "2", "PMI_RANK", "1"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "2", "PMIX_RANK", "1"}, 1, 0},
    {{"PMIX_RANK", "1"}, 1, 0},
    {{"SLURM_NTASKS", "8", "SLURM_STEP_NUM_TASKS", "8", "SLURM_PROCID", "0"}, 1, 0}, // no MPI
    // the rest of one launcher beside another, whole
    {{"OMPI_COMM_WORLD_SIZE", "2", "PMI_SIZE", "4", "PMI_RANK", "1", "PMI_FD", "7"}, 4, 1},
    // no numbers of ranks
    {{"OMPI_COMM_WORLD_SIZE", "", "OMPI_COMM_WORLD_RANK", ""}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "two", "OMPI_COMM_WORLD_RANK", "1"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "2x", "OMPI_COMM_WORLD_RANK", "1"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_RANK", "2"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "2", "OMPI_COMM_WORLD_RANK", "-1"}, 1, 0},
    {{"OMPI_COMM_WORLD_SIZE", "4294967298", "OMPI_COMM_WORLD_RANK", "1"}, 1, 0},
};

static void a_rank_is_what_a_launcher_started(void)
{
    for (int i = 0; i < RAMUS_COUNT(environments); i++) {
        for (int j = 0; j < RAMUS_COUNT(names); j++)
            (void)unsetenv(names[j]);
        const char *const *set = environments[i].set;
        for (int j = 0; j + 1 < RAMUS_COUNT(environments[i].set) && set[j]; j += 2)
            (void)setenv(set[j], set[j + 1], 1);
        const int size = ramus_comm_launched(), rank = ramus_comm_launched_as();
        EXPECT(size == environments[i].size && rank == environments[i].rank,
               "environment %d (%s): rank %d of %d, expected %d of %d", i,
               set[0] ? set[0] : "empty", rank, size, environments[i].rank, environments[i].size);
    }
}

CHECK_MAIN({"a_rank_is_what_a_launcher_started", a_rank_is_what_a_launcher_started})
