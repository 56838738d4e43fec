import { arrivalMs } from '../../platform/time/arrival-clock';
import { attemptInTurn } from '../../platform/net/staggered-attempts';
import type { DnsQuestion } from './dns-message';
import { askResolver, type DnsServer, type OpenTcp } from './dns-query';
import { findRecords, type DnsFinding, type Hides } from './dns-records';

/** The result of asking one resolver one question. `elapsedMs` is the time that this resolver took. */
export interface DnsResult {
  question: DnsQuestion;
  /** `null` when no resolver is known. */
  server: DnsServer | null;
  elapsedMs: number;
  finding: DnsFinding | { kind: 'silent' } | { kind: 'fault'; error: Error };
}

/** The next resolver is asked when one has been silent for this long; the silent one may still answer. */
const NEXT_SERVER_AFTER_MS = 1000;

/** How long to wait for the other of two questions once one has brought records. */
const SECOND_ANSWER_MS = 1000;

/**
 * Asks all questions at once. Returns one result for each, in their order, when all are answered, or a second after the
 * first that brought records, or when the signal aborts. What `hides` says is left out. Never rejects.
 */
export async function lookUp(
  servers: readonly DnsServer[],
  questions: readonly DnsQuestion[],
  openTcp: OpenTcp,
  signal: AbortSignal,
  hides?: Hides,
): Promise<DnsResult[]> {
  const limit = new AbortController();
  const onAbort = () => limit.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  let grace: NodeJS.Timeout | undefined;
  const ask = async (question: DnsQuestion) => {
    const result = await askInTurn(servers, question, openTcp, limit.signal, hides);
    if (result.finding.kind === 'records') grace ??= setTimeout(() => limit.abort(), SECOND_ANSWER_MS);
    return result;
  };
  const results = await Promise.all(questions.map(ask));
  clearTimeout(grace);
  signal.removeEventListener('abort', onAbort);
  return results;
}

/**
 * Asks the resolvers in their order until one answers about the name: the next when one fails or is silent for a second.
 * When none does, the result is the most specific failure. Never rejects.
 */
export async function askInTurn(
  servers: readonly DnsServer[],
  question: DnsQuestion,
  openTcp: OpenTcp,
  signal: AbortSignal,
  hides?: Hides,
): Promise<DnsResult> {
  const results = await attemptInTurn<DnsServer, DnsResult>(
    servers,
    {
      nextAfterMs: NEXT_SERVER_AFTER_MS,
      attempt: (server, until) => askOne(server, question, openTcp, until, hides),
      isGood: isAnswer,
    },
    signal,
  );
  return results.find(isAnswer) ?? mostSpecific(results, question);
}

async function askOne(
  server: DnsServer,
  question: DnsQuestion,
  openTcp: OpenTcp,
  signal: AbortSignal,
  hides: Hides | undefined,
): Promise<DnsResult> {
  const startedAt = performance.now();
  const finding = await askResolver(server, question, openTcp, signal).then(
    (reply) => findRecords(reply, question, hides),
    (error: Error) => (signal.aborted ? ({ kind: 'silent' } as const) : ({ kind: 'fault', error } as const)),
  );
  return { question, server, elapsedMs: Math.max(0, arrivalMs() - startedAt), finding };
}

/** A refusal or a failure does not count: another resolver may know the name. */
const isAnswer = ({ finding }: DnsResult) => !['failed', 'silent', 'fault'].includes(finding.kind);

function mostSpecific(failures: readonly DnsResult[], question: DnsQuestion): DnsResult {
  const found = (kind: DnsResult['finding']['kind']) => failures.find(({ finding }) => finding.kind === kind);
  const noServer: DnsResult = { question, server: null, elapsedMs: 0, finding: { kind: 'silent' } };
  return found('failed') ?? found('fault') ?? found('silent') ?? noServer;
}
