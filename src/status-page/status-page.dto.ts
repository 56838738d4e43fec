import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsString, Matches } from 'class-validator';
import { Optional, ReadOnlyField } from '../platform/http/validators';

/** Windows an uptime badge can show, with their days. */
export const BADGE_WINDOWS = { '7d': 7, '30d': 30, '90d': 90 } as const;
export type BadgeWindow = keyof typeof BADGE_WINDOWS;

const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$/;

export class UpdateStatusPageDto {
  @ApiPropertyOptional({ description: 'Whether everybody may see the page.', example: true })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    description:
      'The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the name by default.',
    example: 'example-shop',
    pattern: SLUG.source,
  })
  @Optional()
  @IsString()
  @Matches(SLUG, {
    message: 'slug must be 3 to 64 lower-case letters, digits and dashes, not beginning or ending with a dash',
  })
  slug?: string;

  @ReadOnlyField() path?: unknown;
}

export class StatusPageView {
  @ApiProperty({ description: 'Off by default.', example: true })
  enabled!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null until the page is first enabled.',
    example: 'example-shop',
  })
  slug!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Address of the page on this installation; with `.json` for programs, with `.svg` a badge.',
    example: '/status/example-shop',
  })
  path!: string | null;
}

export const toStatusPageView = (row: { slug: string; enabled: boolean } | undefined): StatusPageView => ({
  enabled: row?.enabled ?? false,
  slug: row?.slug ?? null,
  path: row ? `/status/${row.slug}` : null,
});

export class PublicStatusQuery {
  @ApiPropertyOptional({
    enum: Object.keys(BADGE_WINDOWS),
    description: 'For `.svg`: the uptime over this window instead of the state.',
  })
  @Optional()
  @IsIn(Object.keys(BADGE_WINDOWS))
  uptime?: BadgeWindow;
}
