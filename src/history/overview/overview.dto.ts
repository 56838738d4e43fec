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
import type { Role } from '../../platform/access/caller';
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

export class OverviewQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'Only endpoints of this website.', example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  @Optional()
  @IsString()
  @MaxLength(100)
  website_id?: string;

  @TagQuery('Only endpoints that have this tag, themselves or from their website, in upper or lower case.')
  tag?: string;

  @ApiPropertyOptional({ enum: ['hourly'], description: 'Adds `latency_24h` to each item.' })
  @Optional()
  @IsIn(['hourly'])
  latency?: 'hourly';
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
  description: `up / (up + down) ${window}, planned checks left out, to six digits and never rounded up; null while nothing is known.`,
  example: 0.99931,
});

const watched = (window: string, how: string) => ({
  type: Number,
  nullable: true,
  minimum: 0,
  maximum: 1,
  description: `How much of the ${window} behind the uptime the endpoint was watched, ${how}; null while it is not known.`,
  example: 1,
});
const DAYS_WATCHED =
  'by days (UTC): the time since it was made at most, without the days on which no check could tell and none was planned';

const time = (description: string) => ({
  type: String,
  format: 'date-time',
  nullable: true,
  description,
  example: '2026-11-20T10:00:00.000Z',
});

export class OverviewLocationsView implements LocationCounts {
  @ApiProperty({ type: 'integer', description: 'See it down.', example: 1 })
  down!: number;

  @ApiProperty({ type: 'integer', description: 'Have a vote: see it up or down.', example: 3 })
  voting!: number;

  @ApiProperty({ type: 'integer', description: 'All that are not lost or out of service.', example: 3 })
  of!: number;
}

export class OverviewItemView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Checkout' })
  name!: string;

  @ApiProperty({
    example: 'https://shop.example.com/checkout',
    description: 'Read keys see the query of an http(s) URL as `?********`.',
  })
  url!: string;

  @ApiProperty({ enum: SPEC_CHECKER_TYPES, example: 'HTTPS' })
  type!: string;

  @ApiProperty({ type: OverviewWebsiteView })
  website!: OverviewWebsiteView;

  @ApiProperty({ type: [String], description: 'Its own; its website’s apply as well.', example: ['production'] })
  tags!: string[];

  @ApiProperty({ enum: ENDPOINT_STATUSES })
  status!: EndpointStatus;

  @ApiProperty({
    description: 'Up, but an assertion of severity `warning` failed in the newest check.',
    example: false,
  })
  degraded!: boolean;

  @ApiProperty({
    type: OverviewLocationsView,
    nullable: true,
    description: 'Where it is seen down, by what its locations say; null with one location.',
  })
  locations!: OverviewLocationsView | null;

  @ApiProperty({
    type: EndpointMaintenance,
    nullable: true,
    description: 'What is in force for it now; the status stays the truth.',
  })
  maintenance!: EndpointMaintenance | null;

  @ApiProperty({ type: EndpointAcknowledgement, nullable: true, description: 'Who has its failure in hand.' })
  acknowledgement!: EndpointAcknowledgement | null;

  @ApiProperty(time('Since when the status holds; null before the first check. A pause begins a new one.'))
  status_since!: string | null;

  @ApiProperty(time('Newest check; null before the first.'))
  last_checked_at!: string | null;

  @ApiProperty(
    time(
      'When the next run of a heartbeat is expected; null before its first ping, while it is paused, and for other types.',
    ),
  )
  next_expected_at!: string | null;

  @ApiProperty({ enum: ERROR_CODES, type: String, nullable: true, description: 'What the newest check failed with.' })
  last_error!: ErrorCode | null;

  @ApiProperty(uptime('over the last 24 full hours and the running one'))
  uptime_24h!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description: 'Share of the checks behind `uptime_24h` that could tell.',
    example: 1,
  })
  coverage_24h!: number | null;

  @ApiProperty(watched('24 hours', 'since it was made; a pause is not taken off'))
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
      '95th percentile of the latency over the last 24 full hours (until there is one: since the beginning), milliseconds.',
    example: 83.412,
  })
  p95_ms!: number | null;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'number', nullable: true },
    minItems: 24,
    maxItems: 24,
    description:
      'Only with `latency=hourly`: mean latency of each of the last 24 full hours, oldest first, milliseconds to two digits; null without a good check.',
  })
  latency_24h?: (number | null)[];

  @ApiProperty({
    enum: RECENT_OUTCOMES,
    isArray: true,
    maxItems: 30,
    description: 'The newest outcomes, oldest first, at most 30; `degraded` is up with a failed warning.',
  })
  recent!: RecentOutcome[];

  @ApiProperty(time('Expiry of the certificate seen by the newest check that saw one.'))
  certificate_expires_at!: string | null;

  @ApiProperty({ description: 'Whether an alert of the endpoint is triggered.', example: false })
  alert_open!: boolean;
}

export class OverviewDownView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Beginning of the first step.',
    example: '2026-11-19T10:05:00.000Z',
  })
  from!: string;

  @ApiProperty({ type: 'integer', description: 'Length of a step.', example: 300 })
  step_seconds!: number;

  @ApiProperty({
    type: 'array',
    items: { type: 'integer', minimum: 0 },
    minItems: 288,
    maxItems: 288,
    description:
      'Endpoints that were down in each step, for a part of it or all of it, oldest first; the last step is now.',
    example: Array.from({ length: 288 }, (_, step) => (step < 286 ? 0 : 1)),
  })
  down!: number[];
}

/**
 * Four uptimes with sixteen digits would take a quarter of the gzipped response. Rounds down, because a single failure
 * must show.
 */
const sixDigits = (ratio: number | null): number | null => (ratio === null ? null : Math.floor(ratio * 1e6) / 1e6);

const timeOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function acknowledgementOf(row: OverviewRow): EndpointAcknowledgement | null {
  const at = timeOf(row.acknowledged_at);
  if (at === null) return null;
  return { by: row.acknowledged_by, at, note: row.acknowledged_note ?? '', until: timeOf(row.acknowledged_until) };
}

/** The data that an item shows in addition to its row. */
export interface OverviewContext {
  /** Microseconds, or `null` if there is none. */
  p95Us: number | null;
  role: Role;
  windows: Windows;
  maintenance: Maintenance | null;
  locations: LocationCounts | null;
  /** `undefined` if it was not requested. */
  latency: (number | null)[] | undefined;
}

export function toOverviewItem(
  row: OverviewRow,
  { p95Us, role, windows, maintenance, locations, latency }: OverviewContext,
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
    recent: decodeRecent(row.recent, row.recent_degraded),
    certificate_expires_at: timeOf(row.certificate_expires_at),
    alert_open: row.alert_open,
  };
}
