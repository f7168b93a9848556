# SPDX-License-Identifier: MIT
# libprint: the printers, apart so that unit tests can link them.
noinst_LTLIBRARIES += tools/libprint.la
tools_libprint_la_SOURCES = \
	tools/diff_data.c tools/diff_text.c tools/diff_print.h \
	tools/calls.c tools/calls.h \
	tools/print.c tools/print.h tools/quote.h \
	tools/csv.h \
	tools/json.c tools/json.h \
	tools/module_rows.c tools/module_rows.h \
	tools/page.h \
	tools/print_by.c tools/print_by.h \
	tools/print_callers.c tools/print_callers.h \
	tools/print_cells.c tools/print_cells.h \
	tools/print_csv.c \
	tools/print_facts.c tools/print_facts.h \
	tools/print_hints.c tools/print_hints.h \
	tools/print_html.c \
	tools/print_labels.c tools/print_labels.h \
	tools/print_line.c \
	tools/print_windows.c \
	tools/print_json.c \
	tools/print_table.c tools/print_table.h \
	tools/print_text.c \
	tools/print_timeline.c tools/print_timeline.h \
	tools/print_tree.c tools/print_tree.h \
	tools/tui_details.c tools/tui_details.h \
	tools/tui_list.c tools/tui_list.h
tools_libprint_la_CFLAGS = $(AM_CFLAGS) $(TD_SANITIZE)
tools_libprint_la_LIBADD = decoder/libdecoder.la

# The HTML report's page, as C.
nodist_tools_libprint_la_SOURCES = tools/page_data.c
page_files = \
	tools/page/page.html tools/page/page.css \
	tools/page/model.js tools/page/bars.js tools/page/table.js tools/page/details.js \
	tools/page/flame.js tools/page/timeline.js tools/page/main.js \
	tools/page/uplot/uPlot.iife.min.js tools/page/uplot/uPlot.min.css tools/page/uplot/LICENSE
EXTRA_DIST += tools/page/pack.sh tools/page/uplot/README $(page_files)
CLEANFILES += tools/page_data.c
tools/page_data.c: tools/page/pack.sh $(page_files)
	$(AM_V_GEN)$(MKDIR_P) tools && sh $(srcdir)/tools/page/pack.sh $(srcdir)/tools/page >$@.tmp && mv $@.tmp $@

# libexport: what other tools read.  The protobuf code is made from its description.
noinst_LTLIBRARIES += tools/libexport.la
tools_libexport_la_SOURCES = \
	tools/export.h \
	tools/export_collect.c \
	tools/export_openmetrics.c \
	tools/export_pprof.c \
	tools/export_text.c \
	tools/outfile.c tools/outfile.h
nodist_tools_libexport_la_SOURCES = tools/pprof.pb-c.c
tools_libexport_la_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(ZLIB_CFLAGS) $(TD_SANITIZE)
tools_libexport_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_builddir)
tools_libexport_la_LIBADD = $(PROTOBUF_C_LIBS) $(ZLIB_LIBS) -lm
EXTRA_DIST += tools/pprof.proto
BUILT_SOURCES += tools/pprof.pb-c.h
CLEANFILES += tools/pprof.pb-c.c tools/pprof.pb-c.h
tools/pprof.pb-c.h: tools/pprof.pb-c.c
tools/pprof.pb-c.c: tools/pprof.proto
	$(AM_V_GEN)$(MKDIR_P) tools && $(PROTOC_C) --proto_path=$(srcdir) --c_out=. $(srcdir)/tools/pprof.proto

# libannotate: a function by lines and instructions.
noinst_LTLIBRARIES += tools/libannotate.la
tools_libannotate_la_SOURCES = \
	tools/annotate_asm.c \
	tools/annotate_collect.c tools/annotate_collect.h \
	tools/annotate_json.c \
	tools/annotate_lines.c tools/annotate_lines.h \
	tools/annotate_print.c \
	tools/annotate_rows.c \
	tools/annotate_sums.c tools/annotate_sums.h \
	tools/annotate_source.c tools/annotate_source.h
tools_libannotate_la_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) $(CAPSTONE_CFLAGS) $(TD_SANITIZE)
tools_libannotate_la_LIBADD = decoder/libdecoder.la $(CAPSTONE_LIBS)

# libimport: what other profilers recorded.
noinst_LTLIBRARIES += tools/libimport.la
tools_libimport_la_SOURCES = \
	tools/import_build.c tools/import_build.h \
	tools/import_elf.c tools/import_elf.h \
	tools/import_perf.c tools/import_perf.h \
	tools/perf_script.c tools/perf_script.h \
	tools/pipe.c tools/pipe.h
tools_libimport_la_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(TD_SANITIZE)
tools_libimport_la_LIBADD = $(ELF_LIBS)

# libmachine: what the machine and a program to be profiled are like.
noinst_LTLIBRARIES += tools/libmachine.la
tools_libmachine_la_SOURCES = \
	tools/arguments.c tools/arguments.h \
	tools/asked.c tools/asked.h \
	tools/child.c tools/child.h \
	tools/commands.h \
	tools/directory.c tools/directory.h \
	tools/facts.c tools/facts_agent.c tools/facts_events.c tools/facts_pmus.c tools/facts.h \
	tools/found.c tools/found.h \
	tools/library.c tools/library.h \
	tools/list.c \
	tools/pfm.c tools/pfm.h \
	tools/probe.c tools/probe.h tools/probe_print.c \
	tools/program.c tools/program.h
tools_libmachine_la_CFLAGS = $(AM_CFLAGS) $(TD_SANITIZE)
tools_libmachine_la_LIBADD = decoder/libdecoder.la

# libaudit: windows by single steps.
noinst_LTLIBRARIES += tools/libaudit.la
if AARCH64
audit_arch = tools/audit_aarch64.c
else
audit_arch = tools/audit_x86_64.c
endif
tools_libaudit_la_SOURCES = $(audit_arch) \
	tools/audit_code.c tools/audit_code.h \
	tools/audit_count.c tools/audit_count.h \
	tools/audit_machine.h \
	tools/audit_maps.c tools/audit_maps.h \
	tools/audit_print.c tools/audit_print.h \
	tools/audit_rows.c \
	tools/audit_step.c tools/audit_step.h \
	tools/audit_trace.c tools/audit_trace.h \
	tools/collect.c tools/collect.h \
	tools/collect_ring.c tools/collect_ring.h \
	tools/collect_save.c
tools_libaudit_la_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) $(TD_SANITIZE)
tools_libaudit_la_LIBADD = decoder/libdecoder.la

bin_PROGRAMS += tools/tdagent
tools_tdagent_SOURCES = \
	tools/annotate.c \
	tools/audit.c \
	tools/commands.h \
	tools/export.c \
	tools/import.c \
	tools/diff.c \
	tools/inputs.c tools/inputs.h \
	tools/labels.c tools/labels.h \
	tools/live.c tools/live.h \
	tools/main.c \
	tools/output.c tools/output.h \
	tools/pager.c tools/pager.h \
	tools/progress.c tools/progress.h \
	tools/push.c tools/push.h tools/push_body.c tools/push_send.c \
	tools/report.c \
	tools/run.c \
	tools/tui.h
if HAVE_NCURSES
tools_tdagent_SOURCES += tools/tui.c tools/tui_draw.c tools/tui_draw.h
else
tools_tdagent_SOURCES += tools/tui_none.c
endif
tools_tdagent_CFLAGS = $(AM_CFLAGS) $(CURL_CFLAGS) $(NCURSES_CFLAGS) $(TD_SANITIZE)
tools_tdagent_LDADD = tools/libannotate.la tools/libaudit.la tools/libmachine.la tools/libexport.la tools/libimport.la tools/libprint.la decoder/libdecoder.la $(NCURSES_LIBS) $(PFM_LIBS)
