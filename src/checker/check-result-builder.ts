import type { Socket } from 'node:net';
import { DialError, socketFault } from '../platform/net/dial/dial-error';
import type { Dialer } from '../platform/net/dial/dialer';
import type { Inflow } from '../platform/net/dial/inflow';
import { arrivalMs } from '../platform/time/arrival-clock';
import {
  type AssertionFacts,
  type FailedAssertion,
  failureSentence,
  firstFailure,
} from './assertion/assertion-evaluator';
import {
  abortFailure,
  type CheckFailure,
  dialFailure,
  down,
  socketFailure,
  unknown,
  type WaitingPhase,
} from './check-failure';
import { certificateWarning } from './certificate-warning';
import type { Certificate, CheckError, CheckPhase, CheckPhases, CheckRequest, CheckResult, ErrorCode } from './checker';

/** Where to connect to. */
export interface DialTarget {
  host: string;
  port: number;
  /** Starts TLS after connecting; a certificate that is not valid is the check's failure unless `verify` is false. */
  tls?: DialedTls | undefined;
  /** The check ends once it is connected: nothing is read. */
  unread?: boolean;
  /** Takes what is read; without it there are `data` events. Not for TLS. */
  inflow?: Inflow | undefined;
}

/** `servername`: the name the certificate must carry, default `host`. `ca`: what alone is trusted, in PEM. */
export interface DialedTls {
  servername?: string | undefined;
  alpn?: string[];
  ca?: string | null;
  verify?: boolean;
}

/** What a checker adds to what the builder knows. */
export type LearnedFacts = Omit<AssertionFacts, 'durationMs' | 'address'>;

/** More of a response than this is not read by `ask`. */
const MAX_RESPONSE_BYTES = 64 * 1024;

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

/**
 * What one check learns about its target; becomes its result. Whatever ends a check early (no connection, a fault, the time
 * limit) is kept as its failure: the methods that can fail then return `null`, and `finish` returns the result. The first
 * failure counts. Phases that are measured more than once, as with redirects, add up.
 */
export class CheckResultBuilder {
  readonly phases: CheckPhases = { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null };
  readonly redirects: string[] = [];
  statusCode: number | null = null;
  address: string | null = null;
  certificate: Certificate | null = null;
  records: string[] | null = null;
  private failure: CheckFailure | null = null;
  private warning: CheckError | null = null;
  private isJudged = false;

  constructor(
    private readonly request: CheckRequest<unknown>,
    private readonly signal: AbortSignal,
  ) {}

  /** A fresh connection, within the egress policy of the request. The caller destroys the socket. */
  async dial(dialer: Dialer, { host, port, tls, unread = false, inflow }: DialTarget): Promise<Socket | null> {
    const { egress } = this.request;
    try {
      const dialed = await dialer.dial({ host, port, tls, unread, inflow, egress, signal: this.signal });
      this.addDial(dialed);
      this.certificate = dialed.certificate ?? this.certificate;
      if (dialed.authorizationError === null || tls?.verify === false) return dialed.socket;
      dialed.socket.destroy();
      return this.down(dialed.authorizationError.code, 'tls', dialed.authorizationError.message);
    } catch (error) {
      return this.dialFailed(error);
    }
  }

  /** The addresses of a host, within the egress policy: for checks that send without a connection. */
  async resolve(dialer: Dialer, host: string): Promise<string[] | null> {
    try {
      const { addresses, dnsMs } = await dialer.resolve(host, this.request.egress, this.signal);
      this.add('dnsMs', dnsMs);
      return addresses;
    } catch (error) {
      return this.dialFailed(error);
    }
  }

  /**
   * Sends a request over a connection and reads the response, as Latin-1, until `isComplete` says so, but at most 64 KiB of
   * it. The wait is `firstByteMs`. Destroys the socket.
   */
  async ask(
    socket: Socket,
    request: string | Buffer,
    isComplete: (received: string) => boolean,
  ): Promise<string | null> {
    const startedAt = performance.now();
    let onAbort = () => {};
    // Only what happened first counts: destroying the socket closes it as well.
    const end = await new Promise<() => string | null>((resolve) => {
      let received = '';
      const wrong = (sentence: string) => resolve(() => this.down('protocol_error', 'first_byte', sentence));
      onAbort = () => resolve(() => this.aborted('first_byte'));
      if (this.signal.aborted) return onAbort();
      this.signal.addEventListener('abort', onAbort, { once: true });
      socket.on('error', (error) => resolve(() => this.socketFailed(error, 'first_byte', 'The connection')));
      socket.on('close', () => wrong('The server closed the connection before its response was complete.'));
      socket.on('data', (chunk: Buffer) => {
        received += chunk.toString('latin1', 0, MAX_RESPONSE_BYTES);
        if (isComplete(received)) resolve(() => received);
        else if (received.length >= MAX_RESPONSE_BYTES) wrong('The response did not end within 64 KiB.');
      });
      socket.write(request);
    });
    this.signal.removeEventListener('abort', onAbort);
    this.add('firstByteMs', Math.max(0, arrivalMs() - startedAt));
    socket.destroy();
    return end();
  }

  /** Adds to the time of a phase; `null` adds nothing. */
  add(phase: keyof CheckPhases, ms: number | null): void {
    this.phases[phase] = sum(this.phases[phase], ms);
  }

  /** The target is at fault. `message` is one public sentence without secrets. */
  down(code: ErrorCode, phase: CheckPhase, message: string): null {
    return this.fail(down(code, phase, message));
  }

  /** The monitor is at fault, or was not allowed to look. */
  unknown(code: ErrorCode, phase: CheckPhase, message: string): null {
    return this.fail(unknown(code, phase, message));
  }

  /** The signal ended the check: the target's failure when its time limit ran out, otherwise a shutdown. */
  aborted(phase: WaitingPhase): null {
    return this.fail(abortFailure(phase, this.signal));
  }

  /** An established connection broke. `subject` begins the sentence. */
  socketFailed(error: NodeJS.ErrnoException, phase: CheckPhase, subject: string): null {
    return this.fail(socketFailure(socketFault(error), phase, subject));
  }

  /** Ends the check with this failure unless another one came first; `null` is none. */
  fail(failure: CheckFailure | null): null {
    this.failure ??= failure;
    return null;
  }

  /** Sum of the phases, so that our own scheduling gaps are not billed to the target. */
  get durationMs(): number {
    const { dnsMs, connectMs, tlsMs, firstByteMs, transferMs } = this.phases;
    return (dnsMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0) + (firstByteMs ?? 0) + (transferMs ?? 0);
  }

  /** What the request's assertions are judged by: what the builder knows, and what else was learned. */
  factsWith(learned: LearnedFacts): AssertionFacts {
    return { durationMs: this.durationMs, address: this.address, ...learned };
  }

  /** The request's assertions were judged; `failed` is the one to be told of. `finish` judges none then. */
  judged(failed: FailedAssertion | null): null {
    this.isJudged = true;
    if (failed === null) return null;
    const failure = down('assertion_failed', 'assertion', failureSentence(failed));
    if (failed.severity === 'critical') return this.fail(failure);
    this.warning = failure.error;
    return null;
  }

  /** The result. Without a failure so far the request's assertions decide. Of a body they must have been judged before. */
  finish(learned: Omit<LearnedFacts, 'body'> = {}): CheckResult {
    const { durationMs } = this;
    const { assertions } = this.request;
    if (this.failure === null && !this.isJudged && assertions.length > 0) {
      this.judged(firstFailure(assertions, this.factsWith(learned)) ?? null);
    }
    const { certificateWarnDays, now } = this.request;
    if (this.failure === null) this.warning ??= certificateWarning(this.certificate, certificateWarnDays, now?.());
    return {
      outcome: this.failure?.outcome ?? 'up',
      durationMs,
      phases: this.phases,
      statusCode: this.statusCode,
      address: this.address,
      certificate: this.certificate,
      records: this.records,
      redirects: this.redirects,
      error: this.failure?.error ?? null,
      warning: this.failure === null ? this.warning : null,
    };
  }

  private dialFailed(error: unknown): null {
    if (!(error instanceof DialError)) throw error;
    this.addDial(error);
    return this.fail(dialFailure(error, this.signal));
  }

  private addDial({ phases, address }: Pick<DialError, 'phases' | 'address'>): void {
    this.add('dnsMs', phases.dnsMs);
    this.add('connectMs', phases.connectMs);
    this.add('tlsMs', phases.tlsMs);
    this.address = address ?? this.address;
  }
}
