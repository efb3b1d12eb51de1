/* A report as JSON, version 1, whose fields only grow: docs/json.md. */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include <stdio.h>

#include "analysis/report.h"

void json_report(FILE *out, const struct report *report);

#endif
