// SPDX-License-Identifier: MIT
#include "tools/audit_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int td_audit_room(struct td_audit_table *table, uint32_t function)
{
	size_t room = table->room ? table->room : 64;
	void *cell;

	while (room <= function)
		room *= 2;
	if (room != table->room) {
		cell = reallocarray(table->cell, room, sizeof(*table->cell));
		if (!cell)
			return -ENOMEM;
		table->cell = cell;
		memset(table->cell + table->room, 0,
		       (room - table->room) * sizeof(*table->cell));
		table->room = room;
	}
	if (function >= table->functions)
		table->functions = (size_t)function + 1;
	return 0;
}

void td_audit_open(struct td_audit_window *window, struct td_audit_table *table,
		   uint32_t function, const uint64_t *length)
{
	*window = (struct td_audit_window){
		.table = table, .function = function, .now = function};
	for (size_t i = 0; i < table->classes; i++) {
		window->target[i] = length[i];
		if (length[i] > window->longest)
			window->longest = length[i];
	}
}

static void accept(struct td_audit_accepted *to, const struct td_audit_window *window)
{
	to->windows++;
	to->stayed += !window->left;
	to->instructions += window->steps;
	to->elsewhere += window->elsewhere;
}

static void count(const struct td_audit_window *window, struct td_audit_cell *cell)
{
	cell->windows++;
	if (window->now != window->function)
		return;
	accept(&cell->same, window);
	if (window->returns)
		return;
	accept(&cell->no_return, window);
	if (!window->calls)
		accept(&cell->quiet, window);
}

void td_audit_moved(struct td_audit_window *window, uint32_t next)
{
	window->now = next;
	if (next != window->function)
		window->left = true;
}

bool td_audit_step(struct td_audit_window *window, enum td_audit_kind kind, uint32_t next)
{
	struct td_audit_table *table = window->table;

	window->steps++;
	window->elsewhere += window->now != window->function;
	window->returns += kind == TD_AUDIT_RETURN;
	window->calls += kind == TD_AUDIT_NEAR_CALL;
	td_audit_moved(window, next);
	for (size_t i = 0; i < table->classes; i++) {
		if (window->target[i] != window->steps)
			continue;
		count(window, &table->cell[window->function][i]);
		window->target[i] = 0;
	}
	return window->steps < window->longest;
}

void td_audit_cut(struct td_audit_window *window)
{
	for (size_t i = 0; i < window->table->classes; i++)
		window->table->cell[window->function][i].cut += window->target[i] != 0;
}

static void accepted_add(struct td_audit_accepted *to,
			 const struct td_audit_accepted *from)
{
	to->windows += from->windows;
	to->stayed += from->stayed;
	to->instructions += from->instructions;
	to->elsewhere += from->elsewhere;
}

void td_audit_total(const struct td_audit_table *table,
		    struct td_audit_cell total[TD_AUDIT_LENGTHS_MAX])
{
	memset(total, 0, TD_AUDIT_LENGTHS_MAX * sizeof(*total));
	for (size_t f = 0; f < table->functions; f++) {
		for (size_t i = 0; i < table->classes; i++) {
			const struct td_audit_cell *cell = &table->cell[f][i];

			total[i].windows += cell->windows;
			total[i].cut += cell->cut;
			accepted_add(&total[i].same, &cell->same);
			accepted_add(&total[i].no_return, &cell->no_return);
			accepted_add(&total[i].quiet, &cell->quiet);
		}
	}
}

void td_audit_free(struct td_audit_table *table)
{
	free(table->cell);
	*table = (struct td_audit_table){.classes = table->classes};
}
