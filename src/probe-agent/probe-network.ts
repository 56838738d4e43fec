import { Injectable } from '@nestjs/common';
import { NetworkLookup, type NetworkState } from '../engine/run/network-state';
import { Config } from '../platform/config/config';
import { ServerAccess } from '../platform/config/probe-config';
import { Dialer } from '../platform/net/dial/dialer';
import { targetOf } from './server/proxy-agent';

/**
 * Determines whether a probe's machine has a network connection. Without `CONNECTIVITY_TARGETS`, it tests the
 * connection to the service or its proxy. A failed test alone proves nothing, and counts only if many endpoints fail at
 * the same time.
 */
@Injectable()
export class ProbeNetwork extends NetworkLookup {
  constructor(
    private readonly settings: Config,
    dialer: Dialer,
    private readonly access: ServerAccess,
  ) {
    super(settings, dialer);
  }

  override get hasTargets(): boolean {
    return true;
  }

  override async look(): Promise<NetworkState> {
    if (this.settings.connectivityTargets.length > 0) return super.look();
    if ((await this.routing()) === 'offline') return 'offline';
    return (await this.reaches(targetOf(this.access))) ? 'online' : 'unproven';
  }
}
