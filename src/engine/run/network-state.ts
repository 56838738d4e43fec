import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { startDeadline } from '../../platform/net/deadline';
import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { leave } from '../../platform/net/dial/leave';
import { hasLiveRoute } from '../../platform/net/dial/routes';
import { OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';

const REACH_TIMEOUT_MS = 3000;

/**
 * The state of the network. `unproven` means that there is no default route and never was one, as in an isolated
 * network. That alone proves nothing.
 */
export type NetworkState = 'online' | 'offline' | 'unproven';

/** Looks up whether this machine has a network connection, through `CONNECTIVITY_TARGETS` or the routing table. */
@Injectable()
export class NetworkLookup {
  private hadDefaultRoute = false;

  constructor(
    private readonly config: Config,
    private readonly dialer: Dialer,
  ) {}

  /** False if only the routing table is available, which proves little. */
  get hasTargets(): boolean {
    return this.config.connectivityTargets.length > 0;
  }

  /** Returns `offline` if more than half of the targets can't be reached, or the default route is missing. */
  async look(): Promise<NetworkState> {
    if (!this.hasTargets) return this.routing();
    const targets = this.config.connectivityTargets;
    const reached = await Promise.all(targets.map((target) => this.reaches(target)));
    return reached.filter(Boolean).length * 2 < targets.length ? 'offline' : 'online';
  }

  /** Returns whether this machine has a route to the address, with or without a default route. */
  async hasRouteTo(address: string | null): Promise<boolean> {
    return address !== null && isIP(address) !== 0 && hasLiveRoute(address);
  }

  protected async routing(): Promise<NetworkState> {
    if (!(await hasDefaultRoute())) return this.hadDefaultRoute ? 'offline' : 'unproven';
    this.hadDefaultRoute = true;
    return 'online';
  }

  protected async reaches(target: string): Promise<boolean> {
    const colon = target.lastIndexOf(':');
    const deadline = startDeadline(REACH_TIMEOUT_MS);
    try {
      const host = target.slice(0, colon).replace(/^\[|\]$/g, '');
      const { socket } = await this.dialer.dial({
        host,
        port: Number(target.slice(colon + 1)),
        egress: OPERATORS_EGRESS,
        signal: deadline.signal,
      });
      void leave(socket);
      return true;
    } catch (error) {
      // A refusal comes from another machine, so the network works.
      return error instanceof DialError && error.code === 'connection_refused';
    } finally {
      deadline.clear();
    }
  }
}

/** Reads /proc on Linux. If it can't be read, there is no evidence of being offline. */
async function hasDefaultRoute(): Promise<boolean> {
  const [four, six] = await Promise.all([routes('/proc/net/route'), routes('/proc/net/ipv6_route')]);
  if (four === null && six === null) return true;
  const defaultFour = (four ?? []).some((line) => line.split(/\s+/)[1] === '00000000');
  const defaultSix = (six ?? []).some((line) => /^0{32} 00 /.test(line) && !line.endsWith(' lo'));
  return defaultFour || defaultSix;
}

async function routes(path: string): Promise<string[] | null> {
  try {
    return (await readFile(path, 'latin1')).split('\n');
  } catch {
    return null;
  }
}
