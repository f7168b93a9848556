/* SPDX-License-Identifier: MIT */
/*
 * What the processor's architecture decides is in a folder for each, with the same
 * files: arch.h for machine instructions, frame.h and unwind.c for the way from a
 * frame to its caller (unwind.h).
 */
#ifndef TD_SIGSAFE_ARCH_H
#define TD_SIGSAFE_ARCH_H

#if defined(__x86_64__)
#include "agent/sigsafe/x86_64/arch.h"
#elif defined(__aarch64__)
#include "agent/sigsafe/aarch64/arch.h"
#else
#error "x86_64 and aarch64 are what there is"
#endif

#endif
