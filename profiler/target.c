#include "profiler/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

static int target_check_path(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno;
	if (S_ISDIR(st.st_mode) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return EACCES;
	return 0;
}

/* As execvp searches, and with its errno. */
static int target_search(const char *command)
{
	const char *path = getenv("PATH");
	int error = ENOENT;

	if (strchr(command, '/'))
		return target_check_path(command);
	for (path = path ? path : "/bin:/usr/bin"; error; path++) {
		size_t len = strcspn(path, ":");
		autofree char *candidate = memory_format("%.*s%s%s", (int)len, path, len ? "/" : "", command);
		int found = target_check_path(candidate);

		error = found == 0 || found == EACCES ? found : error;
		path += len;
		if (!*path)
			break;
	}
	return error;
}

int target_check(const char *command, struct error *err)
{
	int error = *command ? target_search(command) : ENOENT;

	if (!error)
		return 0;
	errno = error;
	return error_sys(err, "%s", command);
}

/* In the new process. Nothing here may allocate or use stdio. */
static void target_child(int go, int failed, char *const argv[], const sigset_t *mask)
{
	char byte;
	int error;

	/* The recorder went away before it said so: end without a word. */
	if (read(go, &byte, 1) != 1)
		_exit(0);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	error = errno;
	if (write(failed, &error, sizeof(error)) < 0)
		_exit(126);
	_exit(127);
}

static int target_pipe(int ends[2], struct error *err)
{
	if (!pipe2(ends, O_CLOEXEC))
		return 0;
	return error_sys(err, errno == EMFILE ? "pipe (raise the limit: ulimit -n 1024)" : "pipe");
}

int target_prepare(struct target *target, char *const argv[], const sigset_t *mask, struct error *err)
{
	int go[2], failed[2];

	*target = (struct target){ .go = -1, .failed = -1 };
	if (target_pipe(go, err))
		return -1;
	if (target_pipe(failed, err)) {
		close(go[0]);
		close(go[1]);
		return -1;
	}
	target->pid = fork();
	if (target->pid == 0) {
		close(go[1]);
		target_child(go[0], failed[1], argv, mask);
	}
	close(go[0]);
	close(failed[1]);
	target->go = go[1];
	target->failed = failed[0];
	if (target->pid < 0) {
		error_sys(err, "fork");
		target_fini(target);
		return -1;
	}
	return 0;
}

int target_start(struct target *target, const char *name, struct error *err)
{
	int error = 0;

	if (write(target->go, "", 1) != 1)
		return error_sys(err, "%s", name);
	close(target->go);
	target->go = -1;
	/* Ends with nothing read when exec closes the other end. */
	if (read(target->failed, &error, sizeof(error)) == sizeof(error)) {
		errno = error;
		return error_sys(err, "%s", name);
	}
	return 0;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

void target_poll(struct target *target)
{
	struct rusage usage;

	if (target->exited || wait4(target->pid, &target->status, WNOHANG, &usage) != target->pid)
		return;
	target->exited = true;
	target->consumed_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
}

int target_exit_status(const struct target *target)
{
	return WIFSIGNALED(target->status) ? 128 + WTERMSIG(target->status) : WEXITSTATUS(target->status);
}

void target_fini(struct target *target)
{
	bool waiting = target->go >= 0;

	if (target->go >= 0)
		close(target->go);
	if (target->failed >= 0)
		close(target->failed);
	if (waiting && target->pid > 0)
		waitpid(target->pid, NULL, 0);
}
