import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { REDIRECTS } from '../../checker/http/http-request';
import { recordChange } from '../../audit/audit-log';
import type { Caller } from '../../platform/access/caller';
import { WorkLimits } from '../../platform/access/work-limits';
import { Database } from '../../platform/database/database';
import { newUuid } from '../../platform/ids/id';
import { startDeadline } from '../../platform/net/deadline';
import { type EgressRule, EgressPolicy, refusalText } from '../../platform/net/egress/egress-policy';
import { FairSemaphore } from '../../platform/capacity/fair-semaphore';
import { OutboundError, OutboundHttp } from '../../platform/net/http/outbound-http';
import { type Findings, NO_FINDINGS, refuse } from '../../platform/problem/findings';
import { problems } from '../../platform/problem/problem';
import { readUrl } from '../../platform/text/read-url';
import { parseWebsiteUrl } from '../../website/website-url';
import { maskedUrl } from '../settings/shown-settings';
import { MAX_ADDRESS, readSitemap } from './read-sitemap';
import { SitemapRefusal } from './sitemap-refusal';
import { MOST_ADDRESSES, type ReadSitemapDto, type SitemapView } from './sitemap.dto';

const DEADLINE_MS = 10_000;
/** The maximum number of bytes in all files combined, uncompressed. */
const MOST_BYTES = 5 * 1024 * 1024;
const [MOST_REDIRECTS, MOST_CHILDREN] = [3, 10];
const HEADERS = {
  'user-agent': 'uptime-monitor/1 (sitemap)',
  accept: 'application/xml, text/xml, application/gzip, */*;q=0.5',
};

const unpack = promisify(gunzip);

/** In the worst case, a file is in memory three times: compressed, uncompressed, and as a string. */
const turns = new FairSemaphore({ size: 2, share: 1, waiting: 4 });

/** The state of one request: how much more it may read, and the egress rule that applies. */
interface Reading {
  egress: EgressRule;
  signal: AbortSignal;
  bytesLeft: number;
}

interface File {
  text: string;
  /** The host of the requested URL and the host it redirected to. */
  hosts: ReadonlySet<string>;
}

/** Lists the URLs in a sitemap. Stores only an audit log entry, which is committed before the first request is sent. */
@Injectable()
export class SitemapService {
  constructor(
    private readonly http: OutboundHttp,
    private readonly egress: EgressPolicy,
    private readonly limits: WorkLimits,
    private readonly database: Database,
  ) {}

  /**
   * Reads a sitemap. Stops when the client disconnects. Throws: `validation_failed` at `/url`, `target_not_allowed`,
   * `rate_limited`.
   */
  async read(caller: Caller, dto: ReadSitemapDto, left: AbortSignal): Promise<SitemapView> {
    refuse(this.findingsIn(caller, dto));
    const url = addressOf(dto.url);
    return this.limits.run(caller.orgId, async () => {
      await this.database.transaction((tx) =>
        recordChange(tx, {
          orgId: caller.orgId,
          action: 'test',
          resource: 'website',
          id: newUuid(),
          after: { url: maskedUrl(url) },
        }),
      );
      const deadline = startDeadline(DEADLINE_MS, left);
      const leave = await turns.take(caller.orgId, deadline.signal);
      try {
        if (!leave) throw problems.rateLimited(2);
        return await this.list(url, { egress: this.ruleOf(caller), signal: deadline.signal, bytesLeft: MOST_BYTES });
      } catch (error) {
        throw problemOf(error);
      } finally {
        leave?.();
        deadline.clear();
      }
    });
  }

  /** Returns the problems for which `read` would refuse the URL, without sending a request. */
  findingsIn(caller: Caller, { url }: Partial<ReadSitemapDto>): Findings {
    if (url === undefined) return NO_FINDINGS;
    const parsed = parseWebsiteUrl(url.trim());
    if ('problem' in parsed) return { invalid: [parsed.problem], forbidden: [] };
    const { hostname } = new URL(parsed.url);
    const refusal = this.egress.refusalOfHost(hostname, this.ruleOf(caller));
    return refusal === null
      ? NO_FINDINGS
      : {
          invalid: [],
          forbidden: [{ pointer: '/url', code: 'invalid_format', message: refusalText(hostname, refusal) }],
        };
  }

  private ruleOf({ orgId, isDefaultOrg }: Caller): EgressRule {
    return this.egress.forOrganization({ id: orgId, isDefault: isDefaultOrg });
  }

  private async list(url: string, reading: Reading): Promise<SitemapView> {
    const found = new Addresses();
    const children = new Addresses(MOST_CHILDREN);
    const root = await this.fetch(url, reading);
    let { isCut } = readSitemap(root.text, (kind, address) =>
      (kind === 'urlset' ? found : children).take(address, root.hosts),
    );
    for (const child of children.urls) {
      if (found.isFull) break;
      const ofChild = await this.listChild(child, found, reading).catch((error: unknown) => {
        throw error instanceof SitemapRefusal ? new SitemapRefusal(error.code, `${child}: ${error.message}`) : error;
      });
      isCut ||= ofChild;
    }
    return {
      urls: [...found.urls],
      truncated: isCut,
      skipped: found.skipped + children.skipped,
    };
  }

  /** Returns true if there was more. */
  private async listChild(url: string, found: Addresses, reading: Reading): Promise<boolean> {
    const { text, hosts } = await this.fetch(url, reading);
    const { isCut } = readSitemap(text, (kind, address) => {
      if (kind === 'sitemapindex') throw new SitemapRefusal('too_deep', 'an index contains another index');
      return found.take(address, hosts);
    });
    return isCut;
  }

  /** The egress policy checks the address of every hop when connecting. */
  private async fetch(asked: string, reading: Reading): Promise<File> {
    const { egress, signal } = reading;
    let url = asked;
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      if (reading.bytesLeft <= 0) throw tooLarge();
      const request = { method: 'GET', url, headers: HEADERS, body: null, egress, timeoutMs: DEADLINE_MS, signal };
      const { status, headers, bytes, truncated } = await this.http.fetch(request, reading.bytesLeft);
      const location = headers['location'];
      if (REDIRECTS.has(status) && location !== undefined) {
        url = redirected(location, url);
        continue;
      }
      if (status !== 200) throw new SitemapRefusal('unreachable', `the server responds with status ${status}`);
      if (truncated) throw tooLarge();
      const text = await textOf(bytes, reading);
      return { text, hosts: new Set([hostOf(asked), hostOf(url)]) };
    }
    throw new SitemapRefusal('unreachable', `the server redirects more than ${MOST_REDIRECTS} times`);
  }
}

/** Collects distinct URLs of the allowed hosts. */
class Addresses {
  readonly urls = new Set<string>();
  skipped = 0;
  /** True if at least one URL didn't fit. */
  isFull = false;

  constructor(private readonly most = MOST_ADDRESSES) {}

  /** Returns false when no more URLs are needed. */
  take(address: string, hosts: ReadonlySet<string>): boolean {
    const url = readUrl(address);
    const isOurs = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (!isOurs || url.href.length > MAX_ADDRESS || !hosts.has(hostOf(url.href))) this.skipped++;
    else {
      url.hash = '';
      this.isFull = this.urls.size === this.most && !this.urls.has(url.href);
      if (!this.isFull) this.urls.add(url.href);
    }
    return !this.isFull;
  }
}

const hostOf = (url: string): string => new URL(url).hostname.replace(/^www\./, '');

function addressOf(text: string): string {
  const url = new URL(text.trim());
  if (url.pathname === '/' && url.search === '') url.pathname = '/sitemap.xml';
  url.hash = '';
  return url.href;
}

const tooLarge = () =>
  new SitemapRefusal('too_large', 'it has more than 5 MiB after decompression, including the sitemaps that it lists');

function redirected(location: string, from: string): string {
  const url = location.length > MAX_ADDRESS ? null : readUrl(location, from);
  if (url && 'url' in parseWebsiteUrl(url.href)) return url.href;
  throw new SitemapRefusal('unreachable', 'the server redirects to a URL that is not http(s)');
}

/** Detects gzip by the first bytes, regardless of the headers. */
async function textOf(bytes: Buffer, reading: Reading): Promise<string> {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const plain = isPacked ? await unpacked(bytes, reading.bytesLeft) : bytes;
  reading.bytesLeft -= plain.length;
  if (!isUtf8(plain)) throw new SitemapRefusal('invalid_syntax', 'it is not UTF-8');
  return plain.toString('utf8');
}

const unpacked = (bytes: Buffer, most: number): Promise<Buffer> =>
  unpack(bytes, { maxOutputLength: most }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge()
      : new SitemapRefusal('invalid_syntax', 'it starts like a gzip file, but cannot be decompressed');
  });

function problemOf(error: unknown): unknown {
  if (error instanceof SitemapRefusal) {
    const message = `The sitemap cannot be read: ${error.message}.`;
    return problems.validationFailed([{ pointer: '/url', code: error.code, message }]);
  }
  if (!(error instanceof OutboundError)) return error;
  const { code, message } = error;
  return code === 'blocked'
    ? problems.targetNotAllowed([{ pointer: '/url', code: 'invalid_format', message }])
    : problems.validationFailed([{ pointer: '/url', code: 'unreachable', message }]);
}
