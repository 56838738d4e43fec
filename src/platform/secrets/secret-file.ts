import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownerFor } from '../database/embedded/data-owner';
import { syncDirectory } from '../files/durable-files.cjs';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes a file that, from the first byte on, only its owner can read. If root writes it, it belongs to the directory's
 * owner. Replaces any existing file or link at the path. A link itself is replaced and not its target, so neither its
 * permissions nor its target matter. The file survives a power failure.
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      const owner = ownerFor(dirname(path));
      if (owner !== null) await file.chown(owner.uid, owner.gid);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    syncDirectory(dirname(path));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
