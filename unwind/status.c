#include "unwind/status.h"

#include <stdio.h>

#include "unwind/registers.h"

const struct stack_status_info stack_statuses[STACK_STATUSES] = {
	[STACK_COMPLETE] = { "complete", "the root was reached (_start, a thread's start, or a marked end)", NULL },
	[STACK_GUESSED] = { "guessed",
			    "the root was reached, but through code without unwind information: callers marked ? are guesses",
			    "install the debug package, or build with -fasynchronous-unwind-tables" },
	[STACK_COPY_SHORT] = { "copy_short", "the next frame lies beyond the recorded copy of the stack",
			       "record with a larger copy: --call-graph=cfi,65528" },
	[STACK_DEPTH_LIMIT] = { "depth_limit", "the stack is deeper than the kernel's or our limit on frames",
				"sysctl kernel.perf_event_max_stack, or record with --call-graph=cfi" },
	[STACK_NO_FP] = { "no_fp", "the kernel's walk along frame pointers ended before a known root",
			  "record with --call-graph=cfi, or build with -fno-omit-frame-pointer" },
	[STACK_NO_CFI] = { "no_cfi", "no unwind information covers the code",
			   "install the debug package, or build with -fasynchronous-unwind-tables" },
	[STACK_BAD_CFI] = { "bad_cfi", "the unwind information makes no sense there", NULL },
	[STACK_NO_REGISTER] = { "no_register", "the rule needs a register that was not recorded",
				"record with pmuprof, which takes all of them" },
	[STACK_SWITCH] = { "stack_switch",
			   "it goes on on another stack (signal stack, coroutine), which was not captured", NULL },
	[STACK_NO_MAP] = { "no_map", "the address belongs to no known mapping (JIT code, or its mapping was lost)", NULL },
	[STACK_NOT_ASKED] = { "not_asked", "recorded without call chains", "record with --call-graph=cfi" },
};

static void bad_cfi_label(char *text, unsigned long size, uint64_t detail, const char *dso)
{
	static const char *const faults[] = {
		[CFI_FAULT_NONE] = "?",
		[CFI_FAULT_MALFORMED] = "malformed",
		[CFI_FAULT_CFA] = "CFA not growing",
		[CFI_FAULT_MEMORY] = "needs other memory",
	};
	unsigned int fault = detail & 0xff;

	if (fault == CFI_FAULT_OPCODE)
		snprintf(text, size, "[bad unwind info: %s: opcode 0x%x]", dso, (unsigned int)(detail >> 8));
	else
		snprintf(text, size, "[bad unwind info: %s: %s]", dso, faults[fault]);
}

char *stack_status_label(char *text, unsigned long size, enum stack_status status, uint64_t detail, const char *dso)
{
	dso = dso ? dso : "?";
	switch (status) {
	case STACK_COPY_SHORT:
		snprintf(text, size, "[cut: stack copy of %u KiB]", (unsigned int)((detail + 1023) / 1024));
		break;
	case STACK_DEPTH_LIMIT:
		snprintf(text, size, "[cut: %u frames]", (unsigned int)detail);
		break;
	case STACK_NO_FP:
		snprintf(text, size, "[cut: frame pointers end]");
		break;
	case STACK_NO_CFI:
		snprintf(text, size, "[no unwind info: %s]", dso);
		break;
	case STACK_BAD_CFI:
		bad_cfi_label(text, size, detail, dso);
		break;
	case STACK_NO_REGISTER:
		snprintf(text, size, "[register not recorded: %s]", register_name((unsigned int)detail));
		break;
	case STACK_SWITCH:
		snprintf(text, size, "[other stack: not captured]");
		break;
	case STACK_NO_MAP:
		snprintf(text, size, "[unmapped]");
		break;
	default:
		snprintf(text, size, "[%s]", stack_statuses[status].key);
		break;
	}
	return text;
}
