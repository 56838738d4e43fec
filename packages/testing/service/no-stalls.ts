import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import type { Extension } from '../../../src/extension/extension';
import { EventLoopLag } from '../../../src/platform/observability/event-loop-lag';

/** After every constructor, in which the listeners have come, and before the first check. */
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
 * A service that takes no pause of its process for a stall: neither a busy machine nor a clock that a test moves makes it run
 * a check twice, which would use up two results of a script, or refuse a request.
 */
export const noStalls: Extension = { name: 'no-stalls', modules: [NoStallsModule] };
