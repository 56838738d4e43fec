import { ConfigError } from '../../../src/platform/config/env';
import { Problem } from '../../../src/platform/problem/problem';
import { UsageError } from '../usage-error';

export interface CommandResult {
  exitCode: 0 | 1 | 2;
  /** Printed to stdout. */
  output?: string;
  /** Printed to stderr. */
  remark?: string;
}

/**
 * Returns the result of the work, or an error message if it fails. The exit code is 2 for a command-line mistake.
 * `inOptions` replaces API field names with option names. Throws only if there is a bug.
 */
export async function resultOf(
  work: () => Promise<CommandResult>,
  inOptions: (text: string) => string,
): Promise<CommandResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UsageError) return { exitCode: 2, remark: error.message };
    if (error instanceof Problem) return { exitCode: 1, remark: inOptions(error.errors[0]?.message ?? error.detail) };
    if (error instanceof ConfigError || (error instanceof Error && 'code' in error))
      return { exitCode: 1, remark: error.message };
    throw error;
  }
}
