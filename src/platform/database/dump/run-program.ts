import { type ChildProcess, spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { StartError } from '../../config/start-error';

type Environment = Readonly<Record<string, string | undefined>>;

const MAX_ERROR_TEXT = 2000;

export interface Running {
  readonly child: ChildProcess;
  /** Resolves when the program exits successfully. Throws a `StartError` with its error output otherwise. */
  readonly ended: Promise<void>;
}

/** Starts a program and keeps its error output. */
export function start(
  program: string,
  args: readonly string[],
  environment: Environment,
  stdio: StdioOptions,
): Running {
  const child = spawn(program, args, { env: environment, stdio });
  const ended = endOf(basename(program), child);
  // The promise may be rejected before anything awaits it.
  ended.catch(() => {});
  return { child, ended };
}

/** Runs a program. Resolves when it exits successfully. Throws a `StartError` with its error output otherwise. */
export const run = (program: string, args: readonly string[], environment: Environment = process.env): Promise<void> =>
  start(program, args, environment, ['ignore', 'ignore', 'pipe']).ended;

/** Runs a program and returns its output. */
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
