import { statSync } from 'node:fs';
import { join } from 'node:path';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** Returns the owner of a file or directory, or `null` if it doesn't exist or this user can't see it. */
export function ownerOf(path: string): Owner | null {
  try {
    const { uid, gid } = statSync(path);
    return { uid, gid };
  } catch {
    return null;
  }
}

/** Returns this process's user, or `null` if the system has no user IDs. */
export function ownUser(): Owner | null {
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return uid === undefined || gid === undefined ? null : { uid, gid };
}

const isRoot = (): boolean => ownUser()?.uid === 0;

/**
 * Returns the user who must own the files that this process creates in a data directory. Returns `null` unless root
 * works in another user's directory. Files that belong to root would lock out that user, and therefore the service. If
 * the directory itself belongs to root, as with volumes shared by a group, the cluster's owner is used.
 */
export function ownerFor(directory: string): Owner | null {
  if (!isRoot()) return null;
  const owners = [directory, join(directory, 'pgdata')].map(ownerOf);
  return owners.find((owner) => owner !== null && owner.uid !== 0) ?? null;
}
