import { readFile } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { startDeadline } from '../../platform/net/deadline';
import { DialError } from '../../platform/net/dial/dial-error';
import { Dialer } from '../../platform/net/dial/dialer';
import { OPERATORS_EGRESS } from '../../platform/net/egress/egress-policy';

const PROBE_TIMEOUT_MS = 3000;

/** Asks whether this machine has a network: `CONNECTIVITY_TARGETS`, or without any the routing table. Keeps nothing. */
@Injectable()
export class NetworkProbe {
  constructor(
    private readonly config: Config,
    private readonly dialer: Dialer,
  ) {}

  /** False when only the routing table can be asked, which proves little. */
  get hasTargets(): boolean {
    return this.config.connectivityTargets.length > 0;
  }

  /** True when more than half of the targets are out of reach, or when there is no default route. */
  async isOffline(): Promise<boolean> {
    if (!this.hasTargets) return !(await hasDefaultRoute());
    const targets = this.config.connectivityTargets;
    const reached = await Promise.all(targets.map((target) => this.reaches(target)));
    return reached.filter(Boolean).length * 2 < targets.length;
  }

  private async reaches(target: string): Promise<boolean> {
    const colon = target.lastIndexOf(':');
    const deadline = startDeadline(PROBE_TIMEOUT_MS);
    try {
      const host = target.slice(0, colon).replace(/^\[|\]$/g, '');
      const { socket } = await this.dialer.dial({
        host,
        port: Number(target.slice(colon + 1)),
        egress: OPERATORS_EGRESS,
        signal: deadline.signal,
      });
      socket.destroy();
      return true;
    } catch (error) {
      // A refusal comes from another machine, so the network works.
      return error instanceof DialError && error.code === 'connection_refused';
    } finally {
      deadline.clear();
    }
  }
}

/** Read from /proc on Linux. Where that cannot be read there is no evidence of being offline. */
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
