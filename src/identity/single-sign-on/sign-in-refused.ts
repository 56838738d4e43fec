import type { SignInProblem } from './who-is';

/**
 * Thrown if a user who returned from the provider can't be signed in. `message` is for the log and may contain text
 * from the provider.
 */
export class SignInRefused extends Error {
  constructor(
    readonly code: SignInProblem,
    message: string,
  ) {
    super(message);
  }
}
