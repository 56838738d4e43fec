import { parseArgs, type ParseArgsConfig } from 'node:util';

/** A mistake in the command line; the message is shown without a stack. */
export class UsageError extends Error {}

/** The arguments by these options, and what stands beside them. Throws a `UsageError`. */
export function parseOrUsage<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
