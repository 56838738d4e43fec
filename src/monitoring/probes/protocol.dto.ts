import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CheckErrorView, CertificateView, CheckPhasesView } from '../../history/read/check.dto';
import { AssertionDto, HeaderDto } from '../../endpoint/endpoint.dto';
import type { Outcome } from '../../checker/checker';
import type { Assertion } from '../../checker/assertion/assertion';
import type { WireTls } from '../../checker/tls-settings';
import {
  type Ask,
  type AssignedEndpoint,
  type Definition,
  MAX_RESULTS,
  MAX_WAIT_SECONDS,
  type PollRequest,
  type PollResponse,
  PROTOCOL,
  type Refusal,
  REFUSALS,
  type ResultsRequest,
  type ResultsResponse,
  type SentCheck,
  type SentError,
  type SentResult,
  SESSION_FORM,
} from '../../probe-protocol/protocol';

const ENDPOINT = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';
const NOW = 1_790_000_000_150;
const SESSION = '7f3c9a52e0b14d68';
const ASK = '018f3f6e-1c1b-7a52-9d3e-0a6f6f0f5a11';

const protocol = { description: 'The protocol version that the probe uses.', example: PROTOCOL };
const session = {
  pattern: SESSION_FORM.source,
  description: 'The session ID, chosen when the probe process starts. The newest session of a token is the active one.',
  example: SESSION,
};
const time = (description: string, example = NOW) => ({ description: `${description} Milliseconds.`, example });
const count = (description: string) => ({ type: 'integer', minimum: 0, default: 0, description, example: 0 }) as const;

export class PollBody implements PollRequest {
  @ApiProperty(protocol)
  protocol!: number;

  @ApiProperty(session)
  session!: string;

  @ApiPropertyOptional({
    default: false,
    example: false,
    description: 'Whether the session was replaced. It then waits until the other session has not responded for 45 s.',
  })
  standby!: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    example: null,
    description: 'The cursor of the previous response. null in the first request.',
  })
  cursor!: string | null;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    example: MAX_WAIT_SECONDS,
    description: 'How many seconds the service may delay the response while there is nothing to report.',
  })
  wait!: number;

  @ApiPropertyOptional({ description: 'The version of the probe program.', maxLength: 32, example: '0.2.0' })
  version!: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 64,
    description: 'The types of checks that the probe can run.',
    example: ['HTTP', 'HTTPS', 'TCP', 'DNS', 'ICMP', 'SSH'],
  })
  types!: string[];

  @ApiPropertyOptional({
    type: [String],
    maxItems: 64,
    default: [],
    description:
      'Features that not every probe supports. `settings`: the probe applies the `settings` of a definition.',
    example: ['settings'],
  })
  capabilities!: string[];

  @ApiPropertyOptional(time('The wall clock of the probe.', 1_790_000_000_123.4))
  clock!: number;

  @ApiPropertyOptional(count('The number of endpoints that the probe has. Sent with `digest`.'))
  count!: number;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    example: null,
    description:
      'Sent every ten minutes: the SHA-256 hash in hex of the sorted lines `<endpoint_id> <revision>\n` of all endpoints that the probe has. If it differs, the service sends all endpoints again.',
  })
  digest!: string | null;

  @ApiPropertyOptional(count('The number of results that the probe has buffered.'))
  buffered!: number;

  @ApiPropertyOptional(count('The number of results that the probe has dropped since its start.'))
  dropped!: number;

  @ApiPropertyOptional(count('The number of checks that the probe has skipped since its start.'))
  skipped!: number;

  @ApiPropertyOptional(count('The age of the oldest buffered result, in milliseconds.'))
  lag_ms!: number;

  @ApiPropertyOptional(count('The round-trip time of the previous request, in milliseconds.'))
  rtt_ms!: number;
}

export class ProbeTls implements WireTls {
  @ApiProperty({ description: '`false`: certificate errors do not make the check fail.', example: true })
  verify!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Certificates in PEM. Only these are trusted.',
    example: null,
  })
  ca!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name that the certificate must be valid for.',
    example: null,
  })
  server_name!: string | null;
}

/** A check definition, including its secrets. */
export class ProbeDefinition implements Definition {
  @ApiProperty({ example: 'HTTPS' })
  type!: string;

  @ApiProperty({ example: 'https://shop.example.com/health' })
  url!: string;

  @ApiProperty({ description: 'Seconds.', example: 10 })
  timeout!: number;

  @ApiProperty({ example: 'GET' })
  method!: string;

  @ApiProperty({ type: [HeaderDto], description: 'The request headers with their values, including credentials.' })
  headers!: HeaderDto[];

  @ApiProperty({ type: String, nullable: true, example: null })
  body!: string | null;

  @ApiProperty({ example: true })
  follow_redirects!: boolean;

  @ApiProperty({ type: [AssertionDto] })
  assertions!: Assertion[];

  @ApiProperty({ type: ProbeTls, nullable: true })
  tls!: ProbeTls | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    example: 14,
    description: 'A certificate that expires within this number of days causes a warning.',
  })
  certificate_warn_days?: number | null;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'The settings of the type, including their secrets. Only sent to a probe with the capability `settings`. For other probes, the type of such a definition is one that they do not support.',
    example: { user: 'monitor' },
  })
  settings?: object;
}

export class ProbeEndpoint implements AssignedEndpoint {
  @ApiProperty({ example: ENDPOINT })
  endpoint_id!: string;

  @ApiProperty({ example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  organization!: string;

  @ApiProperty({ example: 3 })
  revision!: number;

  @ApiProperty({ description: 'Seconds.', example: 60 })
  interval!: number;

  @ApiProperty({
    description: 'The offset of the slots in milliseconds. A slot is at phase_ms + k · interval since the epoch.',
    example: 20_340,
  })
  phase_ms!: number;

  @ApiProperty({
    description:
      'The endpoint is new or changed. Its newest slot is checked now, spread over the interval or 30 s (the shorter of the two).',
    example: true,
  })
  run_now!: boolean;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'If the failure streak at this probe reaches this number, the check is repeated once. null: never.',
    example: 3,
  })
  confirm_at!: number | null;

  @ApiProperty({ description: 'Whether checks may reach private and loopback addresses.', example: false })
  allow_private!: boolean;

  @ApiProperty({ type: ProbeDefinition })
  definition!: ProbeDefinition;
}

/** A check that a client waits for. */
export class ProbeAsk implements Ask {
  @ApiProperty({ description: 'The ID of the on-demand check. The probe sends it back with the result.', example: ASK })
  request_id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The ID of the endpoint. null for a test of an endpoint that is not saved.',
    example: ENDPOINT,
  })
  endpoint_id!: string | null;

  @ApiProperty({
    type: ProbeDefinition,
    nullable: true,
    description: 'The definition to check. Only for a test of an endpoint, which is not stored.',
  })
  definition!: ProbeDefinition | null;

  @ApiPropertyOptional({
    description: 'Only for a test of an endpoint, with the same meaning as for an endpoint.',
    example: 'org_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  organization?: string;

  @ApiPropertyOptional({
    description: 'Only for a test of an endpoint, with the same meaning as for an endpoint.',
    example: false,
  })
  allow_private?: boolean;

  @ApiProperty(time('The time after which the result is no longer needed.', NOW + 20_000))
  expires_at!: number;
}

export class PollView implements PollResponse {
  @ApiProperty(time('The current time of the service’s clock, which all times refer to.', NOW))
  now!: number;

  @ApiProperty(
    time(
      'The end of the lease. The probe starts no check after it, unless it receives another response from the service.',
      NOW + 900_000,
    ),
  )
  lease_until!: number;

  @ApiProperty({ description: 'An opaque value to send with the next poll.', example: 'AbCd' })
  cursor!: string;

  @ApiProperty({
    description:
      'Whether the endpoints of this response, together with those that follow while `has_more` is true, are the complete list.',
    example: true,
  })
  full_sync!: boolean;

  @ApiProperty({ description: 'Whether more endpoints follow. If so, poll again immediately.', example: false })
  has_more!: boolean;

  @ApiProperty({
    type: [String],
    description: 'The IDs of endpoints to stop checking. Apply them before `endpoints`.',
    example: [],
  })
  removed!: string[];

  @ApiProperty({ description: 'How long to wait before the next request, in milliseconds.', example: 0 })
  pause_ms!: number;

  @ApiProperty({
    type: [ProbeEndpoint],
    description: 'The new or changed endpoints, each with its complete definition.',
  })
  endpoints!: ProbeEndpoint[];

  @ApiProperty({ type: [ProbeAsk], description: 'The on-demand checks, each to be run once now.' })
  requests!: ProbeAsk[];
}

/** A result as a probe sends it. `address` and other shared fields have the same meaning as in a check. */
export class ProbeCheck implements SentCheck {
  @ApiProperty({ enum: ['up', 'down', 'unknown'], example: 'up' })
  outcome!: Outcome;

  @ApiProperty({ description: 'The sum of the phases, in milliseconds.', minimum: 0, example: 12.4 })
  duration_ms!: number;

  @ApiProperty({ type: CheckPhasesView })
  phases!: CheckPhasesView;

  @ApiPropertyOptional({ type: Number, nullable: true, example: 200 })
  status_code!: number | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '192.0.2.1' })
  address!: string | null;

  @ApiPropertyOptional({ type: CertificateView, nullable: true, example: null })
  certificate!: SentCheck['certificate'];

  @ApiPropertyOptional({ type: [String], nullable: true, example: null })
  records!: string[] | null;

  @ApiPropertyOptional({ type: [String], example: [] })
  redirects!: string[];

  @ApiPropertyOptional({
    type: CheckErrorView,
    nullable: true,
    example: null,
    description: 'The error. null exactly if the outcome is `up`.',
  })
  error!: SentError | null;

  @ApiPropertyOptional({
    type: CheckErrorView,
    nullable: true,
    example: null,
    description: 'The reason why a target that is up is degraded.',
  })
  warning!: SentError | null;
}

export class ProbeResult implements SentResult {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The ID of the endpoint. null for the result of a test.',
    example: ENDPOINT,
  })
  endpoint_id!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The revision of the endpoint. null for the result of a test.',
    example: 3,
  })
  revision!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The slot of the result, in milliseconds. null for the result of an on-demand check.',
    example: 1_790_000_020_340,
  })
  slot!: number | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The ID of the on-demand check that this result belongs to.',
    example: null,
  })
  request_id!: string | null;

  @ApiProperty(time('When the check started.', 1_790_000_020_342))
  checked_at!: number;

  @ApiPropertyOptional({
    enum: [1, 2],
    default: 1,
    description: 'The number of attempts. 2 if a failure was repeated.',
    example: 1,
  })
  attempts!: 1 | 2;

  @ApiPropertyOptional({
    type: CheckErrorView,
    nullable: true,
    example: null,
    description: 'The error of the first attempt, if there were two.',
  })
  first_error!: SentError | null;

  @ApiProperty({ type: ProbeCheck })
  result!: ProbeCheck;
}

export class ResultsBody implements ResultsRequest {
  @ApiProperty(protocol)
  protocol!: number;

  @ApiProperty(session)
  session!: string;

  @ApiProperty({
    type: [ProbeResult],
    maxItems: MAX_RESULTS,
    description: 'The results. Results of one endpoint must be in chronological order.',
  })
  results!: ProbeResult[];
}

export class RefusedResult {
  @ApiProperty({ description: 'The position of the result in the request, starting at 0.', example: 4 })
  index!: number;

  @ApiProperty({
    enum: REFUSALS,
    example: 'not_assigned',
    description:
      '`not_assigned`: the endpoint is not checked at this probe, or is deleted or paused. `stale_revision`: the result is for a revision other than the current one. `not_a_slot`: the slot is not a multiple of 20 ms, is less than half an interval after the newest recorded one, or belongs to an on-demand check that was not sent to the probe. `in_future`: more than 5 s in the future. `too_old`: checked more than an hour ago. `invalid`: the result cannot be read.',
  })
  code!: Refusal;
}

export class ResultsView implements ResultsResponse {
  @ApiProperty(time('The current time of the service’s clock, which all times refer to.', 1_790_000_020_400))
  now!: number;

  @ApiProperty({ description: 'The number of results that are stored.', example: 1 })
  recorded!: number;

  @ApiProperty({
    description: 'The number of results that are not newer than the newest recorded slot. They changed nothing.',
    example: 0,
  })
  duplicates!: number;

  @ApiProperty({
    description: 'The number of recorded results that are too late to trigger notifications.',
    example: 0,
  })
  late!: number;

  @ApiProperty({ type: [RefusedResult], description: 'The results that were not recorded. Do not send them again.' })
  refused!: RefusedResult[];

  @ApiProperty({ description: 'How long to wait before the next request, in milliseconds.', example: 0 })
  pause_ms!: number;
}
