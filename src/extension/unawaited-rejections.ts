import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Metrics } from '../platform/observability/metrics';
import { extensionIn, type Origin } from './origin';

/** The token of the extensions' origins. */
export const ORIGINS = Symbol('origins of extensions');

/**
 * A rejection that nobody waits for ends a process, and should: nobody knows what is left undone. But one in an extension's
 * code would end everybody's checks for the mistake of one package: it is logged with the extension's name, and counted.
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
    // As without a listener. Where the process has others, its own main among them, it is theirs to decide.
    if (process.listenerCount('unhandledRejection') === 1) throw reason;
  };
}
