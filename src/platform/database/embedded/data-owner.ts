import { statSync } from 'node:fs';
import { join } from 'node:path';

/** A user and a group of the system. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The owner of a file or a directory; `null` if it does not exist, or if this user may not see it. */
export function ownerOf(path: string): Owner | null {
  try {
    const { uid, gid } = statSync(path);
    return { uid, gid };
  } catch {
    return null;
  }
}

/** The user of this process; `null` where the system has no such numbers. */
export function ownUser(): Owner | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? null : { uid, gid };
}

const isRoot = (): boolean => ownUser()?.uid === 0;

/**
 * Returns who must own what this process creates in a data directory. `null` unless root works in the directory of another user:
 * files of root would keep that user, and so the service, out. The cluster's owner counts where the directory itself is root's,
 * as with volumes that are shared by a group.
 */
export function ownerFor(directory: string): Owner | null {
  if (!isRoot()) return null;
  const owners = [directory, join(directory, 'pgdata')].map(ownerOf);
  return owners.find((owner) => owner !== null && owner.uid !== 0) ?? null;
}
