import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsInt,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { IsName, Nullable, ObjectList, Optional, ReadOnlyFieldsOf } from '../../platform/http/validators';
import { formatId } from '../../platform/ids/id';
import { IsPublicId } from '../../platform/ids/public-id.rule';
import { KeyField, ShownKey, ShownOwner } from '../../platform/http/body/resource-key';
import type { PageGroup } from '../page-groups';
import { IsDomain, IsLogo, IsPlainText, IsSupportUrl, SLUG, SLUG_MESSAGE } from './page-rules';

const MAX_GROUPS = 50;
/** The maximum per group. A page shows 200 endpoints in total. */
const MAX_ENDPOINTS = 200;
const MAX_WEBSITES = 100;
const MAX_LOGO_TEXT = 90_000;
/** In minutes. */
const MAX_DOWN_AFTER = 60;

const ENDPOINT_ID = 'ep_01jd3k6q7be5y9x4v2m8n0r1st';
const WEBSITE_ID = 'ws_01jd3k6q7be5y9x4v2m8n0r1st';
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==';

const TEXTS = {
  title: { description: 'The heading of the page.', example: 'Example status', maxLength: 255 },
  slug: {
    description:
      'The last part of the URL: 3 to 64 lower-case letters, digits, and dashes. By default derived from the title.',
    example: 'example-status',
    pattern: SLUG.source,
  },
  description: { description: 'Plain text that is shown below the title.', example: 'The status of our services.' },
  accent: {
    type: String,
    nullable: true,
    description:
      'The color of links and of the stripe at the top, `#rrggbb`. It is darkened or lightened if the text would be unreadable.',
    example: '#7a3ff2',
    pattern: '^#[0-9a-fA-F]{6}$',
  },
  domain: {
    type: String,
    nullable: true,
    description:
      'A host name under which only this page is shown. Can be set only with admin keys. Point the host name to this installation. A proxy must pass `Host` through unchanged.',
    example: 'status.example.com',
  },
  indexed: {
    description:
      'Whether search engines may index the page. On by default. Pages without it send `X-Robots-Tag: noindex`.',
    example: true,
  },
  support_url: {
    type: String,
    nullable: true,
    description: 'The target of the link "Report a problem": an http, https, or mailto URL. null for no link.',
    example: 'https://example.com/support',
  },
  enabled: { description: 'Whether the page is public. Off by default.', example: true },
  down_after_minutes: {
    type: 'integer' as const,
    nullable: true,
    description:
      'How many minutes an endpoint must fail before the page shows it as down. Shorter outages are not listed. With 0, the page shows the first failed check. `null`: as soon as one of its alert rules would trigger, or after two failed checks if it has none.',
    minimum: 0,
    maximum: MAX_DOWN_AFTER,
    default: null,
    example: null,
  },
};

export class CreatePageGroupDto {
  @ApiPropertyOptional({ description: 'The heading. Empty for no heading.', example: 'Shop', maxLength: 100 })
  @Optional()
  @IsString()
  @MaxLength(100)
  @Matches(/^[^\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]*$/u, {
    message: 'name must not contain control characters',
  })
  name?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'The IDs of the endpoints, in the order in which they are shown.',
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
    description:
      'The IDs of websites, whose endpoints are all shown, including ones that are created later. They are shown after the endpoints in `endpoints`.',
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
  @ApiProperty({ description: 'The heading. Empty for no heading.', example: 'Shop' })
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
    description:
      'The ID of the website that the page belongs to. The page is deleted with the website. null for a page without a website.',
    example: null,
  })
  website_id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The title. If null, the website’s name is used.',
    example: 'Example status',
  })
  title!: string | null;

  @ApiProperty(TEXTS.slug)
  slug!: string;

  @ApiProperty({
    description:
      'The path of the page under the host of `PUBLIC_URL`. Append `.json` for programs, or `.svg` for a badge.',
    example: '/status/example-status',
  })
  path!: string;

  @ApiProperty(TEXTS.description)
  description!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The path of the logo under the host of `PUBLIC_URL`. null if there is no logo.',
    example: '/status/example-status/logo',
  })
  logo_url!: string | null;

  @ApiProperty(TEXTS.accent)
  accent!: string | null;

  @ApiProperty(TEXTS.domain)
  domain!: string | null;

  @ApiProperty(TEXTS.indexed)
  indexed!: boolean;

  @ApiProperty(TEXTS.support_url)
  support_url!: string | null;

  @ApiProperty({
    type: () => [PageGroupView],
    description: 'Deleted endpoints and websites are removed from the groups.',
  })
  groups!: PageGroupView[];

  @ApiProperty(TEXTS.down_after_minutes)
  down_after_minutes!: number | null;

  @ApiProperty(TEXTS.enabled)
  enabled!: boolean;

  @ShownKey('the status pages of the organization', 'public')
  key!: string | null;

  @ShownOwner()
  owner!: string | null;

  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:00:00.000Z' })
  updated_at!: string;
}

/** The fields that both bodies have in common. */
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
      'A PNG, JPEG, or WebP image of at most 64 KiB as a `data:` URL. null removes the logo. This installation ' +
      'serves the image, so browsers of visitors send no request to any other server. Write-only: `logo_url` ' +
      'contains its path.',
    example: PICTURE,
    maxLength: MAX_LOGO_TEXT,
  })
  @Nullable()
  @IsLogo()
  logo?: string | null;

  @ApiPropertyOptional(TEXTS.accent)
  @Nullable()
  @IsString()
  @Matches(/^#[0-9a-f]{6}$/i, { message: 'accent must be a color such as #7a3ff2' })
  accent?: string | null;

  @ApiPropertyOptional(TEXTS.domain)
  @Nullable()
  @IsDomain()
  domain?: string | null;

  @ApiPropertyOptional(TEXTS.down_after_minutes)
  @Nullable()
  @IsInt()
  @Min(0)
  @Max(MAX_DOWN_AFTER)
  down_after_minutes?: number | null;
  @ApiPropertyOptional(TEXTS.indexed)
  @Optional()
  @IsBoolean()
  indexed?: boolean;

  @ApiPropertyOptional({ ...TEXTS.support_url, maxLength: 2048 })
  @Nullable()
  @IsSupportUrl()
  support_url?: string | null;

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

  @ApiProperty({
    type: () => [CreatePageGroupDto],
    description: 'The groups of the page, in the order in which they are shown.',
  })
  @ObjectList(() => CreatePageGroupDto, MAX_GROUPS)
  groups!: CreatePageGroupDto[];
}

/** A partial update. Only the fields that are sent change. */
export class UpdatePublicPageDto extends PageFields {
  @ApiPropertyOptional({
    ...TEXTS.title,
    type: String,
    nullable: true,
    description: 'The heading. If null, the website’s name is used; this is only allowed for the page of a website.',
  })
  @Nullable()
  @IsName(255)
  title?: string | null;

  @ApiPropertyOptional({
    type: () => [CreatePageGroupDto],
    description: 'The groups of the page, in the order in which they are shown. Replaces all groups.',
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
  down_after_minutes: number | null;
  indexed: boolean;
  support_url: string | null;
  groups: PageGroup[] | null;
  external_key: string | null;
  owner: string | null;
  updated_at: Date;
}

/** Returns the view of a page. `groups` contains the groups of the row, without deleted resources. */
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
  indexed: row.indexed,
  support_url: row.support_url,
  groups: groups.map(({ name, endpoints, websites }) => ({
    name,
    endpoints: endpoints.map((id) => formatId('endpoint', id)),
    websites: websites.map((id) => formatId('website', id)),
  })),
  down_after_minutes: row.down_after_minutes,
  enabled: row.enabled,
  key: row.external_key,
  owner: row.owner,
  updated_at: row.updated_at.toISOString(),
});
