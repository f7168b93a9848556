// SPDX-License-Identifier: MIT
#include "agent/core/metrics.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/core/cores.h"
#include "agent/core/facts.h"
#include "agent/core/perf_open.h"
#include "agent/sigsafe/descriptors.h"
#include "agent/sigsafe/handler.h"
#include "agent/sigsafe/metrics.h"
#include "agent/sigsafe/proc.h"
#include "decoder/events.h"
#include "decoder/registers.h"

#define DEVICES "/sys/bus/event_source/devices/"

#define CONFIG_SLOTS 0x0400u
#define CONFIG_METRIC(field) (0x8000u + 0x100u * (field))

/* The self-test's loop, and what it may find. */
#define LOOP 20000u
#define WIDTH_MIN 4u
#define WIDTH_MAX 12u

struct extra_event {
	const char *name;
	uint64_t config;
};

/* Did the program leave the function? */
static const char *const leavings[TD_LEAVINGS] = {"near_returns", "near_calls"};

/*
 * What level 1 has to be corrected by, by generation: INT_MISC.UOP_DROPPING and,
 * on Ice Lake, INT_MISC.CLEARS_COUNT.  Source: intel/perfmon, TMA metrics of each.
 */
static const struct generation {
	uint8_t model[16]; /* family 6, 0 ends */
	struct extra_event extra[2];
} generations[] = {
	/* Ice Lake, Tiger Lake, Rocket Lake, Ice Lake server */
	{{0x7d, 0x7e, 0x8c, 0x8d, 0xa7, 0x6a, 0x6c},
	 {{"uop_dropping", 0x100d}, {"clears_count", 0x104010d}}},
	/* Sapphire, Emerald and Granite Rapids, Bartlett Lake; the large cores of Alder,
	 * Raptor and Meteor Lake */
	{{0x8f, 0xcf, 0xad, 0xae, 0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xd7, 0xaa, 0xac, 0xb5},
	 {{"uop_dropping", 0x10ad}, {NULL, 0}}},
};

/*
 * INST_RETIRED.ANY, a clock of the program that returns from the kernel do not touch.  It
 * has a counter of its own.  Behind all others: it is read next to the window, and where
 * they do not all fit, it is the first that goes.
 */
static const struct extra_event instructions = {"instructions", 0xc0};

static const char *const field_names[TD_FIELDS] = {
	"retiring",         "bad_speculation",    "frontend_bound", "backend_bound",
	"heavy_operations", "branch_mispredicts", "fetch_latency",  "memory_bound",
};

static struct extra_event extras[TD_EXTRAS_MAX];

static bool offers(const char *device, const char *file)
{
	char path[128];

	snprintf(path, sizeof(path), DEVICES "%s/%s", device, file);
	return access(path, F_OK) == 0;
}

static uint32_t read_number(const char *device, const char *file, uint32_t fallback)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), DEVICES "%s/%s", device, file);
	return td_proc_read(path, text, sizeof(text)) > 0
		       ? (uint32_t)strtoul(text, NULL, 10)
		       : fallback;
}

static void choose_extras(void)
{
	uint32_t family = 0, model = 0;

	td_events_this_cpu(&family, &model);
	for (size_t i = 0; i < TD_LEAVINGS; i++)
		extras[i] = (struct extra_event){
			leavings[i], td_events_leaving(family, model, leavings[i])};
	td_metrics_shape.extras = TD_LEAVINGS;
	for (size_t i = 0; i < sizeof(generations) / sizeof(generations[0]); i++) {
		if (family != 6 || !model ||
		    !memchr(generations[i].model, (int)model,
			    sizeof(generations[i].model)))
			continue;
		for (size_t k = 0; k < 2 && generations[i].extra[k].name; k++)
			extras[td_metrics_shape.extras++] = generations[i].extra[k];
	}
	extras[td_metrics_shape.extras++] = instructions;
}

uint32_t td_metrics_names(struct td_file_counter *counter)
{
	uint32_t n = 0;

	snprintf(counter[n].name, sizeof(counter[n].name), "slots");
	snprintf(counter[n++].unit, sizeof(counter[n].unit), "slots");
	for (uint32_t i = 0; i < td_metrics_shape.nodes; i++, n++) {
		snprintf(counter[n].name, sizeof(counter[n].name), "%s", field_names[i]);
		snprintf(counter[n].unit, sizeof(counter[n].unit), "slots");
	}
	for (uint32_t i = 0; i < td_metrics_shape.extras; i++, n++) {
		snprintf(counter[n].name, sizeof(counter[n].name), "%s", extras[i].name);
		snprintf(counter[n].unit, sizeof(counter[n].unit), "1");
	}
	return n;
}

uint64_t td_metrics_config(uint32_t value)
{
	uint32_t nodes = td_metrics_shape.nodes;

	if (value == 0)
		return CONFIG_SLOTS;
	return value <= nodes ? CONFIG_METRIC(value - 1)
			      : extras[value - 1 - nodes].config;
}

/* The SLOTS event's config1 where the kernel offers metrics_clear. */
static uint64_t slots_config1(uint64_t config)
{
	return config == CONFIG_SLOTS && td_metrics_shape.clears_on_read;
}

static int open_event(uint32_t type, uint64_t config, uint32_t tid, int leader)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.config1 = type == PERF_TYPE_HARDWARE ? 0 : slots_config1(config),
		.exclude_kernel = 1,
		.read_format = TD_PERF_READ_GROUP,
	};

	return td_perf_open(&attr, tid, leader);
}

/* By RDPMC one metric event gives all fields; read() gives each event its own. */
static uint32_t metric_events(const struct td_metrics_machine *machine)
{
	return machine->counters == &td_metrics_rdpmc_counters ? 1
							       : td_metrics_shape.nodes;
}

static int open_members(const struct td_metrics_machine *machine,
			struct td_thread *thread, uint32_t tid)
{
	struct td_registers *registers = &thread->registers;
	uint32_t metrics = metric_events(machine), n = 0;

	for (uint32_t i = 0; i < metrics + td_metrics_shape.extras; i++) {
		uint64_t config =
			i < metrics ? CONFIG_METRIC(i) : extras[i - metrics].config;
		int fd = open_event(machine->type, config, tid, registers->slots_fd);

		if (fd < 0)
			return fd;
		registers->member_fd[n++] = fd;
	}
	return 0;
}

/* In place of the zeros that are there. */
static int map_page(const struct td_registers *registers, uint32_t n, int fd)
{
	void *at = (char *)registers->pages + n * TD_PAGE;

	return mmap(at, TD_PAGE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED
		       ? -ENOMEM
		       : 0;
}

static int map_registers(struct td_registers *registers)
{
	void *pages = mmap(NULL, TD_PAGES * TD_PAGE, PROT_READ,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (pages == MAP_FAILED)
		return -ENOMEM;
	registers->pages = pages;
	error = map_page(registers, TD_PAGE_SLOTS, registers->slots_fd);
	/* the metric event, then the extra ones */
	for (uint32_t i = 0; i < 1 + td_metrics_shape.extras && !error; i++)
		error = map_page(registers, TD_PAGE_METRICS + i, registers->member_fd[i]);
	registers->extras = td_metrics_shape.extras;
	return error;
}

int td_metrics_open(const struct td_metrics_machine *machine, struct td_thread *thread,
		    uint32_t tid)
{
	struct td_registers *registers = &thread->registers;
	int error = 0;

	memset(registers, 0, sizeof(*registers));
	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		registers->member_fd[i] = -1;
	registers->slots_fd = open_event(machine->type, CONFIG_SLOTS, tid, -1);
	if (registers->slots_fd < 0)
		return registers->slots_fd;
	error = open_members(machine, thread, tid);
	if (!error && machine->counters == &td_metrics_rdpmc_counters)
		error = map_registers(registers);
	/* only the mark by which we know the descriptor again */
	if (!error && fcntl(registers->slots_fd, F_SETSIG, td_signal.number) != 0)
		error = -errno;
	if (!error && ioctl(registers->slots_fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
		error = -errno;
	if (error) {
		td_metrics_close(thread);
		return error;
	}
	thread->capture.complete = false;
	registers->mapped = registers->pages != NULL;
	return 0;
}

void td_metrics_close(struct td_thread *thread)
{
	struct td_registers *registers = &thread->registers;

	registers->mapped = false;
	if (registers->pages)
		munmap((void *)(uintptr_t)registers->pages, TD_PAGES * TD_PAGE);
	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		td_descriptor_close(registers->member_fd[i]);
	td_descriptor_close(registers->slots_fd);
	memset(registers, 0, sizeof(*registers));
	registers->slots_fd = -1;
	for (uint32_t i = 0; i < TD_COUNTERS_MAX; i++)
		registers->member_fd[i] = -1;
}

/*
 * User-mode cycles of the loop, by an event of their own: 0 if there is none.  False if
 * it had to wait: others count as well, and the kernel has all of them take turns.
 */
static bool run_loop(const struct td_metrics_machine *machine, uint64_t *cycles)
{
	struct {
		uint64_t events, enabled, running, value;
	} count = {0};
	int fd = open_event(PERF_TYPE_HARDWARE, machine->cycles, 0, -1);

	*cycles = 0;
	if (fd < 0)
		return true;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (volatile uint32_t i = 0; i < LOOP; i++)
		;
	if (read(fd, &count, sizeof(count)) == (ssize_t)sizeof(count))
		*cycles = count.value;
	td_descriptor_close(fd);
	return count.running == count.enabled;
}

/* Where the extra events' values are, for the decoder's formulas. */
static void set_correction(void)
{
	struct td_correction *correction = &td_metrics_shape.correction;

	*correction = (struct td_correction){.clear_slots = td_metrics_shape.width};
	for (uint32_t i = 0; i < td_metrics_shape.extras; i++) {
		uint32_t value = 1 + td_metrics_shape.nodes + i;

		if (strcmp(extras[i].name, "uop_dropping") == 0)
			correction->uop_dropping = value;
		if (strcmp(extras[i].name, "clears_count") == 0)
			correction->clears = value;
	}
}

static int refuse(char *why, size_t size, int error, const char *reason)
{
	snprintf(why, size, "%s", reason);
	return error;
}

/* The least of some: a switch in between adds to it. */
static void learn_lock_step(const struct td_registers *registers)
{
	uint32_t before, step;

	td_metrics_shape.lock_step = UINT32_MAX;
	for (int i = 0; i < 8; i++) {
		before = td_metrics_lock(registers);
		td_metrics_zero(registers);
		step = td_metrics_lock(registers) - before;
		if (step < td_metrics_shape.lock_step)
			td_metrics_shape.lock_step = step;
	}
}

/*
 * Slots a cycle of the core; 0: no such core.  Where another thread may have taken up to
 * half of the slots the measured ones do not tell: the width of this family is known.
 */
static uint32_t width_of(uint64_t slots, uint64_t cycles)
{
	uint64_t width = (slots + cycles / 2) / cycles;
	uint32_t family = 0, model = 0;
	const struct td_event_family *known =
		td_metrics_shape.threads > 1 &&
				td_events_this_cpu(&family, &model) == TD_VENDOR_INTEL
			? td_events_of_cpu(TD_VENDOR_INTEL, family, model)
			: NULL;

	if (known)
		return width <= known->width && 2 * (width + 1) > known->width
			       ? known->width
			       : 0;
	return width < WIDTH_MIN || width > WIDTH_MAX ? 0 : (uint32_t)width;
}

/* Counts the loop with `thread`'s group and looks at the result. */
static int judge(const struct td_metrics_machine *machine, struct td_thread *thread,
		 char *why, size_t size)
{
	struct td_reading now = {.elapsed = 0};
	uint64_t cycles;
	uint32_t width;
	bool alone;

	td_metrics_shape.width = 1;
	td_metrics_shape.correction = (struct td_correction){0};
	if (thread->registers.mapped)
		learn_lock_step(&thread->registers);
	machine->counters->reset(thread);
	alone = run_loop(machine, &cycles);
	if (thread->registers.mapped)
		td_metrics_capture(&thread->registers, &thread->capture);
	if (!machine->counters->read(thread, &now) ||
	    (machine->counters->decode && !machine->counters->decode(thread, &now)))
		return refuse(
			why, size, -EIO,
			"the slots and metrics counters get no register, or read as nonsense");
	if (!alone)
		return refuse(why, size, -EIO,
			      "others count as well, and the slots and metrics counters "
			      "get no register at times");
	if (!cycles)
		return refuse(why, size, -EIO, "the cycles event does not count");
	width = width_of(now.values[0], cycles);
	if (!width)
		return refuse(why, size, -EIO, "slots and cycles do not fit together");
	if (!now.values[1 + TD_FIELD_RETIRING])
		return refuse(why, size, -EIO,
			      "a loop that retires shows no retiring slots");
	td_metrics_shape.width = width;
	set_correction();
	return 0;
}

static int try_it(const struct td_metrics_machine *machine, char *why, size_t size)
{
	static struct td_thread thread; /* too large for a small stack */
	int error;

	memset(&thread, 0, sizeof(thread));
	error = td_metrics_open(machine, &thread, 0);
	if (error)
		return refuse(why, size, error, strerror(-error));
	error = judge(machine, &thread, why, size);
	td_metrics_close(&thread);
	return error;
}

/* Fewer events if all do not fit, then read() if RDPMC does not work; that alone where
 * the program may be on another core by then. */
static int try_all(struct td_metrics_machine *machine, bool can_clear, char *why,
		   size_t size)
{
	uint32_t wanted = td_metrics_shape.extras;
	int error = -ENOENT;

	for (int by_read = machine->moves; by_read < 2; by_read++) {
		machine->counters =
			by_read ? &td_metrics_read_counters : &td_metrics_rdpmc_counters;
		td_metrics_shape.extras = wanted;
		td_metrics_shape.clears_on_read = can_clear && !by_read;
		for (;;) {
			error = try_it(machine, why, size);
			if (!error || !td_metrics_shape.extras)
				break;
			td_metrics_shape.extras--;
		}
		if (!error || error == -EACCES || error == -EPERM)
			return error;
	}
	return error;
}

static int detect_here(struct td_metrics_machine *machine, char *why, size_t size)
{
	const char *device = offers("cpu_core", "events/slots") ? "cpu_core" : "cpu";

	if (!offers(device, "events/slots") || !offers(device, "events/topdown-retiring"))
		return refuse(
			why, size, -ENOENT,
			access(DEVICES, F_OK) == 0
				? "this machine offers no slots and topdown events"
				: "/sys is not there, which says whether this machine "
				  "offers slots and topdown events");
	machine->type = read_number(device, "type", PERF_TYPE_RAW);
	machine->cycles = PERF_COUNT_HW_CPU_CYCLES;
	if (strcmp(device, "cpu_core") == 0)
		machine->cycles = td_cores_hardware(machine->type, machine->cycles);
	td_metrics_shape.nodes =
		offers(device, "events/topdown-heavy-ops") ? TD_FIELDS : TD_FIELDS_LEVEL1;
	td_metrics_shape.threads = td_cores_are_shared() ? 2 : 1;
	choose_extras();
	return try_all(machine, offers(device, "format/metrics_clear"), why, size);
}

/* The registers are the large cores' alone, where there are others. */
static int detect(struct td_metrics_machine *machine, char *why, size_t size)
{
	struct td_cores cores[TD_CORE_TYPES];
	cpu_set_t before;
	int error;

	machine->moves = td_cores_may_leave_large();
	if (!td_cores_find(cores))
		return detect_here(machine, why, size);
	if (td_cores_visit(&cores[TD_CORES_LARGE].cpus, &before) != 0)
		return refuse(why, size, -ENOENT,
			      cores[TD_CORES_LARGE].out_of_reach
				      ? TD_CORES_OUT_OF_REACH
				      : "the program may not run on the large cores");
	error = detect_here(machine, why, size);
	td_cores_leave(&before);
	return error;
}

const char *td_metrics_obstacle(const struct td_metrics_machine *machine)
{
	return machine->moves
		       ? "the program may move to small cores, which have no such registers"
		       : "RDPMC is off here (cpu/rdpmc)";
}

const char *td_metrics_reader(const struct td_metrics_machine *machine)
{
	if (machine->counters == &td_metrics_read_counters)
		return machine->moves
			       ? "SLOTS and PERF_METRICS by read(), because the program may "
				 "move to small cores, which have no such registers: a "
				 "dearer window"
			       : "SLOTS and PERF_METRICS by read(), because RDPMC is off "
				 "here (cpu/rdpmc): a dearer window";
	return td_metrics_shape.clears_on_read
		       ? "SLOTS and PERF_METRICS by RDPMC, which zeroes them"
		       : "SLOTS and PERF_METRICS by RDPMC";
}

int td_metrics_detect(struct td_metrics_machine *machine, char *why, size_t size)
{
	/* a forked child runs on the same machine */
	static struct td_metrics_machine found;

	if (!found.counters && detect(&found, why, size) != 0) {
		found.counters = NULL;
		return -ENOENT;
	}
	*machine = found;
	return 0;
}
