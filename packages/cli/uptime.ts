#!/usr/bin/env node
import '../../src/start/node-version.cjs';
import { addIncidentCommands } from './incident/incident-commands';
import { addMcpCommand } from './mcp/mcp-command';
import { addPeopleCommand } from './people/people-command';
import { addProbeCommands } from './probe/probe-commands';
import { processIo } from './uptime/io';
import { runUptime } from './uptime/program';
import { addRunCommand } from './uptime/run-command';

const COMMANDS = [addIncidentCommands, addMcpCommand, addPeopleCommand, addProbeCommands, addRunCommand];

/** The `uptime` command: an API client for terminals, scripts, and pipelines. */
runUptime(process.argv.slice(2), processIo(), undefined, COMMANDS).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.exitCode = 1;
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  },
);
