// SPDX-License-Identifier: MIT
/* What a process gives up may be what our file needs: afterwards it could not be
 * made where it was meant to be. */
#include <grp.h>
#include <sched.h>
#include <unistd.h>

#include "agent/core/lifecycle.h"
#include "agent/core/real.h"
#include "agent/hook/hook.h"

TD_EXPORT int setuid(uid_t user)
{
	td_lifecycle_give_up_rights();
	return td_real()->setuid(user);
}

TD_EXPORT int seteuid(uid_t user)
{
	td_lifecycle_give_up_rights();
	return td_real()->seteuid(user);
}

TD_EXPORT int setreuid(uid_t real, uid_t effective)
{
	td_lifecycle_give_up_rights();
	return td_real()->setreuid(real, effective);
}

TD_EXPORT int setresuid(uid_t real, uid_t effective, uid_t saved)
{
	td_lifecycle_give_up_rights();
	return td_real()->setresuid(real, effective, saved);
}

TD_EXPORT int setgid(gid_t group)
{
	td_lifecycle_give_up_rights();
	return td_real()->setgid(group);
}

TD_EXPORT int setegid(gid_t group)
{
	td_lifecycle_give_up_rights();
	return td_real()->setegid(group);
}

TD_EXPORT int setregid(gid_t real, gid_t effective)
{
	td_lifecycle_give_up_rights();
	return td_real()->setregid(real, effective);
}

TD_EXPORT int setresgid(gid_t real, gid_t effective, gid_t saved)
{
	td_lifecycle_give_up_rights();
	return td_real()->setresgid(real, effective, saved);
}

TD_EXPORT int setgroups(size_t n, const gid_t *groups)
{
	td_lifecycle_give_up_rights();
	return td_real()->setgroups(n, groups);
}

TD_EXPORT int initgroups(const char *user, gid_t group)
{
	td_lifecycle_give_up_rights();
	return td_real()->initgroups(user, group);
}

/* libc has it, libcap's header declares it. */
TD_EXPORT int capset(void *header, const void *data);
TD_EXPORT int capset(void *header, const void *data)
{
	td_lifecycle_give_up_rights();
	return td_real()->capset(header, data);
}

TD_EXPORT int chroot(const char *path)
{
	td_lifecycle_give_up_rights();
	return td_real()->chroot(path);
}

TD_EXPORT int unshare(int flags)
{
	td_lifecycle_give_up_rights();
	return td_real()->unshare(flags);
}

TD_EXPORT int setns(int fd, int kind)
{
	td_lifecycle_give_up_rights();
	return td_real()->setns(fd, kind);
}
