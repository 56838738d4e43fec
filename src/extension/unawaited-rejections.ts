import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { extensionIn, type Origin } from './origin';

/** The injection token of the extensions' origins. */
export const ORIGINS = Symbol('origins of extensions');

/**
 * Handles unhandled rejections in the code of extensions. Normally such a rejection terminates the process, because its
 * state is unknown. If it came from an extension, this would stop all checks because of a bug in one package. The
 * rejection is therefore logged with the extension's name and counted.
 */
@Injectable()
export class UnawaitedRejections implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(UnawaitedRejections.name);
  private readonly count;

  constructor(
    @Inject(ORIGINS) private readonly origins: readonly Origin[],
    metrics: Metrics,
  ) {
    this.count = metrics.counter({
      name: 'uptime_extension_rejections_total',
      help: 'Unhandled promise rejections in the code of extensions.',
      labelNames: ['extension'],
    });
  }

  onModuleInit(): void {
    if (this.origins.length > 0) process.on('unhandledRejection', this.take);
  }

  onApplicationShutdown(): void {
    process.off('unhandledRejection', this.take);
  }

  private readonly take = (reason: unknown): void => {
    const stack = reason instanceof Error ? (reason.stack ?? '') : '';
    const extension = extensionIn(stack, this.origins);
    if (extension !== null) {
      this.count.inc({ extension });
      this.logger.error(`Unhandled promise rejection in extension "${extension}": ${stack}`);
      return;
    }
    // This is what happens without a listener. If the process has other listeners, such as one in its main program,
    // they decide.
    if (process.listenerCount('unhandledRejection') === 1) throw reason;
  };
}
