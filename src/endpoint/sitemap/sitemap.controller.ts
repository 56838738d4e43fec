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
    idempotencyKey: { refused: 'Each request reads the sitemap again.' },
    operationId: 'readSitemap',
    summary: 'List the addresses of a sitemap',
    description:
      'Fetches a sitemap, plain or gzip, or an index of sitemaps, within 10 s and 5 MiB unpacked in all, and returns what could be watched. Nothing is stored but an entry in the audit log. What cannot be fetched or read is `validation_failed`, with the reason at `/url`. It counts as a check on demand.',
    returns: { ok: SitemapView, description: 'The addresses.' },
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
