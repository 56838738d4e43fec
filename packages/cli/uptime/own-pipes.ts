import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A pipe of the operating system: `write` is for a child, whose own copy it becomes; close ours after the child has begun. */
export interface OwnPipe {
  read: Readable;
  write: number;
  closeWrite(): void;
}

/**
 * Node's own pipes to children are sockets: `echo x > /dev/stderr` fails on one, and a writer that nobody reads learns it as
 * ECONNRESET instead of SIGPIPE. Null where there are no named pipes, or no room for one.
 */
export function ownPipe(): OwnPipe | null {
  let folder: string | undefined;
  try {
    folder = mkdtempSync(join(tmpdir(), 'uptime-run-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', ['-m', '600', path], { stdio: 'ignore' });
    // Without O_NONBLOCK the first to open waits for the other.
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
