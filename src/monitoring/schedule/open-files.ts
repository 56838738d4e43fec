import { readFileSync } from 'node:fs';

/** Open files kept free for the database, the API and deliveries. A check may need two: it tries IPv6 and IPv4. */
const OTHER_FILES = 100;

/** How many checks the limit of open files allows at once. Read from /proc on Linux; elsewhere the setting alone counts. */
export function openFilesAllow(): number {
  if (process.platform !== 'linux') return Infinity;
  const [, files] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
  return files === undefined ? Infinity : Math.max(1, Math.floor((Number(files) - OTHER_FILES) / 2));
}
