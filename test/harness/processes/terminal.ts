import { spawn } from 'node:child_process';

/** A command that runs on a separate terminal. */
export interface Terminal {
  shown: string;
  /** Sends Ctrl-C. Resolves with the exit code. */
  interrupt(): Promise<number | null>;
}

/** Runs a command line in `folder` on a pseudo-terminal, like a user would. */
export function onTerminal(command: string, folder: string, env: Readonly<Record<string, string>>): Terminal {
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    cwd: folder,
    env: { ...process.env, BOOTSTRAP_API_KEY: undefined, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((settle) => child.once('exit', settle));
  const terminal = {
    shown: '',
    interrupt: () => {
      child.stdin.write('\u0003');
      return ended;
    },
  };
  child.stdout.on('data', (chunk: Buffer) => (terminal.shown += chunk.toString()));
  return terminal;
}

/** Returns the first one-time dashboard sign-in link in a text, or an empty string. */
export const signInLinkIn = (text: string): string => /http\S+#\/sign-in\/[\w-]+/.exec(text)?.[0] ?? '';
