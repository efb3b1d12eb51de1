#include "unwind/unwind.h"

#include <dwarf.h>

#include "tests/unit/build_cfi.h"
#include "tests/unit/suites.h"

/*
 * One program, mapped at CODE + dso address, and stacks as arrays of words, the stack pointer at the first. Each
 * function is 0x100 bytes long.
 */
#define CODE 0x400000ull
#define SP 0x7000ull

enum {
	LEAF = 0x1000,		/* cfa = rsp + 8 */
	FRAMED = 0x1100,	/* cfa = rbp + 16; rbp at cfa - 16 */
	ROOT = 0x1200,		/* the return address is undefined */
	SIGNAL = 0x1300,	/* a signal frame: cfa = rsp + 32; rsp at cfa - 16, rip at cfa - 8, rbp at cfa - 24 */
	FULL = 0x1400,		/* general: cfa = rsp + 16 by an expression of no packed form; rip at cfa - 8 */
	STUCK = 0x1500,		/* cfa = rsp */
	LIVE = 0x1600,		/* cfa = rax + 8 */
	UNKNOWN = 0x1700,	/* opcode 0x26 */
	POPPED = 0x1800,	/* cfa = rsp + 8; rbp at cfa - 16, that is below rsp: the end of an epilogue */
	REALIGNED = 0x1900,	/* cfa = *(rbp - 8); rbp at rbp */
	VFORK = 0x1a00,		/* cfa = rsp + 8; the return address in rdi */
	PLT = 0x1b00,		/* cfa = rsp + 8, from (rip & 15) >= 11 on rsp + 16 */
	WIDE = 0x1c00,		/* cfa = rsp + 24; rbp at cfa - 16 */
	NOTHING = 0x3000,	/* no call-frame information */
};

struct fixture {
	struct dsos dsos;
	uint32_t program;
	struct unwinder *unwinder;
	struct unwind_request request;
	struct unwind_stack *stack;
};

static void add_functions(struct build *s)
{
	size_t cie = cfi_plain_cie(s);
	size_t signal_cie = cfi_cie(s, "zS", NO_BYTES,
				    BYTES(DW_CFA_def_cfa, 7, 32, DW_CFA_offset | 16, 1, DW_CFA_offset | 7, 2,
					  DW_CFA_offset | 6, 3));

	cfi_fde(s, cie, LEAF, 0x100, NO_BYTES);
	cfi_fde(s, cie, FRAMED, 0x100, BYTES(DW_CFA_def_cfa, 6, 16, DW_CFA_offset | 6, 2));
	cfi_fde(s, cie, ROOT, 0x100, BYTES(DW_CFA_undefined, 16));
	cfi_fde(s, signal_cie, SIGNAL, 0x100, NO_BYTES);
	cfi_fde(s, cie, FULL, 0x100, BYTES(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 16));
	cfi_fde(s, cie, STUCK, 0x100, BYTES(DW_CFA_def_cfa_offset, 0));
	cfi_fde(s, cie, LIVE, 0x100, BYTES(DW_CFA_def_cfa_register, 0));
	cfi_fde(s, cie, UNKNOWN, 0x100, BYTES(0x26));
	cfi_fde(s, cie, POPPED, 0x100, BYTES(DW_CFA_offset | 6, 2));
	cfi_fde(s, cie, REALIGNED, 0x100,
		BYTES(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref, DW_CFA_expression, 6, 2,
		      DW_OP_breg6, 0));
	cfi_fde(s, cie, VFORK, 0x100, BYTES(DW_CFA_register, 16, REGISTER_RDI));
	cfi_fde(s, cie, PLT, 0x100,
		BYTES(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and,
		      DW_OP_lit11, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	cfi_fde(s, cie, WIDE, 0x100, BYTES(DW_CFA_def_cfa_offset, 24, DW_CFA_offset | 6, 2));
}

static bool place(void *context, uint64_t ip, struct unwind_place *found)
{
	const struct fixture *fixture = context;

	*found = (struct unwind_place){ .dso = fixture->program, .address = ip - CODE };
	return ip >= CODE + 0x1000 && ip < CODE + 0x10000;
}

static void fixture_init(struct fixture *fixture)
{
	struct build section = { 0 };
	struct build_elf elf = { 0 };

	*fixture = (struct fixture){ .stack = memory_new(1, sizeof(struct unwind_stack)) };
	add_functions(&section);
	cfi_into_elf(&elf, &section);
	fixture->program = elf_dso(&elf, &fixture->dsos, "/bin/program");
	fixture->unwinder = unwinder_new(&fixture->dsos);
	fixture->request = (struct unwind_request){ .space = 1, .place = place, .context = fixture };
	register_set(&fixture->request.registers, REGISTER_RSP, SP);
	register_set(&fixture->request.registers, REGISTER_RBP, 0);
}

static void fixture_free(struct fixture *fixture)
{
	unwinder_free(fixture->unwinder);
	dsos_fini(&fixture->dsos);
	free(fixture->stack);
}

static void walk(struct fixture *fixture, uint64_t address, const uint64_t *words, size_t size)
{
	register_set(&fixture->request.registers, REGISTER_RIP, CODE + address);
	fixture->request.copy = (struct stack_copy){ .bytes = (const uint8_t *)words, .start = SP, .size = size };
	unwinder_walk(fixture->unwinder, &fixture->request, fixture->stack);
}

static void assert_frames(const struct fixture *fixture, const uint64_t *addresses, size_t size)
{
	ck_assert_uint_eq(fixture->stack->count, size / sizeof(*addresses));
	for (size_t i = 0; i < fixture->stack->count; i++)
		ck_assert_uint_eq(fixture->stack->frames[i].ip, CODE + addresses[i]);
}

#define ASSERT_FRAMES(fixture, ...) \
	assert_frames(fixture, (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }))

static void assert_end(const struct fixture *fixture, enum stack_status status, uint64_t detail)
{
	ck_assert_int_eq(fixture->stack->status, status);
	if (status != STACK_COMPLETE && status != STACK_SWITCH)
		ck_assert_uint_eq(fixture->stack->detail, detail);
}

START_TEST(a_stack_is_complete_at_an_undefined_return_address)
{
	const uint64_t words[] = { CODE + LEAF + 5, CODE + LEAF + 9, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, LEAF + 5, LEAF + 9, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	ck_assert(!f.stack->frames[0].is_return);
	ck_assert(f.stack->frames[1].is_return && f.stack->frames[3].is_return);
	fixture_free(&f);
}
END_TEST

START_TEST(a_stack_is_complete_at_a_return_address_of_zero)
{
	const uint64_t words[] = { CODE + LEAF + 5, 0 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, LEAF + 5);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

/* SP: saved rbp, return address, a local, saved rbp, return address. */
START_TEST(frame_pointers_are_followed_where_the_rules_say_so)
{
	const uint64_t words[] = { SP + 24, CODE + FRAMED + 5, 0x1111, 0, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RBP, SP);
	walk(&f, FRAMED + 0x20, words, sizeof(words));
	ASSERT_FRAMES(&f, FRAMED + 0x20, FRAMED + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

/* WIDE calls LEAF-like code and keeps its caller's rbp at cfa - 16 = SP + 8. */
START_TEST(a_saved_rbp_is_given_to_the_caller)
{
	const uint64_t words[] = { 0x1111, SP + 32, CODE + FRAMED + 5, 0x2222, 0, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RBP, 0xdead);
	walk(&f, WIDE, words, sizeof(words));
	ASSERT_FRAMES(&f, WIDE, FRAMED + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

/* A call that never returns may be the last instruction: its return address belongs to the next function. */
START_TEST(return_addresses_are_looked_up_at_minus_one)
{
	const uint64_t words[] = { CODE + FRAMED, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));	/* CODE + FRAMED - 1 is in LEAF, which needs no rbp */
	ASSERT_FRAMES(&f, LEAF, FRAMED, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(the_sampled_ip_is_looked_up_where_it_is)
{
	const uint64_t words[] = { CODE + LEAF + 5 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, ROOT, words, sizeof(words));
	ASSERT_FRAMES(&f, ROOT);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

/* LEAF returns into SIGNAL, whose frame holds rbp, rsp and rip of what it interrupted: ROOT, at its first byte. */
START_TEST(an_interrupted_frame_is_looked_up_where_it_is)
{
	const uint64_t words[] = { CODE + SIGNAL + 1, 0, 0, SP + 0x100, CODE + ROOT };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, SIGNAL + 1, ROOT);
	assert_end(&f, STACK_COMPLETE, 0);
	/* The kernel made LEAF return there: no call is before it. */
	ck_assert(!f.stack->frames[1].is_return);
	ck_assert(!f.stack->frames[2].is_return);
	fixture_free(&f);
}
END_TEST

/* The frame behind a signal frame is an ordinary one: its own caller called. SIGNAL+1 < LEAF+16 < LEAF+5 < ROOT+7. */
START_TEST(a_walk_goes_on_behind_a_signal_frame)
{
	const uint64_t words[] = { CODE + SIGNAL + 1, 0,	       0,	       SP + 40,
				   CODE + LEAF + 16,  CODE + LEAF + 5, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, SIGNAL + 1, LEAF + 16, LEAF + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	ck_assert(!f.stack->frames[2].is_return);
	ck_assert(f.stack->frames[3].is_return);
	fixture_free(&f);
}
END_TEST

START_TEST(a_signal_taken_on_another_stack_ends_there)
{
	const uint64_t words[] = { CODE + SIGNAL + 1, 0, 0, SP - 0x1000, CODE + LEAF + 16, 0 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	assert_end(&f, STACK_SWITCH, 0);
	ck_assert_uint_ge(f.stack->count, 2);
	fixture_free(&f);
}
END_TEST

START_TEST(the_last_word_of_the_copy_is_read)
{
	const uint64_t words[] = { CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_copy_that_ends_too_early_is_short)
{
	const uint64_t words[] = { CODE + LEAF + 5, CODE + LEAF + 9 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, LEAF + 5, LEAF + 9);
	assert_end(&f, STACK_COPY_SHORT, sizeof(words));
	fixture_free(&f);
}
END_TEST

/* The kernel copied all there is: what is missing is on another stack. */
START_TEST(a_whole_copy_that_ends_too_early_is_another_stack)
{
	const uint64_t words[] = { CODE + LEAF + 5, CODE + LEAF + 9 };
	struct fixture f;

	fixture_init(&f);
	f.request.copy_is_whole = true;
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, LEAF + 5, LEAF + 9);
	assert_end(&f, STACK_SWITCH, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(an_empty_copy_leaves_the_sampled_frame)
{
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, NULL, 0);
	ASSERT_FRAMES(&f, LEAF);
	assert_end(&f, STACK_COPY_SHORT, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(an_address_outside_of_all_maps_ends_the_stack_with_it)
{
	const uint64_t words[] = { CODE + LEAF + 5, 0x1234 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ck_assert_uint_eq(f.stack->count, 3);
	ck_assert_uint_eq(f.stack->frames[2].ip, 0x1234);
	assert_end(&f, STACK_NO_MAP, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(code_without_unwind_information_ends_the_stack_with_it)
{
	const uint64_t words[] = { CODE + NOTHING + 5, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, NOTHING + 5);
	assert_end(&f, STACK_NO_CFI, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_cfa_that_does_not_grow_is_bad)
{
	const uint64_t words[] = { CODE + STUCK + 5, CODE + STUCK + 5, CODE + STUCK + 5 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, STUCK + 5);
	assert_end(&f, STACK_BAD_CFI, CFI_FAULT_CFA);
	fixture_free(&f);
}
END_TEST

START_TEST(an_unknown_opcode_ends_the_stack_and_is_named)
{
	const uint64_t words[] = { CODE + UNKNOWN + 5, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, UNKNOWN + 5);
	assert_end(&f, STACK_BAD_CFI, CFI_FAULT_OPCODE | 0x26 << 8);
	fixture_free(&f);
}
END_TEST

START_TEST(a_live_register_is_the_cfa_of_the_first_frame)
{
	const uint64_t words[] = { 0x1111, 0x2222, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RAX, SP + 16);
	walk(&f, LIVE, words, sizeof(words));
	ASSERT_FRAMES(&f, LIVE, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_register_that_was_not_recorded_is_named)
{
	const uint64_t words[] = { 0x1111, 0x2222, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LIVE, words, sizeof(words));
	ASSERT_FRAMES(&f, LIVE);
	assert_end(&f, STACK_NO_REGISTER, REGISTER_RAX);
	fixture_free(&f);
}
END_TEST

/* ret of an epilogue: rbp has been popped, its slot lies below rsp and may hold anything by now. */
START_TEST(a_slot_below_the_stack_pointer_leaves_the_live_register)
{
	const uint64_t words[] = { CODE + FRAMED + 5, 0x1111, 0, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RBP, SP + 16);
	walk(&f, POPPED, words, sizeof(words));
	ASSERT_FRAMES(&f, POPPED, FRAMED + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_slot_below_the_stack_pointer_leaves_the_live_register_in_the_general_walk_too)
{
	const uint64_t words[] = { CODE + FRAMED + 5, 0x1111, 0, CODE + FULL + 5, 0x2222, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RBP, SP + 16);
	walk(&f, POPPED, words, sizeof(words));
	ASSERT_FRAMES(&f, POPPED, FRAMED + 5, FULL + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

/* rbp = SP + 8: *(rbp - 8) is the CFA, *rbp the caller's rbp. */
START_TEST(a_realigned_frame_finds_its_cfa_in_memory)
{
	const uint64_t words[] = { SP + 48, SP + 56, 0, 0, 0, CODE + FRAMED + 5, 0x1111, 0, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RBP, SP + 8);
	walk(&f, REALIGNED, words, sizeof(words));
	ASSERT_FRAMES(&f, REALIGNED, FRAMED + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_return_address_in_a_register_is_found)
{
	const uint64_t words[] = { 0x1111, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	register_set(&f.request.registers, REGISTER_RDI, CODE + LEAF + 5);
	walk(&f, VFORK, words, sizeof(words));
	ASSERT_FRAMES(&f, VFORK, LEAF + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(a_plt_entry_has_pushed_its_index_from_its_eleventh_byte_on)
{
	const uint64_t words[] = { CODE + ROOT + 7, CODE + LEAF + 5, CODE + ROOT + 9 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, PLT + 10, words, sizeof(words));
	ASSERT_FRAMES(&f, PLT + 10, ROOT + 7);
	walk(&f, PLT + 11, words, sizeof(words));
	ASSERT_FRAMES(&f, PLT + 11, LEAF + 5, ROOT + 9);
	fixture_free(&f);
}
END_TEST

/* The walk with all registers must agree with the packed one; FULL at the outer end forces it for the whole stack. */
START_TEST(the_general_walk_finds_what_the_packed_walk_finds)
{
	const uint64_t words[] = { 0x1111, SP + 40,	   CODE + LEAF + 5, CODE + FRAMED + 5,
				   0x2222, SP + 0x200,	   CODE + LEAF + 9, CODE + FULL + 5,
				   0x3333, CODE + ROOT + 7 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, WIDE, words, 7 * sizeof(*words));
	ASSERT_FRAMES(&f, WIDE, LEAF + 5, FRAMED + 5, LEAF + 9);
	assert_end(&f, STACK_COPY_SHORT, 7 * sizeof(*words));
	walk(&f, WIDE, words, sizeof(words));
	ASSERT_FRAMES(&f, WIDE, LEAF + 5, FRAMED + 5, LEAF + 9, FULL + 5, ROOT + 7);
	assert_end(&f, STACK_COMPLETE, 0);
	ck_assert(!f.stack->frames[0].is_return && f.stack->frames[5].is_return);
	fixture_free(&f);
}
END_TEST

/* Without rbp all walks are general: the ends must be the same as those of packed walks. */
START_TEST(the_general_walk_ends_as_the_packed_walk_does)
{
	static const struct {
		uint64_t words[2];
		bool whole;
		enum stack_status status;
		uint64_t detail;
	} cases[] = {
		{ { CODE + LEAF + 5, CODE + ROOT + 7 }, false, STACK_COMPLETE, 0 },
		{ { CODE + LEAF + 5, 0 }, false, STACK_COMPLETE, 0 },
		{ { CODE + LEAF + 5, CODE + LEAF + 9 }, false, STACK_COPY_SHORT, 16 },
		{ { CODE + LEAF + 5, CODE + LEAF + 9 }, true, STACK_SWITCH, 0 },
		{ { CODE + LEAF + 5, 0x1234 }, false, STACK_NO_MAP, 0 },
		{ { CODE + LEAF + 5, CODE + NOTHING + 5 }, false, STACK_NO_CFI, 0 },
		{ { CODE + STUCK + 5, CODE + STUCK + 5 }, false, STACK_BAD_CFI, CFI_FAULT_CFA },
		{ { CODE + FRAMED, CODE + ROOT + 7 }, false, STACK_COMPLETE, 0 },
	};
	struct fixture packed, general;

	fixture_init(&packed);
	fixture_init(&general);
	general.request.registers.known &= ~(1u << REGISTER_RBP);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		packed.request.copy_is_whole = general.request.copy_is_whole = cases[i].whole;
		walk(&packed, LEAF, cases[i].words, 16);
		walk(&general, LEAF, cases[i].words, 16);
		assert_end(&packed, cases[i].status, cases[i].detail);
		assert_end(&general, cases[i].status, cases[i].detail);
		ck_assert_uint_eq(packed.stack->count, general.stack->count);
		ck_assert_mem_eq(packed.stack->frames, general.stack->frames,
				 packed.stack->count * sizeof(struct unwind_frame));
	}
	fixture_free(&packed);
	fixture_free(&general);
}
END_TEST

/* 64 KiB of return addresses: one frame for each word, and the sampled one. */
START_TEST(the_largest_copy_can_be_walked_to_its_end)
{
	static uint64_t words[8192];
	struct fixture f;

	for (size_t i = 0; i < 8192; i++)
		words[i] = CODE + LEAF + 5;
	fixture_init(&f);
	words[8191] = CODE + ROOT + 7;
	walk(&f, LEAF, words, sizeof(words));
	ck_assert_uint_eq(f.stack->count, 8193);
	assert_end(&f, STACK_COMPLETE, 0);
	words[8191] = CODE + LEAF + 5;
	walk(&f, LEAF, words, sizeof(words));
	ck_assert_uint_eq(f.stack->count, 8193);
	assert_end(&f, STACK_COPY_SHORT, 65536);
	fixture_free(&f);
}
END_TEST

START_TEST(frames_beyond_the_limit_are_cut_off)
{
	static uint64_t words[9000];
	struct fixture f;

	for (size_t i = 0; i < 9000; i++)
		words[i] = CODE + LEAF + 5;
	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ck_assert_uint_eq(f.stack->count, UNWIND_FRAMES);
	assert_end(&f, STACK_DEPTH_LIMIT, UNWIND_FRAMES);
	f.request.registers.known &= ~(1u << REGISTER_RBP);
	walk(&f, LEAF, words, sizeof(words));
	ck_assert_uint_eq(f.stack->count, UNWIND_FRAMES);
	assert_end(&f, STACK_DEPTH_LIMIT, UNWIND_FRAMES);
	fixture_free(&f);
}
END_TEST

/* The same program, mapped 0x200 lower. */
static bool place_lower(void *context, uint64_t ip, struct unwind_place *found)
{
	return place(context, ip + 0x200, found);
}

START_TEST(another_space_has_its_own_rules)
{
	const uint64_t words[] = { CODE + ROOT + 7, 0 };
	struct fixture f;

	fixture_init(&f);
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF, ROOT + 7);
	f.request.space = 2;
	f.request.place = place_lower;
	walk(&f, LEAF, words, sizeof(words));	/* LEAF's ip is ROOT now */
	ASSERT_FRAMES(&f, LEAF);
	assert_end(&f, STACK_COMPLETE, 0);
	fixture_free(&f);
}
END_TEST

/* So many that whatever is kept of earlier ones must be given up for later ones. */
START_TEST(spaces_do_not_mix_however_many_there_are)
{
	const uint64_t words[] = { CODE + ROOT + 7, 0 };
	struct fixture f;

	fixture_init(&f);
	for (uint32_t space = 1; space < 60000; space++) {
		f.request.space = space;
		f.request.place = space % 2 ? place : place_lower;
		walk(&f, LEAF, words, sizeof(words));
		if (f.stack->count != (space % 2 ? 2 : 1))
			ck_abort_msg("space %u has another's rules", space);
	}
	fixture_free(&f);
}
END_TEST

START_TEST(a_file_that_cannot_be_opened_has_no_unwind_information)
{
	const uint64_t words[] = { CODE + LEAF + 5 };
	struct fixture f;

	fixture_init(&f);
	f.program = dsos_id(&f.dsos, &(struct dso_key){ .path = "//anon" });
	walk(&f, LEAF, words, sizeof(words));
	ASSERT_FRAMES(&f, LEAF);
	assert_end(&f, STACK_NO_CFI, 0);
	fixture_free(&f);
}
END_TEST

START_TEST(roots_are_known_without_a_walk)
{
	struct fixture f;

	fixture_init(&f);
	ck_assert(unwinder_is_root(f.unwinder, (struct unwind_place){ f.program, ROOT + 7 }));
	ck_assert(!unwinder_is_root(f.unwinder, (struct unwind_place){ f.program, LEAF }));
	ck_assert(!unwinder_is_root(f.unwinder, (struct unwind_place){ f.program, NOTHING }));
	fixture_free(&f);
}
END_TEST

static TCase *case_ends(void)
{
	TCase *tc = tcase_create("ends");

	tcase_add_test(tc, a_stack_is_complete_at_an_undefined_return_address);
	tcase_add_test(tc, a_stack_is_complete_at_a_return_address_of_zero);
	tcase_add_test(tc, the_last_word_of_the_copy_is_read);
	tcase_add_test(tc, a_copy_that_ends_too_early_is_short);
	tcase_add_test(tc, a_whole_copy_that_ends_too_early_is_another_stack);
	tcase_add_test(tc, an_empty_copy_leaves_the_sampled_frame);
	tcase_add_test(tc, an_address_outside_of_all_maps_ends_the_stack_with_it);
	tcase_add_test(tc, code_without_unwind_information_ends_the_stack_with_it);
	tcase_add_test(tc, a_cfa_that_does_not_grow_is_bad);
	tcase_add_test(tc, an_unknown_opcode_ends_the_stack_and_is_named);
	tcase_add_test(tc, a_register_that_was_not_recorded_is_named);
	tcase_add_test(tc, a_signal_taken_on_another_stack_ends_there);
	tcase_add_test(tc, the_largest_copy_can_be_walked_to_its_end);
	tcase_add_test(tc, frames_beyond_the_limit_are_cut_off);
	tcase_add_test(tc, a_file_that_cannot_be_opened_has_no_unwind_information);
	return tc;
}

static TCase *case_steps(void)
{
	TCase *tc = tcase_create("steps");

	tcase_add_test(tc, frame_pointers_are_followed_where_the_rules_say_so);
	tcase_add_test(tc, a_saved_rbp_is_given_to_the_caller);
	tcase_add_test(tc, return_addresses_are_looked_up_at_minus_one);
	tcase_add_test(tc, the_sampled_ip_is_looked_up_where_it_is);
	tcase_add_test(tc, an_interrupted_frame_is_looked_up_where_it_is);
	tcase_add_test(tc, a_walk_goes_on_behind_a_signal_frame);
	tcase_add_test(tc, a_live_register_is_the_cfa_of_the_first_frame);
	tcase_add_test(tc, a_slot_below_the_stack_pointer_leaves_the_live_register);
	tcase_add_test(tc, a_slot_below_the_stack_pointer_leaves_the_live_register_in_the_general_walk_too);
	tcase_add_test(tc, a_realigned_frame_finds_its_cfa_in_memory);
	tcase_add_test(tc, a_return_address_in_a_register_is_found);
	tcase_add_test(tc, a_plt_entry_has_pushed_its_index_from_its_eleventh_byte_on);
	tcase_add_test(tc, the_general_walk_finds_what_the_packed_walk_finds);
	tcase_add_test(tc, the_general_walk_ends_as_the_packed_walk_does);
	tcase_add_test(tc, another_space_has_its_own_rules);
	tcase_add_test(tc, spaces_do_not_mix_however_many_there_are);
	tcase_add_test(tc, roots_are_known_without_a_walk);
	return tc;
}

Suite *suite_walk(void)
{
	Suite *suite = suite_create("unwind/unwind");

	suite_add_tcase(suite, case_ends());
	suite_add_tcase(suite, case_steps());
	return suite;
}
