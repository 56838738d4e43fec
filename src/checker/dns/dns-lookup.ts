import { arrivalMs } from '../../platform/time/arrival-clock';
import { attemptInTurn } from '../../platform/net/staggered-attempts';
import type { DnsQuestion } from './dns-message';
import { askResolver, type DnsServer, type OpenTcp } from './dns-query';
import { findRecords, type DnsFinding } from './dns-records';

/** What asking one resolver one question came to. `elapsedMs` is that resolver's own time. */
export interface DnsResult {
  question: DnsQuestion;
  /** `null` when there was none to ask. */
  server: DnsServer | null;
  elapsedMs: number;
  finding: DnsFinding | { kind: 'silent' } | { kind: 'fault'; error: Error };
}

/** The next resolver is asked when one has been silent for this long; the silent one may still answer. */
const NEXT_SERVER_AFTER_MS = 1000;

/** How long the other question of two is waited for once one has brought records. */
const SECOND_ANSWER_MS = 1000;

/**
 * Asks all questions at once. Ends with one result each, in their order: all answered, or one answered with records and
 * the others silent for a second more, or the signal aborted. Never rejects.
 */
export async function lookUp(
  servers: readonly DnsServer[],
  questions: readonly DnsQuestion[],
  openTcp: OpenTcp,
  signal: AbortSignal,
): Promise<DnsResult[]> {
  const patience = new AbortController();
  const onAbort = () => patience.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  let grace: NodeJS.Timeout | undefined;
  const ask = async (question: DnsQuestion) => {
    const result = await askInTurn(servers, question, openTcp, patience.signal);
    if (result.finding.kind === 'records') grace ??= setTimeout(() => patience.abort(), SECOND_ANSWER_MS);
    return result;
  };
  const results = await Promise.all(questions.map(ask));
  clearTimeout(grace);
  signal.removeEventListener('abort', onAbort);
  return results;
}

/**
 * Asks the resolvers in their order until one gives an answer about the name: the next when one fails, or is silent for a
 * second. When none does, the result is the failure that says most. Never rejects.
 */
export async function askInTurn(
  servers: readonly DnsServer[],
  question: DnsQuestion,
  openTcp: OpenTcp,
  signal: AbortSignal,
): Promise<DnsResult> {
  const results = await attemptInTurn<DnsServer, DnsResult>(
    servers,
    {
      nextAfterMs: NEXT_SERVER_AFTER_MS,
      attempt: (server, until) => askOne(server, question, openTcp, until),
      isGood: isAnswer,
    },
    signal,
  );
  return results.find(isAnswer) ?? mostTelling(results, question);
}

async function askOne(
  server: DnsServer,
  question: DnsQuestion,
  openTcp: OpenTcp,
  signal: AbortSignal,
): Promise<DnsResult> {
  const startedAt = performance.now();
  const finding = await askResolver(server, question, openTcp, signal).then(
    (reply) => findRecords(reply, question),
    (error: Error) => (signal.aborted ? ({ kind: 'silent' } as const) : ({ kind: 'fault', error } as const)),
  );
  return { question, server, elapsedMs: Math.max(0, arrivalMs() - startedAt), finding };
}

/** A refusal or failure is no answer: another resolver may know. */
const isAnswer = ({ finding }: DnsResult) => !['failed', 'silent', 'fault'].includes(finding.kind);

function mostTelling(failures: readonly DnsResult[], question: DnsQuestion): DnsResult {
  const found = (kind: DnsResult['finding']['kind']) => failures.find(({ finding }) => finding.kind === kind);
  const nobody: DnsResult = { question, server: null, elapsedMs: 0, finding: { kind: 'silent' } };
  return found('failed') ?? found('fault') ?? found('silent') ?? nobody;
}
