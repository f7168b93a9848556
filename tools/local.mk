# SPDX-License-Identifier: MIT
# libprint: the printers, apart so that unit tests can link them.
noinst_LTLIBRARIES += tools/libprint.la
tools_libprint_la_SOURCES = \
	tools/print.c tools/print.h \
	tools/print_csv.c \
	tools/print_json.c \
	tools/print_table.c tools/print_table.h \
	tools/print_text.c
tools_libprint_la_CFLAGS = $(AM_CFLAGS) $(TD_SANITIZE)
tools_libprint_la_LIBADD = decoder/libdecoder.la

bin_PROGRAMS += tools/tdagent
tools_tdagent_SOURCES = \
	tools/commands.h \
	tools/inputs.c tools/inputs.h \
	tools/main.c \
	tools/report.c
tools_tdagent_CFLAGS = $(AM_CFLAGS) $(TD_SANITIZE)
tools_tdagent_LDADD = tools/libprint.la decoder/libdecoder.la
