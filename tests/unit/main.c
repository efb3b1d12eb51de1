/*
 * Runs all suites, or the one named by the first argument ("unwind/row"), each test in a process of its own, and prints
 * what failed and how many there were. Exit status 1 where one failed or none ran.
 */
#include <stdlib.h>

#include "tests/unit/suites.h"

static Suite *(*const suites[])(void) = {
	suite_bytes,
	suite_containers,
	suite_escape,
	suite_notes,
	suite_build_id,
	suite_cfi,
	suite_dso,
	suite_object,
	suite_event,
	suite_metadata,
	suite_output,
	suite_reader,
	suite_record,
	suite_runs,
	suite_writer,
	suite_expression,
	suite_row,
	suite_status,
	suite_table,
	suite_guess,
	suite_walk,
	suite_demangle,
	suite_spans,
	suite_symbols,
	suite_order,
	suite_process,
	suite_profile,
	suite_ring,
	suite_session,
	suite_user_registers,
	suite_column,
	suite_filter,
	suite_rows,
	suite_tree,
	suite_option,
	suite_text,
};

int main(int argc, char **argv)
{
	SRunner *runner = srunner_create(NULL);
	int failed, run;

	for (size_t i = 0; i < sizeof(suites) / sizeof(*suites); i++)
		srunner_add_suite(runner, suites[i]());
	srunner_run(runner, argc > 1 ? argv[1] : NULL, NULL, CK_SILENT);
	srunner_print(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	run = srunner_ntests_run(runner);
	srunner_free(runner);
	return failed || !run;
}
