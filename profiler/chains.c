#include "profiler/chains.h"

enum {
	CHAINS_PATH_MAX = UNWIND_FRAMES + CHAIN_KERNEL_FRAMES,
	CHAINS_FRAME_SLOTS = 16384,
};

/* A chain seen before: (hash of its ips and address space) -> its node. */
struct known_chain {
	uint64_t hash;
	uint32_t stack;
};

/* Frames by (space, ip), as they were interned. */
struct frame_slot {
	struct unwind_frame from;
	uint32_t space;		/* 0: empty; spaces count from 1 */
	uint32_t frame;
};

/*
 * The path from the root to the leaf of the last stack that went into the trie: the next one shares most of it, and
 * what is shared need not be looked up.
 */
struct path {
	uint32_t root;			/* the node it hangs under */
	uint32_t user_space, kernel_space;
	uint32_t count;
	struct unwind_frame frames[CHAINS_PATH_MAX];
	uint32_t nodes[CHAINS_PATH_MAX];
};

struct chains {
	struct profile *profile;
	struct processes *processes;
	VEC(struct known_chain) known;
	struct index index;
	struct path path;
	struct frame_slot slots[CHAINS_FRAME_SLOTS];
};

struct chains *chains_new(struct profile *profile, struct processes *processes)
{
	struct chains *chains = memory_new(1, sizeof(*chains));

	chains->profile = profile;
	chains->processes = processes;
	return chains;
}

void chains_free(struct chains *chains)
{
	if (!chains)
		return;
	vec_fini(&chains->known);
	index_fini(&chains->index);
	free(chains);
}

static uint64_t chain_hash_frames(uint64_t hash, const struct unwind_frame *frames, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		hash = hash_mix(hash, frames[i].ip << 2 | (uint64_t)frames[i].is_guessed << 1 | frames[i].is_return);
	return hash_mix(hash, count);
}

/* Equal chains in one address space hash alike; that unequal ones do is one chance in 2^64 for each pair. */
static uint64_t chain_hash(const struct chain *chain, uint32_t kernel_space)
{
	uint64_t hash = hash_mix(chain->process->space, kernel_space);

	hash = hash_mix(hash, chain->user.status | chain->user.detail << 8);
	hash = chain_hash_frames(hash, chain->kernel, chain->kernel_count);
	return chain_hash_frames(hash, chain->user.frames, chain->user.count);
}

static uint32_t chains_frame(struct chains *chains, struct process *process,
				     const struct unwind_frame *from)
{
	size_t at = hash_mix(process->space, from->ip) % CHAINS_FRAME_SLOTS;
	struct frame_slot *slot = &chains->slots[at];
	struct frame frame = {
		.dso = DSO_NONE,
		.kind = from->is_return ? FRAME_RETURN : FRAME_EXACT,
		.kernel = process == &chains->processes->kernel,
		.guessed = from->is_guessed,
		.address = from->ip,
	};
	const struct map *map;

	if (slot->space == process->space && unwind_frame_equal(&slot->from, from))
		return slot->frame;
	/* The map of the call, which may be the last instruction of one map with another following. */
	map = process_map(process, from->ip - from->is_return);
	if (map) {
		frame.dso = map->dso;
		frame.address = processes_address(chains->processes, map, from->ip - from->is_return) + from->is_return;
	}
	*slot = (struct frame_slot){ .from = *from, .space = process->space };
	slot->frame = profile_frame(chains->profile, frame);
	return slot->frame;
}

/* What a cut stack hangs under. Only the DSO where it ended makes two of the same kind differ. */
static uint32_t chains_cut_frame(struct chains *chains, const struct chain *chain)
{
	const struct unwind_stack *user = &chain->user;
	struct frame frame = { .dso = DSO_NONE, .kind = FRAME_CUT, .status = (uint8_t)user->status };
	const struct map *map = NULL;

	frame.address = user->detail;
	if (user->count && (user->status == STACK_NO_CFI || user->status == STACK_BAD_CFI)) {
		const struct unwind_frame *last = &user->frames[user->count - 1];

		map = process_map(chain->process, last->ip - last->is_return);
	}
	if (map)
		frame.dso = map->dso;
	return profile_frame(chains->profile, frame);
}

/* The frame at a depth, counted from the outermost. */
static const struct unwind_frame *chain_frame(const struct chain *chain, uint32_t depth)
{
	return depth < chain->user.count ? &chain->user.frames[chain->user.count - 1 - depth] :
					   &chain->kernel[chain->kernel_count - 1 - (depth - chain->user.count)];
}

/* How many frames from the root on the stack at hand has in common with the last one. */
static uint32_t chains_shared(const struct chains *chains, const struct chain *chain, uint32_t root)
{
	const struct path *path = &chains->path;
	uint32_t count = chain->user.count + chain->kernel_count, depth = 0;

	if (path->root != root || path->user_space != chain->process->space ||
	    path->kernel_space != chains->processes->kernel.space)
		return 0;
	for (; depth < count && depth < path->count; depth++) {
		if (!unwind_frame_equal(chain_frame(chain, depth), &path->frames[depth]))
			break;
	}
	return depth;
}

/* Puts the chain into the trie, the outermost frame first. */
static uint32_t chains_intern(struct chains *chains, const struct chain *chain)
{
	struct profile *profile = chains->profile;
	struct path *path = &chains->path;
	uint32_t root = STACK_EMPTY, depth, stack;

	if (!stack_status_is_whole(chain->user.status))
		root = profile_stack(profile, root, chains_cut_frame(chains, chain));
	depth = chains_shared(chains, chain, root);
	stack = depth ? path->nodes[depth - 1] : root;
	path->root = root;
	path->user_space = chain->process->space;
	path->kernel_space = chains->processes->kernel.space;
	path->count = chain->user.count + chain->kernel_count;
	for (; depth < path->count; depth++) {
		const struct unwind_frame *frame = chain_frame(chain, depth);
		struct process *of = depth < chain->user.count ? chain->process : &chains->processes->kernel;

		stack = profile_stack(profile, stack, chains_frame(chains, of, frame));
		path->frames[depth] = *frame;
		path->nodes[depth] = stack;
	}
	return stack;
}

uint32_t chains_stack(struct chains *chains, const struct chain *chain)
{
	uint64_t hash = chain_hash(chain, chains->processes->kernel.space);
	uint32_t at, id, stack;

	for (id = index_first(&chains->index, hash, &at); id != INDEX_NONE; id = index_next(&chains->index, hash, &at))
		if (chains->known.items[id].hash == hash)
			return chains->known.items[id].stack;
	stack = chains_intern(chains, chain);
	index_add(&chains->index, hash, (uint32_t)chains->known.len);
	vec_push(&chains->known, (struct known_chain){ .hash = hash, .stack = stack });
	return stack;
}
