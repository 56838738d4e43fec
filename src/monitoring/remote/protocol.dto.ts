import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CheckErrorView, CertificateView, CheckPhasesView } from '../../history/read/check.dto';
import { AssertionDto, HeaderDto } from '../../endpoint/endpoint.dto';
import type { Outcome } from '../../checker/checker';
import type { Assertion } from '../../checker/assertion/assertion';
import type { TlsSettings } from '../../checker/tls-settings';
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

const protocol = { description: 'What it speaks.', example: PROTOCOL };
const session = {
  pattern: SESSION_FORM.source,
  description: 'Of this process, chosen at its start: the newest one of a token is the one that works.',
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
    description: 'It was replaced, and waits for the other session to fall silent for 45 s.',
  })
  standby!: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    example: null,
    description: 'Of the response before; null at first.',
  })
  cursor!: string | null;

  @ApiPropertyOptional({
    minimum: 0,
    maximum: MAX_WAIT_SECONDS,
    default: 0,
    example: MAX_WAIT_SECONDS,
    description: 'Seconds that the response may be kept back while there is nothing to say.',
  })
  wait!: number;

  @ApiPropertyOptional({ description: 'Of the program.', maxLength: 32, example: '0.2.0' })
  version!: string;

  @ApiPropertyOptional({
    type: [String],
    maxItems: 64,
    description: 'The types of checks that it can run.',
    example: ['HTTP', 'HTTPS', 'TCP', 'DNS', 'ICMP', 'SSH'],
  })
  types!: string[];

  @ApiPropertyOptional(time('Its own wall clock.', 1_790_000_000_123.4))
  clock!: number;

  @ApiPropertyOptional(count('With `digest`: how many endpoints it holds.'))
  count!: number;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    default: null,
    example: null,
    description:
      'Every ten minutes: SHA-256 in hex of the sorted lines `<endpoint_id> <revision>\\n` of all that it holds. Where it differs all is told again.',
  })
  digest!: string | null;

  @ApiPropertyOptional(count('Results that it holds.'))
  buffered!: number;

  @ApiPropertyOptional(count('Results that it has given up since its start.'))
  dropped!: number;

  @ApiPropertyOptional(count('Slots that it has not come to since its start.'))
  skipped!: number;

  @ApiPropertyOptional(count('Age of the oldest result that it holds, milliseconds.'))
  lag_ms!: number;

  @ApiPropertyOptional(count('What the request before took there and back, milliseconds.'))
  rtt_ms!: number;
}

export class ProbeTls implements TlsSettings {
  @ApiProperty({ description: 'false: whatever the certificate is, the check goes on.', example: true })
  verify!: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'PEM: trust only these.', example: null })
  ca!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name that the certificate must carry.',
    example: null,
  })
  serverName!: string | null;
}

/** The definition of a check, with its secrets. */
export class ProbeDefinition implements Definition {
  @ApiProperty({ example: 'HTTPS' })
  type!: string;

  @ApiProperty({ example: 'https://shop.example.com/health' })
  url!: string;

  @ApiProperty({ description: 'Seconds.', example: 10 })
  timeout!: number;

  @ApiProperty({ example: 'GET' })
  method!: string;

  @ApiProperty({ type: [HeaderDto], description: 'With their values: credentials, too.' })
  headers!: HeaderDto[];

  @ApiProperty({ type: String, nullable: true, example: null })
  body!: string | null;

  @ApiProperty({ example: true })
  follow_redirects!: boolean;

  @ApiProperty({ type: [AssertionDto] })
  assertions!: Assertion[];

  @ApiProperty({ type: ProbeTls, nullable: true })
  tls!: TlsSettings | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    example: 14,
    description: 'A certificate that ends in so many days or fewer is a warning.',
  })
  certificate_warn_days?: number | null;
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

  @ApiProperty({ description: 'Its slots are phase_ms + k · interval since the epoch. Milliseconds.', example: 20_340 })
  phase_ms!: number;

  @ApiProperty({
    description: 'New or changed: its newest slot is run now, spread over the lesser of the interval and 30 s.',
    example: true,
  })
  at_once!: boolean;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'A failure is repeated once where its streak at this probe reaches it; null: never.',
    example: 3,
  })
  confirm_at!: number | null;

  @ApiProperty({ description: 'Whether its checks may reach private and loopback addresses.', example: false })
  allow_private!: boolean;

  @ApiProperty({ type: ProbeDefinition })
  definition!: ProbeDefinition;
}

/** A check that a client waits for. */
export class ProbeAsk implements Ask {
  @ApiProperty({ description: 'Sent back with the result.', example: ASK })
  ask!: string;

  @ApiProperty({ type: String, nullable: true, description: 'null for a try-out.', example: ENDPOINT })
  endpoint_id!: string | null;

  @ApiProperty({ type: ProbeDefinition, nullable: true, description: 'Of a try-out, which is not stored.' })
  definition!: ProbeDefinition | null;

  @ApiPropertyOptional({ description: 'Of a try-out, as of an endpoint.', example: 'org_01jd3k6q7be5y9x4v2m8n0r1st' })
  organization?: string;

  @ApiPropertyOptional({ description: 'Of a try-out, as of an endpoint.', example: false })
  allow_private?: boolean;

  @ApiProperty(time('Nobody waits for it any more after this.', NOW + 20_000))
  expires_at!: number;
}

export class PollView implements PollResponse {
  @ApiProperty(time('By the clock that all times are of.', NOW))
  now!: number;

  @ApiProperty(time('It begins no check after this, unless it hears from the service again.', NOW + 900_000))
  lease_until!: number;

  @ApiProperty({ description: 'For the next poll. Opaque.', example: 'AbCd' })
  cursor!: string;

  @ApiProperty({
    description: 'The endpoints of this response, and of those that follow while `more`, are all there are.',
    example: true,
  })
  full!: boolean;

  @ApiProperty({ description: 'Poll again at once: there is more.', example: false })
  more!: boolean;

  @ApiProperty({ type: [String], description: 'To be checked no more; before `endpoints`.', example: [] })
  removed!: string[];

  @ApiProperty({ description: 'How long to send nothing. Milliseconds.', example: 0 })
  pause_ms!: number;

  @ApiProperty({ type: [ProbeEndpoint], description: 'New or changed; each as a whole.' })
  endpoints!: ProbeEndpoint[];

  @ApiProperty({ type: [ProbeAsk], description: 'To be checked now, each once.' })
  asks!: ProbeAsk[];
}

/** A result as a probe sends it. `address` and other shared fields have the same meaning as in a check. */
export class ProbeCheck implements SentCheck {
  @ApiProperty({ enum: ['up', 'down', 'unknown'], example: 'up' })
  outcome!: Outcome;

  @ApiProperty({ description: 'Sum of the phases, milliseconds.', minimum: 0, example: 12.4 })
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
    description: 'null exactly when the outcome is `up`.',
  })
  error!: SentError | null;

  @ApiPropertyOptional({ type: CheckErrorView, nullable: true, example: null, description: 'Up, but degraded: why.' })
  warning!: SentError | null;
}

export class ProbeResult implements SentResult {
  @ApiProperty({ type: String, nullable: true, description: 'null for that of a try-out.', example: ENDPOINT })
  endpoint_id!: string | null;

  @ApiProperty({ type: Number, nullable: true, description: 'null for that of a try-out.', example: 3 })
  revision!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The slot that it is of, milliseconds; null for that of an ask.',
    example: 1_790_000_020_340,
  })
  slot!: number | null;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'The ask that it answers.', example: null })
  ask!: string | null;

  @ApiProperty(time('When the check began.', 1_790_000_020_342))
  checked_at!: number;

  @ApiPropertyOptional({ enum: [1, 2], default: 1, description: '2 when a failure was repeated.', example: 1 })
  attempts!: 1 | 2;

  @ApiPropertyOptional({
    type: CheckErrorView,
    nullable: true,
    example: null,
    description: 'What the first of two attempts failed with.',
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
    description: 'Those of one endpoint in their order.',
  })
  results!: ProbeResult[];
}

export class RefusedResult {
  @ApiProperty({ description: 'Which of the batch, from 0.', example: 4 })
  index!: number;

  @ApiProperty({
    enum: REFUSALS,
    example: 'not_assigned',
    description:
      '`not_assigned`: not checked at this probe, deleted, paused. `stale_revision`: of another revision than the current one. `not_a_slot`: on no raster of 20 ms, less than half an interval after the newest recorded one, or of an ask that it was not given. `in_future`: more than 5 s ahead. `too_old`: checked more than an hour ago. `invalid`: it cannot be read.',
  })
  code!: Refusal;
}

export class ResultsView implements ResultsResponse {
  @ApiProperty(time('By the clock that all times are of.', 1_790_000_020_400))
  now!: number;

  @ApiProperty({ description: 'Committed.', example: 1 })
  recorded!: number;

  @ApiProperty({ description: 'Not after the newest recorded slot: nothing was changed by them.', example: 0 })
  duplicates!: number;

  @ApiProperty({ description: 'Of those recorded: so late that they wake nobody.', example: 0 })
  late!: number;

  @ApiProperty({ type: [RefusedResult], description: 'Not recorded, and not to be sent again.' })
  refused!: RefusedResult[];

  @ApiProperty({ description: 'How long to send nothing. Milliseconds.', example: 0 })
  pause_ms!: number;
}
