import { readFileSync } from 'node:fs';
import { resultJson, resultText } from './check-result-text';
import {
  type Assertion,
  ASSERTION_COMPARISONS,
  ASSERTION_SOURCES,
  type AssertionSeverity,
} from '../../src/checker/assertion/assertion';
import type { Outcome } from '../../src/checker/checker';
import { HTTP_METHODS } from '../../src/checker/check-request';
import { headerProblem } from '../../src/checker/request-headers';
import { normalServerName, type TlsSettings, tlsProblems, unverifiedProblem } from '../../src/checker/tls-settings';
import { loadConfig } from '../../src/platform/config/config';
import { ConfigError } from '../../src/platform/config/env';
import { parseOrUsage, UsageError } from './usage-error';

const USAGE = `usage: check-url [options] <type> <url>

Checks one target from this machine, once. No server and no database are needed.

  type               HTTP, HTTPS, TCP, DNS, ICMP, SSH or another registered type; case does not matter
  url                the target as an endpoint would have it

  --timeout SECONDS  total time limit, default 10
  --method METHOD    HTTP method, default GET
  --header 'K: V'    request header; may be repeated
  --body TEXT        request body
  --no-follow        do not follow redirects
  --insecure         do not verify the server's certificate; refused beside anything that may be a credential
  --ca FILE          trust the certificates in this PEM file, and no others
  --server-name NAME the name to ask the server for (SNI) and to find in its certificate
  --assert TEXT      what must hold, such as 'status_code in 200-299', 'json $.status equals ok'; may be repeated
  --warn TEXT        the same as a warning: 'certificate_days greater_than 14'
  --json             print the report as JSON

The egress policy is that of the Default organization (EGRESS_PRIVATE, EGRESS_ALLOW, EGRESS_DENY).
Exit code: 0 up (also with a warning), 1 down, 2 unknown or a mistake in the command line.`;

const EXIT_CODES: Record<Outcome, number> = { up: 0, down: 1, unknown: 2 };
const MISTAKE = 2;

/** Not a mistake: the usage was asked for. */
class HelpWanted extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** The result of a run of the command. */
export interface CheckUrlResult {
  exitCode: number;
  text: string;
  /** False when `text` is an error message for stderr. */
  isOutput: boolean;
}

/** The check that the command line asks for. */
export interface Command {
  type: string;
  url: string;
  timeoutMs: number;
  method: string;
  headers: { key: string; value: string }[];
  body: string | null;
  followRedirects: boolean;
  tls: TlsSettings | null;
  assertions: Assertion[];
  json: boolean;
}

/** Runs the command with its arguments. Throws only for a bug. */
export async function runCheckUrl(args: string[], environment: Environment): Promise<CheckUrlResult> {
  try {
    const command = parseCommand(args);
    const config = loadConfig(environment);
    // oxlint-disable-next-line typescript/no-require-imports -- an import at the top would be loaded for a usage error, too.
    const { checkOnce } = require('./check-once') as typeof import('./check-once');
    const result = await checkOnce(command, config);
    const text = command.json ? JSON.stringify(resultJson(result)) : resultText(command.type, command.url, result);
    return { exitCode: EXIT_CODES[result.outcome], text, isOutput: true };
  } catch (error) {
    if (error instanceof HelpWanted) return { exitCode: 0, text: USAGE, isOutput: true };
    if (error instanceof UsageError || error instanceof ConfigError) {
      return { exitCode: MISTAKE, text: error.message, isOutput: false };
    }
    throw error;
  }
}

function parseCommand(args: string[]): Command {
  const { values, positionals } = parseOrUsage({ args, allowPositionals: true, options: OPTIONS });
  const [type, url, ...rest] = positionals;
  if (values.help) throw new HelpWanted();
  if (type === undefined || url === undefined || rest.length > 0) throw new UsageError(USAGE);
  const timeout = Number(values.timeout);
  if (!(timeout > 0 && timeout <= 300)) throw new UsageError('--timeout must be a number of seconds up to 300');
  const method = values.method.toUpperCase();
  if (!HTTP_METHODS.some((known) => known === method))
    throw new UsageError(`--method must be one of ${HTTP_METHODS.join(', ')}`);
  const sent = { url, headers: values.header.map(parseHeader), body: values.body ?? null };
  return {
    type: type.toUpperCase(),
    ...sent,
    timeoutMs: timeout * 1000,
    method,
    followRedirects: !values['no-follow'],
    tls: parseTls(values, sent),
    assertions: [
      ...values.assert.map((text) => parseAssertion(text, 'critical')),
      ...values.warn.map((text) => parseAssertion(text, 'warning')),
    ],
    json: values.json,
  };
}

const OPTIONS = {
  timeout: { type: 'string', default: '10' },
  method: { type: 'string', default: 'GET' },
  header: { type: 'string', multiple: true, default: [] as string[] },
  body: { type: 'string' },
  'no-follow': { type: 'boolean', default: false },
  insecure: { type: 'boolean', default: false },
  ca: { type: 'string' },
  'server-name': { type: 'string' },
  assert: { type: 'string', multiple: true, default: [] as string[] },
  warn: { type: 'string', multiple: true, default: [] as string[] },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parseHeader(text: string): { key: string; value: string } {
  const parts = /^([^:]+):\s*(.*)$/s.exec(text);
  if (!parts) throw new UsageError(`--header must be 'Name: value', not ${JSON.stringify(text)}`);
  const header = { key: parts[1] ?? '', value: parts[2] ?? '' };
  const problem = headerProblem(header.key, header.value);
  if (problem) throw new UsageError(`--header: ${problem.message}`);
  return header;
}

type Options = ReturnType<typeof parseOrUsage<{ options: typeof OPTIONS }>>['values'];

function parseTls(
  { insecure, ca, 'server-name': name }: Options,
  sent: Pick<Command, 'url' | 'headers' | 'body'>,
): TlsSettings | null {
  if (!insecure && ca === undefined && name === undefined) return null;
  const serverName = name === undefined ? null : normalServerName(name);
  const tls = { verify: !insecure, ca: ca === undefined ? null : readCa(ca), serverName };
  const [problem = unverifiedProblem(tls, sent)] = tlsProblems(tls);
  if (problem) throw new UsageError(`--${OPTION_OF[problem.part]}: ${problem.message}`);
  return tls;
}

const OPTION_OF = { verify: 'insecure', ca: 'ca', server_name: 'server-name' } as const;

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new UsageError(`--ca: the file ${path} cannot be read: ${code}`);
  }
}

const ASSERTION = new RegExp(`^\\s*(\\w+)(?:\\s+(.*?))??\\s+(${ASSERTION_COMPARISONS.join('|')})(?:\\s+(.*))?$`, 's');

/** `SOURCE [PROPERTY] COMPARISON [TARGET]`. Whether they go together is judged when the type of check is known. */
function parseAssertion(text: string, severity: AssertionSeverity): Assertion {
  const parts = ASSERTION.exec(text) ?? [];
  const source = ASSERTION_SOURCES.find((known) => known === parts[1]);
  const comparison = ASSERTION_COMPARISONS.find((known) => known === parts[3]);
  if (!source || !comparison) {
    const form = `'SOURCE [PROPERTY] COMPARISON TARGET', a source being one of ${ASSERTION_SOURCES.join(', ')}`;
    throw new UsageError(`--assert and --warn take ${form}, not ${JSON.stringify(text)}`);
  }
  return {
    source,
    ...(parts[2] !== undefined && { property: parts[2] }),
    comparison,
    target: parts[4] ?? '',
    severity,
  };
}
