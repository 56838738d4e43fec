import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownerFor } from '../database/embedded/data-owner';
import { syncDirectory } from '../files/durable-files.cjs';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes a file that only its user can read from its first byte on. If root writes it, it belongs to the owner of the directory.
 * What was at the path is replaced as a whole, a link itself and not its target, so that neither its permissions nor its target
 * matter. The file survives a power cut.
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
