import { eventually } from '../../../packages/testing/eventually';
import { ServerConnection } from '../../../src/probe-agent/server/server-connection';
import { ConnectProxy } from '../../harness/probe/connect-proxy';
import { ScriptedServer } from '../../harness/probe/scripted-server';
import { type Access, StartedProbe } from '../../harness/probe/started-probe';
import { TlsAuthority } from '../../harness/servers/tls-authority';

describe('the connection of a probe to its service', () => {
  let authority: TlsAuthority;
  let server: ScriptedServer;
  let proxy: ConnectProxy;
  let probe: StartedProbe | null = null;

  beforeAll(async () => {
    authority = await TlsAuthority.create();
    server = await ScriptedServer.listen(await authority.issue());
    proxy = await ConnectProxy.listen('office:open sesame');
  });
  beforeEach(() => {
    server.polls.length = 0;
    proxy.asked.length = 0;
  });
  afterEach(() => probe?.stop());
  afterAll(async () => {
    await server.close();
    await proxy.close();
  });

  const start = async (access: Access): Promise<StartedProbe> => (probe = await StartedProbe.at(server, access));
  const isHeard = () => eventually('it is heard', () => server.polls.length > 0);
  /**
   * Returns the error of a connection that reaches no server. It is requested directly, because the loop only logs
   * it.
   */
  const refusal = async (access: Access): Promise<string> => {
    const connection = (await start(access)).app.get(ServerConnection);
    const { signal } = new AbortController();
    return connection.post('/x', {}, { waitMs: 0, limitMs: 5000, signal }).then(
      ({ status }) => `answered ${status}`,
      (error: Error) => error.message,
    );
  };

  it('trusts the certificates of PROBE_CA, directly and through a proxy', async () => {
    await start({ ca: authority.rootPem });
    await isHeard();
    expect(proxy.asked).toEqual([]);
  });

  it('goes through a proxy with user and password, which sees only the destination', async () => {
    await start({ ca: authority.rootPem, proxy: proxy.url('office:open%20sesame') });
    await isHeard();
    expect(proxy.asked[0]).toEqual({ authority: `localhost:${server.port}`, passed: true });
  });

  it('bypasses the proxy for hosts in NO_PROXY', async () => {
    await start({ ca: authority.rootPem, proxy: proxy.url('office:open%20sesame'), noProxy: ['localhost'] });
    await isHeard();
    expect(proxy.asked).toEqual([]);
  });

  it('reports the response of a proxy that refuses, without its password', async () => {
    const text = await refusal({ ca: authority.rootPem, proxy: proxy.url('office:wrong') });
    expect(text).toBe('the proxy responded with status 407');
  });

  it('sends no token to a server with another certificate: one that is not of PROBE_CA, or not of a known authority', async () => {
    const other = await TlsAuthority.create('Another Root');
    const intercepted = await refusal({ ca: other.rootPem, proxy: proxy.url('office:open%20sesame') });
    await probe?.stop();
    const unknown = await refusal({});
    expect([intercepted, unknown].every((text) => /certificate/.test(text))).toBe(true);
    expect(server.polls).toEqual([]);
  });
});
