import { Injectable } from '@nestjs/common';
import type { Tx } from '../database/database';

type EventClass<E extends object> = abstract new (...args: never[]) => E;
type Handler = (event: object, tx: Tx) => Promise<void>;

/**
 * Upward reactions between modules: a module emits what happens to its rows (a website or endpoint is stopped or
 * deleted), and modules above it react inside the same transaction. Everything else is a plain call downwards.
 */
@Injectable()
export class TransactionEvents {
  private readonly handlers = new Map<EventClass<object>, Handler[]>();

  on<E extends object>(type: EventClass<E>, handler: (event: E, tx: Tx) => Promise<void>): void {
    const list = this.handlers.get(type) ?? [];
    list.push(handler as Handler);
    this.handlers.set(type, list);
  }

  /** Runs the handlers one after the other; a throw rolls the caller's transaction back. */
  async emit(event: object, tx: Tx): Promise<void> {
    for (const handler of this.handlers.get(event.constructor as EventClass<object>) ?? []) await handler(event, tx);
  }
}
