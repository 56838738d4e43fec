import type { ApiResponse } from '../../service/api';
import type { Caller } from './caller';
import type { Session } from './session';

/** Any resource with an ID. */
export type Thing = { id: string } & Readonly<Record<string, unknown>>;

/** A check interval of one day, so that only an endpoint's first check runs automatically during a test. */
export const SELDOM = 86_400;

/** Returns the body of a 201 response. Throws: an error with the response for any other status. */
export function createdIn<Body extends { id: string } = Thing>(response: ApiResponse<Body>): Body {
  if (response.status !== 201) throw new Error(`nothing was created: ${response.status} ${response.text}`);
  return response.body;
}

/** Creates a website with a unique name. */
export async function newWebsite(session: Session, fields: object = {}, by: Caller = session.write): Promise<Thing> {
  return createdIn(
    await by.post('/websites', { name: session.name('website'), url: 'https://contract.example/', ...fields }),
  );
}

/** Creates an endpoint that responds with 200 at a separate path, by default on a new website. */
export async function newEndpoint(session: Session, fields: object = {}, websiteId?: string): Promise<Thing> {
  const website = websiteId ?? (await newWebsite(session)).id;
  return createdIn(await session.write.post(`/websites/${website}/endpoints`, endpointFields(session, fields)));
}

export const endpointFields = (session: Session, fields: object = {}): Record<string, unknown> => ({
  name: session.name('endpoint'),
  type: 'HTTP',
  url: session.bench.url(`/${session.key('steady')}`),
  interval: SELDOM,
  ...fields,
});

/** Returns a `webhook` channel whose messages arrive at this path on the bench. */
export const webhook = (session: Session, path = `/${session.key('hook')}`, config: object = {}) => ({
  type: 'webhook',
  config: { url: session.bench.url(path), ...config },
});

/** Creates a webhook alert, by default for a new endpoint. */
export async function newAlert(session: Session, fields: object = {}, endpointId?: string): Promise<Thing> {
  const endpoint_id = endpointId ?? (await newEndpoint(session)).id;
  return createdIn(await session.write.post('/alerts', { endpoint_id, ...webhook(session), ...fields }));
}

export async function newContact(session: Session, fields: object = {}): Promise<Thing> {
  return createdIn(
    await session.write.post('/contacts', { name: session.name('contact'), ...webhook(session), ...fields }),
  );
}

/** Creates a maintenance window for one endpoint that is active for an hour. */
export async function newWindow(session: Session, endpointId: string, fields: object = {}): Promise<Thing> {
  return createdIn(
    await session.write.post('/maintenance-windows', { ...windowFields(session, endpointId), ...fields }),
  );
}

export function windowFields(session: Session, endpointId: string): Record<string, unknown> {
  const [starts_at, ends_at] = [0, 3_600_000].map((later) => new Date(Date.now() + later).toISOString());
  return { name: session.name('window'), scope: { endpoint_ids: [endpointId] }, starts_at, ends_at };
}

/** Creates a probe with its token. The probe never connects. */
export async function newProbe(session: Session, fields: object = {}): Promise<Thing & { token: string }> {
  return createdIn(await session.admin.post('/probes', { key: session.key('probe'), ...fields }));
}

export async function newSharedProbe(session: Session, fields: object = {}): Promise<Thing & { token: string }> {
  return createdIn(await session.operator.post('/shared-probes', { key: session.key('probe'), ...fields }));
}

/** A one-pixel PNG (https://www.w3.org/TR/png-3/), which status pages accept. */
export const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Creates a published page with a logo that shows one endpoint. */
export async function newPage(session: Session, endpointId: string, fields: object = {}): Promise<Thing> {
  const groups = [{ name: 'Shown', endpoints: [endpointId] }];
  const shown = { title: session.name('page'), slug: session.key('page'), enabled: true, logo: PIXEL, groups };
  return createdIn(await session.write.post('/status-pages', { ...shown, ...fields }));
}
