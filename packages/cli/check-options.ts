import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CreateEndpoint } from '../client/index.cjs';
import {
  type Assertion,
  ASSERTION_COMPARISONS,
  ASSERTION_SOURCES,
  type AssertionSeverity,
} from '../../src/checker/assertion/assertion';
import { HTTP_METHODS } from '../../src/checker/check-request';
import { headerProblem } from '../../src/checker/request-headers';
import {
  normalServerName,
  type TlsSettings,
  tlsProblems,
  toWireTls,
  unverifiedProblem,
} from '../../src/checker/tls-settings';
import { ENDPOINT_BOUNDS } from './endpoint-bounds';
import { CommandError } from './uptime/io';

/** The options of the `check` command, as typed. */
export interface CheckOptions {
  type?: string;
  local?: boolean;
  verbose?: boolean;
  json?: boolean;
  /** In seconds. */
  timeout?: string;
  method?: string;
  header?: string[];
  body?: string;
  follow: boolean;
  insecure?: boolean;
  ca?: string;
  serverName?: string;
  /** Settings of the type, each as `NAME=VALUE`. */
  set?: string[];
  assert?: string[];
  warn?: string[];
  /** A number of days, or `none`. */
  warnDays?: string;
}

/** The settings for checking a URL. Settings that weren't given are missing. */
export interface CheckSettings {
  timeoutSeconds?: number;
  method?: (typeof HTTP_METHODS)[number];
  headers: { key: string; value: string }[];
  body?: string;
  followRedirects: boolean;
  tls: TlsSettings | null;
  /** The settings of the type. */
  settings?: Record<string, unknown>;
  /** How many days before the certificate expires the target becomes degraded. `null` turns this off. */
  certificateWarnDays?: number | null;
  assertions: Assertion[];
}

/** Parses the options for checking `url`. Relative paths are resolved against `folder`. Throws: `CommandError`. */
export function checkSettings(url: string, options: CheckOptions, folder: string): CheckSettings {
  const { timeout, body, follow, header = [], assert = [], warn = [] } = options;
  const seconds = Number(timeout ?? 1);
  const { maximum } = ENDPOINT_BOUNDS.timeout;
  if (!(seconds > 0 && seconds <= maximum))
    throw new CommandError(`--timeout must be a number of seconds up to ${maximum}`);
  const method = HTTP_METHODS.find((known) => known === options.method?.toUpperCase());
  if (options.method !== undefined && !method)
    throw new CommandError(`--method must be one of ${HTTP_METHODS.join(', ')}`);
  const headers = header.map(readHeader);
  return {
    timeoutSeconds: timeout === undefined ? undefined : seconds,
    method,
    headers,
    body,
    followRedirects: follow,
    tls: readTls(options, folder, { url, headers, body: body ?? null }),
    settings: options.set && Object.fromEntries(options.set.map((text) => readSetting(text, folder))),
    certificateWarnDays: readWarnDays(options.warnDays),
    assertions: [
      ...assert.map((text) => readAssertion(text, 'critical')),
      ...warn.map((text) => readAssertion(text, 'warning')),
    ],
  };
}

/** Returns the settings as endpoint fields. A field is undefined if its setting has the default value. */
export function endpointFields(settings: CheckSettings): Partial<CreateEndpoint> {
  const { timeoutSeconds, method, headers, body, followRedirects, tls, certificateWarnDays, assertions } = settings;
  const warnDays = certificateWarnDays === undefined ? {} : { warn_days: certificateWarnDays };
  return {
    timeout: timeoutSeconds,
    method,
    headers: headers.length > 0 ? headers : undefined,
    body,
    follow_redirects: followRedirects ? undefined : false,
    tls: tls || certificateWarnDays !== undefined ? { ...(tls && toWireTls(tls)), ...warnDays } : undefined,
    assertions: assertions.length > 0 ? assertions : undefined,
    settings: settings.settings,
  };
}

/**
 * Parses `NAME=VALUE`. A value that starts with `@` is read from a file, so that secrets don't appear in the list of
 * processes. Objects, lists, numbers, `true`, `false`, and quoted strings are read as JSON.
 */
function readSetting(text: string, folder: string): [string, unknown] {
  const [, name = '', value = ''] = /^([a-z0-9_]+)=(.*)$/s.exec(text) ?? [];
  if (name === '') throw new CommandError(`--set must be NAME=VALUE, not ${JSON.stringify(text)}`);
  if (value.startsWith('@')) return [name, readText(folder, value.slice(1), '--set').trimEnd()];
  if (!/^(?:[[{"]|-?\d+$|true$|false$)/.test(value)) return [name, value];
  try {
    return [name, JSON.parse(value) as unknown];
  } catch {
    return [name, value];
  }
}

/** Returns `null` for `none`, and the default for new endpoints if the option is missing. */
function readWarnDays(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === 'none') return null;
  const { maximum } = ENDPOINT_BOUNDS.warnDays;
  if (!/^\d{1,2}$/.test(text) || Number(text) > maximum)
    throw new CommandError(`--warn-days must be a whole number from 0 to ${maximum}, or "none"`);
  return Number(text);
}

function readHeader(text: string): { key: string; value: string } {
  const parts = /^([^:]+):(.*)/s.exec(text);
  if (!parts) throw new CommandError(`--header must be 'Name: value', not ${JSON.stringify(text)}`);
  const header = { key: parts[1] ?? '', value: (parts[2] ?? '').trimStart() };
  const problem = headerProblem(header.key, header.value);
  if (problem) throw new CommandError(`--header: ${problem.message}`);
  return header;
}

function readTls(
  { insecure = false, ca, serverName }: CheckOptions,
  folder: string,
  sent: Parameters<typeof unverifiedProblem>[1],
): TlsSettings | null {
  if (!insecure && ca === undefined && serverName === undefined) return null;
  const name = serverName === undefined ? null : normalServerName(serverName);
  const tls = { verify: !insecure, ca: ca === undefined ? null : readCa(folder, ca), serverName: name };
  const [problem = unverifiedProblem(tls, sent)] = tlsProblems(tls);
  if (problem) throw new CommandError(`--${OPTION_OF[problem.part]}: ${problem.message}`);
  return tls;
}

const OPTION_OF = { verify: 'insecure', ca: 'ca', server_name: 'server-name' } as const;

const readCa = (folder: string, path: string): string => readText(folder, path, '--ca');

function readText(folder: string, path: string, option: string): string {
  try {
    return readFileSync(resolve(folder, path), 'utf8');
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw new CommandError(`${option}: the file ${path} cannot be read: ${code}`);
  }
}

/** Parses `SOURCE [PROPERTY] COMPARISON [TARGET]`. The parts are checked against the check type later. */
function readAssertion(text: string, severity: AssertionSeverity): Assertion {
  const [first, ...others] = text.matchAll(/\S+/g);
  const source = ASSERTION_SOURCES.find((known) => known === first?.[0]);
  const at = others.find(([word]) => ASSERTION_COMPARISONS.some((known) => known === word));
  const comparison = ASSERTION_COMPARISONS.find((known) => known === at?.[0]);
  if (!source || !first || !at || !comparison) {
    const form = `'SOURCE [PROPERTY] COMPARISON TARGET', where SOURCE is one of ${ASSERTION_SOURCES.join(', ')}`;
    throw new CommandError(`--assert and --warn must be ${form}, not ${JSON.stringify(text)}`);
  }
  const property = text.slice(first.index + source.length, at.index).trim();
  return {
    source,
    ...(property !== '' && { property }),
    comparison,
    target: text.slice(at.index + comparison.length).trimStart(),
    severity,
  };
}
