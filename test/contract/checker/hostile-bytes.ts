import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { LiveTarget } from '../../../packages/testing/checker/describe-checker';
import { silence, slam, TcpTarget } from '../../../packages/testing/servers/tcp-target';

type Script = (socket: Socket) => void;

/** Also notices when the client leaves. */
const quiet = (socket: Socket): Socket => socket.on('error', () => {}).resume();

/** Scripts of servers that no client of a protocol with connections may trust. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  'resets at once': slam,
  'closes at once': (socket) => void quiet(socket).end(),
  'sends 10,000 random bytes': (socket) => {
    quiet(socket).on('data', () => {});
    socket.write(randomBytes(10_000));
  },
  'sends without end': (socket) => {
    const chunk = Buffer.alloc(65_536, 'a');
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    quiet(socket)
      .on('data', () => {})
      .on('drain', more);
    more();
  },
  'sends one byte at a time': (socket) => {
    quiet(socket).on('data', () => {});
    const timer = setInterval(() => socket.write('1'), 5);
    socket.on('close', () => clearInterval(timer));
  },
};

/** Opens the servers that every checker with connections has to survive. `urlOf` returns the URL for an authority. */
export async function hostileServers(
  urlOf: (authority: string) => string,
  more: Readonly<Record<string, Script>> = {},
): Promise<{
  hostile: (LiveTarget & { name: string; outcome: 'down' })[];
  silent: LiveTarget;
  close: () => Promise<void>;
}> {
  const live = (target: TcpTarget): LiveTarget => ({
    url: urlOf(target.authority),
    arrived: () => target.accepted,
    untilLeft: () => target.untilLeft(),
  });
  const targets: TcpTarget[] = [];
  const open = async (script: Script): Promise<LiveTarget> => {
    const target = await TcpTarget.listen(script);
    targets.push(target);
    return live(target);
  };
  const hostile: (LiveTarget & { name: string; outcome: 'down' })[] = [];
  for (const [name, script] of Object.entries({ ...SCRIPTS, ...more }))
    hostile.push({ ...(await open(script)), name, outcome: 'down' });
  return {
    hostile,
    silent: await open(silence),
    close: async () => {
      await Promise.all(targets.map((target) => target.close()));
    },
  };
}

/** Answers each packet with the next of these texts. */
export const answering =
  (...answers: (string | Buffer)[]): Script =>
  (socket) => {
    const left = [...answers];
    quiet(socket).on('data', () => {
      const next = left.shift();
      if (next !== undefined) socket.write(next);
    });
  };

/** Greets, and then answers each packet with the next of these texts. */
export const greeting =
  (first: string, ...answers: (string | Buffer)[]): Script =>
  (socket) => {
    answering(...answers)(socket);
    socket.write(first);
  };
