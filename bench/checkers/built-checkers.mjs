// The checkers of the built service, wired as the service wires them.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A `require` for the modules of `dist`, which is built first where it is not named. */
export function loadBuilt(dist) {
  if (!dist) spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-needed'], { stdio: 'inherit' });
  const load = createRequire(join(resolve(dist ?? join(root, 'dist')), 'bench.js'));
  load('reflect-metadata');
  return load;
}

/** All six checkers over one dialer. */
export class BuiltCheckers {
  #load;
  #dialer;
  #icmp = new Map();
  #checkers;
  #egress;

  /** `roots`: PEM of the authorities to trust; `nameServers`: who resolves host names, by default the machine's. */
  constructor(load, { roots, nameServers } = {}) {
    const { Dialer } = load('./platform/net/dialer.js');
    const { HostResolver } = load('./platform/net/host-resolver.js');
    const { TrustedRoots } = load('./platform/net/trusted-roots.js');
    const { EgressPolicy } = load('./platform/net/egress-policy.js');
    const { loadConfig } = load('./platform/config/config.js');
    const { HttpProbe } = load('./checker/http-probe.js');
    const { HttpChecker } = load('./checker/http.checker.js');
    const { HttpsChecker } = load('./checker/https.checker.js');
    const { TcpChecker } = load('./checker/tcp.checker.js');
    const { SshChecker } = load('./checker/ssh.checker.js');
    this.#load = load;
    this.#dialer = new Dialer(new HostResolver({ servers: nameServers }), new TrustedRoots(roots));
    this.#egress = new EgressPolicy(loadConfig({})).forOrganization({ isDefault: true });
    const probe = new HttpProbe(this.#dialer);
    this.#checkers = {
      HTTP: new HttpChecker(probe),
      HTTPS: new HttpsChecker(probe),
      TCP: new TcpChecker(this.#dialer),
      DNS: this.dnsOf(),
      ICMP: this.icmpOf(),
      SSH: new SshChecker(this.#dialer),
    };
  }

  /** A DNS checker with resolvers of its own (`address:port`) in place of the machine's. */
  dnsOf(resolvers) {
    const { DnsChecker } = this.#load('./checker/dns.checker.js');
    const { SystemResolvers } = this.#load('./checker/system-resolvers.js');
    return new DnsChecker(this.#dialer, new SystemResolvers(resolvers && (() => resolvers)));
  }

  /** The ICMP checker by the rung of this name only, by default by the best that is permitted. */
  icmpOf(rung) {
    const { IcmpCapability, ICMP_LADDER } = this.#load('./checker/icmp-capability.js');
    const { IcmpChecker } = this.#load('./checker/icmp.checker.js');
    const capability =
      this.#icmp.get(rung) ?? new IcmpCapability(ICMP_LADDER.filter(({ name }) => name === (rung ?? name)));
    this.#icmp.set(rung, capability);
    return new IcmpChecker(this.#dialer, capability);
  }

  /** One check as the scheduler runs it, to be called any number of times. */
  check(type, url, { checker = this.#checkers[type], timeoutMs = 10_000, assertions = [], egress, shutdown } = {}) {
    const { startDeadline } = this.#load('./checker/deadline.js');
    const request = {
      target: checker.parseTarget(url),
      method: 'GET',
      headers: [],
      body: null,
      followRedirects: true,
      assertions,
      egress: egress ?? this.#egress,
    };
    return async () => {
      const deadline = startDeadline(timeoutMs, shutdown?.());
      const report = await checker.check(request, deadline.signal);
      deadline.clear();
      return report;
    };
  }

  close() {
    for (const capability of this.#icmp.values()) capability.onModuleDestroy();
  }
}
