import { createHash } from 'node:crypto';
import { signClaim } from '../../../../src/delivery/send/acknowledge-token';
import { SignInLinks } from '../../../../src/identity/session/sign-in-links';
import { newUuid, parseId } from '../../../../src/platform/ids/id';
import { ServerSecrets } from '../../../../src/platform/secrets/server-secrets';
import { DAY_MS } from '../../../../src/platform/time/time-units';
import { Browser } from '../../../harness/app/browser';
import { PASSWORD } from '../../../harness/app/person';
import type { By, TokenScene } from './scene';
import type { TokenKind } from './token-kinds';

/** Creates a token in a scene. The result uses the token, and returns whether that worked. */
type Make = (scene: TokenScene) => Promise<() => Promise<boolean>>;

const works = async (sent: Promise<{ status: number }>): Promise<boolean> => (await sent).status < 300;
const newEmail = (): string => `${newUuid()}@example.com`;

async function newKey(by: By): Promise<{ id: string; key: string }> {
  return by.post('/api-keys', { name: 'Token', role: 'read' });
}

async function invitation({ by }: TokenScene): Promise<{ email: string; token: string }> {
  const email = newEmail();
  const { token } = await by.post<{ token: string }>('/invitations', { email, role: 'write' });
  return { email, token };
}

/** Creates a heartbeat as the creator of the scene. Returns it with its ping URLs. */
async function heartbeat({ by }: TokenScene) {
  const { id } = await by.post<{ id: string }>('/websites', { name: 'Jobs', url: 'https://jobs.example.com' });
  const endpoint = await by.post<{ heartbeat: { ping_id: string; push_token: string } }>(`/websites/${id}/endpoints`, {
    name: 'Nightly',
    type: 'HEARTBEAT',
    url: 'heartbeat:',
    heartbeat: { every: 3600 },
  });
  const { ping_key } = await by.get<{ ping_key: string }>(`/websites/${id}`);
  return { ...endpoint.heartbeat, ping_key };
}

const pinged = (scene: TokenScene, path: string) => () => works(fetch(`${scene.app.url}${path}`));

/** Goes to the provider. The redirect back is a navigation from another site. */
async function away(scene: TokenScene, browser: Browser, body: object, home: string): Promise<() => Promise<boolean>> {
  const sub = newUuid();
  scene.issuer.person = { sub };
  const begun = await browser.send<{ location: string }>('POST', '/auth/oidc', body);
  if (begun.status !== 200) throw new Error(`the flow did not begin: ${begun.status}`);
  return async () => {
    scene.issuer.person = { sub };
    const { location } = await browser.comeBack(scene.issuer.signIn(begun.body.location));
    return new URL(location).hash === home;
  };
}

export const MAKE: Readonly<Record<TokenKind, Make>> = {
  session: async (scene) => {
    const browser = await scene.elsewhere();
    return () => works(browser.send('GET', '/api/v1/websites'));
  },
  'session of a key': async (scene) => {
    const { key } = await newKey(scene.by);
    const browser = new Browser(scene.app);
    await browser.send('POST', '/auth/session', { api_key: key });
    return () => works(browser.send('GET', '/api/v1/websites'));
  },
  'api key': async (scene) => {
    const { key } = await newKey(scene.by);
    return () => works(fetch(`${scene.app.url}/api/v1/websites`, { headers: { 'x-api-key': key } }));
  },
  'link of a key': async (scene) => {
    const { id } = await newKey(scene.by);
    const token = await scene.app.app.get(SignInLinks).create();
    await scene.sql('UPDATE sign_in_link SET key_id = $1 WHERE hash = $2', [
      parseId('apiKey', id),
      createHash('sha256').update(token).digest(),
    ]);
    return () => works(new Browser(scene.app).send('POST', '/auth/session', { sign_in_token: token }));
  },
  'sign-in link': async (scene) => {
    const { token } = await scene.machine.signInLink(scene.subject.uuid);
    return () => works(new Browser(scene.app).send('POST', '/auth/session', { sign_in_token: token }));
  },
  'password link': async (scene) => {
    const { token } = await scene.by.post<{ token: string }>(`/people/${scene.subject.id}/password-link`);
    return () => works(new Browser(scene.app).send('POST', '/auth/password', { token, password: PASSWORD }));
  },
  invitation: async (scene) => {
    const { email, token } = await invitation(scene);
    await scene.sql('UPDATE person SET email = $2 WHERE id = $1', [scene.subject.uuid, email]);
    scene.subject.email = email;
    const fields = { token, name: 'New', password: 'another person altogether' };
    return () => works(new Browser(scene.app).send('POST', '/auth/account', fields));
  },
  'flow of an invitation': async (scene) => {
    const { token } = await invitation(scene);
    return away(scene, new Browser(scene.app), { token }, '');
  },
  'flow that connects': async (scene) => away(scene, await scene.elsewhere(), { connect: true }, '#/settings/account'),
  'acknowledgement link': async (scene) => {
    const { id: website } = await scene.by.post<{ id: string }>('/websites', {
      name: 'Shop',
      url: 'https://shop.example',
    });
    const { id: endpoint } = await scene.by.post<{ id: string }>(`/websites/${website}/endpoints`, {
      name: 'Front',
      type: 'HTTP',
      url: 'http://shop.example',
    });
    const config = { webhook_url: 'https://hooks.slack.com/services/T000/B000/XXXX' };
    const { id } = await scene.by.post<{ id: string }>('/alerts', { endpoint_id: endpoint, type: 'slack', config });
    const alertId = parseId('alert', id) ?? '';
    await scene.sql('UPDATE alert SET triggered = true, incident_no = 1 WHERE id = $1', [alertId]);
    const secret = scene.app.app.get(ServerSecrets).get('acknowledge_link');
    const token = signClaim(secret, { alertId, episodeNo: 1, expiresAt: new Date(Date.now() + DAY_MS) });
    return async () => {
      await (await fetch(`${scene.app.url}/ack/${token}`, { method: 'POST' })).text();
      return (await scene.sql('SELECT FROM acknowledgement WHERE org_id = $1', [scene.organization.orgId])).length > 0;
    };
  },
  'probe token': async (scene) => {
    const { token } = await scene.by.post<{ token: string }>('/probes', { key: 'paris' });
    // The body is invalid. Only a probe gets far enough to see that.
    return async () => {
      const { status } = await fetch(`${scene.app.url}/api/v1/probe/results`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{}',
      });
      return status !== 401;
    };
  },
  'ping URL': async (scene) => pinged(scene, `/ping/${(await heartbeat(scene)).ping_id}`),
  'push token': async (scene) => pinged(scene, `/api/push/${(await heartbeat(scene)).push_token}`),
  'report link': async (scene) => {
    const { path } = await scene.by.post<{ path: string }>('/reports/links', { month: '2026-01', timezone: 'UTC' });
    return () => works(fetch(`${scene.app.url}${path}`));
  },
  'ping key': async (scene) => {
    const { ping_key } = await heartbeat(scene);
    return pinged(scene, `/ping/${ping_key}/weekly?create=1`);
  },
  cursor: async (scene) => {
    const response = await scene.boss.send('GET', '/api/v1/people?limit=1');
    const cursor = response.headers.get('x-next-cursor') ?? '';
    // A cursor grants nothing, so another admin sends it.
    return () => works(scene.boss.send('GET', `/api/v1/people?limit=1&cursor=${cursor}`));
  },
};
