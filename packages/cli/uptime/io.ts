import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What a command may use of its process. */
export interface Io {
  env: Environment;
  /** Where relative paths begin. */
  folder: string;
  stdin: AsyncIterable<Uint8Array | string>;
  /** Results, for people or programs. */
  out(text: string): void;
  /** Everything else. */
  err(text: string): void;
  /** For what another program writes. Whoever listens to their errors decides what becomes of them. */
  stdout: Writable;
  stderr: Writable;
  /** Whether somebody can be asked. */
  isInteractive: boolean;
  hasColour: boolean;
  /** Shows a question and waits for the line that is typed. Empty when the input ends. */
  ask(question: string): Promise<string>;
}

/** Said to whoever called; without a stack, and the command ends with 1. */
export class CommandError extends Error {}

/** Those of this process. */
export function processIo(): Io {
  const { env, stdin, stdout, stderr } = process;
  // `uptime ls | head`: nobody reads on.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (stdout.listenerCount('error') === 1) process.exit(error.code === 'EPIPE' ? 0 : 1);
  });
  const isPlain = (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return {
    env,
    // npm runs its scripts in the folder of the package.
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
