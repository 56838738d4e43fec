import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { AnsweringFirst } from '../../platform/net/dns/answering-first';
import { parseSearchDomains } from '../../platform/net/dns/hosts-file';
import { WatchedFile } from '../../platform/net/dns/watched-file';
import type { DnsServer } from './dns-query';

/** How long the list is cached. Changes in `resolv.conf` take effect after this time. */
const LIST_LIFETIME_MS = 30_000;

const DNS_PORT = 53;

/** The DNS servers configured on this machine, in order of preference. Servers that did not answer come last. */
export class SystemResolvers {
  private servers = new AnsweringFirst<DnsServer>([]);
  private readUntil = -Infinity;

  private readonly domains: WatchedFile<string[]>;

  /** `listed` returns `address` or `address:port`. The default is the system's own list. */
  constructor(
    private readonly listed: () => string[] = () => new Resolver().getServers(),
    resolvConf = '/etc/resolv.conf',
  ) {
    this.domains = new WatchedFile(resolvConf, parseSearchDomains);
  }

  /** Returns the search domains, whose names this machine's network resolves without the suffix. */
  searchDomains(): readonly string[] {
    return this.domains.read();
  }

  /** Returns an empty list if none is configured. */
  list(): readonly DnsServer[] {
    const now = performance.now();
    if (now >= this.readUntil) {
      this.servers = new AnsweringFirst(this.listed().flatMap(parseServer));
      this.readUntil = now + LIST_LIFETIME_MS;
    }
    return this.servers.inOrder();
  }

  /** Moves a server that didn't answer to the end until the list is read again. */
  demote(server: DnsServer): void {
    this.servers.demote(server);
  }
}

function parseServer(text: string): DnsServer[] {
  if (isIP(text)) return [{ address: text, port: DNS_PORT }];
  const [, address, port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(text) ?? [];
  return address !== undefined && isIP(address) ? [{ address, port: Number(port) }] : [];
}
