/** Exits the process after an uncaught error, because its state is unknown. The supervisor starts a new one. */
export function fail(error: unknown): void {
  process.stderr.write(`${wordsOf(error)}\n`);
  process.exit(1);
}

/** Returns the text to print. Configuration mistakes need no stack trace. */
export const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return process.env['LOG_LEVEL'] === 'debug' || !isOperatorError(error)
    ? (error.stack ?? error.message)
    : error.message;
};

const isOperatorError = (error: Error): boolean =>
  ['ConfigError', 'StartError'].includes(error.constructor.name) || 'code' in error;
