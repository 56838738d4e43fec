import type { INestApplicationContext } from '@nestjs/common';
import { probeAt } from '../../../packages/testing/probe/start-probe';
import { MovingClock } from '../../../packages/testing/service/moving-clock';
import { ServerAccess } from '../../../src/platform/config/probe-config';
import { Clock } from '../../../src/platform/time/clock';
import { ProbingService } from '../../../src/probing/probing.service';
import { PROBE_TOKEN, type ScriptedServer } from './scripted-server';

/** How it reaches the service, where that is not directly with `PROBE_TOKEN`. */
export type Access = Partial<Pick<ServerAccess, 'token' | 'ca' | 'proxy' | 'noProxy'>>;

/** Its pauses take a part of their time: no test waits for them. */
const QUICKER = 50;

/** The program with `ROLE=probe` in this process, at a service whose clock goes with its own. */
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

  /** Time passes for the probe and its service, and what falls due begins. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.app.get(ProbingService).tick();
  }

  /** As after SIGTERM. */
  stop(): Promise<void> {
    return (this.ended ??= this.app.close());
  }
}
