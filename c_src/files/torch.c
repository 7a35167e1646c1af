/* Whether PyTorch's actions can say a schedule. In every core, since a figure lets its reader take the order along. Source:
 * torch/distributed/pipelining/schedules.py, _Action. */
#include "files/table.h"

/* Why it cannot, -1 if it can. */
static int32_t inexpressible(const pp_schedule *s) {
    if (pp_schedule_asynchronous(s->schedule)) return PP_TORCH_VERSIONS;
    if (s->pipes > 1) return PP_TORCH_PIPES;
    if (s->slices > 1) return PP_TORCH_SLICES;
    for (int32_t i = 0; i < s->action_count; i++)
        if (s->actions[i].op == PP_R) return PP_TORCH_RECOMPUTE;
    return -1;
}

int32_t pp_torch_check(const pp_schedule *s, pp_fault *fault) {
    int32_t reason = inexpressible(s);
    pp_fault scratch;
    if (reason < 0) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_INEXPRESSIBLE);
    fault->a = reason;
    if (s->schedule < 0) return PP_ERR_INEXPRESSIBLE; /* of a file: nobody asked for it by an option */
    if (reason == PP_TORCH_RECOMPUTE)
        pp_fault_fix_text(fault, PP_OPT_RECOMPUTE, "none");
    else
        pp_fault_fix_text(fault, PP_OPT_SCHEDULE, reason == PP_TORCH_PIPES ? "zb-v" : "1f1b");
    return PP_ERR_INEXPRESSIBLE;
}
