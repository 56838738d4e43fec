import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, Max, Min } from 'class-validator';
import { ERROR_CODES, type CheckError, type ErrorCode, type Outcome } from '../../checker/checker';
import { Optional } from '../../platform/http/validators';
import { CursorQuery, LIMIT_DESCRIPTION, QueryBoolean, QueryInteger } from '../../platform/http/page';
import { formatId } from '../../platform/ids/id';
import { toMicroseconds, toMilliseconds } from '../check-encoding';
import type { FinishedCheck } from '../../engine/finished-check';
import { LOCAL_NAME } from '../../probe/probe-directory';
import { QueryRangeBound } from '../time-range';
import { LocationQuery } from './history-location';

const OUTCOMES = ['up', 'down', 'unknown'] as const satisfies readonly Outcome[];
const PHASES = ['dns', 'connect', 'tls', 'first_byte', 'transfer', 'assertion', 'internal', 'run'] as const;

export class ChecksQuery extends CursorQuery {
  @ApiPropertyOptional({ description: LIMIT_DESCRIPTION, minimum: 1, maximum: 1000, default: 100 })
  @Optional()
  @QueryInteger()
  @Min(1)
  @Max(1000)
  limit?: number;

  @ApiPropertyOptional({
    type: String,
    description: 'Only checks at or after this time.',
    example: '2026-11-20T09:00:00.000Z',
  })
  @Optional()
  @QueryRangeBound()
  from?: Date;

  @ApiPropertyOptional({
    type: String,
    description: 'Only checks before this time.',
    example: '2026-11-20T10:00:00.000Z',
  })
  @Optional()
  @QueryRangeBound()
  to?: Date;

  @ApiPropertyOptional({ description: 'Only checks with this outcome.', enum: OUTCOMES })
  @Optional()
  @IsIn(OUTCOMES)
  outcome?: Outcome;

  @ApiPropertyOptional({ description: 'Only planned checks (`true`) or only the others (`false`).' })
  @Optional()
  @QueryBoolean()
  planned?: boolean;

  @ApiPropertyOptional({ description: 'Only degraded checks (`true`) or only the others (`false`).' })
  @Optional()
  @QueryBoolean()
  degraded?: boolean;

  @LocationQuery('Only checks of this location.')
  location?: string;
}

const phase = (what: string) => ({
  type: Number,
  nullable: true,
  description: `The time ${what}, in milliseconds. \`null\` if the phase was not reached or is not part of this type.`,
  example: 4.217,
});

export class CheckPhasesView {
  @ApiProperty(phase('for name resolution')) dns_ms!: number | null;
  @ApiProperty(phase('to connect')) connect_ms!: number | null;
  @ApiProperty(phase('for the TLS handshake')) tls_ms!: number | null;
  @ApiProperty(phase('from the request to the first byte of the response')) first_byte_ms!: number | null;
  @ApiProperty(phase('to read the rest of the response')) transfer_ms!: number | null;
}

export class CheckErrorView {
  @ApiProperty({
    enum: ERROR_CODES,
    description: 'A stable error code that programs can rely on.',
    example: 'connection_refused',
  })
  code!: ErrorCode;

  @ApiProperty({ enum: PHASES, description: 'The phase in which the check ended.', example: 'connect' })
  phase!: string;

  @ApiProperty({
    description: 'A plain sentence that describes the error.',
    example: 'The connection to 192.0.2.1 port 443 was refused.',
  })
  message!: string;
}

export class CertificateView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    example: '2027-02-01T00:00:00.000Z',
    description:
      'When the certificate expires. If an authority in its chain expires earlier, the time when that authority expires.',
  })
  expires_at!: string;

  @ApiProperty({ example: "C=US, O=Let's Encrypt, CN=R11" })
  issuer!: string;

  @ApiProperty({ example: 'CN=shop.example.com' })
  subject!: string;

  @ApiProperty({
    type: [String],
    description: 'The subject alternative names, at most 20.',
    example: ['shop.example.com'],
  })
  names!: readonly string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The authority in the chain that expires first. `null` if the certificate itself expires first.',
    example: null,
  })
  authority?: string | null;
}

export class CheckView {
  @ApiProperty({ example: 'ck_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({
    enum: OUTCOMES,
    description:
      '`unknown`: the service had a problem or was not allowed to run the check. Unknown checks do not count toward uptime or streaks.',
  })
  outcome!: Outcome;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The location of the check: `local` for the service itself, the key of a probe, or `shared/…` for a probe that the operator shares. `null` if the probe was deleted.',
    example: 'local',
  })
  location!: string | null;

  @ApiProperty({
    type: String,
    enum: OUTCOMES,
    nullable: true,
    description:
      'The result that counted. For an endpoint with several locations, the combined result of all locations. Otherwise, the outcome of the check. `null` if the check arrived too late and counts only for its location.',
    example: 'up',
  })
  combined_outcome!: Outcome | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  checked_at!: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'The sum of the phases in milliseconds. For a heartbeat, the length of the run, or `null` if there was no start ping.',
    example: 83.412,
  })
  duration_ms!: number | null;

  @ApiProperty({ type: CheckPhasesView })
  phases!: CheckPhasesView;

  @ApiProperty({ type: Number, nullable: true, description: 'The final HTTP status.', example: 200 })
  status_code!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'The IP address of the connection.', example: '192.0.2.1' })
  address!: string | null;

  @ApiProperty({
    type: CertificateView,
    nullable: true,
    description: 'The certificate of the server. It is also shown if its verification failed.',
  })
  certificate!: CertificateView | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'For DNS, the answers. For SSH, the identification and the host key fingerprint.',
    example: null,
  })
  records!: readonly string[] | null;

  @ApiProperty({
    type: [String],
    description: 'The URLs that the check was redirected to, without credentials or query strings.',
  })
  redirects!: readonly string[];

  @ApiProperty({
    type: CheckErrorView,
    nullable: true,
    description: '`null` if the outcome is `up`. Otherwise, it is always set.',
  })
  error!: CheckErrorView | null;

  @ApiProperty({
    description:
      'Whether the check ran during maintenance that is excluded from uptime. Such a check counts as planned, regardless of its outcome.',
    example: false,
  })
  planned!: boolean;

  @ApiProperty({
    description: 'Whether the endpoint was up, but an assertion with severity `warning` failed.',
    example: false,
  })
  degraded!: boolean;

  @ApiProperty({
    type: CheckErrorView,
    nullable: true,
    description: 'The warning. `null` if the check is not degraded. Otherwise, it is always set.',
  })
  warning!: CheckErrorView | null;

  @ApiProperty({
    enum: [1, 2],
    description: 'The number of attempts. 2 if a failed check was repeated before it was recorded.',
    example: 1,
  })
  attempts!: 1 | 2;

  @ApiProperty({ type: CheckErrorView, nullable: true, description: 'The error of the first of two attempts.' })
  first_error!: CheckErrorView | null;
}

/** The fields of a finished check that the API returns. */
export type ShownCheck = Pick<
  FinishedCheck,
  'endpointId' | 'checkedAt' | 'location' | 'result' | 'planned' | 'attempts' | 'firstError' | 'counted'
>;

/**
 * Converts a finished check to JSON. This is the only place that does so. Rounds durations like the storage does, so
 * that a check looks the same right after it ran and in a later list. `location` is the location's name.
 */
export function toCheckView(
  { result, ...check }: ShownCheck,
  id: string,
  location: string | null = LOCAL_NAME,
): CheckView {
  const { phases, certificate, records } = result;
  const { outcome: combined } = check.counted === undefined ? result : (check.counted ?? { outcome: null });
  const warning = result.outcome === 'up' ? result.warning : null;
  return {
    id,
    endpoint_id: formatId('endpoint', check.endpointId),
    outcome: result.outcome,
    location,
    combined_outcome: combined,
    checked_at: check.checkedAt.toISOString(),
    duration_ms: stored(result.durationMs),
    phases: {
      dns_ms: stored(phases.dnsMs),
      connect_ms: stored(phases.connectMs),
      tls_ms: stored(phases.tlsMs),
      first_byte_ms: stored(phases.firstByteMs),
      transfer_ms: stored(phases.transferMs),
    },
    status_code: result.statusCode,
    error: result.error && errorView(result.error),
    planned: check.planned,
    degraded: warning !== null,
    warning: warning && errorView(warning),
    attempts: check.attempts,
    address: result.address,
    certificate: certificate && {
      expires_at: certificate.expiresAt,
      issuer: certificate.issuer,
      subject: certificate.subject,
      names: certificate.names,
      authority: certificate.authority ?? null,
    },
    records: records && records.length > 0 ? records : null,
    redirects: result.redirects,
    first_error: check.firstError && errorView(check.firstError),
  };
}

/** Rounds milliseconds like the storage does. */
const stored = (ms: number | null): number | null => toMilliseconds(toMicroseconds(ms));

const errorView = ({ code, phase, message }: CheckError): CheckErrorView => ({ code, phase, message });
