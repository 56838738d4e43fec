import type { INestApplicationContext } from '@nestjs/common';
import { probeAt } from '../../../packages/testing/probe/start-probe';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { ServerAccess } from '../../../src/platform/config/probe-config';
import { Clock } from '../../../src/platform/time/clock';
import { ProbeAgentService } from '../../../src/probe-agent/probe-agent.service';
import { PROBE_TOKEN, type ScriptedServer } from './scripted-server';

/** How the probe reaches the service, if not directly with `PROBE_TOKEN`. */
export type Access = Partial<Pick<ServerAccess, 'token' | 'ca' | 'proxy' | 'noProxy'>>;

/** The probe's pauses are shortened by this factor, so that tests don't wait for them. */
const QUICKER = 50;

/** The program with `ROLE=probe` in this process, connected to a service that uses the same clock. */
export class StartedProbe {
  private ended: Promise<void> | null = null;

  private constructor(
    readonly app: INestApplicationContext,
    private readonly clock: MovingClock,
  ) {}

  static async at(server: Pick<ScriptedServer, 'url' | 'now'>, access: Access = {}): Promise<StartedProbe> {
    const { token = PROBE_TOKEN, ca = null, proxy = null, noProxy = [] } = access;
    const app = await probeAt(new ServerAccess(server.url, token, ca, proxy, noProxy));
    const clock = app.get(Clock);
    const sleep = clock.sleep.bind(clock);
    clock.sleep = (ms, signal) => sleep(ms / QUICKER, signal);
    const probe = new StartedProbe(app, MovingClock.of(app));
    server.now = () => Date.now() + probe.clock.aheadMs;
    return probe;
  }

  /** Moves time forward for the probe and its service. Everything that becomes due starts. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.app.get(ProbeAgentService).tick();
  }

  /** Stops the probe like SIGTERM does. */
  stop(): Promise<void> {
    return (this.ended ??= this.app.close());
  }
}
