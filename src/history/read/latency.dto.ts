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
    description: 'Begin; default 24 hours before `to`.',
    example: '2026-11-19T00:00:00.000Z',
  })
  @Optional()
  @QueryRangeBound()
  from?: Date;

  @ApiPropertyOptional({
    type: String,
    description: 'End, excluded; default now.',
    example: '2026-11-20T00:00:00.000Z',
  })
  @Optional()
  @QueryRangeBound()
  to?: Date;

  @ApiPropertyOptional({
    description:
      'Seconds per bucket: up to 3600, or a multiple of 3600. Below 3600 the range may be 7 days at most. Default: the finest of 1, 5 and 15 minutes, 1, 3 and 6 hours, 1 and 7 days that makes at most 300 buckets.',
    minimum: 1,
    maximum: 31_536_000,
    example: 300,
  })
  @Optional()
  @QueryInteger()
  @Min(1)
  @Max(31_536_000)
  step?: number;

  @LocationQuery('Only what this location saw.')
  location?: string;
}

const milliseconds = (what: string) => ({
  type: Number,
  nullable: true,
  description: `${what} of the good checks, milliseconds; null without one.`,
  example: 83.412,
});

export class LatencyBucketView {
  @ApiProperty({ type: String, format: 'date-time', description: 'A multiple of the step since 1970.' })
  start!: string;

  @ApiProperty({ description: 'All checks, planned ones included.', example: 5 })
  count!: number;

  @ApiProperty({ description: 'Checks with outcome `down`.', example: 0 })
  failures!: number;

  @ApiProperty({ description: 'Checks with outcome `unknown`.', example: 0 })
  unknown!: number;

  @ApiProperty({
    description:
      'Checks in maintenance that is excluded from uptime: in none of the other figures, whatever they found.',
    example: 0,
  })
  planned!: number;

  @ApiProperty(milliseconds('Mean')) avg!: number | null;
  @ApiProperty(milliseconds('Median')) p50!: number | null;
  @ApiProperty(milliseconds('95th percentile')) p95!: number | null;
  @ApiProperty(milliseconds('99th percentile')) p99!: number | null;
  @ApiProperty(milliseconds('Slowest')) max!: number | null;

  @ApiProperty({
    type: CheckPhasesView,
    nullable: true,
    description: 'Mean of each phase over the good checks: stacked they make the mean. null without one.',
  })
  phases!: CheckPhasesView | null;
}

/** `stats` is `null` for a bucket without checks. */
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
