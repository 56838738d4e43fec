import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { ERROR_CODES, type ErrorCode } from '../../checker/checker';
import { Optional } from '../../platform/http/validators';
import { QueryRangeBound, type Window, WINDOWS } from '../time-range';
import { LocationQuery } from './history-location';

export class UptimeQuery {
  @ApiPropertyOptional({
    enum: WINDOWS,
    default: '24h',
    description:
      'A window that ends now. `24h` starts at the full hour 24 hours ago. The others start at midnight (UTC) 7, 30, or 90 days ago. Cannot be combined with `from` or `to`.',
  })
  @Optional()
  @IsIn(WINDOWS)
  window?: Window;

  @ApiPropertyOptional({ type: String, description: 'The start of the range.', example: '2026-11-19T00:00:00.000Z' })
  @Optional()
  @QueryRangeBound()
  from?: Date;

  @ApiPropertyOptional({
    type: String,
    description: 'The end of the range, which is not included. The default is the current time.',
    example: '2026-11-20T00:00:00.000Z',
  })
  @Optional()
  @QueryRangeBound()
  to?: Date;

  @LocationQuery(
    'Only the checks of this location, whether or not they counted. Outages are left out, because they are based on all locations.',
  )
  location?: string;
}

export class OutageErrorView {
  @ApiProperty({ enum: ERROR_CODES, example: 'connection_refused' })
  code!: ErrorCode;

  @ApiProperty({ example: 'The connection to 192.0.2.1 port 443 was refused.' })
  message!: string;
}

export class OutageView {
  @ApiProperty({ type: String, format: 'date-time', description: 'The time of the first failed check.' })
  started_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time of the first successful check, or when the endpoint was paused or its target changed. `null` while the outage lasts. A failure after this time is a new outage.',
  })
  ended_at!: string | null;

  @ApiProperty({
    description: 'The length of the outage in seconds. While the outage lasts, the time until now.',
    example: 312,
  })
  duration_seconds!: number;

  @ApiProperty({ type: OutageErrorView, nullable: true, description: 'The error of the first failed check.' })
  error!: OutageErrorView | null;

  @ApiProperty({
    description:
      'Whether the outage was during maintenance that is excluded from uptime. Such outages are not counted and are not downtime. If maintenance starts or ends during an outage, that outage ends and a new one starts.',
    example: false,
  })
  planned!: boolean;
}

const milliseconds = (what: string) => ({
  type: Number,
  nullable: true,
  description: `${what}, in milliseconds. \`null\` without a successful check.`,
  example: 83.412,
});

export class LatencyView {
  @ApiProperty(milliseconds('The mean')) avg!: number | null;
  @ApiProperty(milliseconds('The median (at most 4.5 % off)')) p50!: number | null;
  @ApiProperty(milliseconds('The 95th percentile (at most 4.5 % off)')) p95!: number | null;
  @ApiProperty(milliseconds('The 99th percentile (at most 4.5 % off)')) p99!: number | null;
  @ApiProperty(milliseconds('The fastest check')) min!: number | null;
  @ApiProperty(milliseconds('The slowest check')) max!: number | null;
}

export class UptimeView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description:
      'The start of the counted range. A range that starts before the oldest individual check that is kept is extended to full hours.',
  })
  from!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The end of the counted range, which is not included.',
  })
  to!: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      'The share of successful checks: up / (up + down), without planned checks. `null` if there are no such checks.',
    example: 0.99931,
  })
  uptime!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      'The share of checks whose outcome is not `unknown`, without planned checks: 1 − unknown / (checks − planned). `null` if there are no such checks.',
    example: 1,
  })
  coverage!: number | null;

  @ApiProperty({
    minimum: 0,
    maximum: 1,
    description:
      'The share of the range in which the endpoint was monitored, at most since it was created. In a range of two days or more, days (UTC) without a check that was up, down, or planned do not count. 0 without a check.',
    example: 1,
  })
  watched!: number;

  @ApiProperty({ description: 'The number of recorded checks, including planned checks.', example: 1440 })
  checks!: number;

  @ApiProperty({ description: 'The number of checks with the outcome `down` that were not planned.', example: 1 })
  failures!: number;

  @ApiProperty({
    description:
      'The number of checks with the outcome `unknown`. They are recorded, but do not count against the target.',
    example: 0,
  })
  unknown!: number;

  @ApiProperty({
    description:
      'The number of checks during maintenance that is excluded from uptime. Apart from `checks`, they are not part of any other value, regardless of their outcome.',
    example: 0,
  })
  planned!: number;

  @ApiProperty({
    description:
      'How many seconds of the range, counted since the endpoint was created, such maintenance covered. Based on the endpoint’s current website and tags.',
    example: 0,
  })
  planned_seconds!: number;

  @ApiProperty({
    description: 'The number of successful checks in which an assertion with severity `warning` failed.',
    example: 0,
  })
  degraded!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The number of unplanned outages that overlap the range. `null` with `location`.',
    example: 1,
  })
  outage_count!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'How many seconds of these outages are inside the range and outside planned maintenance. `null` with `location`.',
    example: 312,
  })
  downtime_seconds!: number | null;

  @ApiProperty({
    type: [OutageView],
    description: 'The newest 100 outages that overlap the range, including planned outages, newest first.',
  })
  outages!: OutageView[];

  @ApiProperty({ type: LatencyView, description: 'The latency of the successful checks that were not planned.' })
  latency!: LatencyView;
}
