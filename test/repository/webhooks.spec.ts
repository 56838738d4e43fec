import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { signatureHeaders } from '../../src/channel/vendor/webhook-signature';

const ROOT = resolve(__dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/reference/webhooks.md'), 'utf8');

const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const NOW = 1_795_176_300;
const BODY = '{"type":"alert.triggered","message":"Größe \\u2028"}';

/** A request as it is sent, and whether a receiver with `SECRET` must accept it. */
interface Case {
  name: string;
  headers: Record<string, string>;
  body: string;
  genuine: boolean;
}

const sent = (secret: string, timestampSeconds = NOW) =>
  signatureHeaders({ id: 'ev_01jd4trigger0000000000000a', timestampSeconds, body: BODY, secret });

const CASES: readonly Case[] = [
  { name: 'as it was sent', headers: sent(SECRET), body: BODY, genuine: true },
  { name: 'signed by the new and the old secret', headers: sent(`${OTHER} ${SECRET}`), body: BODY, genuine: true },
  { name: 'with another body', headers: sent(SECRET), body: BODY.replace('triggered', 'resolved'), genuine: false },
  { name: 'signed by somebody else', headers: sent(OTHER), body: BODY, genuine: false },
  { name: 'sent again an hour later', headers: sent(SECRET, NOW - 3600), body: BODY, genuine: false },
  {
    name: 'with another timestamp',
    headers: { ...sent(SECRET), 'webhook-timestamp': String(NOW + 1) },
    body: BODY,
    genuine: false,
  },
  {
    name: 'with a timestamp that is none',
    headers: { ...sent(SECRET), 'webhook-timestamp': 'now' },
    body: BODY,
    genuine: false,
  },
  { name: 'with another id', headers: { ...sent(SECRET), 'webhook-id': 'ev_2' }, body: BODY, genuine: false },
  {
    name: 'without a signature',
    headers: { 'webhook-id': 'ev_1', 'webhook-timestamp': String(NOW) },
    body: BODY,
    genuine: false,
  },
];

/** Runs a language's block of the page over the cases in `cases.json`, and prints the verdicts as a JSON list. */
const LANGUAGES = [
  {
    language: 'js',
    program: process.execPath,
    file: 'verify.mjs',
    complete: (code: string) => `${code}
import { readFileSync } from 'node:fs';
const { secret, now, cases } = JSON.parse(readFileSync('cases.json', 'utf8'));
console.log(JSON.stringify(cases.map(({ headers, body }) => isGenuine(secret, headers, Buffer.from(body), now))));`,
  },
  {
    language: 'python',
    program: 'python3',
    file: 'verify.py',
    complete: (code: string) => `${code}
import json
given = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps([is_genuine(given["secret"], c["headers"], c["body"].encode(), given["now"]) for c in given["cases"]]))`,
  },
  {
    language: 'php',
    program: 'php',
    file: 'verify.php',
    complete: (code: string) => `<?php
${code}
$given = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn ($c) => isGenuine($given['secret'], $c['headers'], $c['body'], $given['now']), $given['cases']));`,
  },
];

const isThere = (program: string): boolean => spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

describe('docs/reference/webhooks.md', () => {
  it('shows the requests that the channel sends', () => {
    const golden = ['triggered', 'resolved', 'expiry', 'contact-failing'].map((name): unknown => {
      const text = readFileSync(join(ROOT, `test/contract/channel/golden/webhook.${name}.json`), 'utf8');
      return (JSON.parse(text) as { body: unknown }).body;
    });
    expect(blocks('json').map((text): unknown => JSON.parse(text))).toEqual(golden);
  });

  describe.each(LANGUAGES)('verification in $language', ({ language, program, file, complete }) => {
    const test = isThere(program) ? it : it.skip;

    test(`accepts what was sent and nothing else${isThere(program) ? '' : ` (skipped: ${program} is not installed)`}`, () => {
      const folder = mkdtempSync(join(tmpdir(), 'uptime-webhooks-'));
      const [code = '', ...more] = blocks(language);
      expect([code === '', more]).toEqual([false, []]);
      writeFileSync(join(folder, file), complete(code));
      writeFileSync(join(folder, 'cases.json'), JSON.stringify({ secret: SECRET, now: NOW, cases: CASES }));
      const output = execFileSync(program, [file], { cwd: folder, encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      const verdicts = JSON.parse(output) as boolean[];
      expect(CASES.map(({ name }, index) => [name, verdicts[index]])).toEqual(
        CASES.map(({ name, genuine }) => [name, genuine]),
      );
    });
  });
});
