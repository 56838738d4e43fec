import { arrivalMs } from '../../platform/time/arrival-clock';
import { DialError, faultTowards, type SocketFault } from '../../platform/net/dial/dial-error';
import type { SilenceWatch } from '../../platform/net/dns/silence-watch';
import { attemptInTurn } from '../../platform/net/staggered-attempts';
import { decisive, type Telling } from '../../platform/net/telling';
import type { DnsQuestion } from './dns-message';
import { askResolver, type DnsServer, type OpenTcp } from './dns-query';
import { findRecords, type DnsFinding, type Hides } from './dns-records';
import { MalformedReply } from './packet-reader';

/** The result of one query to one resolver. */
export type AskFinding =
  | DnsFinding
  /**
   * No reply arrived until the signal was aborted. `isAlive` is true if the resolver answered another question in the
   * meantime.
   */
  | { kind: 'silent'; isAlive: boolean }
  /** The resolver sent something that isn't a DNS reply. */
  | { kind: 'malformed' }
  /**
   * The query could not be sent. A dial error comes from the TCP connection that was opened after a truncated reply.
   */
  | { kind: 'fault'; fault: SocketFault | DialError };

/** The result of sending one question to one resolver. `elapsedMs` is how long this resolver took. */
export interface DnsResult {
  question: DnsQuestion;
  /** `null` if no resolver is known. */
  server: DnsServer | null;
  elapsedMs: number;
  finding: AskFinding;
}

export interface Asking {
  openTcp: OpenTcp;
  /** Selects the records to hide in replies. */
  hides?: Hides | undefined;
  /**
   * For the machine's own resolvers, detects whether one that doesn't respond is alive. Absent if the resolvers are
   * part of the target.
   */
  watchOf?: ((server: DnsServer) => SilenceWatch) | undefined;
}

/** How long to wait for a reply before the next resolver is also queried. The slow one may still reply. */
const NEXT_SERVER_AFTER_MS = 1000;

/** How long to wait for the second of two answers after the first one has returned records. */
const SECOND_ANSWER_MS = 1000;

/**
 * Sends all questions at the same time and returns their results in order. Settles when all are answered, one second
 * after the first answer with records, or when the signal is aborted. Never rejects.
 */
export async function lookUp(
  servers: readonly DnsServer[],
  questions: readonly DnsQuestion[],
  asking: Asking,
  signal: AbortSignal,
): Promise<DnsResult[]> {
  const limit = new AbortController();
  const onAbort = () => limit.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  let grace: NodeJS.Timeout | undefined;
  const ask = async (question: DnsQuestion) => {
    const result = await askInTurn(servers, question, asking, limit.signal);
    if (result.finding.kind === 'records') grace ??= setTimeout(() => limit.abort(), SECOND_ANSWER_MS);
    return result;
  };
  const results = await Promise.all(questions.map(ask));
  clearTimeout(grace);
  signal.removeEventListener('abort', onAbort);
  return results;
}

/**
 * Queries the resolvers in order until one gives an answer about the name. Continues with the next one on a failure or
 * after a second without a reply. If none answers, returns the most specific failure. Never rejects.
 */
async function askInTurn(
  servers: readonly DnsServer[],
  question: DnsQuestion,
  asking: Asking,
  signal: AbortSignal,
): Promise<DnsResult> {
  const results = await attemptInTurn<DnsServer, DnsResult>(
    servers,
    {
      nextAfterMs: NEXT_SERVER_AFTER_MS,
      attempt: (server, until) => askOne(server, question, asking, until),
      isGood: isAnswer,
    },
    signal,
  );
  const noServer: DnsResult = { question, server: null, elapsedMs: 0, finding: { kind: 'silent', isAlive: false } };
  return results.find(isAnswer) ?? mostTelling(results, asking.watchOf !== undefined) ?? noServer;
}

async function askOne(
  server: DnsServer,
  question: DnsQuestion,
  { openTcp, hides, watchOf }: Asking,
  signal: AbortSignal,
): Promise<DnsResult> {
  const startedAt = performance.now();
  const watch = watchOf?.(server);
  const timer = watch?.watch();
  const finding = await askResolver(server, question, openTcp, signal).then(
    (reply) => findRecords(reply, question, hides),
    (error: Error) => findingOf(error, server, signal),
  );
  clearTimeout(timer);
  const elapsedMs = Math.max(0, arrivalMs() - startedAt);
  if (finding !== null) {
    if (finding.kind !== 'fault') watch?.noteAnswer();
    return { question, server, elapsedMs, finding };
  }
  const isAlive = watch !== undefined && !watch.isSilentSince(startedAt);
  return { question, server, elapsedMs, finding: { kind: 'silent', isAlive } };
}

/** Returns `null` if there was no reply. */
async function findingOf(error: Error, server: DnsServer, signal: AbortSignal): Promise<AskFinding | null> {
  if (signal.aborted) return null;
  if (error instanceof MalformedReply) return { kind: 'malformed' };
  const fault = error instanceof DialError ? error : await faultTowards(server.address, error);
  return { kind: 'fault', fault };
}

/** A refusal or a failure doesn't count, because another resolver may know the name. */
const isAnswer = ({ finding }: DnsResult) => !['failed', 'silent', 'malformed', 'fault'].includes(finding.kind);

/**
 * Returns the decisive result. If `areOwn` is true, the resolvers belong to this machine, so their problems are the
 * monitor's fault.
 */
export const mostTelling = (results: readonly DnsResult[], areOwn: boolean): DnsResult | undefined =>
  decisive(results, ({ finding }) => tellingOf(finding, areOwn));

function tellingOf(finding: AskFinding, isOwn: boolean): Telling {
  switch (finding.kind) {
    case 'failed':
      return isOwn && isRefusal(finding) ? 'ours' : 'target';
    case 'silent':
      return isOwn && !finding.isAlive ? 'ours' : 'silence';
    case 'fault':
      return isOwn ? 'ours' : finding.fault.telling;
    case 'hidden':
      return 'ours';
    default:
      return 'target';
  }
}

/** `REFUSED` says nothing about the name, only that the resolver doesn't serve this client. */
export const isRefusal = ({ rcode }: { rcode: string }): boolean => rcode === 'REFUSED';
