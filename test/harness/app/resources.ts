import type { Api } from '../../../packages/testing/service/api';

/** Creates a website and returns its id. */
export async function newWebsite(by: Api, name = 'Shop'): Promise<string> {
  return created(await by.post('/websites', { name, url: 'https://shop.example.com' }));
}

/** Creates an HTTPS endpoint, with other fields if given, and returns its id. */
export async function newEndpoint(by: Api, websiteId: string, fields: object = {}): Promise<string> {
  const body = { name: 'Checkout', url: 'https://shop.example.com/checkout', type: 'HTTPS', ...fields };
  return created(await by.post(`/websites/${websiteId}/endpoints`, body));
}

/** Creates a Slack alert, with other fields if given, and returns its id. */
export async function newAlert(by: Api, endpointId: string, fields: object = {}): Promise<string> {
  const config = { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' };
  return created(await by.post('/alerts', { endpoint_id: endpointId, type: 'slack', config, ...fields }));
}

/** Creates a Slack contact, with other fields if given, and returns its id. */
export async function newContact(by: Api, fields: object = {}): Promise<string> {
  const config = { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' };
  return created(await by.post('/contacts', { name: 'Operations', type: 'slack', config, ...fields }));
}

/** Creates a maintenance window over everything that is in force for an hour, with other fields if given, and returns its id. */
export async function newMaintenanceWindow(by: Api, fields: object = {}): Promise<string> {
  const now = Date.now();
  const [starts_at, ends_at] = [now, now + 3_600_000].map((at) => new Date(at).toISOString());
  return created(
    await by.post('/maintenance-windows', { name: 'Patches', scope: { all: true }, starts_at, ends_at, ...fields }),
  );
}

function created(response: { status: number; body: { id: string }; text: string }): string {
  if (response.status !== 201) throw new Error(`not created: ${response.status} ${response.text}`);
  return response.body.id;
}
