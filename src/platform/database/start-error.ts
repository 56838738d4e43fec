/** Why the service cannot start, told to whoever runs it: the message says what to do, a stack would not. */
export class StartError extends Error {
  /** Marks an operator's mistake, as opposed to a bug. */
  readonly code: string = 'CANNOT_START';
}
