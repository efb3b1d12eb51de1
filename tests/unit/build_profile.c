#include "tests/unit/build_profile.h"

#include <check.h>

#include "tests/unit/build_elf.h"

/* Each function is 0x100 bytes long, from 0x1000 on. */
static const char *const functions[] = { "main", "f", "g", "h", "_ZN5space3runEi" };

enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

void profile_make(struct build_profile *build)
{
	static const uint8_t code[0x1000];
	struct build_elf elf = { 0 };
	uint16_t text = elf_section(&elf, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, sizeof(code));
	struct profile_event *event;

	for (uint64_t i = 0; i < FUNCTIONS; i++)
		elf_symbol(&elf, functions[i], ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text, 0x1000 + 0x100 * i, 0x100);
	profile_init(&build->profile, NULL);
	event = vec_add(&build->profile.events);
	event->name = memory_strdup("cycles");
	build->program = elf_dso(&elf, &build->profile.dsos, "/opt/program");
	build->symbolizer = symbolizer_new(&build->profile.dsos);
	names_init(&build->names, &build->profile, build->symbolizer);
}

void profile_free(struct build_profile *build)
{
	names_fini(&build->names);
	symbolizer_free(build->symbolizer);
	profile_fini(&build->profile);
}

static uint32_t profile_word(struct build_profile *build, const char *word, size_t len, bool is_leaf)
{
	struct frame frame = { .dso = build->program, .kind = is_leaf ? FRAME_EXACT : FRAME_RETURN };

	if (!strncmp(word, "[cut]", len))
		return profile_frame(&build->profile, (struct frame){ .dso = DSO_NONE, .kind = FRAME_CUT,
								       .status = STACK_NO_MAP });
	for (uint64_t i = 0; i < FUNCTIONS; i++)
		if (strlen(functions[i]) == len && !strncmp(functions[i], word, len))
			frame.address = 0x1010 + 0x100 * i;
	ck_assert(frame.address);
	return profile_frame(&build->profile, frame);
}

void profile_sample(struct build_profile *build, const char *stack, uint64_t weight, const char *comm, uint32_t tid)
{
	struct task task = { .pid = 1, .tid = tid, .comm = strtab_id(&build->profile.strings, comm) };
	struct profile_sample sample = {
		.weight = weight,
		.task = profile_task(&build->profile, task),
		.stack = STACK_EMPTY,
	};

	while (*stack) {
		size_t len = strcspn(stack, " ");
		uint32_t frame = profile_word(build, stack, len, !stack[len]);

		sample.stack = profile_stack(&build->profile, sample.stack, frame);
		stack += len + strspn(stack + len, " ");
	}
	profile_add(&build->profile, &sample);
}

void profile_weights(struct build_profile *build, const char *keys, const struct filter *filter,
		     struct columns *columns, struct weights *weights)
{
	struct error err;

	ck_assert_int_eq(columns_parse(columns, keys, &err), 0);
	weights_init(weights, &build->profile, 0, columns, filter);
}
