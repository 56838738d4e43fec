import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { startApp, type TestApp } from '../harness/app';
import { eventually } from '../harness/poll';

describe('an engine with room for one check at a time', () => {
  let app: TestApp;
  let silent: Server;
  let ending = false;
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    silent = createServer((socket) => {
      socket.on('error', () => {});
      if (ending) socket.destroy();
      else sockets.add(socket);
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    app = await startApp({ maxConcurrentChecks: 1 });
  });
  afterAll(async () => {
    // The drain need not wait for the time limit of what still runs.
    ending = true;
    for (const socket of sockets) socket.destroy();
    await app.close();
    silent.close();
  });

  it('tells at /metrics that one check runs and the other claimed slot waits for it', async () => {
    const { body: site } = await app.write.post<{ id: string }>('/websites', {
      name: 'Shop',
      url: 'https://a.example',
    });
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    for (const name of ['One', 'Two']) {
      const made = await app.write.post(`/websites/${site.id}/endpoints`, {
        name,
        type: 'HTTP',
        url,
        interval: 60,
        timeout: 30,
      });
      expect(made.status).toBe(201);
    }
    await eventually('one running and one waiting', async () => {
      const text = await (await fetch(`${app.url}/metrics`)).text();
      return /^uptime_checks_in_flight 1$/m.test(text) && /^uptime_slots_waiting 1$/m.test(text);
    });
  });
});
