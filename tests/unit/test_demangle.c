#include "symbolize/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/suites.h"

static void assert_demangled(const char *name, const char *expected)
{
	char *text = demangle(name);

	ck_assert_pstr_eq(text, expected);
	free(text);
}

/* Itanium C++ ABI, chapter 5.1. */
START_TEST(names_of_cpp_are_made_readable)
{
	assert_demangled("_Z3foov", "foo()");
	assert_demangled("_ZN5space5Class6methodEiPKc", "space::Class::method(int, char const*)");
	assert_demangled("_ZNSt6vectorIiSaIiEE9push_backERKi",
			 "std::vector<int, std::allocator<int> >::push_back(int const&)");
}
END_TEST

/* Rust RFC 2603 (v0), and the mangling before it, whose hash is not for people. */
START_TEST(names_of_rust_are_made_readable)
{
	assert_demangled("_RNvC6_123foo3bar", "123foo::bar");
	assert_demangled("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	assert_demangled("_ZN7mycrate3foo3bar17h0123456789abcdefE", "mycrate::foo::bar");
	assert_demangled(
		"_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
		"<Test + 'static as foo::Bar<Test>>::bar");
}
END_TEST

START_TEST(names_that_are_not_mangled_stay)
{
	assert_demangled("main", NULL);
	assert_demangled("_start", NULL);
	assert_demangled("", NULL);
	assert_demangled("_", NULL);
	assert_demangled("_Z", NULL);
	assert_demangled("_Zzzz", NULL);
	assert_demangled("_R", NULL);
}
END_TEST

/* Each argument is a pair of the one before: "S_I S_ S_ E" doubles the text forty times. */
static void hostile_cpp(char *name, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char last[8] = "S_";

	name += sprintf(name, "_Z1f1AIiiE");
	for (int i = 1; i < levels; i++) {
		snprintf(last, sizeof(last), i <= 36 ? "S%c_" : "S1%c_", digits[(i - 1) % 36]);
		name += sprintf(name, "S_I%s%sE", last, last);
	}
}

START_TEST(a_hostile_name_of_cpp_ends_quickly)
{
	char name[1024];

	hostile_cpp(name, 40);
	ck_assert_uint_eq(strlen(name), 406);
	assert_demangled(name, NULL);
	hostile_cpp(name, 2);
	assert_demangled(name, "f(A<int, int>, A<A<int, int>, A<int, int> >)");
}
END_TEST

/* A tuple of two back references to the tuple before, in base 62: B_ is byte 0 behind "_R", B0_ byte 1. */
static void hostile_rust(char name[1024], int levels)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int last = (int)strlen("INvC1a1b");

	strcpy(name, "_RINvC1a1bTiiE");
	for (int i = 1; i < levels; i++) {
		int number = last - 1, at = (int)strlen(name);
		char back[8];

		if (number < 62)
			snprintf(back, sizeof(back), "B%c_", digits[number]);
		else
			snprintf(back, sizeof(back), "B%c%c_", digits[number / 62], digits[number % 62]);
		last = at - 2;
		snprintf(name + at, (size_t)(1024 - at), "T%s%sE", back, back);
	}
	strcat(name, "E");
}

START_TEST(a_hostile_name_of_rust_ends_quickly)
{
	char name[1024];

	hostile_rust(name, 40);
	assert_demangled(name, NULL);
	hostile_rust(name, 2);
	assert_demangled(name, "a::b::<(isize, isize), ((isize, isize), (isize, isize))>");
}
END_TEST

START_TEST(a_deeply_nested_name_ends)
{
	char *name = malloc(300001);

	memset(name, 'P', 300000);
	memcpy(name, "_Z1f", 4);
	name[300000] = '\0';
	assert_demangled(name, NULL);
	strcpy(name + 10000, "i");
	free(demangle(name));
	free(name);
}
END_TEST

Suite *suite_demangle(void)
{
	Suite *suite = suite_create("symbolize/demangle");
	TCase *tc = tcase_create("all");

	tcase_add_test(tc, names_of_cpp_are_made_readable);
	tcase_add_test(tc, names_of_rust_are_made_readable);
	tcase_add_test(tc, names_that_are_not_mangled_stay);
	tcase_add_test(tc, a_hostile_name_of_cpp_ends_quickly);
	tcase_add_test(tc, a_hostile_name_of_rust_ends_quickly);
	tcase_add_test(tc, a_deeply_nested_name_ends);
	suite_add_tcase(suite, tc);
	return suite;
}
