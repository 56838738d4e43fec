import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database';

type EventClass<E extends object> = abstract new (...args: never[]) => E;
type Handler = (event: object, tx: Tx) => Promise<void>;

/**
 * Lets lower modules notify higher ones. A module emits changes of its rows (a website or endpoint is stopped or
 * deleted), and modules above it react in the same transaction. All other calls go downwards directly.
 */
@Injectable()
export class TransactionEvents {
  private readonly handlers = new Map<EventClass<object>, Handler[]>();

  on<E extends object>(type: EventClass<E>, handler: (event: E, tx: Tx) => Promise<void>): void {
    const list = this.handlers.get(type) ?? [];
    list.push(handler as Handler);
    this.handlers.set(type, list);
  }

  /** Runs the handlers one after the other. An error rolls back the caller's transaction. */
  async emit(event: object, tx: Tx): Promise<void> {
    for (const handler of this.handlers.get(event.constructor as EventClass<object>) ?? []) await handler(event, tx);
  }
}
