import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { Logger } from '@nestjs/common';
import { Health } from '../platform/observability/health';
import { serviceLogger } from '../platform/observability/service-logger';
import { settingsWithoutEffect } from '../platform/config/probe-config';
import { unknownSettings } from '../platform/config/unknown-settings';
import { createProbe } from '../probe-agent/create-probe';
import { ProbeHttp } from '../probe-agent/probe-http';
import { addressOf } from './banner';
import { unsupportedNode } from './node-support';
import { listen } from './listen';
import { logStart } from './print';
import type { ProbeStartSettings } from './start-settings';
import { stopOnSignals } from './stop-on-signals';

/** Runs a probe in this process until a signal stops it. Resolves when the probe is running and has logged that. */
export async function runProbe({ environment, config, access }: ProbeStartSettings): Promise<void> {
  // Limits V8's young generation to a few MiB. With this limit, 1,000 endpoints take at most 105 MB instead of 125. It
  // is set after loading, because V8 accepts compiled code (module-bundle.ts) only under the flags that it was created
  // with.
  setFlagsFromString('--semi-space-growth-factor=1');
  Logger.overrideLogger(serviceLogger(config));
  const logger = new Logger('Settings');
  for (const text of [...unknownSettings(environment), ...settingsWithoutEffect(environment)]) logger.warn(text);
  const outdated = unsupportedNode(process.version, new Date());
  if (outdated !== null) new Logger('Main').warn(outdated);
  const probe = await createProbe(config, access);
  stopOnSignals({ health: probe.get(Health), drainSeconds: 0, stopListening: () => {}, close: () => probe.close() });
  const http = probe.get(ProbeHttp);
  await listen(http, config);
  logStart(
    `Probe is running at ${addressOf(http, config)} (/health/ready, /metrics) and runs checks for ${access.url}`,
  );
}
