import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/**
 * An operating system pipe. Pass `write` to a child process, which gets its own copy. Close this copy after the child
 * has started.
 */
export interface OwnPipe {
  read: Readable;
  write: number;
  closeWrite(): void;
}

/**
 * Creates a named pipe. Node's own pipes to children are sockets. On a socket, `echo x > /dev/stderr` fails, and a
 * writer without a reader gets ECONNRESET instead of SIGPIPE. Returns null if the system has no named pipes or no disk
 * space for one.
 */
export function ownPipe(): OwnPipe | null {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'uptime-run-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
    // Without O_NONBLOCK, the first `open` would wait for the second.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(path, constants.O_WRONLY);
    return {
      read: new Socket({ fd: readEnd, readable: true, writable: false }),
      write,
      closeWrite: () => closeSync(write),
    };
  } catch {
    return null;
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}
