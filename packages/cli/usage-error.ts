import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A mistake in the command line; the message is shown without a stack. */
export class UsageError extends Error {}

/** `parseArgs` of Node that throws a `UsageError`. */
export function parseOrUsage<const Asked extends ParseArgsConfig>(asked: Asked): ReturnType<typeof parseArgs<Asked>> {
  try {
    return parseArgs(asked);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
