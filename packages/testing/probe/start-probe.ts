import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { Config } from '../../../src/platform/config/config';
import { ServerAccess } from '../../../src/platform/config/probe-config';
import { EventLoopLag } from '../../../src/platform/observability/event-loop-lag';
import { createProbe } from '../../../src/probe-agent/create-probe';
import { eventually } from '../eventually';
import { newProbe, type ProbeSettings, type ServiceOfProbe } from './new-probe';

/** A probe that is running for a service. */
export interface StartedProbe {
  /** Starts with `pr_`. */
  readonly id: string;
  /** The name that endpoints use in `locations`. */
  readonly location: string;
  /**
   * Stops the probe like SIGTERM does: its checks finish and their results are sent. Call this before you close the
   * service.
   */
  stop(): Promise<void>;
}

/**
 * Creates a probe and runs the program with `ROLE=probe` in this process. It checks endpoints when their slots are due,
 * even if the service only checks on demand. Resolves when the service has seen it.
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

/** Runs the program in this process, for any service. */
export async function probeAt(access: ServerAccess): Promise<INestApplicationContext> {
  const config = Object.assign(new Config(), { role: 'probe', logLevel: process.env['TEST_LOG'] ?? 'silent' });
  const app = await createProbe(config, access);
  // A blocked test process must not cause another check, and a moved clock isn't a stall.
  app.get(EventLoopLag).silence();
  return app;
}
