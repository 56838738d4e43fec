import { isPlain, probeLines } from '../../../web/src/logic/probe-lines';

const TOKEN = 'ump_0123456789abcdefghijklmnopqrstuvwxyz';
const lines = probeLines('https://uptime.example.com', TOKEN);

describe('the lines that start a probe', () => {
  it.each(lines)(
    'of $title have the URL and token, and the token in no argument of a command (Grafana gcx #1262)',
    ({ text }) => {
      expect(text).toContain('PROBE_URL=https://uptime.example.com');
      // The lines between <<'END' and END are the contents of a file that only its owner can read.
      const commands = text.replace(/^(.*<<'END'$)[^]*?^END$/gm, '$1');
      expect([text.includes(`\nPROBE_TOKEN=${TOKEN}\n`), commands.includes(TOKEN)]).toEqual([true, false]);
    },
  );

  it('exist for the four places where it runs', () => {
    expect(lines.map(({ title }) => title)).toEqual(['Docker', 'Compose', 'systemd', 'Kubernetes']);
  });

  it.each([
    ['https://uptime.example.com', false],
    ['http://localhost:3000', false],
    ['http://127.0.0.1:3000', false],
    ['http://[::1]:3000', false],
    ['http://192.168.1.5:3000', true],
  ])('allow an unencrypted URL only if it is one: %s, %s', (origin, expected) => {
    expect(isPlain(origin)).toBe(expected);
    expect(probeLines(origin, TOKEN).every(({ text }) => text.includes('PROBE_INSECURE=on') === expected)).toBe(true);
  });
});
