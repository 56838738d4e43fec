import type { Socket } from 'node:net';
import { DialError, socketFault } from '../platform/net/dial/dial-error';
import type { Dialer } from '../platform/net/dial/dialer';
import type { TlsIdentity } from '../platform/net/dial/trusted-roots';
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
import { certificateWarning, daysUntil } from './certificate-warning';
import { familyOf } from './network-settings';
import type { Certificate, CheckError, CheckPhase, CheckPhases, CheckRequest, CheckResult, ErrorCode } from './checker';

export interface DialTarget {
  host: string;
  port: number;
  /** Starts TLS after connecting. An invalid certificate fails the check unless `verify` is false. */
  tls?: DialedTls | undefined;
  /** The check ends once the connection is established, without reading anything. */
  unread?: boolean;
  /** Receives the incoming data. Without it, the socket emits `data` events. Cannot be combined with TLS. */
  inflow?: Inflow | undefined;
}

/**
 * TLS options. `servername` is the name in the certificate, `host` by default. `ca` contains the only trusted
 * certificates, in PEM.
 */
export interface DialedTls {
  servername?: string | undefined;
  alpn?: string[];
  ca?: string | null;
  verify?: boolean;
  /** The certificate and key in PEM with which the client identifies itself. */
  identity?: TlsIdentity | null | undefined;
}

/** The facts that a checker contributes in addition to those that the builder collects. */
export type LearnedFacts = Omit<AssertionFacts, 'durationMs' | 'address'>;

/** The maximum number of bytes that `ask` reads from a response. */
const MAX_RESPONSE_BYTES = 64 * 1024;

const sum = (a: number | null, b: number | null): number | null => (a === null ? b : a + (b ?? 0));

/**
 * Collects the facts that one check learns about its target and builds the result. If anything ends a check early (no
 * connection, a fault, the timeout), it is stored as the failure. Methods that can fail then return `null`, and
 * `finish` returns the result. Only the first failure counts. The durations of a phase that is measured more than once,
 * as with redirects, are added up.
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

  /** Opens a new connection, subject to the egress policy of the request. The caller must destroy the socket. */
  async dial(dialer: Dialer, { host, port, tls, unread = false, inflow }: DialTarget): Promise<Socket | null> {
    const { egress } = this.request;
    try {
      const family = familyOf(this.request.settings);
      const dialed = await dialer.dial({ host, port, tls, unread, inflow, family, egress, signal: this.signal });
      this.addDial(dialed);
      this.certificate = dialed.certificate ?? this.certificate;
      if (dialed.authorizationError === null || tls?.verify === false) return dialed.socket;
      dialed.socket.destroy();
      return this.down(dialed.authorizationError.code, 'tls', dialed.authorizationError.message);
    } catch (error) {
      return this.dialFailed(error);
    }
  }

  /** Starts TLS on an open connection, as STARTTLS does. The caller must destroy the socket. */
  async startTls(dialer: Dialer, socket: Socket, host: string, tls: DialedTls): Promise<Socket | null> {
    const phases = { dnsMs: null, connectMs: null, tlsMs: null };
    try {
      const upgrade = { socket, address: this.address ?? host, host, tls, signal: this.signal, phases };
      const { certificate, authorizationError, ...secured } = await dialer.startTls(upgrade);
      this.add('tlsMs', secured.phases.tlsMs);
      this.certificate = certificate ?? this.certificate;
      if (authorizationError === null || tls.verify === false) return secured.socket;
      secured.socket.destroy();
      return this.down(authorizationError.code, 'tls', authorizationError.message);
    } catch (error) {
      return this.dialFailed(error);
    }
  }

  /** Returns the facts about the certificate for the assertions. */
  certificateFacts(): Pick<LearnedFacts, 'certificateDays'> {
    if (this.certificate === null) return {};
    const now = this.request.now?.() ?? Date.now();
    return { certificateDays: daysUntil(Date.parse(this.certificate.expiresAt), now) };
  }

  /** Resolves the addresses of a host, subject to the egress policy. For checks that send data without a connection. */
  async resolve(dialer: Dialer, host: string): Promise<string[] | null> {
    try {
      const family = familyOf(this.request.settings);
      const { addresses, dnsMs } = await dialer.resolve(host, this.request.egress, this.signal, family);
      this.add('dnsMs', dnsMs);
      return addresses;
    } catch (error) {
      return this.dialFailed(error);
    }
  }

  /**
   * Sends a request over a connection and reads the response, as Latin-1, until `isComplete` returns true or 64 KiB
   * have arrived. Records the wait as `firstByteMs`. Destroys the socket.
   */
  async ask(
    socket: Socket,
    request: string | Buffer,
    isComplete: (received: string) => boolean,
  ): Promise<string | null> {
    const startedAt = performance.now();
    let onAbort = () => {};
    // Only the first event counts, because destroying the socket also closes it.
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

  /** Adds to the duration of a phase. `null` adds nothing. */
  add(phase: keyof CheckPhases, ms: number | null): void {
    this.phases[phase] = sum(this.phases[phase], ms);
  }

  /** Records a failure of the target. `message` is one public sentence without secrets. */
  down(code: ErrorCode, phase: CheckPhase, message: string): null {
    return this.fail(down(code, phase, message));
  }

  /** Records a failure of the monitor, or of a check that was not allowed. */
  unknown(code: ErrorCode, phase: CheckPhase, message: string): null {
    return this.fail(unknown(code, phase, message));
  }

  /**
   * Records that the signal ended the check. If the timeout expired, the target failed. Otherwise the service is
   * shutting down.
   */
  aborted(phase: WaitingPhase): null {
    return this.fail(abortFailure(phase, this.signal));
  }

  /** Records that an established connection broke. `subject` is the subject of the sentence. */
  socketFailed(error: NodeJS.ErrnoException, phase: CheckPhase, subject: string): null {
    return this.fail(socketFailure(socketFault(error), phase, subject));
  }

  /** Records that a target that is up is degraded, unless an assertion finds something else. */
  warn(code: ErrorCode, phase: CheckPhase, message: string): null {
    this.warning ??= down(code, phase, message).error;
    return null;
  }

  /** Ends the check with this failure unless there is an earlier one. `null` has no effect. */
  fail(failure: CheckFailure | null): null {
    this.failure ??= failure;
    return null;
  }

  /** The sum of all phases. The target must not be blamed for the monitor's own scheduling delays. */
  get durationMs(): number {
    const { dnsMs, connectMs, tlsMs, firstByteMs, transferMs } = this.phases;
    return (dnsMs ?? 0) + (connectMs ?? 0) + (tlsMs ?? 0) + (firstByteMs ?? 0) + (transferMs ?? 0);
  }

  /** Returns all facts for the assertions: those that the builder collected, plus those in `learned`. */
  factsWith(learned: LearnedFacts): AssertionFacts {
    return { durationMs: this.durationMs, address: this.address, ...learned };
  }

  /**
   * Records that the assertions were evaluated, so that `finish` doesn't evaluate them again. `failed` is the one to
   * report.
   */
  judged(failed: FailedAssertion | null): null {
    this.isJudged = true;
    if (failed === null) return null;
    const failure = down('assertion_failed', 'assertion', failureSentence(failed));
    if (failed.severity === 'critical') return this.fail(failure);
    this.warning = failure.error;
    return null;
  }

  /**
   * Returns the result. If there is no failure yet, the assertions decide. Assertions on a body must be evaluated
   * before this call.
   */
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
