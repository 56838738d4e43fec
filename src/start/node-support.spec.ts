import { unsupportedNode } from './node-support';

describe('the warning about a version of Node.js without security fixes', () => {
  it.each([
    ['v20.20.2', '2026-04-30T23:59:59Z', null],
    ['v20.20.2', '2026-05-01T00:00:00Z', 'Node.js 20 has had no security fixes since 2026-04-30.'],
    ['v22.23.3', '2026-11-28T00:00:00Z', null],
    ['v22.23.3', '2027-05-01T00:00:00Z', 'Node.js 22 has had no security fixes since 2027-04-30.'],
    ['v99.0.0-nightly', '2026-11-28T00:00:00Z', null],
  ])('%s on %s: %s', (version, now, warning) => {
    const text = unsupportedNode(version, new Date(now));
    expect(text === null ? null : text.slice(0, text.indexOf('.', 10) + 1)).toBe(warning);
  });
});
