/* The code page that the kernel maps into every process: an ELF image without a file. */
#ifndef OBJECT_VDSO_H
#define OBJECT_VDSO_H

#include "object/object.h"

/* A copy of this process's own, which is the same for all processes of one kernel. */
int vdso_open(struct object *object, struct error *err);

#endif
