import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches } from 'class-validator';
import { Nullable, Optional, ReadOnlyField } from '../../platform/http/validators';
import { SLUG, SLUG_MESSAGE } from './page-rules';

export class UpdateStatusPageDto {
  @ApiPropertyOptional({ description: 'Whether the page is public.', example: true })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'The last part of the URL: 3 to 64 lower-case letters, digits, and dashes. By default derived from the name. null changes nothing.',
    example: 'example-shop',
    pattern: SLUG.source,
  })
  @Nullable()
  @IsString()
  @Matches(SLUG, { message: SLUG_MESSAGE })
  slug?: string | null;

  @ReadOnlyField() path?: unknown;
}

export class StatusPageView {
  @ApiProperty({ description: 'Whether the page is public. Off by default.', example: true })
  enabled!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The last part of the URL. null until the page is first enabled.',
    example: 'example-shop',
  })
  slug!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The path of the page under the host of `PUBLIC_URL`. Append `.json` for programs, or `.svg` for a badge.',
    example: '/status/example-shop',
  })
  path!: string | null;
}

export const toStatusPageView = (
  row: { slug: string; enabled: boolean } | undefined,
  pathOf: (slug: string) => string,
): StatusPageView => ({
  enabled: row?.enabled ?? false,
  slug: row?.slug ?? null,
  path: row ? pathOf(row.slug) : null,
});
