import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { ERROR_CODES, type ErrorCode, SPEC_CHECKER_TYPES } from '../../checker/checker';
import { ENDPOINT_STATUSES, type EndpointStatus } from '../../endpoint/endpoint.dto';
import type { Maintenance } from '../../endpoint/suppression/cover';
import {
  EndpointAcknowledgement,
  EndpointMaintenance,
  toEndpointMaintenance,
} from '../../endpoint/suppression/suppression.dto';
import { shownUrl } from '../../endpoint/settings/shown-settings';
import type { Role } from '../../platform/access/permissions';
import { Optional } from '../../platform/http/validators';
import { PageQuery } from '../../platform/http/page';
import { formatId } from '../../platform/ids/id';
import { outcomeOf } from '../../endpoint/outcome-code';
import { TagQuery } from '../../website/tags';
import { errorCodeAt } from '../check-encoding';
import {
  decodeRecent,
  type LocationCounts,
  type OverviewRow,
  RECENT_OUTCOMES,
  type RecentOutcome,
  watchedShares,
  windowCounts,
  type Windows,
} from './overview-row';
import { coverageOf, uptimeOf } from '../check-stats';
import { HALF_HOURS } from './half-hours';

export class OverviewQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only endpoints of this website.', example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  @Optional()
  @IsString()
  @MaxLength(100)
  website_id?: string;

  @TagQuery('Only endpoints that have this tag, either their own or from their website. Case is ignored.')
  tag?: string;

  @ApiPropertyOptional({ enum: ['hourly'], description: 'Adds `latency_24h` to each item.' })
  @Optional()
  @IsIn(['hourly'])
  latency?: 'hourly';

  @ApiPropertyOptional({ enum: ['half_hours'], description: 'Adds `half_hours` to each item.' })
  @Optional()
  @IsIn(['half_hours'])
  history?: 'half_hours';
}

export class OverviewWebsiteView {
  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Example shop' })
  name!: string;
}

const uptime = (window: string) => ({
  type: Number,
  nullable: true,
  minimum: 0,
  maximum: 1,
  description: `The uptime ${window}: up / (up + down), not counting planned checks, rounded down to six digits. \`null\` while there is no data.`,
  example: 0.99931,
});

const watched = (window: string, how: string) => ({
  type: Number,
  nullable: true,
  minimum: 0,
  maximum: 1,
  description: `The share of those ${window} in which the endpoint was monitored. ${how} \`null\` while there is no data.`,
  example: 1,
});
const DAYS_WATCHED =
  'Counted in days (UTC), at most since the endpoint was created. Days without a check that was up, down, or planned do not count.';

const time = (description: string) => ({
  type: String,
  format: 'date-time',
  nullable: true,
  description,
  example: '2026-11-20T10:00:00.000Z',
});

export class OverviewLocationsView implements LocationCounts {
  @ApiProperty({
    type: 'integer',
    description: 'The number of locations that report the endpoint as down.',
    example: 1,
  })
  down!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'The number of locations whose result counts, which means that they report the endpoint as up or down.',
    example: 3,
  })
  reporting!: number;

  @ApiProperty({
    type: 'integer',
    description: 'The number of locations that are neither missing nor out of service.',
    example: 3,
  })
  total!: number;
}

export class OverviewItemView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Checkout' })
  name!: string;

  @ApiProperty({
    example: 'https://shop.example.com/checkout',
    description: 'For read keys, the query of an HTTP(S) URL is shown as `?********`.',
  })
  url!: string;

  @ApiProperty({ enum: SPEC_CHECKER_TYPES, example: 'HTTPS' })
  type!: string;

  @ApiProperty({ type: OverviewWebsiteView })
  website!: OverviewWebsiteView;

  @ApiProperty({
    type: [String],
    description: 'The endpoint’s own tags. The tags of its website apply as well.',
    example: ['production'],
  })
  tags!: string[];

  @ApiProperty({ enum: ENDPOINT_STATUSES })
  status!: EndpointStatus;

  @ApiProperty({
    description: 'Whether the endpoint is up, but an assertion with severity `warning` failed in the newest check.',
    example: false,
  })
  degraded!: boolean;

  @ApiProperty({
    description:
      'Whether the endpoint is `down`, but the failure is not confirmed yet. It is confirmed as soon as one of its alert rules would trigger, or after two failed checks if it has none.',
    example: false,
  })
  verifying!: boolean;

  @ApiProperty({
    type: OverviewLocationsView,
    nullable: true,
    description: 'How many of the locations report the endpoint as down. `null` if the endpoint has one location.',
  })
  locations!: OverviewLocationsView | null;

  @ApiProperty({
    type: EndpointMaintenance,
    nullable: true,
    description: 'The maintenance that is active for the endpoint now. It does not change the status.',
  })
  maintenance!: EndpointMaintenance | null;

  @ApiProperty({
    type: EndpointAcknowledgement,
    nullable: true,
    description: 'The acknowledgement of the endpoint’s failure. `null` if it is not acknowledged.',
  })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty(time('When the current status started. `null` before the first check. A pause starts a new status.'))
  status_since!: string | null;

  @ApiProperty(time('The time of the newest check. `null` before the first check.'))
  last_checked_at!: string | null;

  @ApiProperty(
    time(
      'When the next run of a heartbeat is expected. `null` before its first ping, while it is paused, and for other types.',
    ),
  )
  next_expected_at!: string | null;

  @ApiProperty({
    enum: ERROR_CODES,
    type: String,
    nullable: true,
    description: 'The error code of the newest check, if it failed.',
  })
  last_error!: ErrorCode | null;

  @ApiProperty(uptime('over the last 24 full hours and the current hour'))
  uptime_24h!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'The share of checks in the `uptime_24h` period whose outcome was not `unknown`.',
    example: 1,
  })
  coverage_24h!: number | null;

  @ApiProperty(watched('24 hours', 'Counted since the endpoint was created. Pauses are not subtracted.'))
  watched_24h!: number | null;

  @ApiProperty(uptime('over the last 7 full days (UTC) and today'))
  uptime_7d!: number | null;

  @ApiProperty(watched('7 days', DAYS_WATCHED))
  watched_7d!: number | null;

  @ApiProperty(uptime('over the last 30 full days (UTC) and today'))
  uptime_30d!: number | null;

  @ApiProperty(watched('30 days', DAYS_WATCHED))
  watched_30d!: number | null;

  @ApiProperty(uptime('over the last 90 full days (UTC) and today'))
  uptime_90d!: number | null;

  @ApiProperty(watched('90 days', DAYS_WATCHED))
  watched_90d!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'The 95th percentile of the latency over the last 24 full hours, in milliseconds. Before the first full hour, all checks so far are used.',
    example: 83.412,
  })
  p95_ms!: number | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'number', nullable: true },
    minItems: 24,
    maxItems: 24,
    description:
      'Only with `latency=hourly`. The mean latency of each of the last 24 full hours, oldest first, in milliseconds to two digits. `null` for an hour without a successful check.',
  })
  latency_24h?: (number | null)[];

  @ApiPropertyOptional({
    type: String,
    minLength: HALF_HOURS,
    maxLength: HALF_HOURS,
    pattern: '^[uwpdmn-]{48}$',
    description:
      'Only with `history=half_hours`. One letter for each of the last 48 half hours, oldest first. The last one is the current half hour. `u`: up. `w`: up, with a failed warning. `p`: down for less than three minutes. `d`: down for longer. `m`: maintenance. `n`: the result is unknown. `-`: not checked.',
    example: `${'u'.repeat(46)}pd`,
  })
  half_hours?: string;

  @ApiProperty({
    enum: RECENT_OUTCOMES,
    isArray: true,
    maxItems: 30,
    description: 'The newest outcomes, at most 30, oldest first. `degraded` means up with a failed warning.',
  })
  recent!: RecentOutcome[];

  @ApiProperty(time('The expiry of the certificate from the newest check that saw one.'))
  certificate_expires_at!: string | null;

  @ApiProperty({ description: 'Whether an alert of the endpoint is triggered.', example: false })
  alert_open!: boolean;
}

export class OverviewDownView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The start of the first step.',
    example: '2026-11-19T10:05:00.000Z',
  })
  from!: string;

  @ApiProperty({ type: 'integer', description: 'The length of a step in seconds.', example: 300 })
  step_seconds!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    minItems: 288,
    maxItems: 288,
    description:
      'The number of endpoints that were down at any time during each step, oldest first. The last step is the current one.',
    example: Array.from({ length: 288 }, (_, step) => (step < 286 ? 0 : 1)),
  })
  down!: number[];
}

/**
 * Rounds down, so that even a single failure is visible. With sixteen digits, the four uptimes would take up a quarter
 * of the gzipped response.
 */
const sixDigits = (ratio: number | null): number | null => (ratio === null ? null : Math.floor(ratio * 1e6) / 1e6);

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function acknowledgementOf(row: OverviewRow): EndpointAcknowledgement | null {
  const at = timeOf(row.acknowledged_at);
  if (at === null) return null;
  return { by: row.acknowledged_by, at, note: row.acknowledged_note ?? '', until: timeOf(row.acknowledged_until) };
}

/** The data that an item in the overview shows in addition to its row. */
export interface OverviewContext {
  /** In microseconds, or `null` if unknown. */
  p95Us: number | null;
  role: Role;
  windows: Windows;
  maintenance: Maintenance | null;
  locations: LocationCounts | null;
  /** `undefined` if it was not requested. */
  latency: (number | null)[] | undefined;
  halfHours: string | undefined;
}

export function toOverviewItem(
  row: OverviewRow,
  { p95Us, role, windows, maintenance, locations, latency, halfHours }: OverviewContext,
): OverviewItemView {
  const counts = windowCounts(row);
  const shares = watchedShares(row, windows);
  const status = row.active ? outcomeOf(row.status) : 'paused';
  return {
    id: formatId('endpoint', row.id),
    name: row.name,
    url: shownUrl(row.url, role),
    type: row.type,
    website: { id: formatId('website', row.website_id), name: row.website_name },
    tags: row.tags,
    status,
    degraded: status === 'up' && row.degraded_since !== null,
    verifying: row.active && row.verifying,
    locations,
    maintenance: toEndpointMaintenance(maintenance),
    acknowledgement: acknowledgementOf(row),
    status_since: timeOf(row.status_since),
    last_checked_at: timeOf(row.last_checked_at),
    next_expected_at: timeOf(row.next_expected_at),
    last_error: errorCodeAt(row.last_error ?? -1),
    uptime_24h: sixDigits(uptimeOf(counts['24h'])),
    coverage_24h: coverageOf(counts['24h']),
    watched_24h: shares['24h'],
    uptime_7d: sixDigits(uptimeOf(counts['7d'])),
    watched_7d: shares['7d'],
    uptime_30d: sixDigits(uptimeOf(counts['30d'])),
    watched_30d: shares['30d'],
    uptime_90d: sixDigits(uptimeOf(counts['90d'])),
    watched_90d: shares['90d'],
    p95_ms: p95Us === null ? null : p95Us / 1000,
    ...(latency && { latency_24h: latency }),
    ...(halfHours !== undefined && { half_hours: halfHours }),
    recent: decodeRecent(row.recent, row.recent_degraded),
    certificate_expires_at: timeOf(row.certificate_expires_at),
    alert_open: row.alert_open,
  };
}
