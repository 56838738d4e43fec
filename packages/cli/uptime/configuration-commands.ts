import type { ApiClient, Request } from './api-client';
import { ApiProblem, fieldLines } from './api-problem';
import { withSecrets } from './document-secrets';
import { type Input, readInput, readInputs } from './input';
import { CommandError, type Io } from './io';
import { appliedSummary, changeCount, type Plan, planLines } from './plan-text';
import { type ReportEntry, reportLines } from './report-text';
import { painter } from './style';
import { yamlText } from './yaml-text';

/** 0: nothing to say. 1: an error. 2: there is something to look at. */
export type ExitCode = 0 | 1 | 2;

/** A plan of thousands of endpoints takes seconds, their creation up to twenty. */
export const PLAN_TIMEOUT_MS = 120_000;
export const APPLY_TIMEOUT_MS = 300_000;

export interface PlanOptions {
  prune?: boolean;
  json?: boolean;
}

/** Shows what applying a document would change. 2: something would change. */
export async function plan(io: Io, api: ApiClient, file: string, options: PlanOptions): Promise<ExitCode> {
  const { text, body: planned } = await askForPlan(api, await readDocument(io, file), options.prune);
  io.out(options.json ? withLineEnd(text) : `${planLines(planned, painter(io.hasColour)).join('\n')}\n`);
  return changeCount(planned) === 0 ? 0 : 2;
}

/** Shows the plan, asks on a terminal, and does exactly that: whatever has changed since refuses it. */
export async function apply(
  io: Io,
  api: ApiClient,
  file: string,
  options: PlanOptions & { yes?: boolean },
): Promise<ExitCode> {
  const document = await readDocument(io, file);
  const { text, body: planned, tag } = await askForPlan(api, document, options.prune);
  if (!options.json) io.out(`${planLines(planned, painter(io.hasColour)).join('\n')}\n`);
  if (changeCount(planned) === 0) {
    if (options.json) io.out(withLineEnd(text));
    return 0;
  }
  if (!(await isWanted(io, options.yes))) {
    io.err('Nothing was changed.\n');
    return 1;
  }
  const applied = await carryOut(api, document, options.prune, tag);
  io.out(options.json ? withLineEnd(applied) : `${appliedSummary(JSON.parse(applied) as Plan)}\n`);
  return 0;
}

/** Prints what is declared, as a document. */
export async function exported(
  io: Io,
  api: ApiClient,
  { owner, full, json }: { owner?: string; full?: boolean; json?: boolean },
): Promise<ExitCode> {
  const asked = new URLSearchParams({ ...(owner !== undefined && { owner }), ...(full && { full: 'true' }) });
  const query = asked.size > 0 ? `?${asked.toString()}` : '';
  const accept = json ? 'application/json' : 'application/yaml';
  const { text } = await api.send({ path: `/configuration${query}`, accept, timeoutMs: PLAN_TIMEOUT_MS });
  io.out(withLineEnd(text));
  return 0;
}

interface Conversion {
  document: unknown;
  report: ReportEntry[];
}

/** Several files of these programs are documents of one stream. */
const YAML_SOURCES = ['gatus', 'prometheus-blackbox'];

/** Prints what becomes of another program's files: the document as result, the report beside it. */
export async function convert(
  io: Io,
  api: ApiClient,
  files: readonly string[],
  options: { from: string; json?: boolean },
): Promise<ExitCode> {
  const input = await readInputs(io, files, YAML_SOURCES.includes(options.from) ? '---' : '');
  const { text } = await judged(input, api, {
    method: 'POST',
    path: `/configuration/convert?from=${encodeURIComponent(options.from)}`,
    body: input.text,
    contentType: 'text/plain; charset=utf-8',
    timeoutMs: PLAN_TIMEOUT_MS,
  });
  const { document, report } = JSON.parse(text) as Conversion;
  io.out(options.json ? withLineEnd(text) : yamlText(document));
  if (!options.json) io.err(`${reportLines(report, input, painter(io.hasColour)).join('\n')}\n`);
  return 0;
}

interface SentDocument extends Input {
  contentType: string;
}

async function readDocument(io: Io, file: string): Promise<SentDocument> {
  const input = await readInput(io, file);
  const contentType = /\.json$/i.test(file) ? 'application/json' : 'application/yaml';
  return { ...input, text: withSecrets(input.text, io.env), contentType };
}

async function askForPlan(
  api: ApiClient,
  document: SentDocument,
  prune: boolean | undefined,
): Promise<{ text: string; body: Plan; tag: string | null }> {
  const { text, headers } = await judged(document, api, {
    method: 'POST',
    path: `/configuration/plan${prune ? '?prune=true' : ''}`,
    body: document.text,
    contentType: document.contentType,
    timeoutMs: PLAN_TIMEOUT_MS,
  });
  return { text, body: JSON.parse(text) as Plan, tag: headers.get('etag') };
}

async function isWanted(io: Io, yes: boolean | undefined): Promise<boolean> {
  if (yes === true || !io.isInteractive) return true;
  return /^y(es)?$/i.test((await io.ask('Apply this? [y/N] ')).trim());
}

async function carryOut(
  api: ApiClient,
  document: SentDocument,
  prune: boolean | undefined,
  tag: string | null,
): Promise<string> {
  try {
    const { text } = await judged(document, api, {
      method: 'PUT',
      path: `/configuration${prune ? '?prune=true' : ''}`,
      body: document.text,
      contentType: document.contentType,
      headers: tag === null ? {} : { 'If-Match': tag },
      timeoutMs: APPLY_TIMEOUT_MS,
    });
    return text;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 412)
      throw new CommandError(
        'Something has changed since this plan was made, and nothing was applied. Run it again to see the new plan.',
      );
    if (error instanceof CommandError && !(error instanceof ApiProblem))
      throw new CommandError(`${error.message}\nIt was applied as a whole or not at all: plan tells which.`);
    throw error;
  }
}

/** Sends it; a refusal is said with file, line and field. */
async function judged(input: Input, api: ApiClient, request: Request) {
  try {
    const responded = await api.json(request);
    return { ...responded, text: JSON.stringify(responded.body, null, 2) };
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    error.explain(fieldLines(error.body, input.name, input.locate));
    throw error;
  }
}

const withLineEnd = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
