#include "perfdata/runs.h"

#include <linux/perf_event.h>

#include "base/index.h"
#include "perfdata/record.h"

enum {
	RUNS_WINDOW = 128 * 1024,	/* at least twice the largest record */
	RUNS_LARGE = 2048,		/* records of which the first pass reads the head only */
};

/* Two record types of tools are followed by bytes that their size does not count. */
static uint64_t runs_payload(const struct perf_event_header *header, const uint8_t *record)
{
	uint64_t size = 0;

	if (header->type == FORMAT_AUXTRACE && header->size >= 16)
		memcpy(&size, record + 8, 8);
	if (header->type == FORMAT_TRACING_DATA && header->size >= 12) {
		memcpy(&size, record + 8, 4);
		size = (size + 7) & ~7ul;
	}
	return size;
}

/*
 * The record at a file offset: its header and, except for a large sample, all of it; NULL where it is damaged. *next
 * becomes the offset behind it.
 */
static const uint8_t *runs_peek(struct window *window, uint64_t at, uint64_t end, size_t ahead,
				struct perf_event_header *header, size_t *size, uint64_t *next)
{
	const uint8_t *record = end - at < sizeof(*header) ? NULL : window_at(window, at, sizeof(*header), ahead);
	uint64_t payload;

	if (!record)
		return NULL;
	memcpy(header, record, sizeof(*header));
	if (header->size < sizeof(*header) || header->size > end - at)
		return NULL;
	*size = header->type == PERF_RECORD_SAMPLE && header->size > RUNS_LARGE ? RECORD_HEAD : header->size;
	record = window_at(window, at, *size, ahead);
	if (!record)
		return NULL;
	payload = runs_payload(header, record);
	if (payload > end - at - header->size)
		return NULL;
	*next = at + header->size + payload;
	return record;
}

static void runs_find(struct runs *runs, struct format_span data)
{
	uint64_t at = data.offset, end = data.offset + data.size, next, last = 0;
	struct window window = { .fd = runs->fd };
	size_t ahead = RUNS_WINDOW;
	struct run *run = NULL;

	for (; at < end; at = next) {
		struct perf_event_header header;
		size_t size;
		const uint8_t *record = runs_peek(&window, at, end, ahead, &header, &size, &next);
		uint64_t time;

		if (!record) {
			runs->damage = at;
			break;
		}
		time = runs->time(runs->context, record, size);
		if (!run || (time && time < last)) {
			run = vec_add(&runs->runs);
			*run = (struct run){ .at = at, .time = time };
			last = 0;
		}
		run->end = next;
		last = time ? time : last;
		ahead = header.size > RUNS_LARGE ? RECORD_HEAD : RUNS_WINDOW;
	}
	window_fini(&window);
}

static int runs_compare(const void *left, const void *right)
{
	const struct run_start *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->run < b->run ? -1 : 1;
}

void runs_init(struct runs *runs, int fd, struct format_span data, runs_time_fn *time, const void *context)
{
	*runs = (struct runs){ .fd = fd, .time = time, .context = context, .current = INDEX_NONE };
	runs_find(runs, data);
	vec_reserve(&runs->starts, runs->runs.len);
	for (uint32_t i = 0; i < runs->runs.len; i++)
		vec_push(&runs->starts, (struct run_start){ .time = runs->runs.items[i].time, .run = i });
	vec_sort(&runs->starts, runs_compare);
}

void runs_fini(struct runs *runs)
{
	for (size_t i = 0; i < runs->runs.len; i++)
		window_fini(&runs->runs.items[i].window);
	vec_fini(&runs->runs);
	vec_fini(&runs->starts);
	heap_fini(&runs->heap);
}

static const uint8_t *run_record(struct run *run, struct perf_event_header *header, uint64_t *next)
{
	const uint8_t *record = window_at(&run->window, run->at, sizeof(*header), RUNS_WINDOW);

	if (!record)
		return NULL;
	memcpy(header, record, sizeof(*header));
	record = window_at(&run->window, run->at, header->size, RUNS_WINDOW);
	if (record && header->size >= sizeof(*header))
		*next = run->at + header->size + runs_payload(header, record);
	return header->size >= sizeof(*header) ? record : NULL;
}

/* Moves the run that gave the last record behind it. */
static void runs_advance(struct runs *runs)
{
	struct run *run = &runs->runs.items[runs->current];
	struct perf_event_header header;
	const uint8_t *record = run_record(run, &header, &run->at);
	uint64_t time;

	runs->current = INDEX_NONE;
	record = record && run->at < run->end ? run_record(run, &header, &(uint64_t){ 0 }) : NULL;
	if (!record) {
		window_fini(&run->window);
		heap_pop(&runs->heap);
		return;
	}
	time = runs->time(runs->context, record, header.size);
	if (time)
		run->time = time;
	heap_replace_top(&runs->heap, run->time);
}

const uint8_t *runs_next(struct runs *runs)
{
	struct perf_event_header header;

	if (runs->current != INDEX_NONE)
		runs_advance(runs);
	while (runs->begun < runs->starts.len) {
		const struct run_start *start = &runs->starts.items[runs->begun];

		if (!heap_is_empty(&runs->heap) && start->time > heap_top(&runs->heap).key)
			break;
		runs->runs.items[start->run].window = (struct window){ .fd = runs->fd };
		heap_push(&runs->heap, start->time, start->run);
		runs->begun++;
	}
	if (heap_is_empty(&runs->heap))
		return NULL;
	runs->current = heap_top(&runs->heap).id;
	return run_record(&runs->runs.items[runs->current], &header, &(uint64_t){ 0 });
}
