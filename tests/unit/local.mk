# SPDX-License-Identifier: MIT
# Unit tests: one program a module, named test_<module>, with Check.
if HAVE_CHECK

check_PROGRAMS += tests/unit/test_options
TESTS += tests/unit/test_options
tests_unit_test_options_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_options_LDADD = decoder/libformat.la $(CHECK_LIBS)

decoder_tests = \
	tests/unit/test_annotate \
	tests/unit/test_asked \
	tests/unit/test_cholesky \
	tests/unit/test_clock \
	tests/unit/test_clock_memory \
	tests/unit/test_clock_pace \
	tests/unit/test_clock_shrink \
	tests/unit/test_clock_slopes \
	tests/unit/test_clock_speeds \
	tests/unit/test_clock_states \
	tests/unit/test_clock_sways \
	tests/unit/test_compare \
	tests/unit/test_cpu_name \
	tests/unit/test_estimate \
	tests/unit/test_event_groups \
	tests/unit/test_events \
	tests/unit/test_export \
	tests/unit/test_formats \
	tests/unit/test_group_rates \
	tests/unit/test_history \
	tests/unit/test_import \
	tests/unit/test_jackknife \
	tests/unit/test_jitdump \
	tests/unit/test_mutated \
	tests/unit/test_normal \
	tests/unit/test_own_cost \
	tests/unit/test_latencies \
	tests/unit/test_parallel \
	tests/unit/test_paths \
	tests/unit/test_tui \
	tests/unit/test_perf_map \
	tests/unit/test_profile \
	tests/unit/test_profile_cores \
	tests/unit/test_profile_header \
	tests/unit/test_published \
	tests/unit/test_registers \
	tests/unit/test_report \
	tests/unit/test_report_log \
	tests/unit/test_report_rates \
	tests/unit/test_report_shared \
	tests/unit/test_report_stays \
	tests/unit/test_report_ticks \
	tests/unit/test_report_topdown \
	tests/unit/test_separate \
	tests/unit/test_separate_alike \
	tests/unit/test_separate_beside \
	tests/unit/test_separate_clock \
	tests/unit/test_separate_edges \
	tests/unit/test_separate_moves \
	tests/unit/test_separate_own \
	tests/unit/test_separate_parts \
	tests/unit/test_separate_states \
	tests/unit/test_separate_visits \
	tests/unit/test_student \
	tests/unit/test_symbols \
	tests/unit/test_text \
	tests/unit/test_topdown \
	tests/unit/test_window_batches \
	tests/unit/test_window_columns \
	tests/unit/test_window_common \
	tests/unit/test_window_ends \
	tests/unit/test_window_events \
	tests/unit/test_window_keys \
	tests/unit/test_window_late \
	tests/unit/test_window_opening \
	tests/unit/test_window_short \
	tests/unit/test_window_lines \
	tests/unit/test_window_sways \
	tests/unit/test_window_variance \
	tests/unit/test_window_start \
	tests/unit/test_window_stays \
	tests/unit/test_window_strays
check_PROGRAMS += $(decoder_tests)
TESTS += $(decoder_tests)
td_unit_cflags = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
td_unit_ldadd = decoder/libdecoder.la $(CHECK_LIBS)
td_printed = tests/unit/printed.c tests/unit/printed.h tests/unit/json.c tests/unit/json.h
td_build_profile = tests/unit/build_profile.c tests/unit/build_profile.h tests/unit/scratch.h tests/unit/unit.h

tests_unit_test_annotate_SOURCES = tests/unit/test_annotate.c $(td_build_profile)
tests_unit_test_annotate_CFLAGS = $(td_unit_cflags)
tests_unit_test_annotate_LDADD = tools/libannotate.la tools/libprint.la $(td_unit_ldadd)
tests_unit_test_asked_SOURCES = tests/unit/test_asked.c $(td_build_profile) $(td_printed)
tests_unit_test_asked_CFLAGS = $(td_unit_cflags)
tests_unit_test_asked_LDADD = tools/libprint.la $(td_unit_ldadd) -lm
tests_unit_test_compare_SOURCES = tests/unit/test_compare.c tests/unit/uniform.h $(td_build_profile) \
	tests/unit/json.c tests/unit/json.h
tests_unit_test_compare_CFLAGS = $(td_unit_cflags)
tests_unit_test_compare_LDADD = tools/libprint.la $(td_unit_ldadd)
tests_unit_test_cpu_name_SOURCES = tests/unit/test_cpu_name.c tests/unit/unit.h
tests_unit_test_cpu_name_CFLAGS = $(td_unit_cflags)
tests_unit_test_cpu_name_LDADD = $(td_unit_ldadd)
tests_unit_test_latencies_SOURCES = tests/unit/test_latencies.c $(td_build_profile) $(td_printed)
tests_unit_test_latencies_CFLAGS = $(td_unit_cflags)
tests_unit_test_latencies_LDADD = tools/libprint.la $(td_unit_ldadd) -lm
tests_unit_test_published_SOURCES = tests/unit/test_published.c
tests_unit_test_published_CFLAGS = $(td_unit_cflags)
tests_unit_test_published_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_event_groups_SOURCES = tests/unit/test_event_groups.c tests/unit/unit.h
tests_unit_test_event_groups_CFLAGS = $(td_unit_cflags)
tests_unit_test_event_groups_LDADD = $(td_unit_ldadd)
tests_unit_test_events_SOURCES = tests/unit/test_events.c
tests_unit_test_events_CFLAGS = $(td_unit_cflags)
tests_unit_test_events_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_group_rates_SOURCES = tests/unit/test_group_rates.c
tests_unit_test_group_rates_CFLAGS = $(td_unit_cflags)
tests_unit_test_group_rates_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_estimate_SOURCES = tests/unit/test_estimate.c tests/unit/uniform.h tests/unit/unit.h
tests_unit_test_estimate_CFLAGS = $(td_unit_cflags)
tests_unit_test_estimate_LDADD = $(td_unit_ldadd)
tests_unit_test_export_SOURCES = tests/unit/test_export.c $(td_build_profile) \
	tests/unit/json.c tests/unit/json.h
tests_unit_test_export_CFLAGS = $(td_unit_cflags) $(PROTOBUF_C_CFLAGS)
tests_unit_test_export_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)
tests_unit_test_export_LDADD = tools/libexport.la tools/libprint.la $(td_unit_ldadd) $(ZLIB_LIBS)
tests_unit_test_formats_SOURCES = tests/unit/test_formats.c tests/unit/unit.h
tests_unit_test_formats_CFLAGS = $(td_unit_cflags)
tests_unit_test_formats_LDADD = $(CHECK_LIBS)
tests_unit_test_history_SOURCES = tests/unit/test_history.c tests/unit/unit.h
tests_unit_test_history_CFLAGS = $(td_unit_cflags)
tests_unit_test_history_LDADD = $(td_unit_ldadd)
tests_unit_test_import_SOURCES = tests/unit/test_import.c tests/unit/unit.h
tests_unit_test_import_CFLAGS = $(td_unit_cflags)
tests_unit_test_import_LDADD = tools/libimport.la $(td_unit_ldadd)
tests_unit_test_normal_SOURCES = tests/unit/test_normal.c tests/unit/unit.h
tests_unit_test_normal_CFLAGS = $(td_unit_cflags)
tests_unit_test_normal_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_own_cost_SOURCES = tests/unit/test_own_cost.c $(td_build_profile)
tests_unit_test_own_cost_CFLAGS = $(td_unit_cflags)
tests_unit_test_own_cost_LDADD = $(td_unit_ldadd)
tests_unit_test_jackknife_SOURCES = tests/unit/test_jackknife.c tests/unit/unit.h
tests_unit_test_jackknife_CFLAGS = $(td_unit_cflags)
tests_unit_test_jackknife_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_jitdump_SOURCES = tests/unit/test_jitdump.c tests/unit/unit.h
tests_unit_test_jitdump_CFLAGS = $(td_unit_cflags)
tests_unit_test_jitdump_LDADD = $(td_unit_ldadd)
tests_unit_test_mutated_SOURCES = tests/unit/test_mutated.c $(td_build_profile) $(td_printed) \
	tests/unit/log_windows.c tests/unit/log_windows.h tests/unit/uniform.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_mutated_CFLAGS = $(td_unit_cflags)
tests_unit_test_mutated_LDADD = tools/libprint.la $(td_unit_ldadd) -lm
tests_unit_test_perf_map_SOURCES = tests/unit/test_perf_map.c tests/unit/unit.h
tests_unit_test_perf_map_CFLAGS = $(td_unit_cflags)
tests_unit_test_perf_map_LDADD = $(td_unit_ldadd)
tests_unit_test_paths_SOURCES = tests/unit/test_paths.c $(td_build_profile) \
	tests/unit/json.c tests/unit/json.h
tests_unit_test_paths_CFLAGS = $(td_unit_cflags)
tests_unit_test_paths_LDADD = tools/libprint.la $(td_unit_ldadd)
tests_unit_test_tui_SOURCES = tests/unit/test_tui.c $(td_build_profile) \
	tests/unit/json.c tests/unit/json.h
tests_unit_test_tui_CFLAGS = $(td_unit_cflags)
tests_unit_test_tui_LDADD = tools/libprint.la $(td_unit_ldadd)
tests_unit_test_profile_SOURCES = tests/unit/test_profile.c $(td_build_profile)
tests_unit_test_profile_CFLAGS = $(td_unit_cflags)
tests_unit_test_profile_LDADD = $(td_unit_ldadd) $(ZLIB_LIBS)
tests_unit_test_profile_header_SOURCES = tests/unit/test_profile_header.c $(td_build_profile)
tests_unit_test_profile_header_CFLAGS = $(td_unit_cflags)
tests_unit_test_profile_header_LDADD = $(td_unit_ldadd)
tests_unit_test_profile_cores_SOURCES = tests/unit/test_profile_cores.c $(td_build_profile)
tests_unit_test_profile_cores_CFLAGS = $(td_unit_cflags)
tests_unit_test_profile_cores_LDADD = $(td_unit_ldadd)
tests_unit_test_registers_SOURCES = tests/unit/test_registers.c tests/unit/unit.h
tests_unit_test_registers_CFLAGS = $(td_unit_cflags)
tests_unit_test_registers_LDADD = $(td_unit_ldadd)
tests_unit_test_report_SOURCES = tests/unit/test_report.c $(td_build_profile) \
	tests/unit/json.c tests/unit/json.h
tests_unit_test_report_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_LDADD = tools/libprint.la $(td_unit_ldadd)
tests_unit_test_report_log_SOURCES = tests/unit/test_report_log.c $(td_build_profile) $(td_printed) \
	tests/unit/log_run.h tests/unit/log_windows.c tests/unit/log_windows.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_report_log_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_log_LDADD = tools/libprint.la $(td_unit_ldadd) -lm
tests_unit_test_report_rates_SOURCES = tests/unit/test_report_rates.c $(td_build_profile) \
	tests/unit/log_run.h tests/unit/log_windows.c tests/unit/log_windows.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_report_rates_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_rates_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_report_shared_SOURCES = tests/unit/test_report_shared.c $(td_build_profile) \
	tests/unit/log_run.h tests/unit/log_windows.c tests/unit/log_windows.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_report_shared_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_shared_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_report_stays_SOURCES = tests/unit/test_report_stays.c tests/unit/unit.h
tests_unit_test_report_stays_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_stays_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_report_ticks_SOURCES = tests/unit/test_report_ticks.c $(td_build_profile) \
	tests/unit/log_windows.c tests/unit/log_windows.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_report_ticks_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_ticks_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_report_topdown_SOURCES = tests/unit/test_report_topdown.c $(td_build_profile) \
	tests/unit/json.c tests/unit/json.h
tests_unit_test_report_topdown_CFLAGS = $(td_unit_cflags)
tests_unit_test_report_topdown_LDADD = tools/libprint.la $(td_unit_ldadd)
td_separated = tests/unit/unit.h tests/unit/separated.c tests/unit/separated.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_separate_SOURCES = tests/unit/test_separate.c $(td_separated)
tests_unit_test_separate_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_beside_SOURCES = tests/unit/test_separate_beside.c tests/unit/unit.h
tests_unit_test_separate_beside_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_beside_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_clock_SOURCES = tests/unit/test_separate_clock.c $(td_separated)
tests_unit_test_separate_clock_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_clock_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_edges_SOURCES = tests/unit/test_separate_edges.c $(td_separated)
tests_unit_test_separate_edges_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_edges_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_visits_SOURCES = tests/unit/test_separate_visits.c $(td_separated)
tests_unit_test_separate_visits_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_visits_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_common_SOURCES = tests/unit/test_window_common.c $(td_separated)
tests_unit_test_window_common_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_common_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_alike_SOURCES = tests/unit/test_separate_alike.c tests/unit/unit.h
tests_unit_test_separate_alike_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_alike_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_moves_SOURCES = tests/unit/test_separate_moves.c $(td_separated)
tests_unit_test_separate_moves_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_moves_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_own_SOURCES = tests/unit/test_separate_own.c $(td_separated)
tests_unit_test_separate_own_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_own_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_parts_SOURCES = tests/unit/test_separate_parts.c $(td_separated)
tests_unit_test_separate_parts_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_parts_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_batches_SOURCES = tests/unit/test_window_batches.c $(td_separated)
tests_unit_test_window_batches_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_batches_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_columns_SOURCES = tests/unit/test_window_columns.c tests/unit/unit.h
tests_unit_test_window_columns_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_columns_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_ends_SOURCES = tests/unit/test_window_ends.c tests/unit/unit.h
tests_unit_test_window_ends_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_ends_LDADD = $(td_unit_ldadd)
tests_unit_test_window_events_SOURCES = tests/unit/test_window_events.c tests/unit/unit.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_window_events_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_events_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_short_SOURCES = tests/unit/test_window_short.c tests/unit/unit.h
tests_unit_test_window_short_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_short_LDADD = $(td_unit_ldadd)
tests_unit_test_window_lines_SOURCES = tests/unit/test_window_lines.c tests/unit/one_column.h tests/unit/unit.h
tests_unit_test_window_lines_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_lines_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_separate_states_SOURCES = tests/unit/test_separate_states.c tests/unit/unit.h
tests_unit_test_separate_states_CFLAGS = $(td_unit_cflags)
tests_unit_test_separate_states_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_sways_SOURCES = tests/unit/test_window_sways.c tests/unit/one_column.h $(td_separated)
tests_unit_test_window_sways_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_sways_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_variance_SOURCES = tests/unit/test_window_variance.c
tests_unit_test_window_variance_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_variance_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_keys_SOURCES = tests/unit/test_window_keys.c $(td_separated)
tests_unit_test_window_keys_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_keys_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_late_SOURCES = tests/unit/test_window_late.c $(td_separated)
tests_unit_test_window_late_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_late_LDADD = $(td_unit_ldadd) -lm

tests_unit_test_window_opening_SOURCES = tests/unit/test_window_opening.c $(td_separated)
tests_unit_test_window_opening_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_opening_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_start_SOURCES = tests/unit/test_window_start.c $(td_separated)
tests_unit_test_window_start_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_start_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_window_stays_SOURCES = tests/unit/test_window_stays.c $(td_separated)
tests_unit_test_window_stays_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_stays_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_cholesky_SOURCES = tests/unit/test_cholesky.c tests/unit/unit.h
tests_unit_test_cholesky_CFLAGS = $(td_unit_cflags)
tests_unit_test_cholesky_LDADD = $(td_unit_ldadd)
tests_unit_test_parallel_SOURCES = tests/unit/test_parallel.c tests/unit/unit.h
tests_unit_test_parallel_CFLAGS = $(td_unit_cflags)
tests_unit_test_parallel_LDADD = $(td_unit_ldadd)
tests_unit_test_student_SOURCES = tests/unit/test_student.c tests/unit/uniform.h tests/unit/unit.h
tests_unit_test_student_CFLAGS = $(td_unit_cflags)
tests_unit_test_student_LDADD = $(td_unit_ldadd)
tests_unit_test_window_strays_SOURCES = tests/unit/test_window_strays.c $(td_build_profile)
tests_unit_test_window_strays_CFLAGS = $(td_unit_cflags)
tests_unit_test_window_strays_LDADD = $(td_unit_ldadd)
tests_unit_test_symbols_SOURCES = tests/unit/test_symbols.c tests/unit/unit.h
tests_unit_test_symbols_CFLAGS = $(td_unit_cflags)
tests_unit_test_symbols_LDADD = $(td_unit_ldadd)
tests_unit_test_text_SOURCES = tests/unit/test_text.c tests/unit/unit.h
tests_unit_test_text_CFLAGS = $(td_unit_cflags)
tests_unit_test_text_LDADD = $(td_unit_ldadd)
tests_unit_test_topdown_SOURCES = tests/unit/test_topdown.c tests/unit/unit.h
tests_unit_test_topdown_CFLAGS = $(td_unit_cflags)
tests_unit_test_topdown_LDADD = $(td_unit_ldadd)
check_PROGRAMS += tests/unit/test_directory tests/unit/test_probe tests/unit/test_program
TESTS += tests/unit/test_directory tests/unit/test_probe tests/unit/test_program
tests_unit_test_directory_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_directory_LDADD = tools/libmachine.la $(CHECK_LIBS)
tests_unit_test_probe_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_probe_LDADD = tools/libmachine.la decoder/libdecoder.la $(CHECK_LIBS)
tests_unit_test_program_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_program_LDADD = tools/libmachine.la $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_audit
TESTS += tests/unit/test_audit
tests_unit_test_audit_SOURCES = tests/unit/test_audit.c tests/unit/unit.h
tests_unit_test_audit_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_audit_LDADD = tools/libaudit.la $(CHECK_LIBS)

# The agent's own modules.  As static archives their hidden symbols can be tested.
agent_tests = \
	tests/unit/test_alternation \
	tests/unit/test_brief \
	tests/unit/test_burst \
	tests/unit/test_callpath \
	tests/unit/test_descriptors \
	tests/unit/test_event_names \
	tests/unit/test_identity \
	tests/unit/test_groups \
	tests/unit/test_judge \
	tests/unit/test_latency \
	tests/unit/test_leave \
	tests/unit/test_leave_wild \
	tests/unit/test_masks \
	tests/unit/test_metrics \
	tests/unit/test_notes \
	tests/unit/test_stacks \
	tests/unit/test_strobe \
	tests/unit/test_trigger \
	tests/unit/test_trigger_calls \
	tests/unit/test_vernier \
	tests/unit/test_vernier_tick \
	tests/unit/test_windows
check_PROGRAMS += $(agent_tests)
TESTS += $(agent_tests)
tests_unit_test_groups_SOURCES = tests/unit/test_groups.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_groups_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_groups_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_descriptors_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_descriptors_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_judge_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_judge_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_leave_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_leave_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_leave_wild_SOURCES = tests/unit/test_leave_wild.c tests/prog/wild_work.c tests/prog/wild_work.h
tests_unit_test_leave_wild_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_leave_wild_LDFLAGS = -pthread
tests_unit_test_leave_wild_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_metrics_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_metrics_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

td_sigsafe_ldadd = agent/libsigsafe.la agent/unwinder.o
TD_AGENT_TEST_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS)

tests_unit_test_callpath_SOURCES = tests/unit/test_callpath.c tests/unit/context.h \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_callpath_CFLAGS = $(TD_AGENT_TEST_CFLAGS) $(UNWIND_CFLAGS)
tests_unit_test_callpath_LDADD = $(td_sigsafe_ldadd) $(UNWIND_LIBS) $(CHECK_LIBS)

tests_unit_test_identity_SOURCES = tests/unit/test_identity.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_identity_CFLAGS = $(TD_AGENT_TEST_CFLAGS) $(UNWIND_CFLAGS)
tests_unit_test_identity_LDADD = $(td_sigsafe_ldadd) $(UNWIND_LIBS) $(CHECK_LIBS)

tests_unit_test_brief_SOURCES = tests/unit/test_brief.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_brief_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_brief_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_burst_SOURCES = tests/unit/test_burst.c tests/unit/fake_strobe.h \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_burst_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_burst_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_strobe_SOURCES = tests/unit/test_strobe.c tests/unit/fake_strobe.h \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_strobe_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_strobe_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_trigger_SOURCES = tests/unit/test_trigger.c tests/prog/spin.h
tests_unit_test_trigger_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_trigger_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_trigger_calls_SOURCES = tests/unit/test_trigger_calls.c tests/unit/unit.h
tests_unit_test_trigger_calls_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_trigger_calls_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_windows_SOURCES = tests/unit/test_windows.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_windows_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_windows_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_alternation_SOURCES = tests/unit/test_alternation.c agent/core/alternation.c \
	agent/core/perf_open.c
tests_unit_test_alternation_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_alternation_LDADD = $(td_sigsafe_ldadd) decoder/libformat.la $(CHECK_LIBS)

tests_unit_test_event_names_SOURCES = tests/unit/test_event_names.c agent/core/event_names.c
tests_unit_test_event_names_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_event_names_LDADD = $(td_sigsafe_ldadd) decoder/libformat.la $(CHECK_LIBS)

tests_unit_test_stacks_SOURCES = tests/unit/test_stacks.c agent/core/stacks.c
tests_unit_test_stacks_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_stacks_LDFLAGS = -pthread
tests_unit_test_stacks_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_masks_SOURCES = tests/unit/test_masks.c tests/unit/fake_strobe.h \
	agent/core/masks.c agent/core/real.c tests/prog/spin.h \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_masks_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_masks_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_notes_SOURCES = tests/unit/test_notes.c agent/core/notes.c
tests_unit_test_notes_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_notes_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_latency_SOURCES = tests/unit/test_latency.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_latency_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_latency_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

tests_unit_test_vernier_SOURCES = tests/unit/test_vernier.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_vernier_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_vernier_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)
tests_unit_test_vernier_tick_SOURCES = tests/unit/test_vernier_tick.c \
	tests/unit/memory_store.c tests/unit/memory_store.h
tests_unit_test_vernier_tick_CFLAGS = $(TD_AGENT_TEST_CFLAGS)
tests_unit_test_vernier_tick_LDADD = $(td_sigsafe_ldadd) $(CHECK_LIBS)

check_PROGRAMS += tests/unit/test_collect
TESTS += tests/unit/test_collect
td_clocked = tests/unit/unit.h tests/unit/clocked.c tests/unit/clocked.h \
	tests/unit/sim_windows.c tests/unit/sim_windows.h
tests_unit_test_clock_SOURCES = tests/unit/test_clock.c $(td_clocked)
tests_unit_test_clock_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_LDADD = $(td_unit_ldadd) -lm

tests_unit_test_clock_pace_SOURCES = tests/unit/test_clock_pace.c $(td_clocked)
tests_unit_test_clock_pace_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_pace_LDADD = $(td_unit_ldadd) -lm

tests_unit_test_clock_memory_SOURCES = tests/unit/test_clock_memory.c tests/unit/unit.h
tests_unit_test_clock_memory_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_memory_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_clock_shrink_SOURCES = tests/unit/test_clock_shrink.c tests/unit/unit.h
tests_unit_test_clock_shrink_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_shrink_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_clock_slopes_SOURCES = tests/unit/test_clock_slopes.c tests/unit/unit.h
tests_unit_test_clock_slopes_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_slopes_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_clock_speeds_SOURCES = tests/unit/test_clock_speeds.c tests/unit/unit.h
tests_unit_test_clock_speeds_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_speeds_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_clock_states_SOURCES = tests/unit/test_clock_states.c tests/unit/unit.h
tests_unit_test_clock_states_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_states_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_clock_sways_SOURCES = tests/unit/test_clock_sways.c $(td_clocked)
tests_unit_test_clock_sways_CFLAGS = $(td_unit_cflags)
tests_unit_test_clock_sways_LDADD = $(td_unit_ldadd) -lm
tests_unit_test_collect_SOURCES = tests/unit/test_collect.c
tests_unit_test_collect_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) $(TD_SANITIZE)
tests_unit_test_collect_LDADD = tools/libaudit.la $(CHECK_LIBS)

else

TESTS += tests/unit/without.sh

endif

EXTRA_DIST += tests/unit/without.sh
