/* PLT stubs named after the function they lead to, `f@plt`: the linker gives them no symbols. */
#ifndef SYMBOLIZE_PLT_H
#define SYMBOLIZE_PLT_H

#include "symbolize/symbols.h"

void plt_add_symbols(struct symbols *symbols, struct object *object);

#endif
