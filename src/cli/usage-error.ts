/** A mistake in the command line; the message is shown without a stack. */
export class UsageError extends Error {}
