/* A report as text, in the manner of `perf report --stdio`. */
#ifndef UI_REPORT_TEXT_H
#define UI_REPORT_TEXT_H

#include <stdio.h>

#include "analysis/report.h"

void report_text(FILE *out, const struct report *report);

#endif
