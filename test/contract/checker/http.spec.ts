import { HttpChecker } from '../../../src/checker/http/http.checker';
import { HttpCheck } from '../../../src/checker/http/http-check';
import { always, rawResponse, HttpTarget } from '../../../packages/testing/servers/http-target';
import { dialerWith } from '../../../packages/testing/checker/network';
import { closedPort, TcpTarget } from '../../../packages/testing/servers/tcp-target';
import { type CheckerBench, describeChecker } from '../../../packages/testing/checker/describe-checker';
import { hostileScripts, liveHttp } from './http-hostility';

async function open(): Promise<CheckerBench> {
  const up = await HttpTarget.listen(always(rawResponse(200, 'ok')));
  const silent = await HttpTarget.listen(() => {});
  const hostile = await Promise.all(
    hostileScripts.map(async ({ name, script, outcome }) => ({
      name,
      outcome,
      target: await HttpTarget.listen(script),
    })),
  );
  const slam = await TcpTarget.listen((socket) => socket.resetAndDestroy());
  return {
    checker: new HttpChecker(new HttpCheck(dialerWith())),
    up: liveHttp(up),
    refused: { url: `http://127.0.0.1:${await closedPort()}/`, code: 'connection_refused', phase: 'connect' },
    silent: { ...liveHttp(silent), code: 'first_byte_timeout', phase: 'first_byte' },
    hostile: [
      ...hostile.map(({ name, outcome, target }) => ({ ...liveHttp(target), name, outcome })),
      { url: `http://${slam.authority}/`, untilLeft: () => slam.untilLeft(), name: 'resets at once', outcome: 'down' },
    ],
    close: async () => {
      await Promise.all([up, silent, slam, ...hostile.map(({ target }) => target)].map((target) => target.close()));
    },
  };
}

describeChecker({
  type: 'HTTP',
  open,
  accepted: [
    ['http://example.com', { secure: false, host: 'example.com', port: 80, path: '/', authority: 'example.com' }],
    ['https://example.com/', { secure: true, port: 443 }],
    ['HTTP://EXAMPLE.com:8080/a?b=c#d', { host: 'example.com', port: 8080, path: '/a?b=c' }],
    ['http://[::1]:3000/', { host: '::1', authority: '[::1]:3000' }],
    ['http://127.1/', { host: '127.0.0.1' }],
    ['http://münchen.de/ä', { host: 'xn--mnchen-3ya.de', path: '/%C3%A4' }],
  ],
  rejected: [
    '',
    'example.com',
    '//example.com',
    'http:example.com',
    'http:///x',
    'http://',
    'http://?',
    'ftp://example.com',
    'javascript:alert(1)',
    'file:///etc/passwd',
    'http://user:secret@example.com/',
    'http://user@example.com/',
    'http://example.com:0/',
    'http://example.com:65536/',
    'http://exa mple.com/',
    'http://example.com/a\nb',
    'http://example.com\\@evil.example/',
    'http://a..b/',
    'http://-a.com/',
    `http://${'a'.repeat(64)}.com/`,
    `http://example.com/${'a'.repeat(2048)}`,
    'http://unix:/run/socket:/path',
  ],
});
