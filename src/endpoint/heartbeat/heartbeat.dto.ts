import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { Nullable, ReadOnlyFieldsOf } from '../../platform/http/validators';
import { MASK } from '../../platform/secrets/mask';
import { defaultGrace, EVERY_BOUNDS, type HeartbeatSchedule } from './heartbeat-schedule';

const time = (description: string) => ({
  type: String,
  format: 'date-time',
  nullable: true,
  example: '2026-11-21T02:00:00.000Z',
  description,
});
const seconds = (description: string, example: number | null) => ({
  type: 'integer' as const,
  nullable: true,
  example,
  description,
});
const EVERY = 'The time from the last success or failure to the next expected ping, in seconds. `null` with `cron`.';
const CRON =
  'The schedule of the runs, in the time zone `timezone`. Five fields with the same meaning as in Debian’s cron, plus `L` and `SUN#2`. `null` with `every`.';
const MAX_RUNTIME = 'The maximum duration of a run after its reported start, in seconds. `null`: no limit.';
const PING_ID = 'A UUID. The ping URL is `/ping/<ping_id>`, in the format of healthchecks.';
const PUSH_TOKEN =
  '10 to 64 of A-Z a-z 0-9 _ -. The push URL is `/api/push/<push_token>`, in the format of Uptime Kuma.';
const MASKED = 'Masked for read keys.';

/** Don't rename: the class name appears in the public API document. */
export class EndpointHeartbeat {
  @ApiProperty(seconds(EVERY, 86_400))
  every!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: CRON })
  cron!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The time zone of `cron`, such as Europe/Berlin.',
  })
  timezone!: string | null;

  @ApiProperty({
    type: 'integer',
    example: 3600,
    description: 'The time after an expected ping until the heartbeat is late, in seconds.',
  })
  grace!: number;

  @ApiProperty(seconds(MAX_RUNTIME, null))
  max_runtime!: number | null;

  @ApiProperty({ example: '7b1f4a52-6f0e-4c6b-9a55-2f5a3d9c1e04', description: `${PING_ID} ${MASKED}` })
  ping_id!: string;

  @ApiProperty({ example: 'hV8mQ2xT5rNc0bWq7KzYd1Pf', description: `${PUSH_TOKEN} ${MASKED}` })
  push_token!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'https://uptime.example.com/ping/7b1f4a52-6f0e-4c6b-9a55-2f5a3d9c1e04',
    description: `The ping URL. \`null\` if \`PUBLIC_URL\` is not set. ${MASKED}`,
  })
  ping_url!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'https://uptime.example.com/api/push/hV8mQ2xT5rNc0bWq7KzYd1Pf',
    description: `The push URL. \`null\` if \`PUBLIC_URL\` is not set. ${MASKED}`,
  })
  push_url!: string | null;

  @ApiProperty(time('The time of the newest ping of any kind.'))
  last_ping_at!: string | null;

  @ApiProperty(time('When the next run is expected. `null` before the first ping, and while the endpoint is paused.'))
  next_expected_at!: string | null;

  @ApiProperty(time('When the next run becomes late.'))
  late_at!: string | null;

  @ApiProperty(time('When the oldest run that is still in progress started.'))
  running_since!: string | null;
}

/** The heartbeat settings in a body. They replace the whole schedule. An absent ping ID or push token is kept. */
@ReadOnlyFieldsOf(EndpointHeartbeat)
export class HeartbeatDto {
  @ApiPropertyOptional({ type: 'integer', nullable: true, ...EVERY_BOUNDS, description: EVERY, example: 86_400 })
  @Nullable()
  @IsInt()
  @Min(EVERY_BOUNDS.minimum)
  @Max(EVERY_BOUNDS.maximum)
  every?: number | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 200, description: CRON, example: null })
  @Nullable()
  @IsString()
  @MaxLength(200)
  cron?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 64,
    description: 'The time zone of `cron`. Required with `cron`.',
  })
  @Nullable()
  @IsString()
  @MaxLength(64)
  timezone?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 0,
    maximum: EVERY_BOUNDS.maximum,
    description:
      'The time after an expected ping until the heartbeat is late, in seconds. Defaults to a tenth of the period, but at least 60 and at most 3,600.',
    example: 3600,
  })
  @Nullable()
  @IsInt()
  @Min(0)
  @Max(EVERY_BOUNDS.maximum)
  grace?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: EVERY_BOUNDS.maximum,
    default: null,
    description: MAX_RUNTIME,
    example: null,
  })
  @Nullable()
  @IsInt()
  @Min(1)
  @Max(EVERY_BOUNDS.maximum)
  max_runtime?: number | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 64,
    description: `${PING_ID} If you leave it out, a random one is generated. If you send a mask back, the stored value is kept. If it is already in use, you get 409.`,
  })
  @Nullable()
  @IsString()
  @MaxLength(64)
  ping_id?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 64,
    description: `${PUSH_TOKEN} If you leave it out, a random one is generated. If you send a mask back, the stored value is kept. If it is already in use, you get 409.`,
  })
  @Nullable()
  @IsString()
  @MaxLength(64)
  push_token?: string | null;
}

/** Converts a schedule from a request to its stored form, with defaults for absent fields. */
export function sentSchedule(sent: HeartbeatDto): HeartbeatSchedule {
  const { every = null, cron = null, timezone = null, grace, max_runtime = null } = sent;
  const timing = { every, cron: cron?.trim().replace(/\s+/g, ' ') ?? null, timezone };
  return { ...timing, grace: grace ?? defaultGrace(timing), max_runtime };
}

/** The parts of a ping URL that a client chose. */
export interface SentAddress {
  pingId?: string;
  pushToken?: string;
}

/** Returns the parts of the ping URL to change. Masks and `null` keep the stored value. */
export const sentAddress = ({ ping_id, push_token }: HeartbeatDto): SentAddress => ({
  ...(ping_id && ping_id !== MASK && { pingId: ping_id.toLowerCase() }),
  ...(push_token && push_token !== MASK && { pushToken: push_token }),
});

/** The columns that the heartbeat table adds to an endpoint. */
export interface HeartbeatColumns {
  pingId: string;
  pushToken: string;
  lastPingAt: Date | null;
  expectedAt: Date | null;
  deadlineAt: Date | null;
  runningSince: Date | null;
}

/** The columns of a heartbeat row `h`, and the start of its oldest run. Cost: one index lookup each. */
export const HEARTBEAT_COLUMNS = `h.ping_id AS "pingId", h.push_token AS "pushToken", h.last_ping_at AS "lastPingAt",
    h.expected_at AS "expectedAt", h.deadline_at AS "deadlineAt",
    (SELECT min(r.started_at) FROM heartbeat_run r WHERE r.endpoint_id = h.endpoint_id) AS "runningSince"`;
export const JOIN_HEARTBEAT = 'LEFT JOIN heartbeat h ON h.endpoint_id = e.id';

/** Returns the heartbeat as shown to users who may see ping URLs. `base` is the public URL of the service. */
export function shownHeartbeat(
  schedule: HeartbeatSchedule,
  row: HeartbeatColumns,
  base: string | null,
): EndpointHeartbeat {
  const { pingId, pushToken } = row;
  return {
    ...inOrder(schedule),
    ping_id: pingId,
    push_token: pushToken,
    ping_url: base === null ? null : `${base}/ping/${pingId}`,
    push_url: base === null ? null : `${base}/api/push/${pushToken}`,
    last_ping_at: row.lastPingAt?.toISOString() ?? null,
    next_expected_at: row.expectedAt?.toISOString() ?? null,
    late_at: row.deadlineAt?.toISOString() ?? null,
    running_since: row.runningSince?.toISOString() ?? null,
  };
}

/** Restores the order of the keys, because jsonb doesn't preserve it. */
export const inOrder = ({ every, cron, timezone, grace, max_runtime }: HeartbeatSchedule): HeartbeatSchedule => ({
  every,
  cron,
  timezone,
  grace,
  max_runtime,
});

/** Returns the heartbeat as read keys see it, without the ping URL. Anyone who knows that URL can ping. */
export const withoutAddress = (shown: EndpointHeartbeat): EndpointHeartbeat => ({
  ...shown,
  ping_id: MASK,
  push_token: MASK,
  ping_url: shown.ping_url && MASK,
  push_url: shown.push_url && MASK,
});
