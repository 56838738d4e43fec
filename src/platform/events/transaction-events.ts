import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database';

type EventClass<E extends object> = abstract new (...args: never[]) => E;
type Handler = (event: object, tx: Tx) => Promise<void>;

/**
 * Lets lower-level modules notify higher-level ones. A module emits an event when its rows change (a website or
 * endpoint is stopped or deleted), and higher-level modules react in the same transaction. All other calls go directly
 * from higher to lower levels.
 */
@Injectable()
export class TransactionEvents {
  private readonly handlers = new Map<EventClass<object>, Handler[]>();

  on<E extends object>(type: EventClass<E>, handler: (event: E, tx: Tx) => Promise<void>): void {
    const list = this.handlers.get(type) ?? [];
    list.push(handler as Handler);
    this.handlers.set(type, list);
  }

  /** Runs the handlers one at a time. An error rolls back the caller's transaction. */
  async emit(event: object, tx: Tx): Promise<void> {
    for (const handler of this.handlers.get(event.constructor as EventClass<object>) ?? []) await handler(event, tx);
  }
}
