import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A command-line mistake. The message is shown without a stack trace. */
export class UsageError extends Error {}

/** Calls Node's `parseArgs`. Throws: `UsageError` if the arguments are wrong. */
export function parseOrUsage<const Asked extends ParseArgsConfig>(asked: Asked): ReturnType<typeof parseArgs<Asked>> {
  try {
    return parseArgs(asked);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
