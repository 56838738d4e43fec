import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import { KEY, ShownOwner } from '../platform/http/body/resource-key';
import { PageQuery } from '../platform/http/page';
import { IsLabel, IsName, Optional, PartialOf, ReadOnlyFieldsOf } from '../platform/http/validators';
import { formatId } from '../platform/ids/id';
import { LOCAL_NAME } from './probe-directory';
import type { ProbeRow, ProbeUse } from './probe-store';
import { PROBE_STATUSES, type ProbeStatus } from './probe-status';

const MAX_NAME = 255;
const MAX_REGION = 64;
/** Names that have another meaning in an endpoint's locations: the service itself, and the prefix for shared probes. */
const RESERVED: readonly unknown[] = [LOCAL_NAME, 'shared'];
/** How long the previous token may continue to work after a new one is created, in seconds. */
const GRACE = { default: 3600, max: 86_400 };

const KEY_TEXT = {
  description:
    'The key that endpoints use in `locations`. It cannot be changed. Shared probes are used as `shared/<key>`. `local` and `shared` are reserved.',
  example: 'fra',
  pattern: KEY.source,
};
const NAME = { description: 'The display name. The key by default.', minLength: 1, maxLength: MAX_NAME };
const REGION = {
  description: 'A description of where the probe is. It is used for display and grouping only.',
  maxLength: MAX_REGION,
  default: '',
};
const ENABLED = {
  description: '`false`: requests of the probe are rejected, and the results of its location do not count.',
  default: true,
};
const ALLOW_PRIVATE = {
  description:
    'Whether checks of the probe may reach private and loopback addresses, if the machine that the probe runs on also allows it. For a shared probe, this applies only to the Default organization.',
  default: false,
};

/** A number that the probe reports, or `null` before the first report. */
const Told = (description: string, example: number, type: 'integer' | 'number' = 'integer'): PropertyDecorator =>
  ApiProperty({
    type,
    nullable: true,
    description: `${description} null before the first request, and for a shared probe.`,
    example,
  });

export class ProbeView {
  @ApiProperty({ example: 'pr_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty(KEY_TEXT)
  key!: string;

  @ApiProperty({ ...NAME, example: 'Frankfurt' })
  name!: string;

  @ApiProperty({ ...REGION, example: 'eu' })
  region!: string;

  @ApiProperty({ ...ENABLED, example: true })
  enabled!: boolean;

  @ApiProperty({ ...ALLOW_PRIVATE, example: false })
  allow_private!: boolean;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({ description: 'Whether the operator shares the probe with all organizations.', example: false })
  shared!: boolean;

  @ApiProperty({
    enum: PROBE_STATUSES,
    description:
      'The status. `new`: the probe has never connected. `online`: the service received a request from it within the last 60 s. `unsupported`: the probe uses a protocol that this version does not support; update the probe.',
    example: 'online',
  })
  status!: ProbeStatus;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When the probe entered this status.',
    example: '2026-11-20T10:00:00.000Z',
  })
  status_since!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the newest request, accurate to five seconds.',
    example: '2026-11-20T10:15:00.000Z',
  })
  last_seen_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The IP address that the newest request came from. null for a shared probe.',
    example: '203.0.113.7',
  })
  address!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The version of the probe.', example: '0.2.0' })
  version!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The protocol version that the probe uses.',
    example: 1,
  })
  protocol!: number | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The types of endpoints that the probe can check. null before its first request.',
    example: ['HTTP', 'HTTPS', 'TCP'],
  })
  types!: string[] | null;

  @Told(
    'How far the probe’s wall clock is ahead of the service’s clock. Check times do not depend on it.',
    12.4,
    'number',
  )
  clock_offset_ms!: number | null;

  @Told(
    'The round-trip time of a request, not counting the time that the service delayed its response.',
    18.2,
    'number',
  )
  rtt_ms!: number | null;

  @Told('The age of the oldest result that the probe has buffered.', 0)
  lag_ms!: number | null;

  @Told('The number of results that the probe has buffered.', 0)
  buffered!: number | null;

  @Told('The number of results that the probe has dropped since its start, because its buffer was full.', 0)
  dropped!: number | null;

  @Told('The number of checks that the probe has skipped since its start, because it was too busy.', 0)
  skipped!: number | null;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'The sum of 1 / interval over the active endpoints that use the probe. null for a shared probe.',
    example: 1.5,
  })
  checks_per_second!: number | null;

  @ApiProperty({ type: 'integer', description: 'The number of your endpoints that use the probe.', example: 90 })
  endpoint_count!: number;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T10:00:00.000Z' })
  updated_at!: string;
}

export class CreatedProbeView extends ProbeView {
  @ApiProperty({
    description: 'The token of the probe, used as `PROBE_TOKEN`. Shown only this once.',
    example: 'ump_…',
  })
  token!: string;
}

@ReadOnlyFieldsOf(ProbeView)
export class CreateProbeDto {
  @ApiProperty(KEY_TEXT)
  @IsString()
  @Matches(KEY, { message: 'key must be 1 to 64 of a-z 0-9 . _ - and start with a letter or a digit' })
  @ValidateBy({
    name: 'reserved',
    validator: {
      validate: (value: unknown) => !RESERVED.includes(value),
      defaultMessage: (args) => `${String(args?.value)} is a reserved name in the locations of an endpoint`,
    },
  })
  key!: string;

  @ApiPropertyOptional({ ...NAME, example: 'Frankfurt' })
  @Optional()
  @IsName(MAX_NAME)
  name?: string;

  @ApiPropertyOptional({ ...REGION, example: 'eu' })
  @Optional()
  @IsLabel(MAX_REGION)
  region?: string;

  @ApiPropertyOptional(ENABLED)
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional(ALLOW_PRIVATE)
  @Optional()
  @IsBoolean()
  allow_private?: boolean;
}

/** All fields are optional, and only the fields that are sent change. */
export class UpdateProbeDto extends PartialOf(CreateProbeDto) {
  @ApiPropertyOptional({ ...KEY_TEXT, description: 'Immutable: only the current value is accepted.' })
  override key?: string;
}

export class ProbesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: PROBE_STATUSES, description: 'Return only probes with this status.' })
  @Optional()
  @IsIn(PROBE_STATUSES)
  status?: ProbeStatus;
}

export class RotateProbeDto {
  @ApiPropertyOptional({
    type: 'integer',
    description:
      'How long the old token still works, in seconds, unless the new token is used earlier. 0: it stops working immediately.',
    minimum: 0,
    maximum: GRACE.max,
    default: GRACE.default,
    example: GRACE.default,
  })
  @Optional()
  @IsInt()
  @Min(0)
  @Max(GRACE.max)
  grace: number = GRACE.default;
}

export class RotatedProbeView {
  @ApiProperty({ description: 'The new token. Shown only this once.', example: 'ump_…' })
  token!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the old token stops working, unless the new token is used earlier. null if no old token works.',
    example: '2026-11-20T11:00:00.000Z',
  })
  previous_until!: string | null;
}

/** Returns the fields that clients set, for the audit log. */
export const probeSettings = ({ key, name, region, enabled, allowPrivate }: ProbeRow) => ({
  key,
  name,
  region,
  enabled,
  allow_private: allowPrivate,
});

/** Returns the owner's view of the probe. */
export const toProbeView = (row: ProbeRow, { endpoints, rate }: ProbeUse): ProbeView => ({
  id: formatId('probe', row.id),
  ...probeSettings(row),
  owner: row.owner,
  shared: row.orgId === null,
  status: row.status,
  status_since: row.statusSince.toISOString(),
  last_seen_at: row.lastSeenAt?.toISOString() ?? null,
  address: row.address,
  version: row.version,
  protocol: row.protocol,
  types: row.types,
  clock_offset_ms: row.clockOffsetMs,
  rtt_ms: row.rttMs,
  lag_ms: row.lagMs,
  buffered: row.buffered,
  dropped: row.dropped,
  skipped: row.skipped,
  checks_per_second: Math.round(rate * 1000) / 1000,
  endpoint_count: endpoints,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

/** Returns an organization's view of a shared probe, without its region and how others use it. */
export const withoutInsides = (view: ProbeView): ProbeView => ({
  ...view,
  address: null,
  clock_offset_ms: null,
  rtt_ms: null,
  lag_ms: null,
  buffered: null,
  dropped: null,
  skipped: null,
  checks_per_second: null,
});
