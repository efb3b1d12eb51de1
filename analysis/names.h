/*
 * What each frame of a profile is called: its function, source line and DSO, found once for each frame when first asked
 * for.
 */
#ifndef ANALYSIS_NAMES_H
#define ANALYSIS_NAMES_H

#include "profiler/profile.h"
#include "symbolize/symbolizer.h"

struct names {
	const struct profile *profile;
	struct symbolizer *symbolizer;
	VEC(uint32_t) functions;	/* by frame; UINT32_MAX: not asked for yet */
	VEC(uint32_t) srclines;		/* by frame, string ids; UINT32_MAX likewise */
	struct strtab strings;
	uint32_t unknown_kernel;	/* the function that stands for kernel code in no known mapping; UINT32_MAX: none yet */
};

/* Both are borrowed; frames that are added later get their names too. */
void names_init(struct names *names, const struct profile *profile, struct symbolizer *symbolizer);
void names_fini(struct names *names);

/* The function id (of the symbolizer) of a frame. A cut stack's end counts as one, called "[cut: …]". */
uint32_t names_function(struct names *names, uint32_t frame);

/* A string id: "deep.cpp:42"; where no line is known, the function's name. */
uint32_t names_srcline(struct names *names, uint32_t frame);

/* The name of a DSO for people, "[unknown]" for DSO_NONE. */
const char *names_dso(const struct names *names, uint32_t dso);

/* Whether the function runs in the kernel: [k] rather than [.]. */
bool names_is_kernel(const struct names *names, uint32_t function);

#endif
