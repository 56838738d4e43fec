/** @lane slow */
import { codeOf } from '../../../packages/testing/contract/session/second-factor';
import { OUTCOME_CODE } from '../../../src/endpoint/outcome-code';
import { Database } from '../../../src/platform/database/database';
import { HostResolver } from '../../../src/platform/net/dns/host-resolver';
import { formatId } from '../../../src/platform/ids/id';
import { startApp, type TestApp } from '../../harness/app/app';
import { Api } from '../../../packages/testing/service/api';
import { type OpenApi, operationsOf } from '../../../packages/testing/contract/document/openapi';
import { always, HttpTarget, rawResponse } from '../../../packages/testing/servers/http-target';
import { fromDashboard } from '../../harness/app/browser-session';
import { newDetectedIncident } from '../../harness/app/incidents';
import { type Member, newInvitation, newMember, PASSWORD } from '../../harness/app/person';
import { newAlert, newContact, newEndpoint, newWebsite } from '../../harness/app/resources';

/** One body in the API document. */
interface Offered {
  method: string;
  path: string;
  /** The path with the examples of its parameters. */
  url: string;
  /** The name of the variant, if a body has several. */
  form: string;
  body: Readonly<Record<string, unknown>> | undefined;
}

/** The real resources that replace the made-up IDs of an example. Each example has its own resources. */
interface Scene {
  ids: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

let sitemap: HttpTarget;

const TOKEN = 'a token is a secret, the example shows how one looks';

const ONE_TIME = 'a code counts once, the example shows how one looks';

/** Returns the secret for a member's authenticator app. */
async function newSecret(app: TestApp, { browser }: Member): Promise<string> {
  const { secret = '' } = await change(app, browser.cookie, '', { current_password: PASSWORD });
  return secret;
}

/** Returns the proof of a member who has a second factor from now on. */
async function proven(app: TestApp, member: Member): Promise<object> {
  const code = codeOf(await newSecret(app, member));
  const { recovery_codes: codes } = await change(app, member.browser.cookie, '/confirm', { code });
  return { current_password: PASSWORD, second_factor: codes?.[0] };
}

async function change(
  app: TestApp,
  cookie: string,
  path: string,
  body: object,
): Promise<{ secret?: string; recovery_codes?: string[] }> {
  const response = await fetch(`${app.url}/auth/account/second-factor${path}`, {
    method: 'POST',
    headers: fromDashboard(app.url, cookie),
    body: JSON.stringify(body),
  });
  return (await response.json()) as { secret?: string; recovery_codes?: string[] };
}

/** Bodies that no example can contain completely: the replaced values, and the reason. */
const STAND_INS: Readonly<
  Record<string, { why: string; values: (app: TestApp, member: Member) => object | Promise<object> }>
> = {
  'POST /auth/link': { why: TOKEN, values: async (app) => ({ token: await newInvitation(app) }) },
  'POST /auth/account': {
    why: `${TOKEN}; the e-mail is only of the first account`,
    values: async (app) => ({ token: await newInvitation(app), email: undefined }),
  },
  'POST /auth/join': {
    why: `${TOKEN}, and nobody joins twice`,
    values: async (app, { id, email }) => {
      await app.admin.delete(`/people/${id}`);
      return { token: await newInvitation(app, 'read', email) };
    },
  },
  'POST /auth/password': {
    why: TOKEN,
    values: async (app, { id }) => {
      const { body } = await app.admin.post<{ token: string }>(`/people/${id}/password-link`);
      return { token: body.token };
    },
  },
  'PUT /api/v1/organization': {
    why: 'the members of the other examples have no second factor',
    values: () => ({ requires_second_factor: false }),
  },
  'POST /auth/account/second-factor': {
    why: 'everybody has their own password',
    values: () => ({ current_password: PASSWORD }),
  },
  'POST /auth/account/second-factor/confirm': {
    why: ONE_TIME,
    values: async (app, member) => ({ code: codeOf(await newSecret(app, member)) }),
  },
  'POST /auth/account/second-factor/recovery-codes': { why: ONE_TIME, values: (app, member) => proven(app, member) },
  'POST /auth/account/second-factor/remove': { why: ONE_TIME, values: (app, member) => proven(app, member) },
  'PUT /auth/account': { why: 'everybody has their own password', values: () => ({ current_password: PASSWORD }) },
  'PUT /auth/session': {
    why: 'the example shows how an id looks, and people go only where they are members',
    values: (app) => ({ organization_id: formatId('organization', app.orgId) }),
  },
  'POST /auth/session': {
    why: 'a key is a secret, the example shows how one looks',
    values: (app) => ({ api_key: app.read.key }),
  },
  'POST /api/v1/endpoints/sitemap': {
    why: 'the site of the example has none, and nobody else is asked',
    values: () => ({ url: sitemap.url('/sitemap.xml') }),
  },
  'POST /api/v1/incidents/{id}/merge': {
    why: 'the example shows how an id looks, and no incident is merged with itself',
    values: () => ({ incident_ids: [other] }),
  },
};

let other: string;

/** An ID in the documents, such as `ws_01jd3k6q7be5y9x4v2m8n0r1st`. */
const MADE_UP_ID = /\b([a-z]+)_01jd3k6q7be5y9x4v2m8n0r1st\b/g;

/** This route exists only with a single sign-on provider. `single-sign-on.spec` tests it. */
const NEEDS_A_PROVIDER = 'POST /auth/oidc';

describe('the examples of request bodies in the OpenAPI document', () => {
  let app: TestApp;
  let offered: Offered[];

  beforeAll(async () => {
    const addresses = '<urlset><url><loc>https://shop.example.com/</loc></url></urlset>';
    sitemap = await HttpTarget.listen(always(rawResponse(200, addresses)));
    // Nothing is checked automatically, and all names in the examples resolve to this machine, so no other host
    // receives requests.
    app = await startApp({ role: 'api', allowedHosts: ['uptime.example.com'] });
    app.app.get(HostResolver).resolve = () => Promise.resolve(['127.0.0.1']);
    anybody = await newMember(app);
    probeToken = (await app.admin.post<{ token: string }>('/probes', { key: 'examples' })).body.token;
    const document = (await app.anonymous.get<OpenApi>('/openapi.json')).body;
    offered = operationsOf(document).flatMap(({ method, path, requestBody, parameters }) =>
      // People fill in a form on its page, with a token that no document can contain.
      Object.entries(requestBody?.content ?? {}).flatMap(([type, { example, examples }]) => {
        if (type !== 'application/json') return [];
        const named = Object.entries(examples ?? {}).map(([form, { value }]) => ({ form, body: value }));
        const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
          String(parameters?.find((parameter) => parameter.name === name)?.schema.example),
        );
        const needed = parameters?.filter((each) => each.in === 'query' && each.required) ?? [];
        const query = needed.map(({ name, schema }) => `${name}=${String(schema.example)}`).join('&');
        const bodies = named.length > 0 ? named : [{ form: '', body: example }];
        return bodies.map(({ form, body }) => ({
          method,
          path,
          url: query === '' ? url : `${url}?${query}`,
          form,
          body: body as Offered['body'],
        }));
      }),
    );
  });
  afterAll(async () => {
    await app.close();
    await sitemap.close();
  });

  /** Used for examples that do not need a specific user. */
  let anybody: Member;
  const nameOf = ({ method, path }: Offered) => `${method} ${path}`;

  let probesMade = 0;
  let probeToken = '';
  /** Creates the resources for the IDs in the text and no others, because there are a hundred examples. */
  async function setScene(text: string): Promise<Scene> {
    const named = new Set([...text.matchAll(MADE_UP_ID)].map(([, prefix]) => prefix));
    const ids: Record<string, string> = {};
    const set = async (prefix: string, make: () => Promise<string>): Promise<void> => {
      if (named.has(prefix)) ids[prefix] = await make();
    };
    const idOf = async (made: Promise<{ body: { id: string } }>) => (await made).body.id;
    const website = (ids['ws'] = await newWebsite(app.write));
    const endpoint = (ids['ep'] = await newEndpoint(app.write, website));
    await set('al', () => newAlert(app.write, endpoint));
    await set('ct', () => newContact(app.write));
    // Only endpoints that are down can be acknowledged. Nothing is checked here.
    await app.app.get(Database).query('UPDATE endpoint_state SET status = $1', [OUTCOME_CODE.down]);
    await set('sp', () => idOf(app.write.post<{ id: string }>('/status-pages', { title: 'Shop', groups: [] })));
    const nightly = { name: 'Patches', scope: { all: true }, cron: '0 2 * * *', timezone: 'UTC', duration: 3600 };
    await set('mw', () => idOf(app.write.post<{ id: string }>('/maintenance-windows', nightly)));
    await set('inc', async () => {
      const [second, third] = [await newEndpoint(app.write, website), await newEndpoint(app.write, website)];
      other = await newDetectedIncident(app.app.get(Database), [{ endpoint: third }]);
      return newDetectedIncident(app.app.get(Database), [{ endpoint }, { endpoint: second }]);
    });
    const said = { text: 'We look.' };
    await set('iu', () => idOf(app.write.post<{ id: string }>(`/incidents/${ids['inc']}/updates`, said)));
    const probes = text.includes('/shared-probes/') ? '/shared-probes' : '/probes';
    const key = `probe-${++probesMade}`;
    await set('pr', () => idOf(callerOf(`/api/v1${probes}`).post<{ id: string }>(probes, { key })));
    await set('per', async () => (await newMember(app)).id);
    await set('org', async () => formatId('organization', (await app.organization('Acme')).orgId));
    return {
      ids,
      async remove() {
        await app.write.delete(`/websites/${website}`);
        if (ids['ct'] !== undefined) await app.write.delete(`/contacts/${ids['ct']}`);
        if (ids['sp'] !== undefined) await app.write.delete(`/status-pages/${ids['sp']}`);
        if (ids['mw'] !== undefined) await app.write.delete(`/maintenance-windows/${ids['mw']}`);
        if (ids['pr'] !== undefined) await callerOf(`/api/v1${probes}`).delete(`${probes}/${ids['pr']}`);
        if (ids['org'] !== undefined) await app.operator.delete(`/organizations/${ids['org']}`);
      },
    };
  }

  /** Replaces IDs in the text with IDs of the scene. Other kinds stay made up, and the request fails. */
  const realIn = (text: string, { ids }: Scene) => text.replace(MADE_UP_ID, (id, prefix: string) => ids[prefix] ?? id);

  /** Returns the caller for a path: the operator for routes of the operator. */
  const callerOf = (path: string): Api => {
    if (path.startsWith('/api/v1/probe/')) return new Api(app.url, probeToken);
    return /^\/api\/v1\/(organizations|shared-probes)/.test(path) ? app.operator : app.admin;
  };

  /** Requests of a user with an account. */
  const isForBrowsers = (each: Offered) => each.path.startsWith('/auth/') && nameOf(each) !== 'POST /auth/session';

  async function send(each: Offered): Promise<string> {
    const scene = await setScene(`${each.url} ${JSON.stringify(each.body)}`);
    const member = isForBrowsers(each) ? await newMember(app) : anybody;
    const body = { ...each.body, ...(await STAND_INS[nameOf(each)]?.values(app, member)) };
    const response = await fetch(app.url + realIn(each.url, scene), {
      method: each.method,
      headers: isForBrowsers(each)
        ? fromDashboard(app.url, member.browser.cookie)
        : { 'Content-Type': 'application/json', Authorization: `Bearer ${callerOf(each.path).key ?? ''}` },
      body: realIn(JSON.stringify(body), scene),
    });
    const said = response.ok ? '' : ` ${await response.text()}`;
    // The created resource would be in the way of the next example, because two pages can't have the same URL.
    const made = response.headers.get('location');
    if (made !== null) await callerOf(each.path).delete(made.replace('/api/v1', ''));
    await scene.remove();
    return `${nameOf(each)} ${each.form}: ${response.status}${said}`;
  }

  it('exist for every body, and for each form of it', () => {
    expect(offered.length).toBeGreaterThan(20);
    expect(offered.filter(({ body }) => Object.keys(body ?? {}).length === 0).map(nameOf)).toEqual([]);
    const forms = offered.filter((each) => nameOf(each) === 'POST /api/v1/alerts');
    const typed = forms.filter(({ body }) => body?.['contact_id'] === undefined);
    expect(typed.map(({ form, body }) => [form, body?.['type']])).toEqual(typed.map(({ form }) => [form, form]));
    expect(forms.map(({ form }) => form)).toEqual(expect.arrayContaining(['email', 'webhook', 'twilio', 'contact']));
  });

  it('are each accepted unchanged, except for the ids of existing resources', async () => {
    const results: string[] = [];
    for (const each of offered.filter((one) => nameOf(one) !== NEEDS_A_PROVIDER)) results.push(await send(each));
    expect(results.filter((result) => !/: 20[014]$/.test(result))).toEqual([]);
  });

  it('have replaced values only in bodies that exist', () => {
    expect(Object.keys(STAND_INS).filter((name) => !offered.some((each) => nameOf(each) === name))).toEqual([]);
  });
});
