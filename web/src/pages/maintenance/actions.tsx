import { post, put, serviceNow } from '../../api/client';
import type { MaintenanceWindow } from '../../api/types';
import { confirmed } from '../../components/dialog';
import { Button } from '../../components/layout';
import { duration, time } from '../../logic/format';
import { startedNow } from '../../logic/maintenance';
import { refreshSoon } from '../../state/overview-store';
import { may } from '../../state/session';
import { runAction } from '../../state/toast';

/** Ends an active window, or starts a one-time window early. */
export function WindowActions({ of, then }: { of: MaintenanceWindow; then: () => void }) {
  const { id, name, status, cron } = of;
  const path = `/api/v1/maintenance-windows/${id}`;
  const run = async (action: () => Promise<unknown>, done: string) => {
    if (!(await runAction(action, done))) return;
    refreshSoon();
    then();
  };
  const end = () => run(() => post(`${path}/end`), `${name} has ended. Alerts can trigger again.`);
  const start = async () => {
    const times = startedNow(of, Math.floor(serviceNow() / 1000) * 1000);
    const length = (Date.parse(times.ends_at) - Date.parse(times.starts_at)) / 1000;
    const text = `“${name}” starts now instead of later, and ends at ${time(times.ends_at, Date.now())}, after ${duration(length)}.`;
    if (await confirmed('Start now', text)) await run(() => put(path, times), `${name} is active.`);
  };
  if (status === 'active' && may.mute())
    return (
      <Button label={`End ${name} now`} onClick={end}>
        End now
      </Button>
    );
  return status === 'scheduled' && cron === null && may.write() ? (
    <Button label={`Start ${name} now`} onClick={start}>
      Start now
    </Button>
  ) : null;
}
