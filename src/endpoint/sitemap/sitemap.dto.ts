import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

/** The maximum number of URLs. A browser page can't handle more well. Use a configuration document instead. */
export const MOST_ADDRESSES = 200;

/** The class names are part of the public API document. */
export class ReadSitemapDto {
  @ApiProperty({
    example: 'https://shop.example.com/sitemap.xml',
    maxLength: 2048,
    description: 'http or https, without credentials. Without a path it is that of the host, `/sitemap.xml`.',
  })
  @IsString()
  url!: string;
}

export class SitemapView {
  @ApiProperty({
    type: [String],
    maxItems: MOST_ADDRESSES,
    example: ['https://shop.example.com/', 'https://shop.example.com/checkout'],
    description: 'The addresses in their order, each once.',
  })
  urls!: string[];

  @ApiProperty({
    example: false,
    description: `There are more than these: ${MOST_ADDRESSES} are returned, and ten sitemaps of an index are read.`,
  })
  truncated!: boolean;

  @ApiProperty({
    example: 0,
    type: 'integer',
    minimum: 0,
    description:
      'Left out, because they belong to another host than the sitemap (`www.` does not count) or are no http(s) address.',
  })
  skipped!: number;
}
