import { DialError, type SocketFault } from '../platform/net/dial/dial-error';
import type { CheckError, CheckPhase, CheckResult, ErrorCode, Outcome } from './checker';
import { DeadlineExceeded } from '../platform/net/deadline';
import { cut } from '../platform/text/text-limits';

/** The reason why a check did not succeed. `down` is the target's fault, and `unknown` is the monitor's. */
export interface CheckFailure {
  outcome: Exclude<Outcome, 'up'>;
  error: CheckError;
}

const MAX_MESSAGE = 300;

/** The phases in which the check waits for the target. */
export type WaitingPhase = Exclude<CheckPhase, 'assertion' | 'internal' | 'run'>;

const TIMEOUTS: Record<WaitingPhase, [code: ErrorCode, sentence: string]> = {
  dns: ['dns_timeout', 'The DNS lookup was not answered'],
  connect: ['connection_timeout', 'The connection was not established'],
  tls: ['tls_timeout', 'Connected, but the TLS handshake was not completed'],
  first_byte: ['first_byte_timeout', 'Connected, but no response was received'],
  transfer: ['body_timeout', 'The response started but was not complete'],
};

/** Returns a failure of the target. */
export const down = (code: ErrorCode, phase: CheckPhase, message: string): CheckFailure => ({
  outcome: 'down',
  error: { code, phase, message: cut(message, MAX_MESSAGE, '') },
});

/** Returns a failure of the monitor, or of a check that was not allowed. */
export const unknown = (code: ErrorCode, phase: CheckPhase, message: string): CheckFailure => ({
  outcome: 'unknown',
  error: { code, phase, message: cut(message, MAX_MESSAGE, '') },
});

/** Returns the result of a target that is up, for results that others send. */
export const up = (durationMs = 0): CheckResult => ({
  ...resultOf(unknown('internal', 'internal', '')),
  outcome: 'up',
  durationMs,
  phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: durationMs, transferMs: null },
  error: null,
});

/** Returns the result of a check that sent nothing to the target. */
export const resultOf = ({ outcome, error }: CheckFailure): CheckResult => ({
  outcome,
  durationMs: 0,
  phases: { dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null, transferMs: null },
  statusCode: null,
  address: null,
  certificate: null,
  records: null,
  redirects: [],
  error,
  warning: null,
});

/**
 * Returns the failure of an aborted check. If the endpoint's own timeout expired, it is the target's failure, named
 * after the phase that didn't finish. Any other cause, such as a shutdown, is the monitor's.
 */
export function abortFailure(phase: WaitingPhase, signal: AbortSignal): CheckFailure {
  const reason: unknown = signal.reason;
  if (!(reason instanceof DeadlineExceeded)) {
    return unknown('internal', phase, 'The check was stopped because the monitor is shutting down.');
  }
  const [code, sentence] = TIMEOUTS[phase];
  return down(code, phase, `${sentence} within ${reason.timeoutMs / 1000} s.`);
}

export function dialFailure(error: DialError, signal: AbortSignal): CheckFailure {
  const { code, phase, message, local } = error;
  if (code === 'aborted') {
    return local && signal.reason instanceof DeadlineExceeded
      ? unknown('monitor_offline', phase, "The monitor's own DNS server does not answer.")
      : abortFailure(phase, signal);
  }
  return local || code === 'target_blocked' ? unknown(code, phase, message) : down(code, phase, message);
}

/** Returns the failure for a fault on an established connection. `subject` is the subject of the sentence. */
export function socketFailure(fault: SocketFault, phase: CheckPhase, subject: string): CheckFailure {
  const code = fault.code === 'aborted' ? 'internal' : fault.code;
  const message = `${subject} ${fault.text}.`;
  return fault.telling === 'ours' ? unknown(code, phase, message) : down(code, phase, message);
}
