# SPDX-License-Identifier: MIT
# libformat: what agent and tools share; no library below it but libc.
# libdecoder: everything that reads; only the tools and tests link it.
noinst_LTLIBRARIES += decoder/libformat.la decoder/libdecoder.la

decoder_libformat_la_SOURCES = \
	decoder/cpu_name.c decoder/cpu_name.h \
	decoder/directory.c decoder/directory.h \
	decoder/collect.h \
	decoder/event_lookup.c decoder/event_lookup.h \
	decoder/event_names.c decoder/event_names.h \
	decoder/events.c decoder/events.h \
	decoder/format.h \
	decoder/label_list.c decoder/label_list.h \
	decoder/names.c decoder/names.h \
	decoder/native.h \
	decoder/options.c decoder/options.h \
	decoder/preload.c decoder/preload.h \
	decoder/values.c decoder/values.h

nodist_decoder_libformat_la_SOURCES = decoder/event_tables.c

event_tables = \
	data/events/architectural.events \
	data/events/broadwell.events \
	data/events/cougarcove.events \
	data/events/crestmont.events \
	data/events/gracemont.events \
	data/events/haswell.events \
	data/events/icelake.events \
	data/events/ivybridge.events \
	data/events/lioncove.events \
	data/events/neoversen1.events \
	data/events/neoversen2.events \
	data/events/neoversen2r0p2.events \
	data/events/neoversen3.events \
	data/events/neoversev1.events \
	data/events/neoversev2.events \
	data/events/neoversev3.events \
	data/events/sandybridge.events \
	data/events/sapphirerapids.events \
	data/events/skylake.events \
	data/events/skymont.events \
	data/events/zen4.events \
	data/events/zen5.events \
	data/events/zen6.events
EXTRA_DIST += decoder/event_tables.awk data/events/README.md $(event_tables)
CLEANFILES += decoder/event_tables.c
decoder/event_tables.c: decoder/event_tables.awk $(event_tables)
	$(AM_V_GEN)$(MKDIR_P) decoder && (cd $(srcdir) && \
	$(AWK) -f decoder/event_tables.awk $(event_tables)) >$@-t && mv $@-t $@

decoder_libdecoder_la_SOURCES = \
	decoder/check.c decoder/check.h \
	decoder/cholesky.c decoder/cholesky.h \
	decoder/clock.c decoder/clock.h decoder/clock_internal.h \
	decoder/clock_fit.c decoder/clock_keys.c \
	decoder/clock_pace.c decoder/clock_rows.c \
	decoder/clock_shrink.c decoder/clock_slopes.c decoder/clock_speeds.c \
	decoder/clock_states.c decoder/clock_sways.c decoder/clock_windows.c \
	decoder/compare.c decoder/compare.h decoder/compare_internal.h \
	decoder/compare_error.c decoder/compare_verdict.c \
	decoder/compare_parts.c decoder/compare_parts.h \
	decoder/compare_settings.c decoder/compare_settings.h \
	decoder/directions.c decoder/directions.h \
	decoder/estimate.c decoder/estimate.h \
	decoder/formula.c decoder/formula.h decoder/gauss.h \
	decoder/groups.c decoder/groups.h \
	decoder/groups_level1.c decoder/groups_level1.h \
	decoder/jackknife.c decoder/jackknife.h \
	decoder/hash.c decoder/hash.h \
	decoder/history.c decoder/history.h \
	decoder/normal.c decoder/normal.h \
	decoder/normal_key.c decoder/normal_key.h \
	decoder/normal_lines.c decoder/normal_lines.h \
	decoder/normal_solve.c \
	decoder/own_cost.c decoder/own_cost.h \
	decoder/order.h \
	decoder/reserve.h \
	decoder/path_groups.c decoder/path_groups.h \
	decoder/parallel.c decoder/parallel.h \
	decoder/paths.c decoder/paths.h decoder/paths_tree.c \
	decoder/jit_names.c decoder/jit_names.h \
	decoder/jitdump.c decoder/jitdump.h \
	decoder/latencies.c decoder/latencies.h \
	decoder/perf_map.c decoder/perf_map.h \
	decoder/live.c decoder/live.h \
	decoder/profile.c decoder/profile.h \
	decoder/profile_cores.c decoder/profile_cores.h \
	decoder/profile_header.c decoder/profile_header.h \
	decoder/registers.c decoder/registers.h decoder/registers_sse2.h \
	decoder/report.c decoder/report.h decoder/report_adding.h \
	decoder/report_finish.c \
	decoder/report_log.c decoder/report_log.h \
	decoder/report_more.c decoder/report_more.h \
	decoder/report_rates.c decoder/report_rates.h \
	decoder/report_stays.c decoder/report_stays.h \
	decoder/report_ticks.c decoder/report_ticks.h \
	decoder/report_notes.c decoder/report_notes.h \
	decoder/report_places.c decoder/report_processes.c \
	decoder/report_groups.c decoder/report_groups.h \
	decoder/separate.c decoder/separate.h decoder/separate_alike.c \
	decoder/separate_beside.c decoder/separate_clock.c decoder/separate_own.c \
	decoder/separate_parts.c decoder/separate_parts.h \
	decoder/separate_states.c decoder/separate_states.h \
	decoder/separate_result.c decoder/separate_state.h \
	decoder/separate_visits.c decoder/separate_visits.h \
	decoder/student.c decoder/student.h \
	decoder/symbols.c decoder/symbols.h \
	decoder/text.c decoder/text.h \
	decoder/topdown.c decoder/topdown.h \
	decoder/unwind_table.c decoder/unwind_table.h \
	decoder/window_again.c decoder/window_again.h \
	decoder/window_axis.c decoder/window_axis.h \
	decoder/window_batches.c decoder/window_batches.h \
	decoder/window_columns.c decoder/window_columns.h \
	decoder/window_common.c decoder/window_common.h \
	decoder/window_pieces.c decoder/window_pieces.h \
	decoder/window_repeats.c decoder/window_repeats.h \
	decoder/window_ends.c decoder/window_ends.h \
	decoder/window_events.c decoder/window_events.h \
	decoder/window_events_fill.c \
	decoder/window_keys.c decoder/window_keys.h \
	decoder/window_rows.c decoder/window_rows.h \
	decoder/window_rows_fill.c \
	decoder/window_late.c decoder/window_late.h \
	decoder/window_opening.c decoder/window_opening.h \
	decoder/window_lines.c decoder/window_lines.h \
	decoder/window_short.c decoder/window_short.h \
	decoder/window_stays.c decoder/window_stays.h \
	decoder/window_sways.c decoder/window_sways.h \
	decoder/window_start.c decoder/window_start.h \
	decoder/window_strays.c decoder/window_strays.h \
	decoder/window_variance.c decoder/window_variance.h \
	decoder/windows.c decoder/windows.h
decoder_libdecoder_la_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) $(ZLIB_CFLAGS) $(TD_SANITIZE)
decoder_libdecoder_la_LIBADD = decoder/libformat.la $(DW_LIBS) $(ELF_LIBS) $(ZLIB_LIBS) $(IBERTY_LIBS) -lm
