import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsString, Matches } from 'class-validator';
import { Optional, ReadOnlyField } from '../../platform/http/validators';
import { SLUG, SLUG_MESSAGE } from './page-rules';

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
  @Matches(SLUG, { message: SLUG_MESSAGE })
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
