/* SPDX-License-Identifier: MIT */
/*
 * The subcommands of tdagent, one file each.  argv[0] is the subcommand's name.
 * They return the exit status: 0, 1 for a failure, 2 for wrong usage; diff has its own.
 *
 * Context: normal.
 */
#ifndef TD_TOOLS_COMMANDS_H
#define TD_TOOLS_COMMANDS_H

int td_cmd_annotate(int argc, char **argv);
int td_cmd_diff(int argc, char **argv);
int td_cmd_report(int argc, char **argv);
int td_cmd_export(int argc, char **argv);
int td_cmd_import(int argc, char **argv);
int td_cmd_run(int argc, char **argv);
int td_cmd_audit(int argc, char **argv);
int td_cmd_push(int argc, char **argv);
int td_cmd_probe(int argc, char **argv);
int td_cmd_list(int argc, char **argv);

#endif
