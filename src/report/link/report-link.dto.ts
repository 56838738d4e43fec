import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { IsInt, IsString, Matches, Max, Min } from 'class-validator';
import { IsName, Nullable, Optional } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { IsTimeZoneName } from '../../platform/time/time-zone.rule';
import { TagQuery } from '../../website/tags';
import { DEFAULT_TARGET, TargetField } from '../uptime/report.dto';

const MAX_DAYS = 366;
export const DEFAULT_DAYS = 30;
const TOKEN = 'b1Uu8zqkX3mW5sYt0aPjQe7LrVd2NfHc4GgKi9oZxRw';

export class CreateReportLinkDto {
  @ApiPropertyOptional({
    description: 'The heading of the report. By default "Uptime report".',
    example: 'Shop, October',
    maxLength: 255,
  })
  @Optional()
  @IsName(255)
  title?: string;

  @ApiPropertyOptional({
    description: 'A month, not in the future. The default is the current month.',
    example: '2026-10',
  })
  @Optional()
  @IsString()
  @Matches(/^20\d\d-(0[1-9]|1[0-2])$/, { message: 'month must be a month such as 2026-10' })
  month?: string;

  @ApiPropertyOptional({
    description: 'An IANA time zone. The default is the time zone of the organization.',
    example: 'Europe/Berlin',
    maxLength: 64,
  })
  @Optional()
  @IsTimeZoneName()
  timezone?: string;

  @TargetField()
  target?: number;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Report only the endpoints of this website. The link is deleted with the website.',
    example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st',
  })
  @Nullable()
  @IsPublicId('website')
  website_id?: string | null;

  @TagQuery('Report only endpoints that have this tag, or whose website has it. Not case-sensitive.')
  tag?: string;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'For how many days the link works.',
    minimum: 1,
    maximum: MAX_DAYS,
    default: DEFAULT_DAYS,
    example: DEFAULT_DAYS,
  })
  @Optional()
  @IsInt()
  @Min(1)
  @Max(MAX_DAYS)
  expires_in_days?: number;
}

export class CreatedReportLinkView {
  @ApiProperty({ example: 'rpl_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Shop, October' })
  title!: string;

  @ApiProperty({ example: '2026-10' })
  month!: string;

  @ApiProperty({ example: 'Europe/Berlin' })
  timezone!: string;

  @ApiProperty({ type: Number, description: 'In percent.', example: DEFAULT_TARGET })
  target!: number;

  @ApiProperty({ type: String, nullable: true, example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  website_id!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  tag!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', description: 'From then on, the link does not work.' })
  expires_at!: string;

  @ApiProperty({
    description: 'The path of the report under the host of `PUBLIC_URL`. It contains the token and is shown only once.',
    example: `/reports/${TOKEN}`,
  })
  path!: string;
}

/** A link without its token, which isn't stored. */
export class ReportLinkView extends OmitType(CreatedReportLinkView, ['path'] as const) {}

export interface ReportLinkRow {
  id: string;
  org_id: string;
  title: string;
  month: string;
  timezone: string;
  /** A decimal number as text. */
  target: string;
  website_id: string | null;
  tag: string | null;
  created_at: Date;
  expires_at: Date;
}

export const toReportLinkView = (row: ReportLinkRow): ReportLinkView => ({
  id: formatId('reportLink', row.id),
  title: row.title,
  month: row.month,
  timezone: row.timezone,
  target: Number(row.target),
  website_id: row.website_id === null ? null : formatId('website', row.website_id),
  tag: row.tag,
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
});
