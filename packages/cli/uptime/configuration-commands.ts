import { type UptimeClient, UptimeError } from '../../client/index.cjs';
import { withSecrets } from './document-secrets';
import { errorText, refusalOf } from './error-text';
import { type Input, readInput, readInputs } from './input';
import { CommandError, type Io } from './io';
import { appliedSummary, changeCount, type Plan, planLines } from './plan-text';
import { reportLines } from './report-text';
import { painter } from './style';
import { yamlText } from './yaml-text';

/** 0: nothing to report. 1: error. 2: something needs attention. */
export type ExitCode = 0 | 1 | 2;

/** Planning thousands of endpoints takes seconds, and creating them takes up to 20 seconds. */
export const PLAN_TIMEOUT_MS = 120_000;
export const APPLY_TIMEOUT_MS = 300_000;

export interface PlanOptions {
  prune?: boolean;
  json?: boolean;
}

/** Shows what a document would change. Returns 2 if there are changes. */
export async function plan(io: Io, uptime: UptimeClient, file: string, options: PlanOptions): Promise<ExitCode> {
  const { plan: planned } = await askForPlan(uptime, await readDocument(io, file), options);
  io.out(options.json ? jsonText(planned) : `${planLines(planned, painter(io.hasColour)).join('\n')}\n`);
  return changeCount(planned) === 0 ? 0 : 2;
}

/**
 * Shows the plan, asks for confirmation if run in a terminal, and applies exactly that plan. If anything has changed
 * since the plan, the service refuses.
 */
export async function apply(
  io: Io,
  uptime: UptimeClient,
  file: string,
  options: PlanOptions & { yes?: boolean },
): Promise<ExitCode> {
  const document = await readDocument(io, file);
  const { plan: planned, etag } = await askForPlan(uptime, document, options);
  if (!options.json) io.out(`${planLines(planned, painter(io.hasColour)).join('\n')}\n`);
  if (changeCount(planned) === 0) {
    if (options.json) io.out(jsonText(planned));
    return 0;
  }
  if (!(await isWanted(io, options.yes))) {
    io.err('Nothing was changed.\n');
    return 1;
  }
  const applied = await carryOut(uptime, document, options, etag);
  io.out(options.json ? jsonText(applied) : `${appliedSummary(applied)}\n`);
  return 0;
}

export async function exportDocument(
  io: Io,
  uptime: UptimeClient,
  { owner, full, json }: { owner?: string; full?: boolean; json?: boolean },
): Promise<ExitCode> {
  const type = json ? 'application/json' : 'application/yaml';
  const text = await uptime.exportConfiguration.as(type, { query: { owner, full } }, { timeoutMs: PLAN_TIMEOUT_MS });
  io.out(text.endsWith('\n') ? text : `${text}\n`);
  return 0;
}

/** The programs that `convert` can read. */
export const SOURCES = ['uptime-kuma', 'gatus', 'healthchecks', 'prometheus-blackbox', 'uptimerobot'] as const;

/** In these programs, several files are joined into one YAML stream. */
const YAML_SOURCES: readonly string[] = ['gatus', 'prometheus-blackbox'];

/** Converts files from another program. The document goes to stdout, and the report to stderr. */
export async function convert(
  io: Io,
  uptime: UptimeClient,
  files: readonly string[],
  { from, json }: { from: (typeof SOURCES)[number]; json?: boolean },
): Promise<ExitCode> {
  const input = await readInputs(io, files, YAML_SOURCES.includes(from) ? '---' : '');
  const options = { headers: { 'Content-Type': 'text/plain; charset=utf-8' }, timeoutMs: PLAN_TIMEOUT_MS };
  const converted = await sent(input, uptime.convertConfiguration({ query: { from }, body: input.text }, options));
  const { document, report } = converted;
  io.out(json ? jsonText(converted) : yamlText(document));
  if (!json) io.err(`${reportLines(report, input, painter(io.hasColour)).join('\n')}\n`);
  return 0;
}

interface SentDocument extends Input {
  headers: { 'Content-Type': string };
}

async function readDocument(io: Io, file: string): Promise<SentDocument> {
  const input = await readInput(io, file);
  const type = /\.json$/i.test(file) ? 'application/json' : 'application/yaml';
  return { ...input, text: withSecrets(input.text, io.env), headers: { 'Content-Type': type } };
}

async function askForPlan(
  uptime: UptimeClient,
  document: SentDocument,
  { prune }: PlanOptions,
): Promise<{ plan: Plan; etag: string | undefined }> {
  const { text: body, headers: type } = document;
  const options = { headers: type, timeoutMs: PLAN_TIMEOUT_MS };
  const asked = uptime.planConfiguration.withResponse({ body, query: { prune } }, options);
  const { data, headers } = await sent(document, asked);
  return { plan: data, etag: headers.etag };
}

async function isWanted(io: Io, yes: boolean | undefined): Promise<boolean> {
  if (yes === true || !io.isInteractive) return true;
  return /^y(es)?$/i.test((await io.ask('Apply this? [y/N] ')).trim());
}

async function carryOut(
  uptime: UptimeClient,
  document: SentDocument,
  { prune }: PlanOptions,
  etag: string | undefined,
): Promise<Plan> {
  const { text: body, headers: type } = document;
  const options = { headers: type, timeoutMs: APPLY_TIMEOUT_MS };
  const asked = uptime.applyConfiguration({ body, query: { prune }, headers: { 'If-Match': etag } }, options);
  return sent(document, asked, (error) => {
    const refusal = refusalOf(error);
    if (refusal?.status === 412)
      return 'Something has changed since this plan was created. Nothing was applied. Run the command again to see the new plan.';
    return refusal
      ? null
      : `${errorText(error)}\nThe result is unknown: either everything was applied, or nothing. Run "uptime plan" to find out.`;
  });
}

/**
 * Returns the response to a document. If it was rejected, shows the file, line, and field, or the message from
 * `explain`.
 */
async function sent<T>(
  input: Input,
  asked: Promise<T>,
  explain: (error: UptimeError) => string | null = () => null,
): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof UptimeError ? new CommandError(explain(error) ?? errorText(error, input)) : error;
  }
}

const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
