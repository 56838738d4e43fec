import { post, serviceNow } from '../api/client';
import type { MaintenanceScope, MaintenanceWindow } from '../api/types';
import { duration, time } from '../logic/format';
import { muteOf } from '../logic/maintenance';
import { refreshSoon } from './overview-store';
import { runAction, showToast } from './toast';

const HOUR = 3600;

/**
 * Mutes a scope starting now, by default for an hour. Its checks count, and the window isn't public. Throws:
 * `ApiProblem`.
 */
export async function muteNow(scope: MaintenanceScope, what: string, seconds = HOUR): Promise<void> {
  const made = await post<MaintenanceWindow>(
    '/api/v1/maintenance-windows',
    muteOf(scope, what, seconds, Math.floor(serviceNow() / 1000) * 1000),
  );
  const end = made.active_until ?? made.ends_at;
  const until = end === null ? `for ${duration(seconds)}` : `until ${time(end, Date.now())}`;
  showToast(`${what}: no alerts ${until}.`, 'good', () => unmute(made.id, what));
  refreshSoon();
}

async function unmute(id: string, what: string): Promise<void> {
  await runAction(() => post(`/api/v1/maintenance-windows/${id}/end`), `${what}: alerts can trigger again.`);
  refreshSoon();
}

/** Mutes a scope for an hour. Failures are shown instead of thrown. */
export const muteHour = (scope: MaintenanceScope, what: string): Promise<boolean> =>
  runAction(() => muteNow(scope, what));
