import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { Config } from '../../../src/platform/config/config';
import { ServerAccess } from '../../../src/platform/config/probe-config';
import { EventLoopLag } from '../../../src/platform/observability/event-loop-lag';
import { createProbe } from '../../../src/probing/create-probe';
import { eventually } from '../eventually';
import { newProbe, type ProbeSettings, type ServiceOfProbe } from './new-probe';

/** A probe that works for a service. */
export interface StartedProbe {
  /** `pr_…` */
  readonly id: string;
  /** What endpoints name it by in their `locations`. */
  readonly location: string;
  /** Ends it as SIGTERM does: checks end, what they found is sent. Stop it before the service is closed. */
  stop(): Promise<void>;
}

/**
 * Makes a probe and starts the program with `ROLE=probe` for it, in this process: it checks the endpoints that name it when their
 * slots are due, also where the service checks on demand. Resolves when the service has heard it.
 */
export async function startProbe(service: ServiceOfProbe, settings: ProbeSettings): Promise<StartedProbe> {
  const { id, token } = await newProbe(service, settings);
  const app = await probeAt(new ServerAccess(service.url, token, null, null, []));
  let ended: Promise<void> | null = null;
  const stop = (): Promise<void> => (ended ??= app.close());
  try {
    await eventually('the probe to connect', async () => {
      const { body } = await service.admin.get<{ status: string }>(`/probes/${id}`);
      return body.status === 'online';
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { id, location: settings.key, stop };
}

/** The program in this process, at any service. */
export async function probeAt(access: ServerAccess): Promise<INestApplicationContext> {
  const config = Object.assign(new Config(), { role: 'probe', logLevel: process.env['TEST_LOG'] ?? 'silent' });
  const app = await createProbe(config, access);
  // What blocks a test process is no reason to check once more, and a moved clock is no stall.
  app.get(EventLoopLag).silence();
  return app;
}
