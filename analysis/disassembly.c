#include "analysis/disassembly.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbolize/demangle.h"

extern char **environ;

/* The file as a descriptor that objdump can be given, so that it reads the very file whose build-id we have seen. */
static int disassembly_file(const struct object *object, struct error *err)
{
	int fd;

	if (object->fd >= 0) {
		fd = dup(object->fd);
		return fd < 0 ? error_sys(err, "%s", object->path) : fd;
	}
	fd = memfd_create("image", MFD_CLOEXEC);
	if (fd < 0 || write(fd, object->image, object->image_size) != (ssize_t)object->image_size) {
		error_sys(err, "%s", object->path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* objdump with descriptor 3 the file and its output in *output. */
static int disassembly_spawn(int file, uint64_t start, uint64_t end, const char *objdump, pid_t *pid, FILE **output,
			     struct error *err)
{
	char from[48], to[48];
	char name[] = "objdump", disassemble[] = "-d", wide[] = "-w", path[] = "/proc/self/fd/3";
	char *argv[] = { name, disassemble, wide, from, to, path, NULL };
	posix_spawn_file_actions_t actions;
	int pipe_fds[2], error;

	snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start);
	snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
	if (pipe2(pipe_fds, O_CLOEXEC))
		return error_sys(err, "pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, file, 3);
	error = posix_spawnp(pid, objdump, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipe_fds[1]);
	if (error) {
		close(pipe_fds[0]);
		errno = error;
		return error == ENOENT ?
			       error_set(err, ERROR_SYSTEM,
					 "%s: not found, it shows the instructions (apt install binutils)", objdump) :
			       error_sys(err, "%s", objdump);
	}
	*output = fdopen(pipe_fds[0], "r");
	return 0;
}

static const char *disassembly_keep(struct disassembly *disassembly, char *text)
{
	vec_push(&disassembly->strings, text);
	return text;
}

/* "call 1139 <_Z3fooi+0x4>": the name between < and + or > for people. */
static char *disassembly_demangle(const char *text)
{
	const char *name = strstr(text, "<_");
	size_t len = name ? strcspn(name + 1, "+>@") : 0;
	autofree char *mangled = name ? memory_format("%.*s", (int)len, name + 1) : NULL;
	autofree char *readable = mangled ? demangle(mangled) : NULL;

	if (!readable)
		return memory_strdup(text);
	return memory_format("%.*s<%s%s", (int)(name - text), text, readable, name + 1 + len);
}

/* One line of objdump's, "    1139:\t55                   \tpush   %rbp"; others say what section it is and so on. */
static void disassembly_take(struct disassembly *disassembly, char *line)
{
	struct instruction instruction = { 0 };
	char *end, *bytes, *text;

	instruction.address = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return;
	bytes = end + 2;
	text = strchr(bytes, '\t');
	end = text ? text : bytes + strlen(bytes);
	while (end > bytes && isspace((unsigned char)end[-1]))
		end--;
	instruction.size = (uint32_t)(end - bytes + 1) / 3;
	if (!instruction.size)
		return;
	instruction.bytes = disassembly_keep(disassembly, memory_format("%.*s", (int)(end - bytes), bytes));
	text = text ? text + 1 : end;
	for (end = text + strlen(text); end > text && isspace((unsigned char)end[-1]);)
		*--end = '\0';
	instruction.text = disassembly_keep(disassembly, disassembly_demangle(text));
	vec_push(&disassembly->instructions, instruction);
}

int disassembly_init(struct disassembly *disassembly, struct object *object, uint64_t start, uint64_t end,
		     const char *objdump, struct error *err)
{
	int file = disassembly_file(object, err), status = 0;
	char *line = NULL;
	size_t room = 0;
	FILE *output = NULL;
	pid_t pid;

	*disassembly = (struct disassembly){ 0 };
	if (file < 0)
		return -1;
	if (disassembly_spawn(file, start, end, objdump, &pid, &output, err)) {
		close(file);
		return -1;
	}
	close(file);
	while (getline(&line, &room, output) >= 0)
		disassembly_take(disassembly, line);
	free(line);
	fclose(output);
	waitpid(pid, &status, 0);
	if (!disassembly->instructions.len)
		return error_set(err, ERROR_UNSUPPORTED, "%s: %s gives no instructions for 0x%" PRIx64 " to 0x%" PRIx64,
				 object->path, objdump, start, end);
	return 0;
}

void disassembly_fini(struct disassembly *disassembly)
{
	for (size_t i = 0; i < disassembly->strings.len; i++)
		free(disassembly->strings.items[i]);
	vec_fini(&disassembly->strings);
	vec_fini(&disassembly->instructions);
}
