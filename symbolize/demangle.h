/* C++ and Rust names made readable, with a bound on what a hostile name can cost (a 200-byte one expands to 18 MB). */
#ifndef SYMBOLIZE_DEMANGLE_H
#define SYMBOLIZE_DEMANGLE_H

/* The readable form, which the caller frees; NULL where the name is not mangled or exceeds the bounds. */
char *demangle(const char *name);

#endif
