// SPDX-License-Identifier: MIT
/*
 * Real stacks of this program: chains of functions raise a signal, whose handler
 * walks, as the agent's does.
 */
#define UNW_LOCAL_ONLY
#include <check.h>
#include <libunwind.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/sigsafe/callpath.h"
#include "agent/sigsafe/store.h"
#include "tests/unit/context.h"
#include "tests/unit/memory_store.h"
#include "tests/unit/unit.h"

/* A function that has a frame of its own, and is there once. */
#ifdef __clang__
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noinline, noclone))
#endif

static struct td_thread thread;
static struct td_walk taken;
static void (*in_handler)(ucontext_t *context);

static struct td_file_place *place_at(uint64_t ip, struct td_identity *where)
{
	td_identity_find(ip, where);
	return td_places_get(&thread.places, where);
}

static void walk_from(const ucontext_t *context)
{
	struct td_identity where;
	struct td_file_place *place = place_at((uint64_t)CONTEXT_IP(context), &where);

	td_callpath_walk(&thread, &taken, context, &where, place);
}

static void handle(int number, siginfo_t *info, void *context)
{
	(void)number, (void)info;
	if (in_handler)
		in_handler(context);
	/* as often as it takes to learn the way */
	for (int i = 0; i < 20; i++)
		walk_from(context);
}

/* The frames that are of this function. */
static unsigned count_of(void (*function)(void))
{
	struct td_identity where;
	struct td_file_place *place = place_at((uint64_t)function, &where);
	unsigned count = 0;

	for (uint32_t i = 0; i < taken.depth; i++)
		count += taken.frame[i].place == place;
	return count;
}

/* The first frame of this function; the path's depth if there is none. */
static uint32_t index_of(void (*function)(void))
{
	struct td_identity where;
	struct td_file_place *place = place_at((uint64_t)function, &where);
	uint32_t i = 0;

	while (i < taken.depth && taken.frame[i].place != place)
		i++;
	return i;
}

#define INDEX(function) index_of((void (*)(void))(function))
#define COUNT(function) count_of((void (*)(void))(function))
#define KEEP_FRAME __asm__ volatile("" ::: "memory")

static void setup(void)
{
	struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

	memory_store_open(3, 512);
	td_store.header->path_size = TD_PATH_SIZE(3);
	memset(&thread, 0, sizeof(thread));
	memory_store_add_thread(&thread.places);
	thread.callpath = aligned_alloc(64, (sizeof(struct td_callpath) + 63) & ~63ul);
	ck_assert_ptr_nonnull(thread.callpath);
	memset(thread.callpath, 0, sizeof(*thread.callpath));
	td_callpath_reset(thread.callpath, (struct td_range){0, 0}, false);
	memset(&taken, 0, sizeof(taken));
	in_handler = NULL;
	sigaction(SIGUSR1, &action, NULL);
}

static void teardown(void)
{
	free(thread.callpath);
	memory_store_close();
	td_paths_forget();
}

FRAME static void leaf(void)
{
	raise(SIGUSR1);
	KEEP_FRAME;
}

FRAME static void middle(void)
{
	leaf();
	KEEP_FRAME;
}

FRAME static void outer(void)
{
	middle();
	KEEP_FRAME;
}

FRAME static unsigned recurse(unsigned depth)
{
	unsigned below;

	if (!depth) {
		leaf();
		return 1;
	}
	below = recurse(depth - 1);
	KEEP_FRAME;
	return below + 1;
}

START_TEST(path_of_a_chain)
{
	outer();
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_lt(INDEX(leaf), taken.depth);
	ck_assert_uint_eq(INDEX(middle), INDEX(leaf) + 1);
	ck_assert_uint_eq(INDEX(outer), INDEX(middle) + 1);
	ck_assert_uint_eq(INDEX(path_of_a_chain_fn), INDEX(outer) + 1);
	/* callers are at higher addresses */
	for (uint32_t i = 1; i + 1 < taken.depth; i++)
		ck_assert_uint_gt(taken.frame[i].cfa, taken.frame[i - 1].cfa);
}
END_TEST

static struct td_file_place *theirs[TD_CALLPATH_DEPTH];
static uint32_t their_depth;

static void walk_by_libunwind(ucontext_t *context)
{
	struct td_identity where;
	unw_cursor_t cursor;
	unw_word_t ip;
	bool exact = true;

	ck_assert_int_eq(
		unw_init_local2(&cursor, (unw_context_t *)context, UNW_INIT_SIGNAL_FRAME),
		0);
	their_depth = 0;
	do {
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		theirs[their_depth++] = place_at(exact ? ip : ip - 1, &where);
		exact = unw_is_signal_frame(&cursor) > 0;
	} while (unw_step(&cursor) > 0);
}

START_TEST(agrees_with_libunwind)
{
	in_handler = walk_by_libunwind;
	recurse(30);
	ck_assert_uint_gt(their_depth, 31);
	ck_assert_uint_eq(taken.depth, their_depth);
	for (uint32_t i = 0; i < their_depth; i++)
		ck_assert_ptr_eq(taken.frame[i].place, theirs[i]);
}
END_TEST

START_TEST(known_stack_is_read_directly)
{
	struct td_walk by_kernel;
	uint64_t here = (uint64_t)__builtin_frame_address(0);

	outer();
	by_kernel = taken;
	/* enough of it for the frames up to this one */
	thread.callpath->memory.stack = (struct td_range){here - 65536, here + 64};
	outer();
	ck_assert_uint_ge(taken.depth, INDEX(known_stack_is_read_directly_fn));
	ck_assert_uint_eq(taken.depth, by_kernel.depth);
	for (uint32_t i = INDEX(leaf); i < taken.depth; i++)
		ck_assert_ptr_eq(taken.frame[i].place, by_kernel.frame[i].place);
}
END_TEST

START_TEST(recursion_is_followed_and_bounded)
{
	recurse(100);
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(COUNT(recurse), 101);

	recurse(1000);
	ck_assert_int_eq(taken.complete, 0);
	ck_assert_uint_eq(taken.depth, TD_CALLPATH_DEPTH);
	ck_assert_uint_lt(INDEX(leaf), taken.depth);
}
END_TEST

FRAME static void program_handler(int number)
{
	(void)number;
	leaf();
	KEEP_FRAME;
}

FRAME static void interrupted(void)
{
	raise(SIGUSR2);
	KEEP_FRAME;
}

START_TEST(through_a_handler_of_the_program)
{
	struct sigaction action = {.sa_handler = program_handler};

	sigaction(SIGUSR2, &action, NULL);
	interrupted();
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_lt(INDEX(program_handler), taken.depth);
	ck_assert_uint_gt(INDEX(interrupted), INDEX(program_handler));
	ck_assert_uint_lt(INDEX(interrupted), taken.depth);
}
END_TEST

START_TEST(from_an_alternate_stack)
{
	struct sigaction action = {.sa_handler = program_handler, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536}, old;

	ck_assert_int_eq(sigaltstack(&stack, &old), 0);
	sigaction(SIGUSR2, &action, NULL);
	interrupted();
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_gt(INDEX(interrupted), INDEX(program_handler));
	ck_assert_uint_lt(INDEX(interrupted), taken.depth);
	sigaltstack(&old, NULL);
	free(stack.ss_sp);
}
END_TEST

static ucontext_t main_context, other_context;

static void coroutine(void)
{
	outer();
	KEEP_FRAME;
}

START_TEST(on_a_stack_of_swapcontext)
{
	static char stack[131072];

	getcontext(&other_context);
	other_context.uc_stack.ss_sp = stack;
	other_context.uc_stack.ss_size = sizeof(stack);
	other_context.uc_link = &main_context;
	makecontext(&other_context, coroutine, 0);
	swapcontext(&main_context, &other_context);
	ck_assert_uint_lt(INDEX(leaf), taken.depth);
	ck_assert_uint_eq(INDEX(coroutine), INDEX(outer) + 1);
	ck_assert_uint_eq(INDEX(on_a_stack_of_swapcontext_fn), taken.depth);
}
END_TEST

/* The compiler realigns the stack for `big`, with a frame of its own kind. */
FRAME static void realigned(unsigned bytes)
{
	char big[64] __attribute__((aligned(64)));
	char *any = __builtin_alloca(bytes);

	memset(big, 0, sizeof(big));
	memset(any, 0, bytes);
	__asm__ volatile("" ::"r"(big), "r"(any) : "memory");
	leaf();
	__asm__ volatile("" ::"r"(big), "r"(any) : "memory");
}

START_TEST(through_a_realigned_stack)
{
	for (unsigned bytes = 16; bytes < 256; bytes += 16) {
		realigned(bytes);
		ck_assert_int_eq(taken.complete, 1);
		ck_assert_uint_eq(INDEX(realigned), INDEX(leaf) + 1);
		ck_assert_uint_eq(INDEX(through_a_realigned_stack_fn),
				  INDEX(realigned) + 1);
	}
}
END_TEST

/* Any registers at all: a short path, and no fault. */
static void walk_garbage(ucontext_t *context)
{
	static uint64_t page[512];
	context_value sp = CONTEXT_SP(context), fp = CONTEXT_FP(context);
	context_value values[] = {0,
				  8,
				  -1,
				  -8,
				  (context_value)(uintptr_t)page,
				  (context_value)(uintptr_t)(page + 511),
				  (context_value)(uintptr_t)&walk_garbage,
				  (context_value)0x7fffffffeff8,
				  (context_value)0x8000000000000000ull,
				  sp,
				  fp,
				  sp + 4096,
				  sp + 3};
	size_t n = sizeof(values) / sizeof(values[0]);

	for (size_t i = 0; i < 512; i++)
		page[i] = i % 3 ? (uint64_t)&page[i % 500] : (uint64_t)&walk_garbage + i;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			CONTEXT_SP(context) = values[i];
			CONTEXT_FP(context) = values[j];
			walk_from(context);
			ck_assert_uint_ge(taken.depth, 1);
			ck_assert_uint_le(taken.depth, TD_CALLPATH_DEPTH);
		}
	CONTEXT_SP(context) = sp;
	CONTEXT_FP(context) = fp;
}

#if defined(__x86_64__)
/* A frame like the dynamic linker's: its base is %rbx, which leaf's callers save. */
void based_on_bx(void (*function)(void));
__asm__(".pushsection .text\n"
	".type based_on_bx, @function\n"
	"based_on_bx:\n"
	".cfi_startproc\n"
	"	pushq %rbx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbx, -16\n"
	"	movq %rsp, %rbx\n"
	"	.cfi_def_cfa %rbx, 16\n"
	"	andq $-64, %rsp\n"
	"	call *%rdi\n"
	"	movq %rbx, %rsp\n"
	"	.cfi_def_cfa %rsp, 16\n"
	"	popq %rbx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size based_on_bx, . - based_on_bx\n"
	".popsection\n");

FRAME static void changes_bx(void)
{
	__asm__ volatile("xorl %%ebx, %%ebx" ::: "rbx");
	leaf();
	__asm__ volatile("xorl %%ebx, %%ebx" ::: "rbx");
}

START_TEST(through_frames_based_on_bx)
{
	based_on_bx(outer);
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(INDEX(based_on_bx), INDEX(outer) + 1);
	based_on_bx(changes_bx);
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(INDEX(based_on_bx), INDEX(changes_bx) + 1);
	ck_assert_uint_eq(INDEX(through_frames_based_on_bx_fn), INDEX(based_on_bx) + 1);
}
END_TEST
#elif defined(__aarch64__)
/* A function without a frame: its caller is in LR.  tgkill() of `thread` by itself. */
void without_frame(pid_t process, pid_t thread, int number);
__asm__(".pushsection .text\n"
	".type without_frame, %function\n"
	"without_frame:\n"
	".cfi_startproc\n"
	"	mov x8, #131\n"
	"	svc #0\n"
	"	ret\n"
	".cfi_endproc\n"
	".size without_frame, . - without_frame\n"
	".popsection\n");

FRAME static void calls_without_frame(void)
{
	without_frame(getpid(), gettid(), SIGUSR1);
	KEEP_FRAME;
}

START_TEST(from_a_function_without_a_frame)
{
	calls_without_frame();
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(INDEX(without_frame), 0);
	ck_assert_uint_eq(INDEX(calls_without_frame), 1);
	ck_assert_uint_eq(INDEX(from_a_function_without_a_frame_fn), 2);
}
END_TEST

FRAME static void frameless_handler(int number)
{
	if (number == SIGUSR2)
		leaf();
	KEEP_FRAME;
}

FRAME static void interrupted_without_frame(void)
{
	without_frame(getpid(), gettid(), SIGUSR2);
	KEEP_FRAME;
}

/* The signal's frame has the LR that the interrupted function needs. */
START_TEST(through_a_handler_to_a_function_without_a_frame)
{
	struct sigaction action = {.sa_handler = frameless_handler};

	sigaction(SIGUSR2, &action, NULL);
	interrupted_without_frame();
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_lt(INDEX(frameless_handler), INDEX(without_frame));
	ck_assert_uint_eq(INDEX(interrupted_without_frame), INDEX(without_frame) + 1);
}
END_TEST
#endif

START_TEST(garbage_is_survived)
{
	in_handler = walk_garbage;
	outer();
	ck_assert_int_eq(taken.complete, 1);
}
END_TEST

/* The end of what is mapped is the end of the path. */
static void walk_at_the_end(ucontext_t *context)
{
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	context_value sp = CONTEXT_SP(context), fp = CONTEXT_FP(context);

	ck_assert_int_eq(munmap(pages + 4096, 4096), 0);
	for (unsigned i = 0; i < 64; i++) {
		CONTEXT_SP(context) = (context_value)(uintptr_t)(pages + 4096 - i);
		CONTEXT_FP(context) = CONTEXT_SP(context);
		walk_from(context);
		ck_assert_int_eq(taken.complete, 0);
	}
	munmap(pages, 4096);
	CONTEXT_SP(context) = sp;
	CONTEXT_FP(context) = fp;
}

START_TEST(end_of_the_mapping)
{
	in_handler = walk_at_the_end;
	outer();
	ck_assert_int_eq(taken.complete, 1);
}
END_TEST

/* As a JIT compiler makes it, without tables. */
#if defined(__x86_64__)
/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const unsigned char jit_code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#elif defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const uint32_t jit_code[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd,
				    0xd65f03c0};
#endif

START_TEST(through_code_with_a_frame_pointer_only)
{
	void (*call)(void (*function)(void));
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	memcpy(code, jit_code, sizeof(jit_code));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(jit_code));
	ck_assert_int_eq(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
	memcpy(&call, &code, sizeof(call));
	call(outer);
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(INDEX(through_code_with_a_frame_pointer_only_fn),
			  INDEX(outer) + 2);
	munmap(code, 4096);
}
END_TEST

#if defined(__aarch64__)
/* mov x8, #131; svc #0; ret: tgkill() without a frame, as the vdso's functions are */
static const uint32_t leaf_code[] = {0xd2801068, 0xd4000001, 0xd65f03c0};
static void (*leaf_without_tables)(pid_t process, pid_t thread, int number);

FRAME static void calls_without_tables(void)
{
	leaf_without_tables(getpid(), gettid(), SIGUSR1);
	KEEP_FRAME;
}

START_TEST(from_code_without_a_frame_and_tables)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	memcpy(code, leaf_code, sizeof(leaf_code));
	__builtin___clear_cache((char *)code, (char *)code + sizeof(leaf_code));
	ck_assert_int_eq(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
	memcpy(&leaf_without_tables, &code, sizeof(code));
	calls_without_tables();
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(INDEX(calls_without_tables), 1);
	ck_assert_uint_eq(INDEX(from_code_without_a_frame_and_tables_fn), 2);
	munmap(code, 4096);
}
END_TEST
#endif

static void *thread_main(void *unused)
{
	(void)unused;
	recurse(20);
	return NULL;
}

START_TEST(smallest_stack_of_a_thread)
{
	pthread_attr_t attributes;
	pthread_t other;

	pthread_attr_init(&attributes);
	ck_assert_int_eq(pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN), 0);
	ck_assert_int_eq(pthread_create(&other, &attributes, thread_main, NULL), 0);
	pthread_join(other, NULL);
	ck_assert_int_eq(taken.complete, 1);
	ck_assert_uint_eq(COUNT(recurse), 21);
	ck_assert_uint_lt(INDEX(thread_main), taken.depth);
}
END_TEST

static void fill(struct td_walk *walk, bool complete, uint32_t depth,
		 const struct td_frame *outermost_first)
{
	walk->complete = complete;
	walk->depth = depth;
	for (uint32_t i = 0; i < depth; i++)
		walk->frame[depth - 1 - i] = outermost_first[i];
}

#define PLACE(n) ((struct td_file_place *)(uintptr_t)(64 * (n)))

START_TEST(common_frames)
{
	static struct td_walk a, b;
	const struct td_frame path[] = {
		{900, PLACE(1)}, {800, PLACE(2)}, {700, PLACE(3)}, {600, PLACE(4)}};
	const struct td_frame other[] = {
		{900, PLACE(1)}, {800, PLACE(2)}, {700, PLACE(5)}, {600, PLACE(4)}};
	const struct td_frame moved[] = {{900, PLACE(1)}, {790, PLACE(2)}};

	fill(&a, true, 4, path);
	fill(&b, true, 4, path);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 4);
	fill(&b, true, 4, other);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 2);
	/* the same function, another call of it */
	fill(&b, true, 2, moved);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 1);
	/* returned to the caller */
	fill(&b, true, 3, path);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 3);
	/* callers are missing at one end, or at both */
	fill(&b, false, 2, other + 1);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 2);
	fill(&a, false, 3, path + 1);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 1);
	fill(&b, true, 4, path);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 3);
	fill(&b, false, 2, moved);
	ck_assert_uint_eq(td_callpath_common(&a, &b), 0);
}
END_TEST

/* The sample's path and the window in the tree. */
static void open_and_close(ucontext_t *context)
{
	const uint64_t values[] = {100, 20, 3};
	struct td_identity where;
	struct td_file_place *place = place_at((uint64_t)CONTEXT_IP(context), &where);

	thread.interrupted = context;
	for (int i = 0; i < 20; i++) {
		td_callpath_open(&thread, &where, place);
		td_callpath_close(&thread, &where, values, 0, 1);
	}
}

static const struct td_file_path *node_at(uint32_t ref)
{
	return td_paths_node(ref);
}

START_TEST(tree_of_paths)
{
	struct td_identity where;
	struct td_file_place *places[] = {place_at((uint64_t)leaf, &where),
					  place_at((uint64_t)middle, &where),
					  place_at((uint64_t)outer, &where)};
	struct td_paths *paths = &thread.places.paths;
	uint32_t size = td_store.header->place_size;
	uint64_t samples = 0, windows = 0;
	const struct td_file_path *node = NULL;
	uint32_t found = 0, ref;

	in_handler = open_and_close;
	outer();
	for (uint32_t slot = 0; slot < paths->slot; slot++) {
		node = node_at(TD_REF(paths->block, slot));
		samples += node->samples;
		windows += node->windows;
		ck_assert_uint_eq(node->opened, node->samples);
		if (node->kind == TD_PATH_FRAME)
			ck_assert_uint_lt(node->parent, TD_REF(paths->block, slot));
		else
			ck_assert_uint_eq(node->place, 0);
		if (node->place != td_store_ref(places[0], size))
			continue;
		ref = TD_REF(paths->block, slot);
		for (int i = 0; i < 3; i++, ref = node_at(ref)->parent)
			found += node_at(ref)->place == td_store_ref(places[i], size);
	}
	ck_assert_uint_ge(found, 3);
	ck_assert_uint_eq(samples, 20);
	ck_assert_uint_eq(windows, 20);
	/* both ends are the same: the window is the leaf's, with all its values */
	ck_assert_uint_eq(node->windows + node->samples > 0, 1);
	ck_assert_uint_eq(node->sum[0].sum, node->windows * 100);
	ck_assert_double_eq(node->sum[1].squares, (double)node->windows * 400);
	ck_assert_double_eq(node->sum[2].cross, (double)node->windows * 300);
}
END_TEST

/* A window of another group has a node of its own beside that of its path; one that
 * stands for two counts twice, but for its square. */
START_TEST(groups_have_their_own_sums)
{
	struct td_paths *paths = &thread.places.paths;
	const uint64_t values[] = {100, 20, 3};
	uint32_t root = td_paths_get(paths, TD_PATH_ROOT, 0, 0);
	uint32_t node = td_paths_get(paths, TD_PATH_FRAME, root, 12);
	uint32_t of = td_paths_get_of(paths, node, 2);

	ck_assert_uint_ne(of, node);
	ck_assert_uint_eq(td_paths_get_of(paths, node, 2), of);
	ck_assert_uint_ne(td_paths_get_of(paths, node, 3), of);
	ck_assert_uint_eq(td_paths_get(paths, TD_PATH_FRAME, root, 12), node);
	ck_assert_uint_eq(node_at(of)->parent, root);
	ck_assert_uint_eq(node_at(of)->place, 12);
	ck_assert_uint_eq(node_at(of)->group, 2);
	td_paths_add_window(of, values, 1);
	td_paths_add_window(of, values, 2);
	ck_assert_uint_eq(node_at(node)->windows, 0);
	ck_assert_uint_eq(node_at(of)->windows, 3);
	ck_assert_uint_eq(node_at(of)->sum[1].sum, 60);
	ck_assert_double_eq(node_at(of)->sum[1].squares, 400 + 4 * 400);
	ck_assert_double_eq(node_at(of)->sum[1].cross, 2000 + 4 * 2000);
}
END_TEST

START_TEST(tree_is_bounded)
{
	struct td_paths *paths = &thread.places.paths;
	uint32_t root = td_paths_get(paths, TD_PATH_ROOT, 0, 0), n = 0, blocks;

	while (td_paths_get(paths, TD_PATH_FRAME, root, TD_REF(2, n % 64)) && n < 64)
		n++;
	ck_assert_uint_eq(n, 64);
	for (n = 1; n < 1000000; n++)
		if (!td_paths_get(paths, TD_PATH_FRAME, root, n))
			break;
	blocks = td_store.header->blocks;
	ck_assert_uint_lt(n, 1000000);
	ck_assert_uint_le(blocks, td_store.header->blocks_max / 2 + 8);
	/* what is there is still found */
	ck_assert_uint_eq(td_paths_get(paths, TD_PATH_ROOT, 0, 0), root);
	ck_assert_uint_ne(td_paths_get(paths, TD_PATH_FRAME, root, 1), 0);
	in_handler = open_and_close;
	outer();
	ck_assert_uint_ne(thread.places.record->lost[TD_LOST_FULL], 0);
}
END_TEST

static uint32_t one_higher(uint32_t ref)
{
	return ref + 1;
}

START_TEST(folding_adds_up)
{
	static struct td_places other;
	struct td_paths *from = &other.paths, *into = &thread.places.paths;
	const uint64_t values[] = {10, 20, 30};
	uint32_t root, a, b, c;

	memory_store_add_thread(&other);
	root = td_paths_get(into, TD_PATH_ROOT, 0, 0);
	a = td_paths_get(into, TD_PATH_FRAME, root, 12);
	td_paths_add_window(a, values, 1);
	root = td_paths_get(from, TD_PATH_ROOT, 0, 0);
	c = td_paths_get(from, TD_PATH_FRAME, root, 11);
	td_paths_add_window(c, values, 1);
	td_paths_add_window(td_paths_get_of(from, c, 2), values, 1);
	for (uint32_t i = 0; i < 100; i++) {
		c = td_paths_get(from, TD_PATH_FRAME, c, 20 + i);
		td_paths_node(c)->samples += i;
	}
	td_paths_fold(into, from, one_higher);

	ck_assert_uint_eq(td_paths_node(a)->windows, 2);
	ck_assert_uint_eq(td_paths_node(a)->sum[1].sum, 40);
	ck_assert_uint_eq(td_paths_node(td_paths_get_of(into, a, 2))->windows, 1);
	for (uint32_t i = 0; i < 100; i++) {
		b = td_paths_get(into, TD_PATH_FRAME, a, 21 + i);
		ck_assert_uint_eq(td_paths_node(b)->samples, i);
		a = b;
	}
	/* emptied, and ready for the next thread, without a new block */
	c = td_store.header->blocks;
	root = td_paths_get(from, TD_PATH_ROOT, 0, 0);
	ck_assert_uint_eq(td_paths_node(root)->samples, 0);
	for (uint32_t i = 0; i < 100; i++)
		root = td_paths_get(from, TD_PATH_FRAME, root, 20 + i);
	ck_assert_uint_eq(td_store.header->blocks, c);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
		path_of_a_chain,
		agrees_with_libunwind,
		known_stack_is_read_directly,
		recursion_is_followed_and_bounded,
		through_a_handler_of_the_program,
		from_an_alternate_stack,
		on_a_stack_of_swapcontext,
		through_a_realigned_stack,
#if defined(__x86_64__)
		through_frames_based_on_bx,
#elif defined(__aarch64__)
		from_a_function_without_a_frame,
		through_a_handler_to_a_function_without_a_frame,
		from_code_without_a_frame_and_tables,
#endif
		garbage_is_survived,
		end_of_the_mapping,
		through_code_with_a_frame_pointer_only,
		smallest_stack_of_a_thread,
		common_frames,
		tree_of_paths,
		groups_have_their_own_sums,
		tree_is_bounded,
		folding_adds_up,
		NULL
	};

	return unit_main_between("callpath", tests, setup, teardown);
}
