import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../../config/start-error';

/**
 * This file exists in the data directory while a backup is being restored, and after a restore was killed or
 * interrupted by a power failure.
 */
export const UNFINISHED_RESTORE = 'restore.unfinished';

/**
 * Throws a `StartError` if the data directory contains only part of a backup. Otherwise, the service would replace it
 * with an empty database at startup.
 */
export function requireFinishedRestore(directory: string): void {
  if (!existsSync(join(directory, UNFINISHED_RESTORE))) return;
  throw new StartError(
    `DATA_DIR: ${directory} contains only a part of a backup, because the restore was interrupted. Restore the backup again.`,
  );
}
