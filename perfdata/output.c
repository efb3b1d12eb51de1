#include "perfdata/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

static int output_move_old(struct output *output, struct error *err)
{
	struct stat st;

	if (lstat(output->path, &st)) {
		if (errno == ENOENT)
			return 0;
		return error_sys(err, "%s", output->path);
	}
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_SYSTEM, "%s: exists and is %s; not written to", output->path,
				 S_ISLNK(st.st_mode) ? "a symbolic link" :
				 S_ISDIR(st.st_mode) ? "a directory" :
						       "not a regular file");
	output->old = memory_format("%s.old", output->path);
	if (rename(output->path, output->old)) {
		error_sys(err, "%s: cannot be renamed to %s", output->path, output->old);
		free(output->old);
		output->old = NULL;
		return -1;
	}
	return 0;
}

int output_create(struct output *output, const char *path, struct error *err)
{
	*output = (struct output){ .path = memory_strdup(path), .fd = -1 };
	if (!output_move_old(output, err)) {
		output->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (output->fd >= 0)
			return 0;
		error_sys(err, "%s", path);
		if (output->old)
			rename(output->old, output->path);
	}
	free(output->path);
	free(output->old);
	return -1;
}

void output_abandon(struct output *output)
{
	close(output->fd);
	if (!output->old || rename(output->old, output->path))
		unlink(output->path);
	free(output->path);
	free(output->old);
}

int output_close(struct output *output, struct error *err)
{
	int status = close(output->fd) ? error_sys(err, "%s", output->path) : 0;

	free(output->path);
	free(output->old);
	return status;
}
