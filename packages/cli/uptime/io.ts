import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of the process that a command may use. */
export interface Io {
  env: Environment;
  /** Relative paths are resolved against this folder. */
  folder: string;
  stdin: AsyncIterable<Uint8Array | string>;
  /** Prints a result, for people or other programs. */
  out(text: string): void;
  /** Prints everything else. */
  err(text: string): void;
  /** For another program's output. Code that listens for errors on these streams also handles them. */
  stdout: Writable;
  stderr: Writable;
  /** Whether a user is available to answer questions. */
  isInteractive: boolean;
  hasColour: boolean;
  /** Shows a question and returns the line that the user types, or an empty string at the end of the input. */
  ask(question: string): Promise<string>;
}

/** An error for the user. It is shown without a stack trace, and the command exits with code 1. */
export class CommandError extends Error {}

export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process;
  // `uptime ls | head`: the reader has stopped reading.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (stdout.listenerCount('error') === 1) process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    env,
    // npm runs its scripts in the package's folder.
    folder:
      (['uptime', 'check-url'].includes(env['npm_lifecycle_event'] ?? '') ? env['INIT_CWD'] : undefined) ??
      process.cwd(),
    stdin,
    stdout,
    stderr,
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isInteractive: stdin.isTTY && stderr.isTTY,
    hasColour: stdout.isTTY && !isPlain,
    ask: async (question) => {
      const terminal = createInterface({ input: stdin, output: stderr });
      const ended = new Promise<string>((settle) => terminal.once('close', () => settle('')));
      try {
        return await Promise.race([terminal.question(question), ended]);
      } finally {
        terminal.close();
      }
    },
  };
}
