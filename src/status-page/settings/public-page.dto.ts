import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsString, Matches, MaxLength } from 'class-validator';
import { IsName, Nullable, ObjectList, Optional, ReadOnlyFieldsOf } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { KeyField, ShownKey, ShownOwner } from '../../platform/http/body/resource-key';
import type { PageGroup } from '../page-groups';
import { IsDomain, IsLogo, IsPlainText, SLUG, SLUG_MESSAGE } from './page-rules';

const MAX_GROUPS = 50;
/** Per group. A page shows 200 endpoints in all. */
const MAX_ENDPOINTS = 200;
const MAX_WEBSITES = 100;
const MAX_LOGO_TEXT = 90_000;

const ENDPOINT_ID = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';
const WEBSITE_ID = 'ws_01jd3k6q7be5y9x4v2m8n0r1st';
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==';

const TEXTS = {
  title: { description: 'The heading of the page.', example: 'Example status', maxLength: 255 },
  slug: {
    description:
      'The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the title by default.',
    example: 'example-status',
    pattern: SLUG.source,
  },
  description: { description: 'Shown below the title; plain text.', example: 'What runs, and what does not.' },
  accent: {
    type: String,
    nullable: true,
    description:
      'Colour of links and of the stripe at the top, `#rrggbb`; darkened or lightened where it cannot be read.',
    example: '#7a3ff2',
    pattern: '^#[0-9a-fA-F]{6}$',
  },
  domain: {
    type: String,
    nullable: true,
    description:
      'Host name under which the page, and nothing else, is shown. Set by admin keys alone. Point it to this installation; a proxy must pass `Host` on.',
    example: 'status.example.com',
  },
  enabled: { description: 'Whether everybody may see the page. Off by default.', example: true },
};

export class CreatePageGroupDto {
  @ApiPropertyOptional({ description: 'The heading; empty for none.', example: 'Shop', maxLength: 100 })
  @Optional()
  @IsString()
  @MaxLength(100)
  @Matches(/^[^\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u, {
    message: 'name must not contain control characters',
  })
  name?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'Endpoints, in the order in which they are shown.',
    example: [ENDPOINT_ID],
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_ENDPOINTS)
  @ArrayUnique()
  @IsPublicId('endpoint', { each: true })
  endpoints?: string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Websites: all their endpoints, those of the future too, behind the ones named in `endpoints`.',
    example: [WEBSITE_ID],
  })
  @Optional()
  @IsArray()
  @ArrayMaxSize(MAX_WEBSITES)
  @ArrayUnique()
  @IsPublicId('website', { each: true })
  websites?: string[];
}

export class PageGroupView {
  @ApiProperty({ description: 'The heading; empty for none.', example: 'Shop' })
  name!: string;

  @ApiProperty({ type: [String], example: [ENDPOINT_ID] })
  endpoints!: string[];

  @ApiProperty({ type: [String], example: [WEBSITE_ID] })
  websites!: string[];
}

export class PublicPageView {
  @ApiProperty({ example: 'sp_01jd3k6q7be5y9x4v2m8n0r1st' })
  id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The website whose page it is, with which it is deleted; null for a page of its own.',
    example: null,
  })
  website_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null: the name of its website.',
    example: 'Example status',
  })
  title!: string | null;

  @ApiProperty(TEXTS.slug)
  slug!: string;

  @ApiProperty({
    description: 'The path of the page under the host of `PUBLIC_URL`; with `.json` for programs, with `.svg` a badge.',
    example: '/status/example-status',
  })
  path!: string;

  @ApiProperty(TEXTS.description)
  description!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The path of the logo under the host of `PUBLIC_URL`; null without a logo.',
    example: '/status/example-status/logo',
  })
  logo_url!: string | null;

  @ApiProperty(TEXTS.accent)
  accent!: string | null;

  @ApiProperty(TEXTS.domain)
  domain!: string | null;

  @ApiProperty({ type: () => [PageGroupView], description: 'What is deleted vanishes from here.' })
  groups!: PageGroupView[];

  @ApiProperty(TEXTS.enabled)
  enabled!: boolean;

  @ShownKey('the status pages of the organization', 'public')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

/** The common fields of both bodies. */
@ReadOnlyFieldsOf(PublicPageView)
class PageFields {
  @ApiPropertyOptional(TEXTS.slug)
  @Optional()
  @IsString()
  @Matches(SLUG, { message: SLUG_MESSAGE })
  slug?: string;

  @ApiPropertyOptional({ ...TEXTS.description, maxLength: 2000 })
  @Optional()
  @IsPlainText(2000)
  description?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'A PNG, JPEG or WebP picture of at most 64 KiB as a `data:` URL; null removes it. It is served by this installation, ' +
      'so no reader’s browser asks anybody else. Write-only: `logo_url` tells where it is.',
    example: PICTURE,
    maxLength: MAX_LOGO_TEXT,
  })
  @Nullable()
  @IsLogo()
  logo?: string | null;

  @ApiPropertyOptional(TEXTS.accent)
  @Nullable()
  @IsString()
  @Matches(/^#[0-9a-f]{6}$/i, { message: 'accent must be a colour such as #7a3ff2' })
  accent?: string | null;

  @ApiPropertyOptional(TEXTS.domain)
  @Nullable()
  @IsDomain()
  domain?: string | null;

  @ApiPropertyOptional(TEXTS.enabled)
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @KeyField('the status pages of the organization')
  key?: string | null;
}

export class CreatePublicPageDto extends PageFields {
  @ApiProperty(TEXTS.title)
  @IsName(255)
  title!: string;

  @ApiProperty({ type: () => [CreatePageGroupDto], description: 'What the page shows, in this order.' })
  @ObjectList(() => CreatePageGroupDto, MAX_GROUPS)
  groups!: CreatePageGroupDto[];
}

/** A partial update. Only the fields that are sent change. */
export class UpdatePublicPageDto extends PageFields {
  @ApiPropertyOptional({
    ...TEXTS.title,
    type: String,
    nullable: true,
    description: 'The heading. null, for the page of a website only: its name.',
  })
  @Nullable()
  @IsName(255)
  title?: string | null;

  @ApiPropertyOptional({
    type: () => [CreatePageGroupDto],
    description: 'What the page shows, in this order; replaces all groups.',
  })
  @Optional()
  @ObjectList(() => CreatePageGroupDto, MAX_GROUPS)
  groups?: CreatePageGroupDto[];
}

/** A stored page, without the bytes of its logo. */
export interface PublicPageRow {
  id: string;
  website_id: string | null;
  slug: string;
  enabled: boolean;
  title: string | null;
  description: string;
  accent: string | null;
  logo_hash: string | null;
  domain: string | null;
  groups: PageGroup[] | null;
  external_key: string | null;
  owner: string | null;
  updated_at: Date;
}

/** Returns the view of a page. `groups` are the groups of the row, without deleted resources. */
export const toPublicPageView = (row: PublicPageRow, groups: readonly PageGroup[], path: string): PublicPageView => ({
  id: formatId('statusPage', row.id),
  website_id: row.website_id === null ? null : formatId('website', row.website_id),
  title: row.title,
  slug: row.slug,
  path,
  description: row.description,
  logo_url: row.logo_hash === null ? null : `${path}/logo`,
  accent: row.accent,
  domain: row.domain,
  groups: groups.map(({ name, endpoints, websites }) => ({
    name,
    endpoints: endpoints.map((id) => formatId('endpoint', id)),
    websites: websites.map((id) => formatId('website', id)),
  })),
  enabled: row.enabled,
  key: row.external_key,
  owner: row.owner,
  updated_at: row.updated_at.toISOString(),
});
