import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';

/** The maximum number of URLs. A browser page can't handle many more. Use a configuration document instead. */
export const MOST_ADDRESSES = 200;

/** Don't rename: the class names appear in the public API document. */
export class ReadSitemapDto {
  @ApiProperty({
    example: 'https://shop.example.com/sitemap.xml',
    maxLength: 2048,
    description:
      'The URL of the sitemap, http or https, without credentials. If the URL has no path, `/sitemap.xml` on that host is used.',
  })
  @IsString()
  url!: string;
}

export class SitemapView {
  @ApiProperty({
    type: [String],
    maxItems: MOST_ADDRESSES,
    example: ['https://shop.example.com/', 'https://shop.example.com/checkout'],
    description: 'The URLs in the order of the sitemap, without duplicates.',
  })
  urls!: string[];

  @ApiProperty({
    example: false,
    description: `Whether there are more URLs. At most ${MOST_ADDRESSES} are returned, and at most ten sitemaps of an index are read.`,
  })
  truncated!: boolean;

  @ApiProperty({
    example: 0,
    type: 'integer',
    minimum: 0,
    description:
      'The number of URLs that were left out, because their host is not the sitemap’s host (`www.` is ignored) or are not http(s) URLs.',
  })
  skipped!: number;
}
