import type { CheckError } from '../../checker/checker';
import type { FinishedCheck } from '../../engine/finished-check';
import type { SentError, SentResult } from '../../probe-protocol/protocol';

/** The request that a caller is waiting for. */
export interface Asked {
  requestId: string;
  /** True for a test check, whose settings don't belong to an endpoint. */
  isTryOut: boolean;
}

/** The parts of a finished check that are sent. */
type Sent = 'endpointId' | 'revision' | 'slotMs' | 'checkedAt' | 'attempts' | 'firstError' | 'result';

/** Returns a finished check in the protocol's format. If `asked` is given, the check doesn't belong to a slot. */
export function toSentResult(check: Pick<FinishedCheck, Sent>, asked: Asked | undefined): SentResult {
  const { result } = check;
  const { dnsMs, connectMs, tlsMs, firstByteMs, transferMs } = result.phases;
  const isTryOut = asked?.isTryOut === true;
  return {
    endpoint_id: isTryOut ? null : check.endpointId,
    revision: isTryOut ? null : check.revision,
    slot: check.slotMs,
    request_id: asked?.requestId ?? null,
    checked_at: check.checkedAt.getTime(),
    attempts: check.attempts,
    first_error: toSentError(check.firstError),
    result: {
      outcome: result.outcome,
      duration_ms: result.durationMs ?? 0,
      phases: {
        dns_ms: dnsMs,
        connect_ms: connectMs,
        tls_ms: tlsMs,
        first_byte_ms: firstByteMs,
        transfer_ms: transferMs,
      },
      status_code: result.statusCode,
      address: result.address,
      certificate: result.certificate && {
        expires_at: result.certificate.expiresAt,
        issuer: result.certificate.issuer,
        subject: result.certificate.subject,
        names: result.certificate.names,
        ...(result.certificate.authority ? { authority: result.certificate.authority } : {}),
      },
      records: result.records,
      redirects: result.redirects,
      error: toSentError(result.error),
      warning: toSentError(result.warning),
    },
  };
}

const toSentError = (error: CheckError | null): SentError | null =>
  error && { code: error.code, phase: error.phase, message: error.message };

/** The approximate memory use of a result without its strings. */
const BASE_BYTES = 640;
const BYTES_OF_CHARACTER = 2;

/** Returns the approximate memory use of a result in bytes. It is always the same for the same result. */
export function bytesOf({ result, firstError }: FinishedCheck): number {
  const { certificate, records, redirects, error, warning, address } = result;
  let characters = address?.length ?? 0;
  for (const one of [error, warning, firstError]) characters += one?.message.length ?? 0;
  for (const text of [...(records ?? []), ...redirects, ...(certificate?.names ?? [])]) characters += text.length;
  if (certificate)
    characters +=
      (certificate.authority ?? '').length +
      certificate.issuer.length +
      certificate.subject.length +
      certificate.expiresAt.length;
  return BASE_BYTES + BYTES_OF_CHARACTER * characters;
}
