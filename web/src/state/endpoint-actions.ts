import { get, post, put, query, remove } from '../api/client';
import type { Alert, Check, Endpoint } from '../api/types';
import { confirmed } from '../components/dialog';
import { WARN_DAYS } from '../logic/endpoint-defaults';
import { count, day, ms, words } from '../logic/format';
import { refreshSoon, refreshWebsites } from './overview-store';
import { runAction, showToast } from './toast';

/** Runs and records a check, then shows its result. Without `location`, the service selects one. */
export async function checkNow(id: string, name: string, location?: string): Promise<void> {
  await runAction(async () => {
    const check = await post<Check>(`/api/v1/endpoints/${id}/checks${query({ location })}`);
    const verdict =
      check.outcome === 'up' ? `up in ${ms(check.duration_ms)}` : `${check.outcome}: ${words(check.error?.code ?? '')}`;
    showToast(
      `${name} is ${verdict}${location === undefined ? '' : `, from ${location}`}`,
      check.outcome === 'up' ? 'good' : check.outcome === 'down' ? 'bad' : 'warn',
    );
    refreshSoon();
  });
}

/** Pauses or resumes an endpoint's checks. The user can undo this for ten seconds. `then` also runs after an undo. */
export async function setEnabled(id: string, name: string, enabled: boolean, then?: () => void): Promise<void> {
  await runAction(
    () => put(`/api/v1/endpoints/${id}`, { enabled }),
    `${name} is ${enabled ? 'monitored again' : 'paused'}.`,
    () => setEnabled(id, name, !enabled, then),
  );
  refreshSoon();
  then?.();
}

/** Pauses or resumes all endpoints on a website. The user can undo this for ten seconds. */
export async function setWebsiteEnabled(id: string, name: string, enabled: boolean): Promise<void> {
  await runAction(
    () => put(`/api/v1/websites/${id}`, { enabled }),
    `${name} is ${enabled ? 'monitored again' : 'paused'}.`,
    () => setWebsiteEnabled(id, name, !enabled),
  );
  refreshSoon();
  void refreshWebsites();
}

/** The maximum number of alert rules that are counted before an endpoint is deleted. */
const MOST_COUNTED = 100;

/** Returns what is lost: the number of alert rules, and since when there is history. */
async function lossText({ id, created_at }: { id: string; created_at?: string }): Promise<string> {
  const { length } = await get<Alert[]>(`/api/v1/alerts${query({ endpoint_id: id, limit: MOST_COUNTED })}`);
  const rules =
    length === 0 ? 'It has no alert rules' : `Its ${count(length, 'alert rule')} will no longer notify anyone`;
  return `${rules}. Its history${created_at === undefined ? '' : ` since ${day(created_at)}`} is no longer shown.`;
}

/**
 * Deletes endpoints after a question that names what is lost. The user can undo it, and restore them for seven days.
 * Returns whether they are deleted.
 */
export async function deleteEndpoints(
  list: readonly (Pick<Endpoint, 'id' | 'name'> & { created_at?: string })[],
): Promise<boolean> {
  const [first] = list;
  if (!first) return false;
  const what = list.length === 1 ? first.name : count(list.length, 'endpoint');
  const lost =
    list.length === 1
      ? await lossText(first).catch(() => 'Its alert rules and history are deleted with it.')
      : 'Their alert rules will no longer notify anyone, and their history is no longer shown.';
  const text = `${lost} For 7 days, you can restore everything under Settings › Deleted endpoints.`;
  if (!(await confirmed(`Delete ${what}`, text))) return false;
  const isDone = await runAction(
    async () => {
      for (const { id } of list) await remove(`/api/v1/endpoints/${id}`);
    },
    `${what} ${list.length === 1 ? 'is' : 'are'} deleted.`,
    () => restoreEndpoints(list),
  );
  refreshSoon();
  return isDone;
}

async function restoreEndpoints(list: readonly Pick<Endpoint, 'id' | 'name'>[]): Promise<void> {
  await runAction(
    async () => {
      for (const { id } of list) await post(`/api/v1/deleted-endpoints/${id}/restore`);
    },
    `${list.length === 1 ? (list[0]?.name ?? '') : count(list.length, 'endpoint')} restored.`,
  );
  refreshSoon();
}

/** Turns on warnings before the certificate expires, using the default for a new endpoint. */
export async function warnOfCertificate({ id, name, tls }: Endpoint): Promise<void> {
  await runAction(
    () => put(`/api/v1/endpoints/${id}`, { tls: { ...tls, warn_days: WARN_DAYS } }),
    `${name} warns ${WARN_DAYS} days before its certificate expires.`,
  );
  refreshSoon();
}
