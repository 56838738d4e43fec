import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Max, Min } from 'class-validator';
import { QueryInteger } from '../../platform/http/page';
import { Optional } from '../../platform/http/validators';
import { OutageView } from '../read/uptime.dto';

/** A year, plus the rest of the weeks that its calendar touches. */
export const MOST_DAYS = 371;

export class WebsiteHistoryQuery {
  @ApiPropertyOptional({
    description:
      'Days of UTC up to today, today included. Of a website with more than 161 endpoints fewer are read, so that endpoints times days are at most 60,000; never less than a week.',
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
  @ApiProperty({ type: String, format: 'date', description: 'A day of UTC.', example: '2026-11-20' })
  date!: string;

  @ApiProperty({ type: 'integer', description: 'Good checks.', example: 4310 })
  up!: number;

  @ApiProperty({ type: 'integer', description: 'Failed checks.', example: 10 })
  down!: number;

  @ApiProperty({ type: 'integer', description: 'Checks that could not tell.', example: 0 })
  unknown!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Checks in maintenance that is excluded from uptime: in no other figure.',
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
  @ApiProperty({ type: String, format: 'date', description: 'The first day that was read.', example: '2025-11-21' })
  since!: string;

  @ApiProperty({
    type: [WebsiteDayView],
    description: 'The checks of all its endpoints, oldest day first; days without any are left out.',
  })
  days!: WebsiteDayView[];

  @ApiProperty({
    type: [WebsiteOutageView],
    description: 'The newest 50 outages of its endpoints that touch these days, planned ones included, newest first.',
  })
  outages!: WebsiteOutageView[];
}
