/*
 * The records of all rings in the order of time. A record may be written a little later than it is stamped, so each
 * round gives out only what is older than a moment that is safely past; what comes late all the same is given out and
 * counted.
 */
#ifndef PROFILER_ORDER_H
#define PROFILER_ORDER_H

#include "base/heap.h"
#include "profiler/sampler.h"

struct order {
	struct sampler *sampler;	/* borrowed */
	struct heap heap;		/* rings by the time of the record at their tail */
	uint32_t current;		/* the ring that gave the last record; UINT32_MAX: none */
	uint64_t safe;			/* records from this moment on wait for the next round */
	uint64_t last;			/* time of the last record */
	uint64_t late;			/* records older than one already given out */
};

/*
 * How long after its stamp a record is in its ring: the kernel writes it at once, a virtual machine may lose its CPU
 * then.
 */
#define ORDER_DELAY_NS 2000000u

void order_init(struct order *order, struct sampler *sampler);
void order_fini(struct order *order);

/*
 * Begins a round that gives out what is older than `safe`, ns; UINT64_MAX for all there is. While a ring is more than
 * half full all is given out as well: a record in the wrong place can be put right by a reader, a lost one cannot.
 */
void order_begin(struct order *order, uint64_t safe);

/* Whether records were left for the next round. */
bool order_has_waiting(const struct order *order);

/* The next record, valid until the next call, with the event whose layout it has; NULL at the round's end. */
const uint8_t *order_next(struct order *order, uint32_t *event);

#endif
