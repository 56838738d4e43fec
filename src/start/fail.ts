/** Nothing half-alive: what nobody caught ends the process, and the supervisor starts a new one. */
export function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? describe(error) : String(error)}\n`);
  process.exit(1);
}

/** Mistakes of the operator need no stack. */
const describe = (error: Error): string =>
  process.env['LOG_LEVEL'] === 'debug' || !isOperatorError(error) ? (error.stack ?? error.message) : error.message;
const isOperatorError = (error: Error): boolean =>
  ['ConfigError', 'StartError'].includes(error.constructor.name) || 'code' in error;
