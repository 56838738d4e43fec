import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { Optional } from '../../platform/http/validators';
import { QueryInteger } from '../../platform/http/page';
import { CheckPhasesView } from './check.dto';
import { checksOf, latencyOf, phaseMeanOf, type CheckStats } from '../check-stats';
import { QueryRangeBound } from '../time-range';
import { LocationQuery } from './history-location';

export class LatencyQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'The start of the range. The default is 24 hours before `to`.',
    example: '2026-11-19T00:00:00.000Z',
  })
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

  @ApiPropertyOptional({
    description:
      'The length of a bucket in seconds: up to 3600, or a multiple of 3600. Below 3600, the range can be at most 7 days. The default is the finest of 1, 5, and 15 minutes, 1, 3, and 6 hours, and 1 and 7 days that results in at most 300 buckets.',
    minimum: 1,
    maximum: 31_536_000,
    example: 300,
  })
  @Optional()
  @QueryInteger()
  @Min(1)
  @Max(31_536_000)
  step?: number;

  @LocationQuery('Only the checks of this location.')
  location?: string;
}

const milliseconds = (what: string) => ({
  type: Number,
  nullable: true,
  description: `${what} of the successful checks, in milliseconds. \`null\` without a successful check.`,
  example: 83.412,
});

export class LatencyBucketView {
  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The start of the bucket. Always a multiple of the step since the Unix epoch.',
  })
  start!: string;

  @ApiProperty({ description: 'The number of checks, including planned checks.', example: 5 })
  count!: number;

  @ApiProperty({ description: 'The number of checks with the outcome `down`.', example: 0 })
  failures!: number;

  @ApiProperty({ description: 'The number of checks with the outcome `unknown`.', example: 0 })
  unknown!: number;

  @ApiProperty({
    description:
      'The number of checks during maintenance that is excluded from uptime. They are only part of `count`, regardless of their outcome.',
    example: 0,
  })
  planned!: number;

  @ApiProperty(milliseconds('The mean')) avg!: number | null;
  @ApiProperty(milliseconds('The median')) p50!: number | null;
  @ApiProperty(milliseconds('The 95th percentile')) p95!: number | null;
  @ApiProperty(milliseconds('The 99th percentile')) p99!: number | null;
  @ApiProperty(milliseconds('The slowest')) max!: number | null;

  @ApiProperty({
    type: CheckPhasesView,
    nullable: true,
    description:
      'The mean of each phase over the successful checks. Their sum is the mean of the checks. `null` without a successful check.',
  })
  phases!: CheckPhasesView | null;
}

/** `stats` is `null` if the bucket has no checks. */
export function toLatencyBucket(start: number, stats: CheckStats | null): LatencyBucketView {
  const latency = stats && latencyOf(stats);
  return {
    start: new Date(start).toISOString(),
    count: stats ? checksOf(stats) : 0,
    failures: stats?.down ?? 0,
    unknown: stats?.unknown ?? 0,
    planned: stats?.planned ?? 0,
    avg: latency?.avg ?? null,
    p50: latency?.p50 ?? null,
    p95: latency?.p95 ?? null,
    p99: latency?.p99 ?? null,
    max: latency?.max ?? null,
    phases: stats && latency ? phaseMeans(stats) : null,
  };
}

const phaseMeans = (stats: CheckStats): CheckPhasesView => ({
  dns_ms: phaseMeanOf(stats, 'dns'),
  connect_ms: phaseMeanOf(stats, 'connect'),
  tls_ms: phaseMeanOf(stats, 'tls'),
  first_byte_ms: phaseMeanOf(stats, 'first_byte'),
  transfer_ms: phaseMeanOf(stats, 'transfer'),
});
