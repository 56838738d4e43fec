import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '../../platform/access/caller';
import { AlsoChecked } from '../../platform/http/body/also-checked';
import { ClientLeft } from '../../platform/http/client-left';
import { Route } from '../../platform/http/route.decorator';
import { ReadSitemapDto, SitemapView } from './sitemap.dto';
import { SitemapService } from './sitemap.service';

@ApiTags('Endpoints')
@Controller('api/v1/endpoints/sitemap')
export class SitemapController {
  constructor(private readonly sitemaps: SitemapService) {}

  @Route('POST', '', {
    access: 'write',
    idempotencyKey: { refused: 'Each request fetches the sitemap again.' },
    operationId: 'readSitemap',
    summary: 'List the URLs of a sitemap',
    description:
      'Fetches a sitemap (plain or gzip) or a sitemap index, within 10 s and at most 5 MiB in total after decompression, and returns the URLs that you could monitor. Nothing is stored except an entry in the audit log. If the sitemap cannot be fetched or read, you get `validation_failed` with the reason at `/url`. The request counts as an on-demand check.',
    returns: { ok: SitemapView, description: 'The URLs in the sitemap.' },
    problems: ['target_not_allowed'],
  })
  @AlsoChecked(SitemapService, (sitemaps, fields: Partial<ReadSitemapDto>, { caller }) =>
    sitemaps.findingsIn(caller, fields),
  )
  read(
    @CurrentCaller() caller: Caller,
    @Body() dto: ReadSitemapDto,
    @ClientLeft() left: AbortSignal,
  ): Promise<SitemapView> {
    return this.sitemaps.read(caller, dto, left);
  }
}
