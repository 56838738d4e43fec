import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Caller } from '../../platform/access/caller';
import { Config } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Clock } from '../../platform/time/clock';
import { publicPathOf } from '../../platform/http/own-address';
import { readUrl } from '../../platform/text/read-url';
import { SECOND_MS } from '../../platform/time/time-units';

/** The caller who sets a hostname. */
export type DomainAuthor = Pick<Caller, 'isDefaultOrg' | 'role'>;

const KEPT_MS = 15 * SECOND_MS;
/** The maximum number of domains to serve. They take about ten megabytes. */
const MAX_DOMAINS = 100_000;
const DOMAINS = `SELECT domain, slug FROM status_page WHERE domain IS NOT NULL AND enabled ORDER BY domain LIMIT ${MAX_DOMAINS}`;

/**
 * Maps hostnames to pages. All of them are cached, so an unknown host costs nothing, and pages remain available while
 * the database is down. A request triggers a refresh at most every 15 seconds, but never waits for it.
 */
@Injectable()
export class PageDomains implements OnModuleInit {
  private slugs = new Map<string, string>();
  private readAtMs = -Infinity;
  private isReading = false;
  /** The number of changes made by this instance. Data that was read before a change is outdated. */
  private version = 0;
  /** The host of `PUBLIC_URL`, or an empty string if it isn't set. */
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

  /** Returns the path of a page on the host of `PUBLIC_URL`. */
  pathOf(slug: string): string {
    return `${publicPathOf(this.config.publicUrl)}/status/${slug}`;
  }

  /** Returns the page for a `Host` header. Returns `null` for the installation's own hosts and for unknown ones. */
  slugOf(host: string | undefined): string | null {
    if (this.clock.monotonic() - this.readAtMs >= KEPT_MS) void this.read();
    if (this.slugs.size === 0 || host === undefined) return null;
    const name = hostNameOf(host);
    // A page that was given this name before PUBLIC_URL was set must not replace the dashboard either.
    return name === this.publicHost ? null : (this.slugs.get(name) ?? null);
  }

  /**
   * Returns why a page may not have this hostname, or `null` if it may. A page takes over its hostname. So
   * organizations other than the operator's own need permission, and no one may use a hostname of the installation
   * itself. A read key may plan a change that an admin key will apply.
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

  /**
   * Announces that a page has a different domain, or none. This instance shows it immediately, and others show it
   * within 15 seconds.
   */
  changed(before: string | null, after: string | null, slug: string): void {
    this.version++;
    if (before !== null) this.slugs.delete(before);
    if (after !== null) this.slugs.set(after, slug);
  }

  /** If reading fails, the previous hostnames are kept. The next request after 15 seconds tries again. */
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
