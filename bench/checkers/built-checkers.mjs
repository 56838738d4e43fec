// The checkers from the built service, wired like in the service.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Returns a `require` function for the modules in `dist`. If no folder is given, builds it first. */
export function loadBuilt(dist) {
  if (!dist) spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], { stdio: 'inherit' });
  const load = createRequire(join(resolve(dist ?? join(root, 'dist')), 'bench.js'));
  load('reflect-metadata');
  return load;
}

export class BuiltCheckers {
  #load;
  #dialer;
  #icmp = new Map();
  #checkers;
  #egress;

  /**
   * `roots` contains the trusted authorities in PEM format. `nameServers` resolve hostnames. Default: the machine's
   * resolvers.
   */
  constructor(load, { roots, nameServers } = {}) {
    const { Dialer } = load('./platform/net/dial/dialer.js');
    const { HostResolver } = load('./platform/net/dns/host-resolver.js');
    const { TrustedRoots } = load('./platform/net/dial/trusted-roots.js');
    const { EgressPolicy } = load('./platform/net/egress/egress-policy.js');
    const { loadConfig } = load('./platform/config/config.js');
    const { HttpCheck } = load('./checker/http/http-check.js');
    const { HttpChecker, HttpsChecker } = load('./checker/http/http.checker.js');
    const { TcpChecker } = load('./checker/tcp/tcp.checker.js');
    const { SshChecker } = load('./checker/ssh/ssh.checker.js');
    this.#load = load;
    this.#dialer = new Dialer(new HostResolver({ servers: nameServers }), new TrustedRoots(roots));
    this.#egress = new EgressPolicy(loadConfig({})).forOrganization({ id: null, isDefault: true });
    const http = new HttpCheck(this.#dialer);
    this.#checkers = {
      HTTP: new HttpChecker(http),
      HTTPS: new HttpsChecker(http),
      TCP: new TcpChecker(this.#dialer),
      DNS: this.dnsOf(),
      ICMP: this.icmpOf(),
      SSH: new SshChecker(this.#dialer),
    };
  }

  /** Returns a DNS checker with these resolvers (`address:port`) instead of the machine's resolvers. */
  dnsOf(resolvers) {
    const { DnsChecker } = this.#load('./checker/dns/dns.checker.js');
    const { SystemResolvers } = this.#load('./checker/dns/system-resolvers.js');
    return new DnsChecker(this.#dialer, new SystemResolvers(resolvers && (() => resolvers)));
  }

  /** Returns the ICMP checker restricted to the transport with this name. Default: the best permitted transport. */
  icmpOf(transport) {
    const { IcmpTransports, TRANSPORTS } = this.#load('./checker/icmp/icmp-transports.js');
    const { IcmpChecker } = this.#load('./checker/icmp/icmp.checker.js');
    const transports =
      this.#icmp.get(transport) ?? new IcmpTransports(TRANSPORTS.filter(({ name }) => name === (transport ?? name)));
    this.#icmp.set(transport, transports);
    return new IcmpChecker(this.#dialer, transports);
  }

  /** Returns a check that runs like in the scheduler. It can be called any number of times. */
  check(type, url, { checker = this.#checkers[type], timeoutMs = 10_000, assertions = [], egress, shutdown } = {}) {
    const { startDeadline } = this.#load('./platform/net/deadline.js');
    const { toCheckRequest } = this.#load('./checker/check-request.js');
    const request = toCheckRequest(
      checker,
      { url, method: 'GET', headers: [], body: null, followRedirects: true, tls: null, assertions },
      egress ?? this.#egress,
    );
    return async () => {
      const deadline = startDeadline(timeoutMs, shutdown?.());
      const result = await checker.check(request, deadline.signal);
      deadline.clear();
      return result;
    };
  }

  close() {
    for (const transports of this.#icmp.values()) transports.onModuleDestroy();
  }
}
