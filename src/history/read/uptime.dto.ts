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
      'A window that ends now. `24h` begins at the full hour 24 hours ago, the others at the beginning of the UTC day 7, 30 or 90 days ago. Not together with `from` or `to`.',
  })
  @Optional()
  @IsIn(WINDOWS)
  window?: Window;

  @ApiPropertyOptional({ type: String, description: 'Begin of the range.', example: '2026-11-19T00:00:00.000Z' })
  @Optional()
  @QueryRangeBound()
  from?: Date;

  @ApiPropertyOptional({
    type: String,
    description: 'End of the range, excluded; default now.',
    example: '2026-11-20T00:00:00.000Z',
  })
  @Optional()
  @QueryRangeBound()
  to?: Date;

  @LocationQuery(
    'Only what this location saw, whatever counted; without outages, which are those of all locations together.',
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
  @ApiProperty({ type: String, format: 'date-time', description: 'The first failing check.' })
  started_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The first good check, or when the endpoint was paused or got another target; null while it lasts. A failure after that is another outage.',
  })
  ended_at!: string | null;

  @ApiProperty({ description: 'Up to now while it lasts.', example: 312 })
  duration_seconds!: number;

  @ApiProperty({ type: OutageErrorView, nullable: true, description: 'What the first check failed with.' })
  error!: OutageErrorView | null;

  @ApiProperty({
    description:
      'In maintenance that is excluded from uptime: neither counted nor downtime. Where maintenance begins or ends, one outage ends and another begins.',
    example: false,
  })
  planned!: boolean;
}

const milliseconds = (what: string) => ({
  type: Number,
  nullable: true,
  description: `${what}, milliseconds; null without a good check.`,
  example: 83.412,
});

export class LatencyView {
  @ApiProperty(milliseconds('Mean')) avg!: number | null;
  @ApiProperty(milliseconds('Median (at most 4.5 % off)')) p50!: number | null;
  @ApiProperty(milliseconds('95th percentile (at most 4.5 % off)')) p95!: number | null;
  @ApiProperty(milliseconds('99th percentile (at most 4.5 % off)')) p99!: number | null;
  @ApiProperty(milliseconds('Fastest check')) min!: number | null;
  @ApiProperty(milliseconds('Slowest check')) max!: number | null;
}

export class UptimeView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description:
      'Begin of what was counted. A range that begins before the single checks that are kept is widened to full hours.',
  })
  from!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'End of what was counted, excluded.' })
  to!: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      'Good checks among those that could tell: up / (up + down), planned ones left out. null when none could.',
    example: 0.99931,
  })
  uptime!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      'Share of the checks that could tell, planned ones left out: 1 − unknown / (checks − planned). null without such checks.',
    example: 1,
  })
  coverage!: number | null;

  @ApiProperty({
    minimum: 0,
    maximum: 1,
    description:
      'How much of the range the endpoint was watched: the time since it was made at most, and in a range of two days or more without the days (UTC) on which no check could tell and none was planned. 0 without a check.',
    example: 1,
  })
  watched!: number;

  @ApiProperty({ description: 'All recorded checks, planned ones included.', example: 1440 })
  checks!: number;

  @ApiProperty({ description: 'Checks with outcome `down` that were not planned.', example: 1 })
  failures!: number;

  @ApiProperty({ description: 'Checks with outcome `unknown`: recorded, but not held against the target.', example: 0 })
  unknown!: number;

  @ApiProperty({
    description: 'Checks in maintenance that is excluded from uptime: in no other figure, whatever they found.',
    example: 0,
  })
  planned!: number;

  @ApiProperty({
    description:
      'Seconds inside the range, since the endpoint was made, in which such maintenance covered the endpoint as it is now.',
    example: 0,
  })
  planned_seconds!: number;

  @ApiProperty({ description: 'Good checks of which an assertion of severity `warning` failed.', example: 0 })
  degraded!: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Outages that touch the range and were not planned; null with `location`.',
    example: 1,
  })
  outage_count!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Seconds of these outages inside the range and outside of planned time; null with `location`.',
    example: 312,
  })
  downtime_seconds!: number | null;

  @ApiProperty({
    type: [OutageView],
    description: 'The newest 100 outages that touch the range, planned ones included, newest first.',
  })
  outages!: OutageView[];

  @ApiProperty({ type: LatencyView, description: 'Of the good checks that were not planned.' })
  latency!: LatencyView;
}
