/* How long a message of some size is on its way over each hop between stages. */
#include "core/fault.h"
#include "request/read.h"
#include "schedules/schedule.h"

int32_t pp_hops_read(const pp_text *given, int32_t stages, double *costs, pp_fault *fault) {
    pp_fault scratch;
    const pp_text bytes = given[PP_OPT_BYTES], bandwidth = given[PP_OPT_BANDWIDTH];
    double *size = costs + PP_COST_SIZE * (size_t)stages, *rate = costs + PP_COST_LATENCY * (size_t)stages;
    for (int32_t s = 0; s < stages; s++) size[s] = 0;
    if (bytes.begin == NULL && bandwidth.begin == NULL) return PP_OK;
    if (bytes.begin == NULL || bandwidth.begin == NULL) {
        const pp_text seen = bytes.begin != NULL ? bytes : bandwidth;
        fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_NEEDS);
        fault->option = bytes.begin != NULL ? PP_OPT_BYTES : PP_OPT_BANDWIDTH;
        fault->b = bytes.begin != NULL ? PP_OPT_BANDWIDTH : PP_OPT_BYTES;
        pp_fault_seen(fault, seen.begin, seen.length);
        pp_fault_fix_text(fault, fault->option, "");
        return PP_ERR_OPTION_NEEDS;
    }
    int32_t status = pp_list_read(bytes, PP_OPT_BYTES, stages, size, fault);
    if (status == PP_OK) status = pp_list_read(bandwidth, PP_OPT_BANDWIDTH, stages, rate, fault);
    if (status != PP_OK) return status;
    for (int32_t s = 0; s + 1 < stages; s++) {
        if (rate[s] <= 0) {
            fault = pp_fault_start(fault, &scratch, PP_ERR_RANGE);
            fault->option = PP_OPT_BANDWIDTH;
            fault->stage = s;
            pp_fault_seen_number(fault, rate[s]);
            return PP_ERR_RANGE;
        }
        size[s] /= rate[s];
    }
    size[stages - 1] = 0; /* behind the last stage there is no hop */
    return PP_OK;
}
