/* From symbols that overlap, nest and leave gaps to one symbol for each address. */
#ifndef SYMBOLIZE_SPANS_H
#define SYMBOLIZE_SPANS_H

#include "symbolize/symbols.h"

/* By start; of those with one start the larger first, then the worse name: the later one hides the earlier. */
void spans_sort(struct symbols *symbols);

/* Makes the spans from sorted symbols: the innermost, that is the last to begin, owns an address. */
void spans_build(struct symbols *symbols);

/* Appends `more` (with spans of their own) to the symbols for the addresses that none of those covers. */
void spans_fill_gaps(struct symbols *symbols, const struct symbols *more);

#endif
