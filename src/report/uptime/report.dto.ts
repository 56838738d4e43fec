import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsNumber, IsString, Max, MaxLength, Min } from 'class-validator';
import { OutageErrorView } from '../../history/read/uptime.dto';
import { Optional } from '../../platform/http/validators';
import { LIMIT_DESCRIPTION, QueryInteger } from '../../platform/http/page';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { IsTimeZoneName } from '../../platform/time/time-zone.rule';
import { TagQuery } from '../../website/tags';
import { VERDICTS, type Verdict } from './uptime-sums';

/** In percent. */
export const DEFAULT_TARGET = 99.9;
const LEAST_TARGET = 50;
/** The maximum number of endpoints in a report, and of outages that it lists. */
export const MAX_REPORTED = 200;
export const MAX_LISTED = 100;

/** Accepts a target in percent, in a body or in the query. */
export const TargetField = (): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      type: Number,
      description: 'The target for the availability, in percent, with up to four decimals.',
      minimum: LEAST_TARGET,
      maximum: 100,
      default: DEFAULT_TARGET,
      example: DEFAULT_TARGET,
    }),
    Optional(),
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && /^\d{1,3}(\.\d{1,4})?$/.test(value) ? Number(value) : value,
    ),
    IsNumber({ maxDecimalPlaces: 4 }),
    Min(LEAST_TARGET),
    Max(100),
  );

const ZONE =
  'An IANA time zone, in which the month and its days start. The default is the time zone of the organization.';
const MONTH = 'A month, not in the future. The default is the current month.';

/** The selection of a report. */
export class ReportSelectionQuery {
  @ApiPropertyOptional({ description: MONTH, example: '2026-10' })
  @Optional()
  @IsString()
  @MaxLength(7)
  month?: string;

  @ApiPropertyOptional({ description: ZONE, example: 'Europe/Berlin', maxLength: 64 })
  @Optional()
  @IsTimeZoneName()
  timezone?: string;

  @ApiPropertyOptional({
    description: 'Report only the endpoints of this website.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Optional()
  @IsPublicId('website')
  website_id?: string;

  @TagQuery('Report only endpoints that have this tag, or whose website has it. Not case-sensitive.')
  tag?: string;
}

export class UptimeReportQuery extends ReportSelectionQuery {
  @TargetField()
  target?: number;
}

export class ReportOutagesQuery extends ReportSelectionQuery {
  @ApiPropertyOptional({ description: LIMIT_DESCRIPTION, minimum: 1, maximum: 1000, default: 100 })
  @Optional()
  @QueryInteger()
  @Min(1)
  @Max(1000)
  limit?: number;

  @ApiPropertyOptional({ description: 'The opaque position from the previous page: the `X-Next-Cursor` header.' })
  @Optional()
  @IsString()
  @MaxLength(500)
  cursor?: string;
}

const seconds = (description: string, example: number) => ({ type: Number, description, example });

/** The numbers that a report has for each endpoint, and for all of them. */
export class UptimeFiguresView {
  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      '1 − downtime / counted time. Time counts if the endpoint was monitored or down, outside of planned maintenance. `null` if no time counts.',
    example: 0.99931,
  })
  availability!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    description:
      'The share of the period so far that counts, without planned maintenance. Time before the endpoint was created, while it was paused, and with unknown checks does not count. `null` if everything was planned.',
    example: 1,
  })
  coverage!: number | null;

  @ApiProperty(seconds('The seconds of unplanned outages in the period, outside of planned maintenance.', 1860))
  downtime_seconds!: number;

  @ApiProperty(
    seconds(
      'The downtime that the target allows: (100 % − target) of the counted time, and of the rest of the month.',
      2678.4,
    ),
  )
  allowed_seconds!: number;

  @ApiProperty(seconds('`allowed_seconds` − `downtime_seconds`. Negative if the target is missed.', 818.4))
  budget_left_seconds!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: '`downtime_seconds` / `allowed_seconds`. `null` if the target allows no downtime.',
    example: 0.6944,
  })
  budget_used!: number | null;

  @ApiProperty(seconds('The seconds of maintenance that is excluded from uptime, since the endpoint was created.', 0))
  planned_seconds!: number;

  @ApiProperty({ description: 'The number of unplanned outages that overlap the period.', example: 2 })
  outages!: number;

  @ApiProperty({
    enum: VERDICTS,
    description:
      '`met` or `missed` for a month that is over. A month in progress is `on_track` until its budget is used up, and then `missed`. `no_data` if no time counts.',
    example: 'met',
  })
  verdict!: Verdict;
}

export class ReportTotalView extends UptimeFiguresView {
  @ApiProperty({ description: 'The number of incidents of these endpoints that started in the period.', example: 3 })
  incidents!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The longest of these incidents in seconds, up to now if it is open. `null` without an incident.',
    example: 1140,
  })
  longest_incident_seconds!: number | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The median time from the start of an incident to its acknowledgement. `null` without one.',
    example: 240,
  })
  acknowledge_seconds!: number | null;
}

export class ReportDayView {
  @ApiProperty({ type: String, format: 'date', description: 'The day in the time zone.', example: '2026-10-12' })
  date!: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'As for the month. `null` for a day without counted time, also in the future.',
    example: 1,
  })
  availability!: number | null;

  @ApiProperty(seconds('As for the month.', 0))
  downtime_seconds!: number;

  @ApiProperty(seconds('As for the month.', 0))
  planned_seconds!: number;
}

export class ReportEndpointView extends UptimeFiguresView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Checkout' })
  name!: string;

  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  website_id!: string;

  @ApiProperty({ example: 'Example shop' })
  website_name!: string;

  @ApiProperty({ description: 'The number of checks that were up or down and not planned.', example: 44_640 })
  checks!: number;

  @ApiProperty({ description: 'The number of these checks that were down.', example: 31 })
  failures!: number;

  @ApiProperty({ description: 'The number of unplanned checks with the outcome `unknown`.', example: 0 })
  unknown!: number;

  @ApiProperty({ type: [ReportDayView], description: 'Every day of the month, oldest first.' })
  days!: ReportDayView[];
}

export class ReportOutageView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ example: 'Checkout' })
  endpoint_name!: string;

  @ApiProperty({ example: 'Example shop' })
  website_name!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-10-12T07:15:00.000Z' })
  started_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: '`null` while the outage lasts.',
    example: '2026-10-12T07:34:00.000Z',
  })
  ended_at!: string | null;

  @ApiProperty(seconds('The length of the whole outage, up to now if it lasts.', 1140))
  duration_seconds!: number;

  @ApiProperty({ type: OutageErrorView, nullable: true, description: 'The error of the first failed check.' })
  error!: OutageErrorView | null;

  @ApiProperty({ description: 'Whether it was during maintenance that is excluded from uptime.', example: false })
  planned!: boolean;
}

export class UptimeReportView {
  @ApiProperty({ example: '2026-10' })
  month!: string;

  @ApiProperty({ example: 'Europe/Berlin' })
  timezone!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The start of the month.',
    example: '2026-09-30T22:00:00.000Z',
  })
  from!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'The end of the month, which is not included.',
    example: '2026-10-31T23:00:00.000Z',
  })
  to!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Up to when the report counts: `to`, or the time of the report if the month is not over.',
    example: '2026-10-31T23:00:00.000Z',
  })
  until!: string;

  @ApiProperty({ type: Number, description: 'In percent.', example: DEFAULT_TARGET })
  target!: number;

  @ApiProperty({
    type: ReportTotalView,
    description: 'All endpoints together. Durations are sums over the endpoints.',
  })
  total!: ReportTotalView;

  @ApiProperty({ type: [ReportEndpointView], description: 'By website and name.' })
  endpoints!: ReportEndpointView[];

  @ApiProperty({
    type: [ReportOutageView],
    description: `The newest ${MAX_LISTED} outages that overlap the period, including planned ones, newest first. \`GET /api/v1/reports/outages\` has all of them.`,
  })
  outages!: ReportOutageView[];
}
