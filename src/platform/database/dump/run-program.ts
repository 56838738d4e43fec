import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { StartError } from '../../config/start-error';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_ERROR_TEXT = 2000;

/** A program that runs, and how it ends. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves when it has ended well; throws a `StartError` with its error output otherwise. */
  readonly ended: Promise<void>;
}

/** Starts a program. Its error output is kept. */
export function start(
  program: string,
  args: readonly string[],
  environment: Environment,
  stdio: StdioOptions,
): Running {
  const child = spawn(program, args, { env: environment, stdio });
  const ended = endOf(basename(program), child);
  // It may fail while nothing waits for it yet.
  ended.catch(() => {});
  return { child, ended };
}

/** Resolves when the program has ended well; throws a `StartError` with its error output otherwise. */
export const run = (program: string, args: readonly string[], environment: Environment = process.env): Promise<void> =>
  start(program, args, environment, ['ignore', 'ignore', 'pipe']).ended;

/** Returns the output of the program after it has ended well. */
export async function outputOf(program: string, args: readonly string[], environment: Environment): Promise<string> {
  const { child, ended } = start(program, args, environment, ['ignore', 'pipe', 'pipe']);
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks).toString();
}

async function endOf(name: string, child: ChildProcess): Promise<void> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors = `${errors}${chunk.toString()}`.slice(-MAX_ERROR_TEXT)));
  let code: number | null;
  try {
    [code] = (await once(child, 'close')) as [number | null];
  } catch (error) {
    throw new StartError(`${name} cannot be run; is it installed?`, { cause: error });
  }
  if (code !== 0) throw new StartError(`${name} exited with ${code ?? 'a signal'}: ${errors.trim()}`);
}
