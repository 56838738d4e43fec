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
 * A service that ignores stalls of its process. A busy machine or a moved clock must not repeat a check, which would
 * use up two results of a script, or refuse a request.
 */
export const noStalls: Extension = { name: 'no-stalls', modules: [NoStallsModule] };
