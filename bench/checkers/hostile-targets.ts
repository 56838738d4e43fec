/** The worst targets of the contract suites in one process, for the memory run. Ends with its parent. */
import { HttpTarget, always, answer } from '../../test/harness/http-target';
import { closedPort, silence, slam, TcpTarget } from '../../test/harness/tcp-target';
import { selfSigned, TlsAuthority } from '../../test/harness/tls-authority';
import { hostileScripts } from '../../test/contract/http-hostility';

async function start(): Promise<void> {
  const authority = await TlsAuthority.create();
  const tls = await authority.issue();
  const hostile = [];
  for (const { script } of hostileScripts) {
    const plain = await HttpTarget.listen(script);
    const secure = await HttpTarget.listen(script, { tls });
    hostile.push(plain.url(), secure.url());
  }
  const expired = await HttpTarget.listen(always(answer(200)), {
    tls: await authority.issue({ untilDays: -1, fromDays: -9 }),
  });
  const alone = await HttpTarget.listen(always(answer(200)), { tls: await selfSigned() });
  const mute = await TcpTarget.listen(silence);
  const broken = await TcpTarget.listen((socket) => socket.once('data', () => slam(socket)));
  hostile.push(expired.url(), alone.url(), `https://${mute.authority}/`, `https://${broken.authority}/`);
  const up = await HttpTarget.listen(always(answer(200, 'x'.repeat(2048))));
  const redirecting = await HttpTarget.listen(({ path }, socket) =>
    socket.end(path === '/' ? answer(302, '', { Location: '/landing' }) : answer(200)),
  );
  process.send?.({
    rootPem: authority.rootPem,
    hostile,
    ordinary: [up.url(), redirecting.url(), `http://127.0.0.1:${await closedPort()}/`],
  });
}

process.on('disconnect', () => process.exit());
void start();
