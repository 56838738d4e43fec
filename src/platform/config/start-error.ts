/**
 * The reason why the service can't start, for the operator. The message explains the fix and is shown without a stack
 * trace.
 */
export class StartError extends Error {
  /** Marks an operator's mistake, as opposed to a bug. */
  readonly code: string = 'CANNOT_START';
}
