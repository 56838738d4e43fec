/** Why the service cannot start, for the operator: the message says what to do and is shown without a stack. */
export class StartError extends Error {
  /** Marks an operator's mistake, as opposed to a bug. */
  readonly code: string = 'CANNOT_START';
}
