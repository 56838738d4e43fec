import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { publicPathOf } from '../../platform/http/own-address';
import { readUrl } from '../../platform/text/read-url';
import { SECOND_MS } from '../../platform/time/time-units';

/** The caller who sets a host name. */
export type DomainAuthor = Pick<Caller, 'isDefaultOrg' | 'role'>;

const KEPT_MS = 15 * SECOND_MS;
/** The maximum number of domains to serve. They take about ten megabytes. */
const MAX_DOMAINS = 100_000;
const DOMAINS = `SELECT domain, slug FROM status_page WHERE domain IS NOT NULL AND enabled ORDER BY domain LIMIT ${MAX_DOMAINS}`;

/**
 * Maps host names to pages. All of them are cached, so an unknown host costs nothing, and pages stay available while
 * the database is down. A request triggers a refresh at most every 15 seconds, but never waits for it.
 */
@Injectable()
export class PageDomains implements OnModuleInit {
  private slugs = new Map<string, string>();
  private readAtMs = -Infinity;
  private isReading = false;
  /** The number of changes by this instance. Data that was read before a change is outdated. */
  private version = 0;
  /** The host of `PUBLIC_URL`, or empty without one. */
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

  /** Returns the path of a page under the host of `PUBLIC_URL`. */
  pathOf(slug: string): string {
    return `${publicPathOf(this.config.publicUrl)}/status/${slug}`;
  }

  /** Returns the page for a `Host` header, or `null` for the installation's own hosts and all others. */
  slugOf(host: string | undefined): string | null {
    if (this.clock.monotonic() - this.readAtMs >= KEPT_MS) void this.read();
    if (this.slugs.size === 0 || host === undefined) return null;
    const name = hostNameOf(host);
    // A page that got this name before PUBLIC_URL was set must not replace the dashboard either.
    return name === this.publicHost ? null : (this.slugs.get(name) ?? null);
  }

  /**
   * Returns why a page may not have this host name, or `null` if it may. A page takes over its host name. So
   * organizations except the operator's own need permission, and no one may use a name by which the installation itself
   * is reached. A read key may plan what an admin key will apply.
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

  /** Announces that a page has another domain, or none. This instance shows it at once, others within 15 seconds. */
  changed(before: string | null, after: string | null, slug: string): void {
    this.version++;
    if (before !== null) this.slugs.delete(before);
    if (after !== null) this.slugs.set(after, slug);
  }

  /** If reading fails, the previous names stay. The next request after 15 seconds tries again. */
  private async read(): Promise<void> {
    if (this.isReading) return;
    this.isReading = true;
    this.readAtMs = this.clock.monotonic();
    const { version } = this;
    try {
      const rows = await this.database.query<{ domain: string; slug: string }>(DOMAINS);
      if (version === this.version) this.slugs = new Map(rows.map(({ domain, slug }) => [domain, slug]));
    } catch {
      // The database is unavailable. Other components report that.
    } finally {
      this.isReading = false;
    }
  }
}

/** `Status.Example.com.:8443` → `status.example.com`. */
export const hostNameOf = (host: string): string => host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
