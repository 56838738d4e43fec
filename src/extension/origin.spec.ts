import { extensionIn, originsOf } from './origin';
import { defineExtension, type Extension } from './extension';

const frames = (...places: string[]): string =>
  `Error: nobody waits for this\n${places.map((at) => `    at ${at}`).join('\n')}`;
const origins = [
  {
    name: 'pigeons',
    file: '/srv/team/node_modules/@team/pigeons/main.js',
    folder: '/srv/team/node_modules/@team/pigeons',
  },
  { name: 'team', file: '/srv/team/dist/index.js', folder: '/srv/team' },
  { name: 'notes', file: '/srv/team/notes.mjs', folder: '/srv/team' },
];

describe('the owner of the code in a stack trace', () => {
  it.each<[string, string, string | null]>([
    ['an installed package', 'Timeout._onTimeout (/srv/team/node_modules/@team/pigeons/lib/fly.js:3:9)', 'pigeons'],
    ['an asynchronous call', 'async Pigeon.check (/srv/team/node_modules/@team/pigeons/main.js:3:9)', 'pigeons'],
    ['a call at the top of a file', '/srv/team/dist/other.js:1:1', 'team'],
    ['an ES module, of two extensions in one package', 'async file:///srv/team/notes.mjs:7:20', 'notes'],
    [
      'a package that is installed next to the extension',
      'Query.run (/srv/team/node_modules/pg/lib/query.js:9:9)',
      null,
    ],
    ['the service', 'Loop.tick (/srv/team/node_modules/uptime-monitor/dist/loop.js:9:9)', null],
    ['a package whose name starts alike', 'fly (/srv/team/node_modules/@team/pigeons-more/main.js:9:9)', null],
    ['Node alone', 'process.processTicksAndRejections (node:internal/process/task_queues:95:5)', null],
  ])('%s', (_what, place, name) => {
    expect(extensionIn(frames('node:internal/timers:569:17', place), origins)).toBe(name);
  });

  it('is the extension that called the service and did not wait', () => {
    const stack = frames(
      'Dialer.dial (/srv/team/node_modules/uptime-monitor/dist/platform/net/dialer.js:9:9)',
      'async check (/srv/team/dist/other.js:1:1)',
    );
    expect(extensionIn(stack, origins)).toBe('team');
  });

  it('is unknown without a stack trace', () => {
    expect(extensionIn('', origins)).toBeNull();
  });
});

describe('the origin of an extension', () => {
  it('is the place where it was defined, and is unknown if it was not defined', () => {
    const plain: Extension = { name: 'plain' };
    expect(originsOf([defineExtension({ name: 'here' }), plain])).toEqual([
      { name: 'here', file: expect.stringMatching(/origin\.spec\.ts$/), folder: expect.any(String) },
    ]);
  });
});
