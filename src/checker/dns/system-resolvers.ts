import { Resolver } from 'node:dns';
import { isIP } from 'node:net';
import { AnsweringFirst } from '../../platform/net/dns/answering-first';
import { parseSearchDomains } from '../../platform/net/dns/hosts-file';
import { WatchedFile } from '../../platform/net/dns/watched-file';
import type { DnsServer } from './dns-query';

/** How long the list is used: a change of `resolv.conf` takes effect after this. */
const LIST_LIFETIME_MS = 30_000;

const DNS_PORT = 53;

/** The DNS servers this machine is configured with, in its order of preference; those that did not answer come last. */
export class SystemResolvers {
  private servers = new AnsweringFirst<DnsServer>([]);
  private readUntil = -Infinity;

  private readonly domains: WatchedFile<string[]>;

  /** `listed` returns `address` or `address:port`; the system's own list by default. */
  constructor(
    private readonly listed: () => string[] = () => new Resolver().getServers(),
    resolvConf = '/etc/resolv.conf',
  ) {
    this.domains = new WatchedFile(resolvConf, parseSearchDomains);
  }

  /** The domains whose names this machine's network knows without their ending. */
  searchDomains(): readonly string[] {
    return this.domains.read();
  }

  /** Empty when none is configured. */
  list(): readonly DnsServer[] {
    const now = performance.now();
    if (now >= this.readUntil) {
      this.servers = new AnsweringFirst(this.listed().flatMap(parseServer));
      this.readUntil = now + LIST_LIFETIME_MS;
    }
    return this.servers.inOrder();
  }

  /** It has not answered: until the list is read again the others are asked before it. */
  demote(server: DnsServer): void {
    this.servers.demote(server);
  }
}

function parseServer(text: string): DnsServer[] {
  if (isIP(text)) return [{ address: text, port: DNS_PORT }];
  const [, address, port] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(text) ?? [];
  return address !== undefined && isIP(address) ? [{ address, port: Number(port) }] : [];
}
