import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { clientNetworks } from '../../platform/access/client-network';
import { BoundedMap } from '../../platform/cache/bounded-map';
import { NetworkBuckets } from '../../platform/capacity/by-network';
import { TokenBuckets } from '../../platform/capacity/token-bucket';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Compression } from '../../platform/http/compression';
import { rootFor } from '../../platform/http/own-address';
import { formatId } from '../../platform/ids/id';
import { problems } from '../../platform/problem/problem';
import { Clock } from '../../platform/time/clock';
import { MINUTE_MS } from '../../platform/time/time-units';
import { STATUS_STYLE } from '../../status-page/render/status-style';
import type { ReportLinkRow } from '../link/report-link.dto';
import { ReportLinkService } from '../link/report-link.service';
import { ReportService } from '../uptime/report.service';
import { noReportHtml, reportHtml } from './report-html';
import { REPORT_STYLE } from './report-style';

/** How long a computed report is shown again. */
const KEPT_MS = MINUTE_MS;
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_REPORTS = 1000;
/** How many reports are computed for one organization per second. */
const COMPUTED = { rate: 0.5, burst: 10 };

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
/** No script, no image but the icon, and nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STATUS_STYLE)} ${hashOf(REPORT_STYLE)}`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface KeptReport {
  body: Buffer;
  madeAtMs: number;
}

/** Shows a report to anyone with its link. */
@Injectable()
export class SharedReports {
  private readonly kept = new BoundedMap<string, KeptReport>(MAX_REPORTS, {
    max: MAX_BYTES,
    of: ({ body }) => body.length,
  });
  private readonly requests: NetworkBuckets | null;
  private readonly computed: TokenBuckets;

  constructor(
    private readonly links: ReportLinkService,
    private readonly reports: ReportService,
    private readonly database: Database,
    private readonly compression: Compression,
    private readonly clock: Clock,
    { statusRateLimitPerSecond: rate }: Config,
  ) {
    const monotonic = () => clock.monotonic();
    this.requests = rate === 0 ? null : new NetworkBuckets({ rate, burst: rate * 2 }, monotonic);
    this.computed = new TokenBuckets(COMPUTED.rate, COMPUTED.burst, monotonic);
  }

  /**
   * Sends the report of a link. For other tokens, browsers get a page with status 404, and programs get the problem. Throws: `rate_limited` for an address with too many requests,
   * and `temporarily_unavailable` if too many reports of the organization are computed.
   */
  async show(token: string, request: Request, response: Response): Promise<void> {
    const wait = this.requests?.take(clientNetworks(request)) ?? 0;
    if (wait > 0) throw problems.rateLimited(Math.ceil(wait));
    const link = await this.links.find(token);
    response.vary('Accept');
    if (!link && request.accepts(['json', 'html']) !== 'html') throw problems.notFound();
    const root = rootFor(request);
    const body = link ? await this.render(link, root) : Buffer.from(noReportHtml(root));
    response.status(link ? 200 : 404);
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', POLICY);
    response.setHeader('Cache-Control', 'private, no-store');
    response.setHeader('Referrer-Policy', 'no-referrer');
    response.setHeader('X-Robots-Tag', 'noindex');
    const isShorter = this.compression.applies(request, response, body.length);
    const sent = isShorter ? await this.compression.encode(response, body) : body;
    response.setHeader('Content-Length', sent.length);
    response.end(request.method === 'HEAD' ? undefined : sent);
  }

  private async render(link: ReportLinkRow, root: string): Promise<Buffer> {
    const key = `${link.id} ${root}`;
    const nowMs = this.clock.monotonic();
    const known = this.kept.get(key);
    if (known && nowMs - known.madeAtMs < KEPT_MS) return known.body;
    if (this.computed.take(link.org_id) > 0) throw problems.temporarilyUnavailable();
    const { month, timezone, website_id: website, tag } = link;
    const selection = { month, timezone, ...(tag !== null && { tag }) };
    const [report, organization] = await Promise.all([
      this.reports.uptime(link.org_id, {
        ...selection,
        ...(website !== null && { website_id: formatId('website', website) }),
        target: Number(link.target),
      }),
      this.nameOf(link.org_id),
    ]);
    const frame = { title: link.title, organization, tag, expiresAt: link.expires_at.toISOString(), root };
    const body = Buffer.from([...reportHtml(report, frame)].join(''));
    this.kept.set(key, { body, madeAtMs: nowMs });
    return body;
  }

  private async nameOf(orgId: string): Promise<string> {
    const [row] = await this.database.query<{ name: string }>('SELECT name FROM organization WHERE id = $1', [orgId]);
    return row?.name ?? '';
  }
}
