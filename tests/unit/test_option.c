#include "cmd/option.h"

#include <stdint.h>
#include <string.h>

#include "tests/unit/suites.h"

struct fields {
	bool children, verbose, no_inline;
	const char *sort, *output;
	uint64_t frequency;
	const char *graph;
};

static int parse_graph(void *field, const char *text, struct error *err)
{
	if (text && strcmp(text, "caller") != 0 && strcmp(text, "callee") != 0)
		return error_set(err, ERROR_USAGE, "'%s' is no order", text);
	*(const char **)field = text ? text : "default";
	return 0;
}

static const struct option options[] = {
	{ 'c', "children", OPTION_SET, offsetof(struct fields, children), NULL, "", NULL },
	{ 'v', "verbose", OPTION_SET, offsetof(struct fields, verbose), NULL, "", NULL },
	{ 0, "no-inline", OPTION_CLEAR, offsetof(struct fields, no_inline), NULL, "", NULL },
	{ 's', "sort", OPTION_TEXT, offsetof(struct fields, sort), "KEYS", "", NULL },
	{ 0, "sort-more", OPTION_TEXT, offsetof(struct fields, output), "KEYS", "", NULL },
	{ 'o', "output", OPTION_TEXT, offsetof(struct fields, output), "FILE", "", NULL },
	{ 'F', "freq", OPTION_PARSED, offsetof(struct fields, frequency), "N", "", option_parse_u64 },
	{ 'g', "graph", OPTION_PARSED, offsetof(struct fields, graph), "=ORDER", "", parse_graph },
	OPTION_END,
};

/* What the words on a line come to. */
struct parsed {
	struct fields fields;
	struct error err;
	char line[128];
	char *argv[16];
	int operands;
	int status;
};

static void parse(struct parsed *parsed, const char *line, bool stop)
{
	int argc = 1;

	*parsed = (struct parsed){ .fields.no_inline = true };
	strcpy(parsed->line, line);
	parsed->argv[0] = parsed->line;
	for (char *word = strtok(parsed->line, " "); word; word = strtok(NULL, " "))
		parsed->argv[argc++] = word;
	parsed->status =
		options_parse(options, &parsed->fields, argc, parsed->argv, stop, &parsed->operands, &parsed->err);
}

static struct fields good(const char *line)
{
	static struct parsed parsed;

	parse(&parsed, line, false);
	ck_assert_msg(!parsed.status, "%s: %s", line, parsed.err.message);
	return parsed.fields;
}

static void assert_operands(const char *line, bool stop, const char *expected)
{
	struct parsed parsed;
	char joined[128] = "";

	parse(&parsed, line, stop);
	ck_assert_msg(!parsed.status, "%s: %s", line, parsed.err.message);
	for (int i = 1; i <= parsed.operands; i++)
		strcat(strcat(joined, i > 1 ? " " : ""), parsed.argv[i]);
	ck_assert_str_eq(joined, expected);
	ck_assert_ptr_null(parsed.argv[parsed.operands + 1]);
}

static void assert_refused(const char *line, const char *message)
{
	struct parsed parsed;

	parse(&parsed, line, false);
	ck_assert_msg(parsed.status == -1, "%s", line);
	ck_assert_int_eq(parsed.err.code, ERROR_USAGE);
	ck_assert_msg(strstr(parsed.err.message, message), "%s", parsed.err.message);
}

START_TEST(flags_are_set_and_cleared)
{
	struct fields fields = good("-c --no-inline");

	ck_assert(fields.children);
	ck_assert(!fields.verbose);
	ck_assert(!fields.no_inline);
}
END_TEST

START_TEST(letters_may_be_joined)
{
	struct fields fields = good("-cvs comm");

	ck_assert(fields.children && fields.verbose);
	ck_assert_str_eq(fields.sort, "comm");
}
END_TEST

START_TEST(an_argument_is_joined_or_the_next_word)
{
	ck_assert_str_eq(good("-s comm").sort, "comm");
	ck_assert_str_eq(good("-scomm").sort, "comm");
	ck_assert_str_eq(good("--sort comm").sort, "comm");
	ck_assert_str_eq(good("--sort=comm").sort, "comm");
	ck_assert_str_eq(good("--sort=").sort, "");
	ck_assert_str_eq(good("-s -c").sort, "-c");
	ck_assert_str_eq(good("-o a=b").output, "a=b");
}
END_TEST

START_TEST(a_long_name_may_be_abbreviated_where_it_is_clear)
{
	ck_assert(good("--chi").children);
	ck_assert_str_eq(good("--outp=x").output, "x");
	ck_assert_str_eq(good("--sort=x").sort, "x");	/* a whole name, though another begins so */
	assert_refused("--sor x", "'--sor'");
	assert_refused("--sortx", "'--sortx'");
}
END_TEST

START_TEST(the_last_of_several_counts)
{
	ck_assert_str_eq(good("-s a --sort=b").sort, "b");
}
END_TEST

START_TEST(operands_are_gathered_in_front)
{
	assert_operands("one -c two --sort x three", false, "one two three");
	assert_operands("-c", false, "");
	assert_operands("- -c", false, "-");
}
END_TEST

START_TEST(all_behind_two_dashes_are_operands)
{
	assert_operands("one -- -c --sort", false, "one -c --sort");
	assert_operands("-- --", false, "--");
}
END_TEST

START_TEST(a_commands_own_options_can_be_left_to_it)
{
	assert_operands("-c ls -l --sort", true, "ls -l --sort");
	assert_operands("-c -- ls -l", true, "ls -l");
	assert_operands("-s x ls -- -l", true, "ls -- -l");
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
	assert_refused("--nonsense", "unknown option '--nonsense'");
	assert_refused("-x", "unknown option '-x'");
	assert_refused("-cx", "unknown option '-x'");
	assert_refused("--sort", "option '--sort' needs an argument: KEYS");
	assert_refused("-s", "option '-s' needs an argument: KEYS");
	assert_refused("--children=x", "option '--children' takes no argument");
	assert_refused("-F abc", "'abc' is not a positive number");
	assert_refused("--freq=0", "'0' is not a positive number");
}
END_TEST

START_TEST(an_optional_argument_may_be_left_out)
{
	ck_assert_str_eq(good("-g").graph, "default");
	ck_assert_str_eq(good("--graph").graph, "default");
	ck_assert_str_eq(good("--graph=callee").graph, "callee");
	ck_assert_str_eq(good("-gcaller").graph, "caller");
	assert_refused("--graph=sideways", "'sideways' is no order");
}
END_TEST

START_TEST(a_word_that_is_no_optional_argument_stays_an_operand)
{
	ck_assert_str_eq(good("-g caller").graph, "caller");
	ck_assert_str_eq(good("--graph callee").graph, "callee");
	assert_operands("-g file", false, "file");
	assert_operands("-g caller file", false, "file");
	ck_assert(good("-g -c").children);
}
END_TEST

START_TEST(sizes_have_units_and_do_not_overflow)
{
	static const struct {
		const char *text;
		uint64_t value;	/* 0: refused */
	} cases[] = {
		{ "1", 1 }, { "16K", 16384 }, { "2m", 2 << 20 }, { "1G", 1 << 30 }, { "0", 0 }, { "-1", 0 }, { "", 0 },
		{ "K", 0 }, { "1KB", 0 }, { "1T", 0 }, { "18446744073709551615K", 0 }, { "99999999999999999999", 0 },
		{ "17179869183G", 17179869183u * (1ull << 30) }, { "17179869184G", 0 }, { "1 K", 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct error err;
		uint64_t value = 0;

		ck_assert_msg(option_parse_size(&value, cases[i].text, &err) == (cases[i].value ? 0 : -1), "%s",
			      cases[i].text);
		ck_assert_uint_eq(value, cases[i].value);
	}
}
END_TEST

START_TEST(numbers_are_whole_and_positive)
{
	static const char *const bad[] = { "", "0", "-5", "1x", "x", "1.5", "99999999999999999999", " -1" };
	struct error err;
	uint64_t value;

	ck_assert_int_eq(option_parse_u64(&value, "999", &err), 0);
	ck_assert_uint_eq(value, 999);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(option_parse_u64(&value, bad[i], &err) == -1, "'%s'", bad[i]);
}
END_TEST

START_TEST(percentages_are_from_0_to_100)
{
	static const char *const bad[] = { "", "101", "-1", "nan", "5x", "5%%", "inf" };
	struct error err;
	double value;

	ck_assert_int_eq(option_parse_percent(&value, "0.5", &err), 0);
	ck_assert_double_eq(value, 0.5);
	ck_assert_int_eq(option_parse_percent(&value, "100%", &err), 0);
	ck_assert_double_eq(value, 100);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_msg(option_parse_percent(&value, bad[i], &err) == -1, "'%s'", bad[i]);
}
END_TEST

START_TEST(the_synopsis_shows_how_to_write_it)
{
	char text[64];

	ck_assert_str_eq(option_synopsis(&options[3], text), "-s, --sort=KEYS");
	ck_assert_str_eq(option_synopsis(&options[0], text), "-c, --children");
	ck_assert_str_eq(option_synopsis(&options[2], text), "    --no-inline");
	ck_assert_str_eq(option_synopsis(&options[7], text), "-g, --graph[=ORDER]");
	ck_assert_str_eq(option_synopsis(&(struct option){ .letter = 'p', .argument = "PID" }, text), "-p PID");
}
END_TEST

Suite *suite_option(void)
{
	Suite *suite = suite_create("cmd/option");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, flags_are_set_and_cleared);
	tcase_add_test(tc, letters_may_be_joined);
	tcase_add_test(tc, an_argument_is_joined_or_the_next_word);
	tcase_add_test(tc, a_long_name_may_be_abbreviated_where_it_is_clear);
	tcase_add_test(tc, the_last_of_several_counts);
	tcase_add_test(tc, operands_are_gathered_in_front);
	tcase_add_test(tc, all_behind_two_dashes_are_operands);
	tcase_add_test(tc, a_commands_own_options_can_be_left_to_it);
	tcase_add_test(tc, what_is_wrong_is_named);
	tcase_add_test(tc, an_optional_argument_may_be_left_out);
	tcase_add_test(tc, a_word_that_is_no_optional_argument_stays_an_operand);
	tcase_add_test(tc, sizes_have_units_and_do_not_overflow);
	tcase_add_test(tc, numbers_are_whole_and_positive);
	tcase_add_test(tc, percentages_are_from_0_to_100);
	tcase_add_test(tc, the_synopsis_shows_how_to_write_it);
	suite_add_tcase(suite, tc);
	return suite;
}
