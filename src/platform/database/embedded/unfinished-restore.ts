import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../config/start-error';

/** Exists in the data directory while a backup is being restored, and after a restore that was killed or lost power. */
export const UNFINISHED_RESTORE = 'restore.unfinished';

/**
 * Throws a `StartError` if the data directory contains only a part of a backup. A start would replace it with an empty
 * database.
 */
export function requireFinishedRestore(directory: string): void {
  if (!existsSync(join(directory, UNFINISHED_RESTORE))) return;
  throw new StartError(
    `DATA_DIR: ${directory} contains only a part of a backup, because the restore was interrupted. Restore the backup again.`,
  );
}
