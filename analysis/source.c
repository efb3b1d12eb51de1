#include "analysis/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_MAX = 32 << 20 };

void sources_fini(struct sources *sources)
{
	for (size_t i = 0; i < sources->files.len; i++) {
		free(sources->files.items[i].path);
		free(sources->files.items[i].text);
		vec_fini(&sources->files.items[i].lines);
	}
	vec_fini(&sources->files);
}

void sources_note(const struct sources *sources, struct notes *notes)
{
	const char *first = NULL;
	size_t missing = 0;

	for (size_t i = 0; i < sources->files.len; i++)
		if (!sources->files.items[i].text && !missing++)
			first = sources->files.items[i].path;
	if (missing == 1)
		notes_add(notes, "%s: the source cannot be read, only its line numbers are shown", first);
	else if (missing)
		notes_add(notes, "%zu source files cannot be read, only their line numbers are shown (the first: %s)", missing,
			  first);
}

/* The path comes from debug information, which need not be true: regular files of a sensible size only. */
static char *source_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char *text = NULL;
	struct stat st;
	ssize_t got;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= SOURCE_MAX) {
		text = memory_new((size_t)st.st_size + 1, 1);
		got = pread(fd, text, (size_t)st.st_size, 0);
		text[got > 0 ? got : 0] = '\0';
	}
	close(fd);
	return text;
}

static struct source_file *sources_open(struct sources *sources, const char *path)
{
	struct source_file *file;

	for (size_t i = 0; i < sources->files.len; i++)
		if (!strcmp(sources->files.items[i].path, path))
			return &sources->files.items[i];
	file = vec_add(&sources->files);
	file->path = memory_strdup(path);
	file->text = source_read(path);
	if (!file->text)
		return file;
	for (char *line = file->text; *line;) {
		size_t len = strcspn(line, "\n");
		bool last = !line[len];

		vec_push(&file->lines, line);
		line[len] = '\0';
		line += last ? len : len + 1;
	}
	return file;
}

const char *sources_line(struct sources *sources, const char *path, unsigned int line)
{
	const struct source_file *file = sources_open(sources, path);

	return line && line <= file->lines.len ? file->lines.items[line - 1] : NULL;
}
