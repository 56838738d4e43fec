import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes a file that only its user can read from its first byte on. What stood at the path is replaced as a whole, a link
 * itself and not what it leads to, so that neither its permissions nor its target matter.
 */
export async function writeSecretFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    const file = await open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
