import type { Api } from '../../../packages/testing/service/api';

export async function newWebsite(by: Api, name = 'Shop'): Promise<string> {
  return created(by, '/websites', { name, url: 'https://shop.example.com' });
}

/** Creates an HTTPS endpoint and returns its ID. */
export async function newEndpoint(by: Api, websiteId: string, fields: object = {}): Promise<string> {
  const body = { name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS', ...fields };
  return created(by, `/websites/${websiteId}/endpoints`, body);
}

/** Creates a Slack alert and returns its ID. */
export async function newAlert(by: Api, endpointId: string, fields: object = {}): Promise<string> {
  const config = { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' };
  return created(by, '/alerts', { endpoint_id: endpointId, type: 'slack', config, ...fields });
}

/** Creates a Slack contact and returns its ID. */
export async function newContact(by: Api, fields: object = {}): Promise<string> {
  const config = { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' };
  return created(by, '/contacts', { name: 'Operations', type: 'slack', config, ...fields });
}

/** Creates a maintenance window that covers everything and is active for an hour. Returns its ID. */
export async function newMaintenanceWindow(by: Api, fields: object = {}): Promise<string> {
  const now = Date.now();
  const [starts_at, ends_at] = [now, now + 3_600_000].map((at) => new Date(at).toISOString());
  return created(by, '/maintenance-windows', { name: 'Patches', scope: { all: true }, starts_at, ends_at, ...fields });
}

/** How often to retry a creation that a busy machine refuses. Test setup isn't meant to test load. */
const TRIES = 20;

/** Sends the body to the route and returns the new resource's ID. */
export async function created(by: Api, path: string, body: object): Promise<string> {
  for (let left = TRIES; ; left--) {
    const response = await by.post<{ id: string }>(path, body);
    if (response.status === 201) return response.body.id;
    if (response.status !== 503 || left === 1) throw new Error(`not created: ${response.status} ${response.text}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
