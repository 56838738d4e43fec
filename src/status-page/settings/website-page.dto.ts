import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches } from 'class-validator';
import { Nullable, Optional, ReadOnlyField } from '../../platform/http/validators';
import { SLUG, SLUG_MESSAGE } from './page-rules';

export class UpdateStatusPageDto {
  @ApiPropertyOptional({ description: 'Whether everybody may see the page.', example: true })
  @Optional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      'The end of its address: 3 to 64 lower-case letters, digits and dashes. Made from the name by default. null changes nothing.',
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
    description: 'The path of the page under the host of `PUBLIC_URL`; with `.json` for programs, with `.svg` a badge.',
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
