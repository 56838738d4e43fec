import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Config } from '../platform/config/config';
import type { ServerAccess } from '../platform/config/probe-config';
import { serviceLogger } from '../platform/observability/service-logger';
import { ProbeAgentModule } from './probe-agent.module';

/**
 * Creates a probe that is already polling for work. Tests and `main.ts` start it in the same way. `ProbeHttp` isn't
 * listening yet.
 */
export function createProbe(config: Config, access: ServerAccess): Promise<INestApplicationContext> {
  const logger = serviceLogger(config);
  return NestFactory.createApplicationContext(ProbeAgentModule.forRoot(config, access), {
    abortOnError: false,
    logger,
  });
}
