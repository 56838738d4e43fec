/** @lane slow */
import { startOwnApp, type TestApp } from '../../harness/app/app';
import { eventually } from '../../../packages/testing/eventually';
import { newEndpoint, newWebsite } from '../../harness/app/resources';
import { uptime, type UptimeRun } from '../../harness/processes/uptime-command';
import { SwitchableServer } from '../../harness/servers/switchable-server';

describe('The command uptime and the service', () => {
  let app: TestApp;
  let page: SwitchableServer;
  let front: string;

  beforeAll(async () => {
    [app, page] = await Promise.all([startOwnApp(), SwitchableServer.start()]);
    const shop = await newWebsite(app.write);
    await app.write.put(`/websites/${shop}`, { key: 'shop' });
    // Checked only on demand.
    const fields = { type: 'HTTP', url: `${page.url}/`, interval: 86_400, key: 'front', tags: ['prod'] };
    front = await newEndpoint(app.write, shop, { name: 'Front page', ...fields });
    const blog = await newWebsite(app.write, 'Blog');
    await newEndpoint(app.write, blog, {
      type: 'TCP',
      url: '127.0.0.1:1',
      interval: 86_400,
      key: 'front',
      enabled: false,
    });
  });
  afterAll(async () => {
    await app.close();
    await page.close();
  });

  const run = (args: string[], more: UptimeRun = {}) => uptime(app.url, app.write.key, args, more);

  it('ls lists the endpoints of all websites, or those that match a search', async () => {
    await run(['check', front]);
    const { out } = await run(['ls']);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^STATUS +ID +TYPE +KEY +WEBSITE +NAME +URL$/),
      expect.stringMatching(new RegExp(`^up +${front} +HTTP +front +Shop +Front page +${page.url}/$`)),
      expect.stringMatching(/^paused +ep_\w+ +TCP +front +Blog +Checkout +127\.0\.0\.1:1$/),
      '',
    ]);
    expect(await run(['ls', '--tag', 'prod', '--type', 'http', '-q'])).toEqual({ code: 0, out: `${front}\n`, err: '' });
    const found = JSON.parse((await run(['ls', '--status', 'paused', '--json'])).out) as { type: string }[];
    expect(found.map(({ type }) => type)).toEqual(['TCP']);
  });

  it.each([
    ['by its id', () => front],
    ['by its key path', () => 'shop/front'],
  ])('check runs a recorded check of an endpoint, named %s', async (_, target) => {
    const { code, out } = await run(['check', target()]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^up {2}\S+ {2}[\d.]+ ms, status 200, 127\.0\.0\.1\n$/)]);
  });

  it('check tests a URL that is not stored, and exits with code 2 if it is not up', async () => {
    expect((await run(['check', `${page.url}/new`, '--json'])).code).toBe(0);
    page.switch('bad', 'error');
    const { code, out } = await run(['check', `${page.url}/bad`]);
    expect([code, out]).toEqual([2, expect.stringMatching(/^down .* status 500, .*\n {2}\w+: .+\n$/)]);
    expect((await run(['check', '127.0.0.1:1', '--type', 'tcp'])).out).toMatch(/connection_refused/);
  });

  it.each([
    ['front', /^Several endpoints have the key front\. Put the key of the website before it/],
    ['shop/back', /^No endpoint has the key shop\/back/],
    ['shop.example.com:443', /is not a URL with a scheme, an endpoint ID .* With --type, such as --type TCP/],
    ['ep_01jd3k6q7be5y9x4v2m8n0r1st', /\(404 not_found\)$/m],
    ['https://user:secret@shop.example.com', /^\/url: .*\n.*\(400 validation_failed\)$/m],
  ])('check %s is refused with an explanation', async (target, words) => {
    expect(await run(['check', target])).toEqual({ code: 1, out: '', err: expect.stringMatching(words) });
  });

  it('incidents are listed, shown, updated, and acknowledged by their number', async () => {
    expect(await run(['incidents'])).toEqual({ code: 0, out: 'No incidents are open.\n', err: '' });
    const made = await app.write.post<{ number: number }>('/incidents', { title: 'Slow', scope: { all: true } });
    const number = String(made.body.number);
    const listed = await run(['incidents']);
    expect([listed.code, listed.out.split('\n')[1]]).toEqual([
      2,
      expect.stringMatching(new RegExp(`^#${number} +open +\\S+ +manual +investigating +Slow$`)),
    ]);
    const said = await run(['incident', 'update', number, 'It is the bank.', '--status', 'identified', '--public']);
    expect([said.code, said.out]).toEqual([0, expect.stringContaining(' (public):')]);
    const one = await run(['incident', `#${number}`]);
    expect([one.code, one.out]).toEqual([
      2,
      expect.stringMatching(/identified, public\n {2}Slow\n.*\n {2}It is the bank\.\n$/),
    ]);
    expect(await run(['incident', 'ack', number])).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/\(409 conflict\)/),
    });
    const over = await run(['incident', 'update', number, 'Over.', '--status', 'resolved', '--json']);
    expect([over.code, JSON.parse(over.out)]).toMatchObject([0, { status: 'resolved', public: false }]);
    expect((await run(['incident', number])).code).toBe(0);
    const all = JSON.parse((await run(['incidents', '--all', '--json'])).out) as { state: string }[];
    expect(all.map(({ state }) => state)).toEqual(['ended']);
    expect(await run(['incident', '999'])).toMatchObject({ code: 1, err: expect.stringMatching(/^No incident has/) });
  });

  it('reports what a read key may not do', async () => {
    const { code, err } = await uptime(app.url, app.read.key, ['check', front]);
    expect([code, err]).toEqual([1, expect.stringMatching(/is not allowed to do this \(403\)\. .*"write"/)]);
  });

  const documentOf = (key: string) => `version: 1
websites: [{key: ${key}, name: ${key}, url: 'https://${key}.example.com'}]
contacts:
  - {key: ${key}, name: ${key}, type: slack, config: {webhook_url: {$secret: CHAT}}}
`;
  const env = { UPTIME_SECRET_CHAT: 'https://hooks.slack.com/services/T0/B0/news' };

  it.each([
    [
      'a secret without a value',
      documentOf('weekly'),
      /^stdin:4: \/contacts\/0\/config\/webhook_url: .* \(or set UPTIME_SECRET_CHAT\)\n/,
    ],
    ['an invalid field', documentOf('weekly').replace('name: ', 'nome: '), /^stdin:2: \/websites\/0\/nome: /m],
    ['a duplicate key', `${documentOf('weekly')}version: 1\n`, /^stdin:5: .*\n.*\(400 malformed_document\)$/m],
    ['JSON', '{"version": 1,\n "websites": {}}', /^stdin:2: \/websites: /],
  ])('plan shows the line of %s', async (_, stdin, words) => {
    expect(await run(['plan', '-'], { stdin })).toEqual({ code: 1, out: '', err: expect.stringMatching(words) });
  });

  it('a read key may plan, and gets an error that it may not apply', async () => {
    const read = (command: string) =>
      uptime(app.url, app.read.key, [command, '-'], { stdin: documentOf('weekly'), env });
    expect(await read('plan')).toMatchObject({ code: 2, err: '' });
    expect(await read('apply')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is not allowed to do this \(403\)/),
    });
  });

  it('apply --json prints the response of the API, with the ids of created resources', async () => {
    const { code, out } = await run(['apply', '-', '--json'], { stdin: documentOf('news'), env });
    expect([code, JSON.parse(out)]).toMatchObject([0, { summary: { create: 2 }, changes: [{}, {}] }]);
    expect(out).not.toContain('hooks.slack.com/services/T0/B0/news');
    // Without the secret, the stored one stays.
    expect(await run(['plan', '-'], { stdin: documentOf('news') })).toMatchObject({
      code: 0,
      out: 'Nothing to do: 2 unchanged.\n',
    });
  });

  it.each([[[]], [['--json']], [['--full']]])(
    'export %j prints a document that changes nothing except resources without a key',
    async (options) => {
      const { code, out } = await uptime(app.url, app.read.key, ['export', ...options]);
      expect([code, out]).toEqual([0, expect.stringMatching(/shop[^]*\n$/)]);
      const planned = await run(['plan', '-'], { stdin: out });
      expect(planned.out).toMatch(/ 0 to create, 0 to update, 1 to adopt, 0 to delete; /);
    },
  );

  it('apply does nothing if something changes while it asks for confirmation', async () => {
    const stdin = `version: 1
websites: [{key: corner, name: Corner shop, url: 'https://corner.example.com'}]
`;
    const { body } = await app.write.post<{ id: string }>('/websites', {
      key: 'corner',
      name: 'Corner',
      url: 'https://corner.example.com',
    });
    const typed = async () => {
      await app.write.put(`/websites/${body.id}`, { name: 'Edge' });
      return 'y';
    };
    const { code, out, err } = await run(['apply', '-'], { stdin, typed });
    expect([code, out]).toEqual([1, expect.stringMatching(/^~ website corner {2}name "Corner" → "Corner shop"\n/)]);
    expect(err).toMatch(/Something has changed since this plan was created\. Nothing was applied\./);
    expect((await run(['plan', '-'], { stdin })).out).toMatch(/name "Edge" → "Corner shop"/);
  });

  it('tail shows a change of status as it happens', async () => {
    const stop = new AbortController();
    let shown = '';
    const tail = run(['tail'], { stop: stop.signal, onOutput: (soFar) => (shown = soFar) });
    // The test can't see whether the command follows already, so it repeats the change until it appears.
    for (let i = 0; i < 100 && !shown.includes('Front page'); i++) {
      page.status = i % 2 === 0 ? 500 : 200;
      await run(['check', front]);
    }
    await eventually('the event', () => shown.includes('Front page'));
    stop.abort();
    page.status = 200;
    expect(await tail).toMatchObject({ code: 0, err: '' });
    expect(shown).toMatch(/^\d{4}-\S+Z {2}(up|down) +Front page {2}was \w+/);
  });
});
