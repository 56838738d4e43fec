import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { IF_NONE_MATCH, isNamedBy } from '../platform/http/precondition/precondition';
import { rootAbove } from '../platform/http/own-address';
import { markSvg } from '../platform/mark';
import { type Asset, DashboardAssets, type Encoding } from './dashboard-assets';
import { HelpPages } from './help-pages';

const NOT_BUILT =
  'The dashboard is not built. Run "npm run build" and restart the service. The API is at /api/v1, and its OpenAPI document at /api/v1/openapi.json.\n';

const NEEDS_BUILD = new Set(['/', '/docs', '/docs/']);

/**
 * Serves the dashboard, the API reference, and the help. Files with a hash may be cached forever, and pages are always
 * revalidated. Other requests are passed to the API.
 */
@Injectable()
export class DashboardMiddleware implements NestMiddleware {
  constructor(
    private readonly assets: DashboardAssets,
    private readonly help: HelpPages,
  ) {}

  async use(request: Request, response: Response, next: NextFunction): Promise<void> {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    // `request.path` can't be used, because it is always "/" in middleware mounted on a wildcard.
    const [path = ''] = request.originalUrl.split('?');
    const asset = isRead ? (this.assets.find(path) ?? (await this.help.find(path))) : undefined;
    if (asset) await this.send(asset, request, response);
    // Relative, so that it also works below a path.
    else if (isRead && path === '/help') response.status(302).setHeader('Location', 'help/').end();
    else if (isRead && path.startsWith('/help/')) await this.sendHelpNotFound(path, response, next);
    else if (isRead && path === '/favicon.svg') sendFavicon(request, response);
    else if (isRead && NEEDS_BUILD.has(path)) response.status(503).type('text/plain').send(NOT_BUILT);
    else next();
  }

  /** Not compressed, because compressed pages are cached, and anyone can choose the path. */
  private async sendHelpNotFound(path: string, response: Response, next: NextFunction): Promise<void> {
    const page = await this.help.notFound(rootAbove(path));
    if (page === null) next();
    else response.status(404).setHeader('Cache-Control', 'no-cache').type('html').send(page);
  }

  private async send(asset: Asset, request: Request, response: Response): Promise<void> {
    const encoding = asset.isCompressed ? 'identity' : encodingFor(request);
    response.setHeader('Cache-Control', asset.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.setHeader('ETag', asset.etag);
    response.setHeader('Vary', 'Accept-Encoding');
    if (isNamedBy(request.headers[IF_NONE_MATCH], asset.etag)) {
      response.status(304).end();
      return;
    }
    const body = await this.assets.encoded(asset, encoding);
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Type', asset.type);
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

function encodingFor(request: Request): Encoding {
  const accepted = request.acceptsEncodings(['br', 'gzip', 'identity']);
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
}

/**
 * `?down=3` puts the number on the icon, and `?state=degraded` changes its color, so that the page needs no data: URL,
 * which its policy forbids.
 */
function sendFavicon(request: Request, response: Response): void {
  const { down, state } = request.query;
  const count = typeof down === 'string' && /^\d{1,6}$/.test(down) ? Number(down) : 0;
  response.setHeader('Cache-Control', 'public, max-age=86400');
  response.type('image/svg+xml').send(markSvg(count > 0 ? 'down' : state === 'degraded' ? 'degraded' : 'up', count));
}
