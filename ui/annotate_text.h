/* An annotated function as text, in the manner of `perf annotate --stdio`. */
#ifndef UI_ANNOTATE_TEXT_H
#define UI_ANNOTATE_TEXT_H

#include <stdio.h>

#include "analysis/annotation.h"
#include "analysis/source.h"

struct annotate_style {
	bool bytes;	/* show the instructions' bytes */
	bool source;	/* source lines between the instructions */
	bool samples;	/* show numbers of samples */
	bool weights;	/* show weights */
};

void annotate_text(FILE *out, const struct annotation *annotation, struct names *names, struct sources *sources,
		   const struct annotate_style *style);

#endif
