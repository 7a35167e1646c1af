/* What is read of a request, from its text in one go. */
#ifndef TEST_REQUESTS_H
#define TEST_REQUESTS_H

#include <string.h>

#include "check.h"
#include "pipeline.h"
#include "request/read.h"

/* A request that must be one. */
static inline pp_request request_of(const char *text) {
    pp_request request;
    CHECK_EQ_INT(pp_request_parse(text, (int32_t)strlen(text), &request, NULL), PP_OK);
    return request;
}

static inline int32_t config_of(const char *text, int32_t length, pp_config *config, pp_fault *fault) {
    pp_request request;
    int32_t status = pp_request_parse(text, length, &request, fault);
    return status == PP_OK ? pp_config_read(&request, config, fault) : status;
}

static inline int32_t costs_of(const char *text, int32_t length, const pp_config *config, double *costs,
                               pp_fault *fault) {
    pp_request request;
    int32_t status = pp_request_parse(text, length, &request, fault);
    return status == PP_OK ? pp_costs_read(&request, config, costs, fault) : status;
}

#endif
