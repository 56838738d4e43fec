import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { QueryInteger } from '../../platform/http/page';
import { Optional } from '../../platform/http/validators';
import { OutageView } from '../read/uptime.dto';

/** One year, plus the days that complete the first and last weeks in the calendar. */
export const MOST_DAYS = 371;

export class WebsiteHistoryQuery {
  @ApiPropertyOptional({
    description:
      'The number of days (UTC), including today. For a website with more than 161 endpoints, fewer days are read, so that endpoints times days is at most 60,000. At least a week is always read.',
    minimum: 1,
    maximum: MOST_DAYS,
    default: MOST_DAYS,
    example: 90,
  })
  @Optional()
  @QueryInteger()
  @Min(1)
  @Max(MOST_DAYS)
  days?: number;
}

export class WebsiteDayView {
  @ApiProperty({ type: String, format: 'date', description: 'The day (UTC).', example: '2026-11-20' })
  date!: string;

  @ApiProperty({ type: 'integer', description: 'The number of successful checks.', example: 4310 })
  up!: number;

  @ApiProperty({ type: 'integer', description: 'The number of failed checks.', example: 10 })
  down!: number;

  @ApiProperty({ type: 'integer', description: 'The number of checks with the outcome `unknown`.', example: 0 })
  unknown!: number;

  @ApiProperty({
    type: 'integer',
    description:
      'The number of checks during maintenance that is excluded from uptime. They are not part of any other value.',
    example: 0,
  })
  planned!: number;
}

export class WebsiteOutageView extends OutageView {
  @ApiProperty({ example: 'ep_01jd3k6q7be5y9x4v2m8n0r1st' })
  endpoint_id!: string;

  @ApiProperty({ example: 'Checkout' })
  endpoint_name!: string;
}

export class WebsiteHistoryView {
  @ApiProperty({ type: String, format: 'date', description: 'The first day that is included.', example: '2025-11-21' })
  since!: string;

  @ApiProperty({
    type: [WebsiteDayView],
    description: 'The checks of the website’s endpoints, oldest day first. Days without checks are left out.',
  })
  days!: WebsiteDayView[];

  @ApiProperty({
    type: [WebsiteOutageView],
    description:
      'The newest 50 outages of the endpoints that overlap these days, including planned outages, newest first.',
  })
  outages!: WebsiteOutageView[];
}
