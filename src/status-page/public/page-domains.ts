import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { publicPathOf } from '../../platform/http/own-address';
import { readUrl } from '../../platform/text/read-url';
import { SECOND_MS } from '../../platform/time/time-units';

/** Who sets a host name. */
export type DomainAuthor = Pick<Caller, 'isDefaultOrg' | 'role'>;

const KEPT_MS = 15 * SECOND_MS;
/** More are not served: some ten megabytes. */
const MAX_DOMAINS = 100_000;
const DOMAINS = `SELECT domain, slug FROM status_page WHERE domain IS NOT NULL AND enabled ORDER BY domain LIMIT ${MAX_DOMAINS}`;

/**
 * Which page has which host name. All of them are kept, so an unknown host costs nothing, and while the database is away
 * pages stay where they are. Read again behind a request at most every 15 seconds: no request waits for it.
 */
@Injectable()
export class PageDomains implements OnModuleInit {
  private slugs = new Map<string, string>();
  private readAtMs = -Infinity;
  private isReading = false;
  /** Changes by this instance: what was read before one of them is too old. */
  private version = 0;
  /** The host of `PUBLIC_URL`; empty without one. */
  private readonly publicHost: string;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {
    const { publicUrl } = config;
    this.publicHost = publicUrl === null ? '' : hostNameOf(readUrl(publicUrl)?.host ?? '');
  }

  onModuleInit(): Promise<void> {
    return this.read();
  }

  /** The path of a page under the host of `PUBLIC_URL`. */
  pathOf(slug: string): string {
    return `${publicPathOf(this.config.publicUrl)}/status/${slug}`;
  }

  /** The page of a `Host` header; `null` for the installation's own hosts and all others. */
  slugOf(host: string | undefined): string | null {
    if (this.clock.monotonic() - this.readAtMs >= KEPT_MS) void this.read();
    if (this.slugs.size === 0 || host === undefined) return null;
    const name = hostNameOf(host);
    // Also a page that had it before PUBLIC_URL was set does not take the dashboard's place.
    return name === this.publicHost ? null : (this.slugs.get(name) ?? null);
  }

  /**
   * Why a page may not have this host name; `null` when it may. A page takes its host name over, so organizations other than
   * the operator's own need leave, and nobody gets a name by which the installation itself is reached. A read key may plan
   * what an admin key will apply.
   */
  refusal(domain: string, { isDefaultOrg, role }: DomainAuthor, host: string | undefined): string | null {
    const { statusPageDomains: leave, host: bound, allowedHosts } = this.config;
    if (leave === 'deny' || (leave === 'auto' && !isDefaultOrg))
      return 'domain is not allowed here; ask the operator to set STATUS_PAGE_DOMAINS';
    if (role === 'write') return 'domain takes over a host name, which requires an API key with the role "admin"';
    if (!isDefaultOrg && this.publicHost === '' && allowedHosts.length === 0)
      return 'domain is not allowed until the operator sets the name of this installation in PUBLIC_URL or ALLOWED_HOSTS';
    const own = [host ?? '', bound, this.publicHost, ...allowedHosts].map(hostNameOf);
    return own.includes(domain) ? 'domain must not be the host name of this installation itself' : null;
  }

  /** A page has another domain, or none: this instance shows it at once, others within 15 seconds. */
  changed(before: string | null, after: string | null, slug: string): void {
    this.version++;
    if (before !== null) this.slugs.delete(before);
    if (after !== null) this.slugs.set(after, slug);
  }

  /** While it fails the former ones stay; the next request after 15 seconds tries again. */
  private async read(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    this.readAtMs = this.clock.monotonic();
    const { version } = this;
    try {
      const rows = await this.database.query<{ domain: string; slug: string }>(DOMAINS);
      if (version === this.version) this.slugs = new Map(rows.map(({ domain, slug }) => [domain, slug]));
    } catch {
      // The database is away: others say so.
    } finally {
      this.isReading = false;
    }
  }
}

/** `Status.Example.com.:8443` → `status.example.com`. */
export const hostNameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
