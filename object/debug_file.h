/*
 * Where the symbols and the DWARF of a stripped file are: by build-id below /usr/lib/debug, or by .gnu_debuglink (name
 * and CRC) beside the file, in .debug/ and below /usr/lib/debug. Never taken on trust: the build-id or the CRC must
 * match.
 */
#ifndef OBJECT_DEBUG_FILE_H
#define OBJECT_DEBUG_FILE_H

#include "base/notes.h"
#include "object/object.h"

/* False where there is none; a candidate that does not match is refused with a note. */
bool debug_file_find(struct object *debug, struct object *object, struct notes *notes);

/* The copy of a recorded file in perf's cache, $HOME/.debug/.build-id. */
int debug_file_open_cached(struct object *object, const struct build_id *id, struct error *err);

#endif
