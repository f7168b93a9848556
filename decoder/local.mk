# SPDX-License-Identifier: MIT
# libformat: what agent and tools share; no library below it but libc.
# libdecoder: everything that reads; only the tools and tests link it.
noinst_LTLIBRARIES += decoder/libformat.la decoder/libdecoder.la

decoder_libformat_la_SOURCES = \
	decoder/format.h \
	decoder/names.c decoder/names.h \
	decoder/options.c decoder/options.h

decoder_libdecoder_la_SOURCES =
decoder_libdecoder_la_CFLAGS = $(AM_CFLAGS) $(ELF_CFLAGS) $(DW_CFLAGS) $(ZLIB_CFLAGS) $(TD_SANITIZE)
decoder_libdecoder_la_LIBADD = decoder/libformat.la $(DW_LIBS) $(ELF_LIBS) $(ZLIB_LIBS) $(IBERTY_LIBS) -lm
