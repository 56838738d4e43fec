import type { SignInProblem } from './who-is';

/**
 * The error of a user who returned from the provider and is not signed in. `message` is for the log and may contain the
 * provider's words.
 */
export class SignInRefused extends Error {
  constructor(
    readonly code: SignInProblem,
    message: string,
  ) {
    super(message);
  }
}
