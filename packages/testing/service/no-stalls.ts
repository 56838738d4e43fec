import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import type { Extension } from '../../../src/extension/extension';
import { EventLoopLag } from '../../../src/platform/observability/event-loop-lag';

/** Runs after every constructor, when the listeners are registered, and before the first check. */
@Injectable()
class NobodyIsToldOfStalls implements OnModuleInit {
  constructor(private readonly lag: EventLoopLag) {}

  onModuleInit(): void {
    this.lag.silence();
  }
}

@Module({ providers: [NobodyIsToldOfStalls] })
class NoStallsModule {}

/**
 * A service that ignores stalls in its process. A busy machine or a moved clock must not repeat a check, which would
 * consume two scripted results, or cause a request to be refused.
 */
export const noStalls: Extension = { name: 'no-stalls', modules: [NoStallsModule] };
