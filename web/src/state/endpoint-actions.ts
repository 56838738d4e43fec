import { post, put, query } from '../api/client';
import type { Check, Endpoint } from '../api/types';
import { WARN_DAYS } from '../logic/endpoint-defaults';
import { count, ms, words } from '../logic/format';
import { deleteLater } from './deletion';
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

/** Deletes endpoints with their alert rules and history after ten seconds, unless the user undoes it. */
export function deleteEndpoints(list: readonly Pick<Endpoint, 'id' | 'name'>[]): void {
  const [first] = list;
  const what = list.length === 1 && first ? `${first.name} is` : `${count(list.length, 'endpoint')} are`;
  const targets = list.map(({ id, name }) => ({ path: `/api/v1/endpoints/${id}`, name }));
  deleteLater(targets, `${what} deleted, with alert rules and history.`, refreshSoon);
}

/** Turns on warnings before the certificate expires, using the default for a new endpoint. */
export async function warnOfCertificate({ id, name, tls }: Endpoint): Promise<void> {
  await runAction(
    () => put(`/api/v1/endpoints/${id}`, { tls: { ...tls, warn_days: WARN_DAYS } }),
    `${name} warns ${WARN_DAYS} days before its certificate expires.`,
  );
  refreshSoon();
}
