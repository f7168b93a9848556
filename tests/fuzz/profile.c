// SPDX-License-Identifier: MIT
/* A profile is refused, or there is a report of it in each format. */
#include "decoder/profile.h"
#include "decoder/report.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/json.h"
#include "tests/unit/printed.h"

static void print(const struct td_report *report)
{
	char *json = printed(report, PRINTED_JSON);

	fuzz_must(is_json(json));
	free(json);
	free(printed(report, PRINTED_PAGE));
	free(printed(report, PRINTED_CSV));
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	unsigned char *bytes = fuzz_copy(data, size);
	struct td_report *report;
	struct td_profile profile;
	char why[256];

	if (td_profile_parse(&profile, bytes, size, why, sizeof(why)) != 0) {
		free(bytes);
		return 0;
	}
	report = td_report_new(&(struct td_report_query){.parts = 1});
	fuzz_must(report && !td_report_add(report, &profile, "p", TD_FATE_EXITED));
	td_profile_free(&profile);
	fuzz_must(!td_report_finish(report));
	print(report);
	td_report_free(report);
	return 0;
}
