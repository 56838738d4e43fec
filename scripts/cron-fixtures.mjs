// Writes test/fixtures/field/cron: when Debian's cron runs these lines under a fake clock. Requires root, the packages
// cron and faketime, and about forty minutes on an idle machine. `node scripts/cron-fixtures.mjs` accepts a word that
// selects lines by name.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../test/fixtures/field/cron', import.meta.url));
const MINUTE_MS = 60_000;

const JOINED =
  'A field of days that begins with * counts as any: then both fields must match (crontab(5), DOM_STAR and DOW_STAR).';
const EITHER = 'Neither field of days begins with *: either is enough (crontab(5)).';
const FIXED =
  'A line with fixed minutes and hours runs once when the clock changes: at once for a time that is skipped, not again for one that comes twice (cron(8)).';
const WILD =
  'A line with * in its minutes or hours goes by the new time at once: nothing for a time that is skipped, again for one that comes twice (cron(8)).';

/**
 * Each run is one cron process with all of its lines. The time of a run is the time when its job started, which is
 * slightly late, rounded down to `grain` minutes. No line needs more precise times.
 */
const RUNS = [
  {
    zone: 'UTC',
    from: '2027-11-01 00:00:00',
    hours: 61 * 24,
    speed: 2500,
    grain: 24 * 60,
    lines: {
      'odd-days-and-mondays': ['0 9 */2 * MON', JOINED],
      'every-day-in-steps-of-one-and-mondays': ['0 9 */1 * MON', JOINED],
      'a-list-that-begins-with-a-star-and-mondays': ['0 9 *,5 * MON', JOINED],
      'the-first-and-every-second-weekday': ['0 9 1 * */2', JOINED],
      'the-first-and-a-list-of-weekdays-that-begins-with-a-star': ['0 9 1 * *,1', JOINED],
      'steps-in-both-fields-of-days': ['0 9 */2 * */3', JOINED],
      'mondays-of-every-second-month': ['0 9 * */2 MON', JOINED],
      'a-name-of-a-month-and-steps-of-days': ['0 9 */3 nov tue', JOINED],
      'two-days-and-mondays': ['0 9 1,3 * MON', EITHER],
      'friday-the-13th': ['0 9 13 * FRI', EITHER],
      'all-days-by-a-range-and-mondays': ['0 9 1-31 * MON', EITHER],
      'odd-days-by-a-range-and-mondays': ['0 9 1-31/2 * MON', EITHER],
      'the-15th-and-all-weekdays-by-a-range': ['0 9 15 * 0-6', EITHER],
      'a-list-with-a-star-behind-and-mondays': ['0 9 5,* * MON', EITHER],
      'the-first-week-and-sundays-as-seven': ['0 9 1-7 * 7', EITHER],
      'friday-to-sunday-as-seven': ['0 9 * * 5-7', JOINED],
      'every-31st-day': ['0 9 */31 * *', JOINED],
      'the-31st': ['0 9 31 * *', JOINED],
    },
  },
  ...[
    ['Europe/Berlin', 'spring', '2027-03-28 01:20:00'],
    ['Europe/Berlin', 'autumn', '2027-10-31 01:20:00'],
    ['Australia/Lord_Howe', 'spring', '2027-10-03 01:20:00'],
    ['Australia/Lord_Howe', 'autumn', '2027-04-04 01:20:00'],
    ['America/Havana', 'spring', '2027-03-13 23:20:00'],
    ['America/Havana', 'autumn', '2027-11-06 23:20:00'],
  ].map(([zone, season, from]) => {
    const place = `${zone.split('/')[1].toLowerCase().replace('_', '-')}-${season}`;
    const lines = {
      'a-time-at-half-past-two': ['30 2 * * *', FIXED],
      'two-times-after-two': ['0,30 2 * * *', FIXED],
      'a-time-at-a-quarter-past-two': ['15 2 * * *', FIXED],
      'a-time-before-two': ['45 1 * * *', FIXED],
      'half-past-midnight': ['30 0 * * *', FIXED],
      'midnight-on-sundays': ['0 0 * * SUN', FIXED],
      'hours-of-a-range': ['0 0-4 * * *', FIXED],
      'half-hours-after-two': ['*/30 2 * * *', WILD],
      'every-hour': ['0 * * * *', WILD],
      'every-second-hour': ['15 */2 * * *', WILD],
      'every-quarter': ['*/15 * * * *', WILD],
      'half-hours-of-every-hour': ['0,30 * * * *', WILD],
      'quarters-of-a-range-of-hours': ['*/15 0-2 * * *', WILD],
    };
    return {
      zone,
      from,
      hours: 3,
      speed: 12,
      grain: 15,
      lines: Object.fromEntries(Object.entries(lines).map(([name, line]) => [`${place}-${name}`, line])),
    };
  }),
];

const run = (command, words, env) => {
  const child = spawn(command, words, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return { child, ended: once(child, 'exit') };
};

/** Returns when each line ran, by name. */
async function played({ zone, from, hours, speed, lines }) {
  const folder = mkdtempSync(join(tmpdir(), 'uptime-cron-'));
  const spool = join(folder, 'spool');
  for (const name of ['spool', 'none', 'ran']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'nothing'), '');
  const entries = Object.entries({ every_day: ['0 9 * * *'], ...lines }).map(
    ([name, [cron]]) => `${cron} cut -d ' ' -f 1 /proc/uptime >> ${folder}/ran/${name}`,
  );
  // The kernel's uptime is the only clock that cron and its jobs share, because each job would start a separate fake
  // clock.
  const script = `
    cp ${folder}/lines ${spool}/root
    chmod 600 ${spool}/root
    cut -d ' ' -f 1 /proc/uptime > ${folder}/began
    exec /usr/sbin/cron -f`;
  writeFileSync(join(folder, 'lines'), `${entries.join('\n')}\n`);
  writeFileSync(join(folder, 'script'), script);
  // Hides the machine's own cron jobs.
  const mounts = [
    `mount --bind ${folder}/none /etc/cron.d`,
    `mount --bind ${folder}/nothing /etc/crontab`,
    `mount --bind ${spool} /var/spool/cron/crontabs`,
    `mount -t tmpfs none /run`,
    `exec faketime -f '@${from} x${speed}' sh ${folder}/script`,
  ];
  const { child, ended } = run('unshare', ['--mount', 'sh', '-ec', mounts.join('\n')], { TZ: zone });
  await new Promise((resolve) => setTimeout(resolve, (hours * 60 * MINUTE_MS) / speed));
  child.kill('SIGTERM');
  await ended;
  const began = Number(readFileSync(join(folder, 'began'), 'utf8'));
  const ran = Object.fromEntries(
    ['every_day', ...Object.keys(lines)].map((name) => {
      const file = join(folder, 'ran', name);
      const uptimes = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
      return [name, uptimes.map((uptime) => stamp(momentOf(from, zone) + (uptime - began) * speed * 1000))];
    }),
  );
  rmSync(folder, { recursive: true });
  return ran;
}

/** Converts a zone's wall clock time to UTC. The first guess may be before or after a clock change. */
const momentOf = (wall, zone) => {
  const asUtc = Date.parse(`${wall.replace(' ', 'T')}Z`);
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
  const offsetAt = (at) => Date.parse(`${shown.format(at).replace(' ', 'T')}Z`) - at;
  return asUtc - offsetAt(asUtc - offsetAt(asUtc));
};

const stamp = (ms) => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

const wanted = process.argv[2] ?? '';
mkdirSync(FOLDER, { recursive: true });
const chosen = RUNS.filter(({ lines }) => Object.keys(lines).some((name) => name.includes(wanted)));
const ended = await Promise.allSettled(
  chosen.map(async (each) => {
    const ran = await played(each);
    const { zone, from, hours, grain, lines } = each;
    const start = momentOf(from, zone);
    const until = start + hours * 60 * MINUTE_MS;
    if (hours > 24 && new Set(ran.every_day.map((at) => at.slice(0, 10))).size < Math.floor(hours / 24))
      throw new Error(`cron was too slow: it ran at ${ran.every_day.join(' ')}`);
    // Every hour has four quarters, even when the clock changes.
    const quarters = Object.entries(lines).find(([, [cron]]) => cron === '*/15 * * * *')?.[0];
    if (
      quarters &&
      new Set(ran[quarters].map((at) => Math.floor(Date.parse(at) / (grain * MINUTE_MS)))).size < hours * 4
    )
      throw new Error(`cron was too slow: ${quarters} ran at ${ran[quarters].join(' ')}`);
    for (const [name, [cron, why]] of Object.entries(lines)) {
      const moments = ran[name].map((at) => Math.floor(Date.parse(at) / (grain * MINUTE_MS)) * grain * MINUTE_MS);
      // For whole days, use the time in the line.
      const [minute, hour] = cron.split(' ');
      const shift = grain < 24 * 60 ? 0 : (Number(hour) * 60 + Number(minute)) * MINUTE_MS;
      const runs = [...new Set(moments.map((at) => at + shift))].sort((a, b) => a - b).filter((at) => at < until);
      const text = [
        `why: '${why}'`,
        "seen: Debian's cron 3.0pl1 under a fake clock (scripts/cron-fixtures.mjs)",
        `cron: '${cron}'`,
        `timezone: ${zone}`,
        `from: ${stamp(start)}`,
        `until: ${stamp(until)}`,
        runs.length === 0 ? 'runs: []' : `runs:\n${runs.map((at) => `  - ${stamp(at)}`).join('\n')}`,
      ];
      writeFileSync(join(FOLDER, `${name}.yaml`), `${text.join('\n')}\n`);
      console.log(`${name}: ${runs.length}`);
    }
  }),
);
for (const { reason } of ended) {
  if (!reason) continue;
  console.error(reason.message);
  process.exitCode = 1;
}
