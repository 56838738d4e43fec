import type { SignInProblem } from './who-is';

/** Somebody who came back from the provider is not signed in. `message` says why, for the log: it may have the provider's words. */
export class SignInRefused extends Error {
  constructor(
    readonly code: SignInProblem,
    message: string,
  ) {
    super(message);
  }
}
