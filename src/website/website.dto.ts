import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString } from 'class-validator';
import { PageQuery } from '../platform/http/page';
import { IsName, Optional, ReadOnlyFieldsOf } from '../platform/http/validators';
import { formatId } from '../platform/ids/id';
import { KeyField, ShownKey, ShownOwner } from '../platform/http/body/resource-key';
import { TagQuery, TagsField } from './tags';

export const WEBSITE_STATUSES = ['up', 'down', 'unknown', 'paused'] as const;
export type WebsiteStatus = (typeof WEBSITE_STATUSES)[number];

export class WebsiteQuery extends PageQuery {
  @ApiPropertyOptional({
    description: 'Return only websites whose name or URL contains this string. Not case-sensitive.',
    example: 'shop',
    minLength: 1,
    maxLength: 100,
  })
  @Optional()
  @IsName(100)
  q?: string;

  @TagQuery('Return only websites that have this tag. Not case-sensitive.')
  tag?: string;
}

const TAGS =
  'A set of labels that you choose. They are stored in lower case and in order. They also apply to each endpoint of the website, for example in maintenance windows and filters.';

export class WebsiteView {
  @ApiProperty({ example: 'ws_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({ example: 'Example shop' })
  name!: string;

  @ApiProperty({ example: 'https://shop.example.com/' })
  url!: string;

  @ApiProperty({ example: true })
  enabled!: boolean;

  @ApiProperty({
    type: [String],
    example: ['production', 'team:web'],
    description: 'The tags of the website, in order.',
  })
  tags!: string[];

  @ShownKey('the websites of the organization', 'shop')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({
    example: 'pQ3v7dZkT2mXc9LhYw0BnA',
    description:
      'The key in the ping URLs of the website’s heartbeats, `/ping/<ping_key>/<key>`. Masked for read keys.',
  })
  ping_key!: string;

  @ApiProperty({
    enum: WEBSITE_STATUSES,
    description:
      '`down` if any enabled endpoint is down, otherwise `up` if any is up, otherwise `unknown`. `paused` if the website is disabled.',
  })
  status!: WebsiteStatus;

  @ApiProperty({ example: 3, description: 'The number of endpoints.' })
  endpoint_count!: number;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'The time of the newest check of the endpoints. null before the first check. If there are more than 20 endpoints, only the 20 with the most frequent checks are considered.',
    example: '2026-11-20T10:00:00.000Z',
  })
  last_checked_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

/** The fields of a new website. Its first endpoints may be included. See `endpoint/website-setup.service`. */
@ReadOnlyFieldsOf(WebsiteView)
export class NewWebsiteDto {
  @ApiProperty({ example: 'Example shop', minLength: 1, maxLength: 255 })
  @IsName(255)
  name!: string;

  @ApiProperty({
    example: 'https://shop.example.com',
    maxLength: 2048,
    description: 'The URL, http or https, without credentials. It cannot be changed later.',
  })
  @IsString()
  url!: string;

  @ApiPropertyOptional({ default: true, description: '`false` pauses every endpoint of the website.' })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @TagsField(TAGS)
  tags?: string[];

  @KeyField('the websites of the organization')
  key?: string | null;
}

@ReadOnlyFieldsOf(WebsiteView)
export class UpdateWebsiteDto {
  @ApiPropertyOptional({ example: 'Example shop', minLength: 1, maxLength: 255 })
  @Optional()
  @IsName(255)
  name?: string;

  @ApiPropertyOptional({
    description: 'Immutable: only the current value is accepted.',
    example: 'https://shop.example.com/',
  })
  @Optional()
  @IsString()
  url?: string;

  @ApiPropertyOptional({ description: '`false` pauses every endpoint of the website.', example: false })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @TagsField(TAGS)
  tags?: string[];

  @KeyField('the websites of the organization')
  key?: string | null;
}

/** A website with values that are derived from its endpoints. */
export interface WebsiteRow {
  id: string;
  org_id: string;
  name: string;
  url: string;
  enabled: boolean;
  tags: string[];
  external_key: string | null;
  owner: string | null;
  ping_key: string;
  created_at: Date;
  updated_at: Date;
  endpoint_count: number;
  last_checked_at: Date | null;
  any_down: boolean;
  any_up: boolean;
}

export function websiteStatus(row: Pick<WebsiteRow, 'enabled' | 'any_down' | 'any_up'>): WebsiteStatus {
  if (!row.enabled) return 'paused';
  if (row.any_down) return 'down';
  return row.any_up ? 'up' : 'unknown';
}

export const toWebsiteView = (row: WebsiteRow): WebsiteView => ({
  id: formatId('website', row.id),
  name: row.name,
  url: row.url,
  enabled: row.enabled,
  tags: row.tags,
  key: row.external_key,
  owner: row.owner,
  ping_key: row.ping_key,
  status: websiteStatus(row),
  endpoint_count: row.endpoint_count,
  last_checked_at: row.last_checked_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
