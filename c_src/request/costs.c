/* The costs of a request: what each op of each stage takes, and each hop. Read by the rules of pp_costs_read. */
#include "core/fault.h"
#include "request/conditions.h"
#include "request/partition.h"
#include "request/read.h"
#include "schedules/schedule.h"

int32_t pp_costs_bytes(const pp_config *config) {
    return PP_COST_ROWS * config->stages * (int32_t)sizeof(double) + pp_conditions_bytes(config) +
           pp_partition_bytes(config);
}

/* One list of costs, whoever's work it gives. text.begin NULL: row is filled with the standard. */
static int32_t work_read(pp_text text, int32_t option, const pp_config *config, double *row, pp_fault *fault) {
    const int32_t stages = config->stages, each = stages / config->ranks;
    double parts = pp_costs_shared_by(config);
    if (text.begin != NULL) {
        int32_t count = 0, status = PP_OK;
        if (config->costs_of != PP_COSTS_OF_CHUNK && each > 1 && config->layers == 0)
            status = pp_numbers_read(text, option, config->ranks, row, stages, &count, fault);
        if (status != PP_OK) return status;
        if (count == config->ranks && count > 1) {
            for (int32_t s = stages - 1; s >= 0; s--) row[s] = row[s / each];
        } else {
            status = pp_list_read(text, option, stages, row, fault);
            if (status != PP_OK) return status;
            if (count == stages) parts /= each; /* of chunks already */
        }
    }
    for (int32_t s = 0; s < stages; s++)
        if (row[s] > 0) row[s] /= parts; /* a negative one stands for what is not given */
    return PP_OK;
}

static int32_t split_backward(const pp_text *given, int32_t stages, double *input, double *weight, double *backward,
                              pp_fault *fault) {
    pp_fault scratch;
    int has_input = given[PP_OPT_INPUT_GRADIENT].begin != NULL,
        has_weight = given[PP_OPT_WEIGHT_GRADIENT].begin != NULL;
    int has_backward = given[PP_OPT_BACKWARD].begin != NULL;
    for (int32_t s = 0; s < stages; s++) {
        if (!has_backward) {
            backward[s] = input[s] + weight[s];
            continue;
        }
        if (!has_input && !has_weight) input[s] = weight[s] = backward[s] / 2;
        if (has_input && !has_weight) weight[s] = backward[s] - input[s];
        if (!has_input && has_weight) input[s] = backward[s] - weight[s];
        double sum = input[s] + weight[s], gap = sum - backward[s];
        if (input[s] < 0 || weight[s] < 0 || gap > 1e-9 * sum || gap < -1e-9 * sum) {
            fault = pp_fault_start(fault, &scratch, PP_ERR_COST_SPLIT);
            fault->option = PP_OPT_BACKWARD;
            fault->stage = s;
            pp_fault_seen_number(fault, backward[s]);
            double least = backward[0]; /* a half of it can be as much at every stage */
            int alike = 1;
            for (int32_t t = 0; t < stages; t++) {
                if (backward[t] < least) least = backward[t];
                alike &= input[t] + weight[t] == sum;
            }
            if (has_input && has_weight && !alike) /* no one number is the sum of all */
                pp_fault_fix_text(fault, PP_OPT_BACKWARD, "");
            else if (has_input && has_weight)
                pp_fault_fix_number(fault, PP_OPT_BACKWARD, sum);
            else
                pp_fault_fix_number(fault, has_input ? PP_OPT_INPUT_GRADIENT : PP_OPT_WEIGHT_GRADIENT, least);
            return PP_ERR_COST_SPLIT;
        }
        backward[s] = sum;
    }
    return PP_OK;
}

/* What other functions read: a request is refused as a whole, not when somebody asks for its memory. */
static int32_t check_amounts(const pp_text *given, int32_t stages, pp_fault *fault) {
    int32_t status = PP_OK;
    double value;
    for (int32_t o = PP_OPT_LATENCY + 1; o < PP_OPT_COUNT && status == PP_OK; o++) {
        if (given[o].begin == NULL) continue;
        if (pp_option_kind(o) == 'A') status = pp_list_read(given[o], o, stages, NULL, fault);
        if (pp_option_kind(o) == 'R') status = pp_amount_read(given[o], o, &value, fault);
    }
    return status;
}

int32_t pp_costs_read(const pp_request *request, const pp_config *config, double *costs, pp_fault *fault) {
    static const struct {
        int32_t option, row;
    } lists[] = {{PP_OPT_FORWARD, PP_COST_FORWARD},          {PP_OPT_INPUT_GRADIENT, PP_COST_INPUT},
                 {PP_OPT_WEIGHT_GRADIENT, PP_COST_WEIGHT},   {PP_OPT_BACKWARD, PP_COST_BACKWARD},
                 {PP_OPT_RECOMPUTE_COST, PP_COST_RECOMPUTE}, {PP_OPT_OVERLAP_COST, PP_COST_OVERLAP},
                 {PP_OPT_KEPT_SHARE, PP_COST_KEPT},          {PP_OPT_LATENCY, PP_COST_LATENCY}};
    const pp_text *given = request->given;
    int32_t stages = config->stages, status;
    status = check_amounts(given, stages, fault);
    if (status == PP_OK) status = pp_hops_read(given, stages, costs, fault);
    if (status != PP_OK) return status;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        double *row = costs + (size_t)lists[i].row * (size_t)stages;
        const int is_work = lists[i].row != PP_COST_KEPT && lists[i].row != PP_COST_LATENCY;
        for (int32_t s = 0; s < stages; s++) row[s] = pp_option_standard(lists[i].option);
        if (is_work)
            status = work_read(given[lists[i].option], lists[i].option, config, row, fault);
        else if (given[lists[i].option].begin != NULL)
            status = pp_list_read(given[lists[i].option], lists[i].option, stages, row, fault);
        if (status != PP_OK) return status;
    }
    for (int32_t s = 0; s < stages; s++) costs[PP_COST_LATENCY * stages + s] += costs[PP_COST_SIZE * stages + s];
    double *forward = costs + PP_COST_FORWARD * (size_t)stages, *backward = costs + PP_COST_BACKWARD * (size_t)stages;
    status = split_backward(given, stages, costs + PP_COST_INPUT * (size_t)stages,
                            costs + PP_COST_WEIGHT * (size_t)stages, backward, fault);
    if (status != PP_OK) return status;
    double *recompute = costs + PP_COST_RECOMPUTE * (size_t)stages, *overlap = costs + PP_COST_OVERLAP * (size_t)stages;
    double longest = 0; /* legal for all stages */
    int32_t short_stage = -1;
    for (int32_t s = 0; s < stages; s++) {
        if (recompute[s] < 0) recompute[s] = forward[s];
        const double longer = forward[s] > backward[s] ? forward[s] : backward[s];
        if (longer > longest) longest = longer;
        if (given[PP_OPT_OVERLAP_COST].begin != NULL && overlap[s] < longer && short_stage < 0) short_stage = s;
    }
    if (short_stage >= 0) {
        pp_fault scratch;
        fault = pp_fault_start(fault, &scratch, PP_ERR_COST_OVERLAP);
        fault->option = PP_OPT_OVERLAP_COST;
        fault->stage = short_stage;
        pp_fault_seen_number(fault, overlap[short_stage]);
        pp_fault_fix_number(fault, PP_OPT_OVERLAP_COST, longest);
        return PP_ERR_COST_OVERLAP;
    }
    status = pp_conditions_make(given, config, costs, fault);
    return status == PP_OK ? pp_partition_make(given, config, costs, fault) : status;
}
