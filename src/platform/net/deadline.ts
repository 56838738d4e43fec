import { getEventListeners } from 'node:events';

/** The reason a check's signal carries when the endpoint's own timeout ran out. Any other reason is the monitor's. */
export class DeadlineExceeded extends Error {
  constructor(readonly timeoutMs: number) {
    super(`no result within ${timeoutMs} ms`);
  }
}

export interface Deadline {
  /** Belongs to the check until `clear`; later checks may be given the same one. */
  signal: AbortSignal;
  /** Stops the timer; call it when the work has settled. */
  clear: () => void;
}

/** A controller costs more than all the rest of a TCP check, so those that were never aborted are used again. */
const spare: AbortController[] = [];
const MAX_SPARE = 1000;

/** The controllers that end with a parent: one listener on it for all of them, however many checks are in flight. */
const families = new WeakMap<AbortSignal, Set<AbortController>>();

/**
 * One total time limit for one check. The verdict is deferred by one turn of the event loop: timers run before sockets
 * are read, so after a stall an answer that has long arrived is still read first instead of being called a timeout.
 * `parent` (shutdown) aborts it early with the parent's reason.
 */
export function startDeadline(timeoutMs: number, parent?: AbortSignal): Deadline {
  const controller = spare.pop() ?? new AbortController();
  const family = parent && familyOf(parent);
  if (parent?.aborted) controller.abort(parent.reason);
  else family?.add(controller);
  let verdict: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    verdict = setImmediate(() => controller.abort(new DeadlineExceeded(timeoutMs)));
  }, timeoutMs);
  let cleared = false;
  return {
    signal: controller.signal,
    clear: () => {
      if (cleared) return;
      cleared = true;
      clearTimeout(timer);
      clearImmediate(verdict);
      family?.delete(controller);
      release(controller);
    },
  };
}

function familyOf(parent: AbortSignal): Set<AbortController> {
  const known = families.get(parent);
  if (known) return known;
  const family = new Set<AbortController>();
  families.set(parent, family);
  parent.addEventListener('abort', () => family.forEach((child) => child.abort(parent.reason)), { once: true });
  return family;
}

/** Only a signal that nobody listens to any more may be given to somebody else. */
function release(controller: AbortController): void {
  const { signal } = controller;
  if (signal.aborted || spare.length >= MAX_SPARE) return;
  if (getEventListeners(signal, 'abort').length === 0) spare.push(controller);
}
